/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Score rules between scores and softmax: add_bias, ALiBi, forbidden scores, the maximum. */
#include "check.h"

#include <string.h>

enum { PAD = RAPT_KEY_ALIGN };

static int32_t rounded(int32_t keys) { return (keys + PAD - 1) / PAD * PAD; }

/* Scores as `scores` leaves them where every key is permitted; NaN where a vector takes no part. */
static void fill(const rapt_block *b, rng *r, int32_t lanes, int32_t vector, float *s) {
  for (int32_t n = 0; n < b->keys; n++)
    for (int32_t i = 0; i < lanes; i++)
      s[n * lanes + i] = n < b->stop[i / vector] ? (float)(5 * rng_normal(r)) : NAN;
}

static void bias_case(const rapt_kernel_set *set, const rapt_panel_ops *panel, rng *r, int32_t i) {
  check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
  int32_t lanes = panel->lanes, vector = panel->vector;
  int32_t keys = check_keys(r, set->key_tile, set->key_block, 1, i), room = rounded(keys);
  rapt_block b = check_block(&arena, r, (check_kind)(i % CHECK_KINDS), keys, lanes, vector);
  int32_t stride = i % 3 == 0 ? 0 : room + PAD * rng_below(r, 3);
  float *bias = check_scratch(&arena, (lanes - 1) * stride + room);
  float *s = check_scratch(&arena, keys * lanes), *raw = check_scratch(&arena, keys * lanes);
  rng_fill_normal(r, bias, (size_t)((lanes - 1) * stride + room), 2);
  if (i % 4 == 1) bias[rng_below(r, keys)] = -INFINITY;
  fill(&b, r, lanes, vector, s);
  memcpy(raw, s, (size_t)(keys * lanes) * sizeof *s);
  panel->add_bias(&b, bias, stride, s);
  for (int32_t n = 0; n < keys; n++)
    for (int32_t lane = 0; lane < lanes; lane++) {
      if (n >= b.stop[lane / vector]) continue;
      float want = raw[n * lanes + lane] + bias[lane * stride + n];
      CHECK_BITS(&s[n * lanes + lane], &want, 1, "lane %d of %d, key %d of %d, stride %d", lane,
                 lanes, n, keys, stride);
    }
  check_close(&arena, "add_bias");
}

SET_TEST(add_bias, "add_bias") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t p = 0; p < set->n_panels; p++)
    for (int32_t i = 0; i < 48 && !rapt_test_failed(); i++) bias_case(set, &set->panel[p], &r, i);
}

typedef struct slopes {
  rapt_alibi alibi;
  float *slope, *distance, *key;
} slopes;

static slopes make_alibi(check_arena *arena, rng *r, int32_t lanes, int32_t keys) {
  slopes a = {.slope = check_floats(arena, lanes),
              .distance = check_floats(arena, lanes),
              .key = check_floats(arena, keys)};
  for (int32_t i = 0; i < lanes; i++) {
    a.slope[i] = (float)rng_unit(r);
    a.distance[i] = (float)rng_range(r, -100000, 100000);
  }
  for (int32_t n = 0, at = 0; n < keys; n++, at += rng_range(r, 1, 3)) a.key[n] = (float)at;
  a.alibi = (rapt_alibi){a.slope, a.distance, a.key};
  return a;
}

/* The distance is exact; product and sum round once or twice. */
static void check_alibi(const slopes *a, int32_t i, int32_t n, float raw, float got) {
  double p = (double)a->slope[i] * ((double)a->distance[i] + (double)a->key[n]);
  CHECK(fabs((double)got - ((double)raw + p)) <=
            CHECK_U * (2.1 * fabs(p) + 1.1 * fabs((double)raw)),
        "row %d key %d: %.9g, should be %.9g", i, n, (double)got, (double)raw + p);
}

static void adjust_case(const rapt_kernel_set *set, const rapt_panel_ops *panel, rng *r,
                        int32_t i) {
  check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
  int32_t lanes = panel->lanes, vector = panel->vector;
  int32_t keys = check_keys(r, set->key_tile, set->key_block, 1, i);
  rapt_block b = check_block(&arena, r, (check_kind)(i / 2 % CHECK_KINDS), keys, lanes, vector);
  slopes a = make_alibi(&arena, r, lanes, keys);
  float *s = check_scratch(&arena, keys * lanes), *raw = check_scratch(&arena, keys * lanes);
  float *m = check_scratch(&arena, lanes), *m_old = check_scratch(&arena, lanes);
  fill(&b, r, lanes, vector, s);
  for (int32_t n = 0; n < lanes; n++)
    m[n] = m_old[n] = rng_below(r, 2) ? -INFINITY : (float)(3 * rng_normal(r));
  for (int32_t n = 0; n < keys; n++) /* what is forbidden may be anything */
    for (int32_t lane = 0; lane < lanes; lane++)
      if (!check_sees(&b, lane, n, vector)) s[n * lanes + lane] = rng_below(r, 2) ? NAN : INFINITY;
  memcpy(raw, s, (size_t)(keys * lanes) * sizeof *s);
  const int alibi = i % 3 != 0;
  panel->adjust(&b, alibi ? &a.alibi : NULL, s, m);
  for (int32_t lane = 0; lane < lanes; lane++) {
    float most = m_old[lane];
    for (int32_t n = 0; n < b.stop[lane / vector]; n++) {
      int32_t at = n * lanes + lane;
      if (!check_sees(&b, lane, n, vector))
        CHECK(s[at] == -INFINITY, "lane %d key %d is forbidden: %g", lane, n, (double)s[at]);
      else if (alibi)
        check_alibi(&a, lane, n, raw[at], s[at]);
      else
        CHECK_BITS(&s[at], &raw[at], 1, "lane %d key %d", lane, n);
      if (s[at] > most) most = s[at];
    }
    CHECK(m[lane] == most, "lane %d of %d: maximum %.9g, should be %.9g", lane, lanes,
          (double)m[lane], (double)most);
  }
  check_close(&arena, "adjust");
}

SET_TEST(adjust, "adjust") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t p = 0; p < set->n_panels; p++)
    for (int32_t i = 0; i < 48 && !rapt_test_failed(); i++) adjust_case(set, &set->panel[p], &r, i);
}

SET_TEST(row_rules, "row.rules") {
  rng r = rng_make(rapt_test_seed());
  const int32_t block = set->row.row_block;
  for (int32_t i = 0; i < 96 && !rapt_test_failed(); i++) {
    check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
    int32_t rows = 1 + i % RAPT_MAX_ROWS, keys = check_keys(&r, 4, block, 1, i / 4);
    rapt_block b = {.keys = keys, .full_end = keys};
    int32_t room = rounded(keys), stride = i % 3 == 0 ? 0 : room + PAD * rng_below(&r, 2);
    slopes a = make_alibi(&arena, &r, rows, keys);
    float *bias = check_scratch(&arena, (rows - 1) * stride + room);
    float *s = check_scratch(&arena, rows * block), *raw = check_scratch(&arena, rows * block);
    rng_fill_normal(&r, bias, (size_t)((rows - 1) * stride + room), 2);
    for (int32_t row = 0; row < rows; row++)
      rng_fill_normal(&r, s + row * block, (size_t)keys, 5); /* behind them NaN */
    memcpy(raw, s, (size_t)(rows * block) * sizeof *s);
    set->row.add_bias(&b, rows, bias, stride, s);
    for (int32_t row = 0; row < rows; row++)
      for (int32_t n = 0; n < keys; n++) {
        float want = raw[row * block + n] + bias[row * stride + n];
        CHECK_BITS(&s[row * block + n], &want, 1, "row %d of %d, key %d of %d", row, rows, n, keys);
      }
    memcpy(raw, s, (size_t)(rows * block) * sizeof *s);
    set->row.add_alibi(&b, rows, &a.alibi, s);
    for (int32_t row = 0; row < rows; row++)
      for (int32_t n = 0; n < keys; n++)
        check_alibi(&a, row, n, raw[row * block + n], s[row * block + n]);
    check_close(&arena, "row.rules");
  }
}
