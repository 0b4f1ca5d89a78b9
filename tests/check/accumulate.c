/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * accumulate of panels: sums against float64, forbidden keys with NaN in V, the first block, cuts. */
#include "check.h"

#include <string.h>

/* Weights: 0 where forbidden, NaN where the vector takes no part (nobody may look there). */
static void fill_weights(const rapt_block *b, rng *r, int32_t lanes, int32_t vector, float *p) {
  for (int32_t n = 0; n < b->keys; n++)
    for (int32_t i = 0; i < lanes; i++)
      p[n * lanes + i] = n >= b->stop[i / vector]      ? NAN
                         : check_sees(b, i, n, vector) ? (float)rng_unit(r)
                                                       : 0;
}

static int seen_by_any(const rapt_block *b, int32_t n, int32_t lanes, int32_t vector) {
  for (int32_t i = 0; i < lanes; i++)
    if (check_sees(b, i, n, vector)) return 1;
  return 0;
}

static void check_lane(const rapt_block *b, int32_t lanes, int32_t vector, int32_t i,
                       const float *p, const check_rows *v, float alpha, int32_t first,
                       const float *before, const float *o) {
  for (int32_t c = 0; c < v->dim; c++) {
    double sum = first ? 0 : (double)before[c * lanes + i] * (double)alpha, size = fabs(sum);
    int poisoned = 0;
    for (int32_t n = 0; n < b->stop[i / vector]; n++) {
      if (!check_sees(b, i, n, vector)) continue;
      double x = (double)p[n * lanes + i] * (double)check_row(v, n)[c];
      poisoned |= !isfinite(x);
      sum += x;
      size += fabs(x);
    }
    float got = o[c * lanes + i];
    if (poisoned)
      CHECK(!isfinite(got), "lane %d channel %d: %g in spite of a visible NaN", i, c, (double)got);
    else
      CHECK(fabs((double)got - sum) <= (b->keys + 2) * CHECK_U * size + CHECK_TINY,
            "lane %d of %d, channel %d of %d, %d keys: %.9g, should be %.9g", i, lanes, c, v->dim,
            b->keys, (double)got, sum);
  }
}

static void accumulate_case(const rapt_kernel_set *set, const rapt_panel_ops *panel, rng *r,
                            int32_t i) {
  check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
  int32_t lanes = panel->lanes, vector = panel->vector, first = rng_below(r, 2);
  int32_t dim = check_head_dim(r, set->dv_tile, i);
  int32_t keys = check_keys(r, set->key_tile, set->key_block, dim, i);
  check_rows v = check_rows_make(&arena, r, keys, dim, 1);
  rapt_block block = check_block(&arena, r, (check_kind)(i / 2 % CHECK_KINDS), keys, lanes, vector);
  float *p = check_scratch(&arena, set->key_block * lanes), *alpha = check_scratch(&arena, lanes);
  float *o = check_scratch(&arena, dim * lanes), *before = check_scratch(&arena, dim * lanes);
  fill_weights(&block, r, lanes, vector, p);
  if (v.stride) {
    for (int32_t n = 0; n < keys; n++) /* forbidden to all: whatever bits */
      if (!seen_by_any(&block, n, lanes, vector) && rng_below(r, 2)) check_row_poison(&v, n);
    if (i % 4 == 3)
      check_row_poison(&v, rng_below(r, keys)); /* forbidden to some, seen by others */
  }
  if (rng_below(r, 2)) block.values_finite = set->finite(v.first, v.stride, keys, dim);
  rng_fill_uniform(r, alpha, (size_t)lanes, 0, 1);
  if (!first) rng_fill_normal(r, o, (size_t)(dim * lanes), 1); /* else NaN: must be ignored */
  memcpy(before, o, (size_t)(dim * lanes) * sizeof *o);
  rapt_prefetch prefetch;
  panel->accumulate(p, &block, v.first, v.stride, dim, alpha, first, o,
                    check_prefetch(&prefetch, r));
  for (int32_t n = 0; n < lanes; n++)
    check_lane(&block, lanes, vector, n, p, &v, alpha[n], first, before, o);
  check_close(&arena, "accumulate");
}

SET_TEST(accumulate, "accumulate") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t p = 0; p < set->n_panels; p++)
    for (int32_t i = 0; i < 64 && !rapt_test_failed(); i++)
      accumulate_case(set, &set->panel[p], &r, i);
}

/* Keys that are forbidden to all, whatever their V, add nothing: the bits are those of a shorter block
 * without them. So do permit words that say what a full stretch says. */
static void trim_case(const rapt_kernel_set *set, const rapt_panel_ops *panel, rng *r, int32_t i) {
  check_arena arena = {.place = GUARD_END};
  int32_t lanes = panel->lanes, vector = panel->vector, first = i % 2;
  int32_t dim = check_head_dim(r, set->dv_tile, i);
  int32_t keys = check_keys(r, set->key_tile, set->key_block, dim, i);
  int32_t from = rng_range(r, 0, keys - 1);
  from -= from % RAPT_KEY_ALIGN;
  int32_t seen = rng_range(r, 1, keys - from);
  check_rows v = check_rows_make(&arena, r, keys, dim, 0);
  rapt_block whole = check_block(&arena, r, CHECK_FULL, keys, lanes, vector);
  rapt_block inner = check_block(&arena, r, CHECK_FULL, seen, lanes, vector);
  float *w = check_scratch(&arena, set->key_block * lanes), *alpha = check_scratch(&arena, lanes);
  float *part = check_scratch(&arena, set->key_block * lanes);
  float *o = check_scratch(&arena, dim * lanes), *o2 = check_scratch(&arena, dim * lanes);
  uint32_t *words = check_bytes(&arena, (size_t)keys * sizeof *words, sizeof *words);
  fill_weights(&inner, r, lanes, vector, part);
  memset(w, 0, (size_t)(keys * lanes) * sizeof *w);
  memcpy(w + from * lanes, part, (size_t)(seen * lanes) * sizeof *w);
  for (int32_t n = 0; n < keys; n++) {
    words[n] = n >= from && n < from + seen ? ~0u : 0;
    if (!words[n] && rng_below(r, 2)) check_row_poison(&v, n);
  }
  whole.permit = words;
  whole.full_begin = from + rng_below(r, 2) * seen; /* all of it, or none */
  whole.full_end = from + seen;
  rng_fill_uniform(r, alpha, (size_t)lanes, 0, 1);
  rng_fill_normal(r, o, (size_t)(dim * lanes), 1);
  memcpy(o2, o, (size_t)(dim * lanes) * sizeof *o);
  panel->accumulate(w, &whole, v.first, v.stride, dim, alpha, first, o, NULL);
  panel->accumulate(part, &inner, v.first + from * v.stride, v.stride, dim, alpha, first, o2, NULL);
  check_drop_zero_signs(o, dim * lanes);
  check_drop_zero_signs(o2, dim * lanes);
  CHECK_BITS(o2, o, (size_t)(dim * lanes), "%d lanes, dim %d, keys %d.. of %d, %d seen", lanes, dim,
             from, keys, seen);
  check_close(&arena, "accumulate_trim");
}

SET_TEST(accumulate_trim, "accumulate_trim") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t p = 0; p < set->n_panels; p++)
    for (int32_t i = 0; i < 32; i++) trim_case(set, &set->panel[p], &r, i);
}
