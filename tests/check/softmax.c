/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * softmax of panels: weights, sums and factors against float64; empty lanes, NaN, cuts. */
#include "check.h"

#include <string.h>

typedef struct lanes_state {
  float m[RAPT_MAX_LANES], l[RAPT_MAX_LANES];
} lanes_state;

/* Scores as scores() leaves them, and the maximum it found. Some lanes are fresh, some empty. */
static void fill(const rapt_block *b, rng *r, int32_t lanes, int32_t vector, float *s, float *m_new,
                 float *m, float *l) {
  double spread = rng_below(r, 3) == 0 ? 60 : 3;
  for (int32_t i = 0; i < lanes; i++) {
    int fresh = rng_below(r, 2);
    m[i] = fresh ? -INFINITY : (float)(spread * rng_normal(r));
    l[i] = fresh ? 0 : (float)(1 + 100 * rng_unit(r));
    float most = m[i];
    for (int32_t n = 0; n < b->stop[i / vector]; n++) {
      float x = check_sees(b, i, n, vector) ? (float)(spread * rng_normal(r)) : -INFINITY;
      s[n * lanes + i] = x;
      if (x > most) most = x;
    }
    m_new[i] = most;
  }
}

static void check_lane(const rapt_block *b, int32_t lanes, int32_t vector, int32_t i,
                       const float *s, const float *p, const lanes_state *old, float m_new, float m,
                       float l, float alpha) {
  double base = m_new == -INFINITY ? 0 : (double)m_new;
  double x0 = (double)old->m[i] - base, a = exp2(x0);
  /* x is rounded once (U |x|, times ln 2 in the result), then exp2 has its own error. */
  double a_bound = a == 0 ? CHECK_TINY : a * (CHECK_EXP2 + CHECK_U * fabs(x0)) + CHECK_TINY;
  CHECK(m == m_new, "lane %d: m = %.9g, should be %.9g", i, (double)m, (double)m_new);
  CHECK(fabs((double)alpha - a) <= a_bound, "lane %d: alpha %.9g, should be %.9g", i, (double)alpha,
        a);
  int32_t keys = b->stop[i / vector];
  double sum = (double)old->l[i] * a, bound = (double)old->l[i] * a_bound;
  for (int32_t n = 0; n < keys; n++) {
    double x = (double)s[n * lanes + i] - base, w = exp2(x), got = (double)p[n * lanes + i];
    double limit = w == 0 ? CHECK_TINY : w * (CHECK_EXP2 + CHECK_U * fabs(x)) + CHECK_TINY;
    CHECK(fabs(got - w) <= limit, "lane %d key %d: weight %.9g, should be %.9g", i, n, got, w);
    if (s[n * lanes + i] == -INFINITY)
      CHECK(got == 0, "lane %d key %d: weight %g of a forbidden key", i, n, got);
    sum += w;
    bound += limit;
  }
  bound += (keys + 2) * CHECK_U * sum;
  CHECK(fabs((double)l - sum) <= bound, "lane %d: l = %.9g, should be %.9g", i, (double)l, sum);
  if (m_new == -INFINITY) CHECK(l == 0, "lane %d is empty: l = %g", i, (double)l);
}

static void softmax_case(const rapt_kernel_set *set, const rapt_panel_ops *panel, rng *r,
                         int32_t i) {
  check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
  int32_t lanes = panel->lanes, vector = panel->vector;
  int32_t keys = check_keys(r, set->key_tile, set->key_block, 1, i), room = set->key_block * lanes;
  rapt_block block = check_block(&arena, r, (check_kind)(i % CHECK_KINDS), keys, lanes, vector);
  float *s = check_scratch(&arena, room), *raw = check_scratch(&arena, room);
  float *m_new = check_scratch(&arena, lanes), *m = check_scratch(&arena, lanes);
  float *l = check_scratch(&arena, lanes), *alpha = check_scratch(&arena, lanes);
  fill(&block, r, lanes, vector, s, m_new, m, l);
  memcpy(raw, s, (size_t)room * sizeof *s);
  lanes_state old;
  memcpy(old.m, m, (size_t)lanes * sizeof *m);
  memcpy(old.l, l, (size_t)lanes * sizeof *l);
  guard_read_only(&arena.buffer[arena.count - 4]); /* m_new */
  panel->softmax(&block, 0, s, m_new, m, l, alpha);
  for (int32_t n = 0; n < lanes; n++)
    check_lane(&block, lanes, vector, n, raw, s, &old, m_new[n], m[n], l[n], alpha[n]);
  check_close(&arena, "softmax");
}

SET_TEST(softmax, "softmax") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t p = 0; p < set->n_panels; p++)
    for (int32_t i = 0; i < 48 && !rapt_test_failed(); i++)
      softmax_case(set, &set->panel[p], &r, i);
}

/* A NaN or +inf score makes the sum of its lane NaN, and of no other. */
SET_TEST(softmax_nan, "softmax_nan") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t p = 0; p < set->n_panels; p++)
    for (int32_t i = 0; i < 20; i++) {
      const rapt_panel_ops *panel = &set->panel[p];
      int32_t lanes = panel->lanes, keys = rng_range(&r, 1, set->key_block), dim = 4;
      check_arena arena = {.place = GUARD_END};
      float *qt = check_scratch(&arena, dim * lanes);
      float *s = check_scratch(&arena, set->key_block * lanes),
            *m_new = check_scratch(&arena, lanes);
      float *m = check_scratch(&arena, lanes), *l = check_scratch(&arena, lanes);
      float *alpha = check_scratch(&arena, lanes), *k = check_floats(&arena, keys * dim);
      rapt_block block = check_block(&arena, &r, CHECK_FULL, keys, lanes, panel->vector);
      rng_fill_normal(&r, qt, (size_t)(dim * lanes), 1);
      rng_fill_normal(&r, k, (size_t)(keys * dim), 1);
      for (int32_t n = 0; n < lanes; n++) m[n] = m_new[n] = -INFINITY, l[n] = 0;
      int32_t bad = rng_below(&r, lanes), hot = rng_below(&r, lanes);
      qt[bad] = NAN;
      qt[hot] = copysignf(INFINITY, k[rng_below(&r, keys) * dim]); /* one +inf at least */
      panel->scores(qt, dim, (char *)k, dim * (int64_t)sizeof *k, &block, s, m_new, NULL);
      panel->softmax(&block, 0, s, m_new, m, l, alpha);
      for (int32_t n = 0; n < lanes; n++)
        CHECK(n == bad || n == hot ? isnan(l[n]) : isfinite(l[n]),
              "lane %d of %d, NaN in %d, inf in %d: l = %g", n, lanes, bad, hot, (double)l[n]);
      check_close(&arena, "softmax_nan");
    }
}

/* Keys that are forbidden to all add nothing: the bits are those of a shorter block without them. */
SET_TEST(softmax_trim, "softmax_trim") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t p = 0; p < set->n_panels; p++)
    for (int32_t i = 0; i < 24; i++) {
      const rapt_panel_ops *panel = &set->panel[p];
      int32_t lanes = panel->lanes, vector = panel->vector;
      int32_t keys = rng_range(&r, 1, set->key_block), from = rng_range(&r, 0, keys - 1);
      from -= from % RAPT_KEY_ALIGN;
      int32_t seen = rng_range(&r, 1, keys - from), rest = keys - from - seen;
      check_arena arena = {.place = GUARD_END};
      rapt_block whole = check_block(&arena, &r, CHECK_FULL, keys, lanes, vector);
      rapt_block inner = check_block(&arena, &r, CHECK_FULL, seen, lanes, vector);
      float *s = check_scratch(&arena, set->key_block * lanes);
      float *part = check_scratch(&arena, set->key_block * lanes);
      float *m_new = check_scratch(&arena, lanes), *alpha = check_scratch(&arena, lanes);
      float *m = check_scratch(&arena, lanes), *l = check_scratch(&arena, lanes);
      float *m2 = check_scratch(&arena, lanes), *l2 = check_scratch(&arena, lanes);
      fill(&inner, &r, lanes, vector, part, m_new, m, l);
      size_t bytes = (size_t)lanes * sizeof *m;
      memcpy(m2, m, bytes);
      memcpy(l2, l, bytes);
      for (int32_t n = 0; n < keys * lanes; n++) s[n] = -INFINITY;
      memcpy(s + from * lanes, part, (size_t)seen * bytes);
      whole.full_begin = from; /* no word is looked at: the scores say it all */
      whole.full_end = from + seen;
      panel->softmax(&whole, 0, s, m_new, m, l, alpha);
      panel->softmax(&inner, 0, part, m_new, m2, l2, alpha);
      CHECK_BITS(l2, l, (size_t)lanes, "%d lanes: l of %d keys, %d before and %d behind", lanes,
                 seen, from, rest);
      CHECK_BITS(part, s + from * lanes, (size_t)(seen * lanes), "weights");
      check_close(&arena, "softmax_trim");
    }
}
