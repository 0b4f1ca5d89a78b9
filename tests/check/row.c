/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The row kernel: scores, softmax, accumulate against float64, and a row's bits beside others. */
#include "check.h"

#include <string.h>

typedef struct row_case {
  const rapt_kernel_set *set;
  int32_t rows, dim, pad, keys; /* pad: head_dim rounded up */
  rapt_block block;
  check_rows kv;
} row_case;

static row_case make_case(const rapt_kernel_set *set, check_arena *arena, rng *r, int32_t i) {
  row_case k = {.set = set, .rows = 1 + i % RAPT_MAX_ROWS, .dim = check_head_dim(r, 16, i)};
  k.pad = (k.dim + RAPT_KEY_ALIGN - 1) / RAPT_KEY_ALIGN * RAPT_KEY_ALIGN;
  k.keys = check_keys(r, 4, set->row.row_block, k.dim, i / 4);
  k.kv = check_rows_make(arena, r, k.keys, k.dim, 1);
  check_kind kind = (check_kind)(i / 3 % CHECK_KINDS);
  k.block = check_block(arena, r, kind, k.keys, k.rows, k.rows);
  for (int32_t c = 0; c < RAPT_MAX_VECTORS; c++) k.block.stop[c] = -99; /* not read */
  return k;
}

static int sees(const rapt_block *b, int32_t row, int32_t n) {
  return (n >= b->full_begin && n < b->full_end) || !b->permit || (b->permit[n] >> row & 1);
}

SET_TEST(row_scores, "row.scores") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < 120 && !rapt_test_failed(); i++) {
    check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
    row_case k = make_case(set, &arena, &r, i);
    int32_t room = set->row.row_block;
    float *q = check_scratch(&arena, k.rows * k.pad), *s = check_scratch(&arena, k.rows * room);
    for (int32_t row = 0; row < k.rows; row++) {
      memset(q + row * k.pad, 0, (size_t)k.pad * sizeof *q);
      rng_fill_normal(&r, q + row * k.pad, (size_t)k.dim, 1);
    }
    if (i % 5 == 4 && k.kv.stride) check_row_poison(&k.kv, rng_below(&r, k.keys));
    rapt_prefetch prefetch;
    set->row.scores(q, k.rows, k.dim, k.kv.first, k.kv.stride, &k.block, s,
                    check_prefetch(&prefetch, &r));
    for (int32_t row = 0; row < k.rows; row++)
      for (int32_t n = 0; n < k.keys; n++) {
        if (!sees(&k.block, row, n)) continue; /* softmax takes it out */
        double sum = 0, size = 0, got = (double)s[row * room + n];
        for (int32_t d = 0; d < k.dim; d++) {
          double x = (double)q[row * k.pad + d] * (double)check_row(&k.kv, n)[d];
          sum += x;
          size += fabs(x);
        }
        CHECK(isnan(sum) ? isnan(got)
                         : got == sum || fabs(got - sum) <= (k.dim + 1) * CHECK_U * size,
              "row %d of %d, key %d of %d, dim %d: %.9g, should be %.9g", row, k.rows, n, k.keys,
              k.dim, got, sum);
      }
    check_close(&arena, "row.scores");
  }
}

static void check_softmax_row(const row_case *k, int32_t row, const float *s, const float *p,
                              float m_old, float m, float alpha) {
  float most = m_old;
  int poisoned = 0;
  for (int32_t n = 0; n < k->keys; n++) {
    if (!sees(&k->block, row, n)) continue;
    if (s[n] > most) most = s[n];
    poisoned |= isnan(s[n]) || s[n] == INFINITY;
  }
  double base = most == -INFINITY ? 0 : (double)most, x0 = (double)m_old - base, a = exp2(x0);
  int nan_seen = 0;
  for (int32_t n = 0; n < k->keys; n++) {
    double x = (double)s[n] - base, w = sees(&k->block, row, n) ? exp2(x) : 0;
    if (sees(&k->block, row, n) && isnan(p[n])) nan_seen = 1;
    if (!sees(&k->block, row, n))
      CHECK(poisoned || p[n] == 0, "row %d key %d: weight %g of a forbidden key", row, n,
            (double)p[n]);
    else if (!poisoned)
      CHECK(fabs((double)p[n] - w) <=
                (w == 0 ? 0 : w * (CHECK_EXP2 + CHECK_U * fabs(x))) + CHECK_TINY,
            "row %d key %d: weight %.9g, should be %.9g", row, n, (double)p[n], w);
  }
  if (poisoned) {
    CHECK(nan_seen, "row %d: no weight is NaN", row);
    return;
  }
  CHECK(m == most, "row %d: maximum %.9g, should be %.9g", row, (double)m, (double)most);
  CHECK(fabs((double)alpha - a) <=
            (a == 0 ? 0 : a * (CHECK_EXP2 + CHECK_U * fabs(x0))) + CHECK_TINY,
        "row %d: alpha %.9g, should be %.9g", row, (double)alpha, a);
}

SET_TEST(row_softmax, "row.softmax") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < 160 && !rapt_test_failed(); i++) {
    check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
    row_case k = make_case(set, &arena, &r, i);
    int32_t room = set->row.row_block;
    float *s = check_scratch(&arena, k.rows * room), *raw = check_scratch(&arena, k.rows * room);
    float *m = check_scratch(&arena, RAPT_MAX_ROWS), *alpha = check_scratch(&arena, RAPT_MAX_ROWS);
    float m_old[RAPT_MAX_ROWS];
    for (int32_t row = 0; row < k.rows; row++) {
      m[row] = m_old[row] = rng_below(&r, 2) ? -INFINITY : (float)(5 * rng_normal(&r));
      for (int32_t n = 0; n < k.keys; n++) {
        float x = (float)(20 * rng_normal(&r));
        /* What row.scores leaves at forbidden keys is anything. */
        if (!sees(&k.block, row, n)) x = rng_below(&r, 2) ? NAN : INFINITY;
        s[row * room + n] = x;
      }
    }
    if (i % 7 == 6) s[rng_below(&r, k.keys)] = i % 2 ? NAN : INFINITY;
    if (i % 11 == 10) s[rng_below(&r, k.keys)] = -INFINITY;
    memcpy(raw, s, (size_t)(k.rows * room) * sizeof *s);
    set->row.softmax(&k.block, k.rows, 0, s, m, alpha);
    for (int32_t row = 0; row < k.rows; row++)
      check_softmax_row(&k, row, raw + row * room, s + row * room, m_old[row], m[row], alpha[row]);
    check_close(&arena, "row.softmax");
  }
}

static void check_accumulate_row(const row_case *k, int32_t row, const float *p, float alpha,
                                 int32_t first, float l_old, float l, const float *before,
                                 const float *o) {
  for (int32_t c = -1; c < k->dim; c++) { /* -1: l, a channel of ones */
    double sum = c < 0   ? (double)l_old * (double)alpha
                 : first ? 0
                         : (double)before[c] * (double)alpha;
    double size = fabs(sum);
    int poisoned = 0;
    for (int32_t n = 0; n < k->keys; n++) {
      if (!sees(&k->block, row, n)) continue;
      double x = (double)p[n] * (c < 0 ? 1.0 : (double)check_row(&k->kv, n)[c]);
      poisoned |= !isfinite(x);
      sum += x;
      size += fabs(x);
    }
    double got = (double)(c < 0 ? l : o[c]);
    if (poisoned)
      CHECK(!isfinite(got), "row %d channel %d: %g in spite of a visible NaN", row, c, got);
    else
      CHECK(fabs(got - sum) <= (k->keys + 2) * CHECK_U * size + CHECK_TINY,
            "row %d of %d, channel %d of %d, %d keys: %.9g, should be %.9g", row, k->rows, c,
            k->dim, k->keys, got, sum);
  }
}

SET_TEST(row_accumulate, "row.accumulate") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < 160 && !rapt_test_failed(); i++) {
    check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
    row_case k = make_case(set, &arena, &r, i);
    int32_t room = set->row.row_block, first = rng_below(&r, 2);
    float *p = check_scratch(&arena, k.rows * room), *alpha = check_scratch(&arena, RAPT_MAX_ROWS);
    float *l = check_scratch(&arena, RAPT_MAX_ROWS), l_old[RAPT_MAX_ROWS];
    float *o = check_scratch(&arena, k.rows * k.pad),
          *before = check_scratch(&arena, k.rows * k.pad);
    for (int32_t row = 0; row < k.rows; row++) {
      alpha[row] = (float)rng_unit(&r);
      l[row] = l_old[row] = first ? 0 : (float)(1 + rng_unit(&r));
      for (int32_t n = 0; n < k.keys; n++)
        p[row * room + n] = sees(&k.block, row, n) ? (float)rng_unit(&r) : 0;
    }
    for (int32_t n = 0; n < k.keys; n++) { /* forbidden to all rows: whatever bits */
      int any = 0;
      for (int32_t row = 0; row < k.rows; row++) any |= sees(&k.block, row, n);
      if (!any && k.kv.stride) check_row_poison(&k.kv, n);
    }
    if (i % 6 == 5 && k.kv.stride) check_row_poison(&k.kv, rng_below(&r, k.keys));
    if (!first) rng_fill_normal(&r, o, (size_t)(k.rows * k.pad), 1);
    memcpy(before, o, (size_t)(k.rows * k.pad) * sizeof *o);
    rapt_prefetch prefetch;
    set->row.accumulate(p, k.rows, &k.block, k.kv.first, k.kv.stride, k.dim, alpha, first, l, o,
                        check_prefetch(&prefetch, &r));
    for (int32_t row = 0; row < k.rows; row++)
      check_accumulate_row(&k, row, p + row * room, alpha[row], first, l_old[row], l[row],
                           before + row * k.pad, o + row * k.pad);
    check_close(&arena, "row.accumulate");
  }
}
