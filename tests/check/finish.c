/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * finish of panels and rows, with sinks and without, and copy_out. */
#include "state.h"

#include <string.h>

/* What the row should be: O times factor, within bound, and the log-sum-exp. */
typedef struct expected {
  int empty, nan;
  double factor, relative; /* of O */
  double lse, lse_bound;
} expected;

static expected expect(const state *s, int32_t i, int32_t natural, const float *sinks) {
  const double none = -(double)INFINITY;
  double l = (double)s->l[i], m = (double)s->m[i] * (natural ? 1 : CHECK_LN2);
  double sink = sinks ? (double)sinks[i] : none;
  expected x = {.empty = s->m[i] == -INFINITY && s->l[i] == 0, .nan = isnan(l)};
  if (x.empty) { /* exactly: the sink alone */
    x.lse = sink;
    return x;
  }
  double joint = m > sink ? m : sink, total = l * exp(m - joint) + exp(sink - joint);
  x.factor = exp(m - joint) / total;
  x.lse = joint + log(total);
  if (sink == none) { /* 1 / l and the product; ln 2 and its product, ln within 4 U, the sum */
    x.relative = 2.1 * CHECK_U;
    x.lse_bound = CHECK_U * (2 * fabs(m) + 4 * fabs(log(l)) + fabs(x.lse) + 0.01);
    return x;
  }
  /* Maxima and their difference are rounded, then two exponentials, sums and a division. */
  double part = CHECK_U * (2 * fabs(m) + 2.5 * fabs(m - sink)) + CHECK_EXP2;
  x.relative = 2 * part + 6 * CHECK_U;
  x.lse_bound = part + CHECK_U * (2 * fabs(m) + 4 * fabs(log(total)) + fabs(x.lse) + 4);
  return x;
}

static void check_finished(const state *s, int32_t i, const expected *x, const float *row,
                           const float *lse) {
  for (int32_t c = 0; c < s->dim; c++) {
    double ref = x->empty ? 0 : (double)s->o[c * s->channel + i * s->row] * x->factor;
    if (x->nan)
      CHECK(isnan(row[c]), "row %d channel %d: %g, should be NaN", i, c, (double)row[c]);
    else
      CHECK(fabs((double)row[c] - ref) <= fabs(ref) * x->relative + 4 * CHECK_TINY,
            "row %d channel %d: %.9g, should be %.9g", i, c, (double)row[c], ref);
    CHECK(row[c] != 0 || !signbit(row[c]), "row %d channel %d: -0", i, c);
  }
  if (!lse) return;
  if (x->nan)
    CHECK(isnan(lse[i]), "row %d: LSE %g, should be NaN", i, (double)lse[i]);
  else
    CHECK((double)lse[i] == x->lse || fabs((double)lse[i] - x->lse) <= x->lse_bound,
          "row %d: LSE %.9g, should be %.9g (m %g, l %g)", i, (double)lse[i], x->lse,
          (double)s->m[i], (double)s->l[i]);
}

/* Sinks that matter: none, far above and below every score, near. */
static float *make_sinks(check_arena *arena, rng *r, int32_t rows) {
  static const float far[] = {-INFINITY, 1e4f, -1e4f, 0, 3e38f, -3e38f};
  float *sinks = check_scratch(arena, rows);
  for (int32_t i = 0; i < rows; i++) {
    int32_t kind = rng_below(r, 12);
    sinks[i] = kind < 6 ? far[kind] : (float)(5 * rng_normal(r));
  }
  return sinks;
}

typedef struct out_rows {
  check_rows rows;
  float **at;
} out_rows;

static out_rows make_out(check_arena *arena, rng *r, int32_t n, int32_t dim) {
  out_rows x = {.rows = check_rows_make(arena, r, n, dim, 0)};
  x.at = check_bytes(arena, (size_t)n * sizeof *x.at, sizeof *x.at);
  for (int32_t row = 0; row < n; row++) {
    x.at[row] = check_row(&x.rows, row);
    memset(x.at[row], 0xff, (size_t)dim * sizeof(float));
  }
  return x;
}

static void finish(ops k, int32_t natural, const state *s, const float *sinks, int32_t n,
                   float *const *rows, float *lse) {
  if (k.panel)
    k.panel->finish(natural, s->m, s->l, s->o, sinks, s->dim, n, rows, lse);
  else
    k.set->row.finish(natural, s->m, s->l, s->o, sinks, s->dim, n, rows, lse);
}

static void finish_case(ops k, rng *r, int32_t i) {
  check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
  int32_t most = k.panel ? k.panel->lanes : RAPT_MAX_ROWS, n = i % 3 ? rng_range(r, 1, most) : most;
  int32_t dim = check_head_dim(r, 16, i);
  state s = make_state(k, &arena, most, dim);
  fill_state(&s, r, i % 4 ? 3 : 300, 1);
  for (int32_t row = 0; row < most; row++) {
    int32_t dice = rng_below(r, 12);
    if (dice == 0) s.l[row] = NAN;
    if (s.m[row] == -INFINITY && s.l[row] == 0) /* an empty row's O may never have been written */
      for (int32_t c = 0; c < dim; c++) s.o[c * s.channel + row * s.row] = NAN;
    if (dice == 1) s.o[row * s.row] = -0.0f;
  }
  for (int32_t b = 0; b < 3; b++) guard_read_only(&arena.buffer[b]);
  out_rows out = make_out(&arena, r, n, dim);
  const int32_t natural = i / 2 % 2;
  float *sinks = i / 4 % 2 ? make_sinks(&arena, r, most) : NULL;
  float *lse = rng_below(r, 3) ? check_scratch(&arena, most) : NULL;
  finish(k, natural, &s, sinks, n, out.at, lse);
  for (int32_t row = 0; row < n; row++) {
    expected x = expect(&s, row, natural, sinks);
    check_finished(&s, row, &x, out.at[row], lse);
  }
  CHECK(check_gaps_intact(&out.rows), "%d rows, head_dim %d: bytes between rows were written", n,
        dim);
  check_close(&arena, "finish");
}

/* Sinks of -inf leave every bit alone; copy_out divides by nothing. */
static void sinkless_case(ops k, rng *r, int32_t i) {
  check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
  int32_t most = k.panel ? k.panel->lanes : RAPT_MAX_ROWS, n = rng_range(r, 1, most);
  int32_t dim = check_head_dim(r, 16, i), natural = i % 2;
  state s = make_state(k, &arena, most, dim);
  fill_state(&s, r, 10, 1);
  out_rows a = make_out(&arena, r, n, dim), b = make_out(&arena, r, n, dim);
  float *sinks = check_scratch(&arena, most);
  float *lse_a = check_scratch(&arena, most), *lse_b = check_scratch(&arena, most);
  for (int32_t row = 0; row < most; row++) sinks[row] = -INFINITY;
  finish(k, natural, &s, NULL, n, a.at, lse_a);
  finish(k, natural, &s, sinks, n, b.at, lse_b);
  for (int32_t row = 0; row < n; row++)
    CHECK_BITS(a.at[row], b.at[row], (size_t)dim, "row %d of %d", row, n);
  CHECK_BITS(lse_a, lse_b, (size_t)n, "LSE");
  s.l[0] = NAN;
  if (k.panel)
    k.panel->copy_out(s.m, s.l, s.o, dim, n, a.at);
  else
    k.set->row.copy_out(s.m, s.l, s.o, dim, n, a.at);
  for (int32_t row = 0; row < n; row++)
    for (int32_t c = 0; c < dim; c++) {
      float want = s.o[c * s.channel + row * s.row];
      if (s.m[row] == -INFINITY && s.l[row] == 0) want = 0;
      CHECK_BITS(&a.at[row][c], &want, 1, "row %d of %d, channel %d of %d", row, n, c, dim);
    }
  CHECK(check_gaps_intact(&a.rows), "%d rows, head_dim %d: bytes between rows", n, dim);
  check_close(&arena, "copy_out");
}

static void finish_all(ops k) {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < 60 && !rapt_test_failed(); i++) finish_case(k, &r, i);
  for (int32_t i = 0; i < 40 && !rapt_test_failed(); i++) sinkless_case(k, &r, i);
}

SET_TEST(finish, "finish") {
  for (int32_t p = 0; p < set->n_panels; p++) finish_all((ops){set, &set->panel[p]});
}
SET_TEST(row_finish, "row.finish") { finish_all((ops){set, NULL}); }
