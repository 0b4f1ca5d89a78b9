/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * scores of panels, against float64 over the same packed queries; bits across panel widths and cuts. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* Exact score and the bound of its error: head_dim FMAs, or as many products and sums. */
static double exact(const float *q, int32_t pitch, const float *k, int32_t dim, double *bound) {
  double sum = 0, size = 0;
  for (int32_t d = 0; d < dim; d++) {
    double x = (double)q[(int64_t)d * pitch] * (double)k[d];
    sum += x;
    size += fabs(x);
  }
  *bound = (dim + 1) * CHECK_U * size + CHECK_TINY;
  return sum;
}

static void check_scores(const rapt_panel_ops *panel, int32_t vector, const float *qt,
                         const check_rows *k, const rapt_block *block, const float *s,
                         const float *m_old, const float *m_new) {
  int32_t lanes = panel->lanes;
  for (int32_t i = 0; i < lanes; i++) {
    float most = m_old[i];
    int poisoned = 0;
    for (int32_t n = 0; n < block->stop[i / vector]; n++) {
      float got = s[n * lanes + i];
      if (!check_sees(block, i, n, vector)) {
        CHECK(got == -INFINITY, "lane %d key %d is forbidden: %g", i, n, (double)got);
        continue;
      }
      double bound, ref = exact(qt + i, lanes, check_row(k, n), k->dim, &bound);
      if (isnan(ref))
        CHECK(isnan(got), "lane %d key %d: %g instead of NaN", i, n, (double)got);
      else
        CHECK((double)got == ref || fabs((double)got - ref) <= bound,
              "lane %d key %d dim %d: %.9g, should be %.9g", i, n, k->dim, (double)got, ref);
      poisoned |= isnan(got);
      if (got > most) most = got;
    }
    /* Which maximum a lane with a NaN has is open: its sum is NaN anyway. */
    CHECK(poisoned || m_new[i] == most, "lane %d: maximum %.9g, should be %.9g", i,
          (double)m_new[i], (double)most);
  }
}

static void fill_max(rng *r, float *m, int32_t lanes) {
  for (int32_t i = 0; i < lanes; i++)
    m[i] = rng_below(r, 3) ? -INFINITY : (float)(4 * rng_normal(r));
}

static void scores_case(const rapt_kernel_set *set, const rapt_panel_ops *panel, rng *r,
                        int32_t i) {
  check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
  int32_t lanes = panel->lanes, vector = panel->vector;
  int32_t dim = check_head_dim(r, 4, i),
          keys = check_keys(r, set->key_tile, set->key_block, dim, i);
  check_rows k = check_rows_make(&arena, r, keys, dim, 1);
  rapt_block block = check_block(&arena, r, (check_kind)(i % CHECK_KINDS), keys, lanes, vector);
  float *qt = check_scratch(&arena, dim * lanes),
        *s = check_scratch(&arena, set->key_block * lanes);
  float *m = check_scratch(&arena, lanes), m_old[RAPT_MAX_LANES];
  rng_fill_normal(r, qt, (size_t)dim * (size_t)lanes, 1);
  fill_max(r, m, lanes);
  memcpy(m_old, m, (size_t)lanes * sizeof *m);
  if (i % 5 == 4 &&
      k.stride) /* NaN and infinity; the rule is tested where a lane may see them too */
    check_row_poison(&k, rng_below(r, keys));
  for (int32_t b = 0; b < arena.count; b++) /* inputs are not written */
    if (arena.buffer[b].data == (void *)qt) guard_read_only(&arena.buffer[b]);
  rapt_prefetch prefetch;
  panel->scores(qt, dim, k.first, k.stride, &block, s, m, check_prefetch(&prefetch, r));
  check_scores(panel, vector, qt, &k, &block, s, m_old, m);
  check_close(&arena, "scores");
}

SET_TEST(scores, "scores") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t p = 0; p < set->n_panels; p++)
    for (int32_t i = 0; i < 64 && !rapt_test_failed(); i++) scores_case(set, &set->panel[p], &r, i);
}

/* Scores are sums over channels only: any cut of a block gives the same bits. */
static void cut_case(const rapt_kernel_set *set, const rapt_panel_ops *panel, rng *r, int32_t i) {
  check_arena arena = {.place = GUARD_END};
  int32_t lanes = panel->lanes, dim = check_head_dim(r, 4, i);
  int32_t keys = check_keys(r, set->key_tile, set->key_block, dim, i);
  check_rows k = check_rows_make(&arena, r, keys, dim, 1);
  rapt_block whole = {.keys = keys, .full_end = keys};
  for (int32_t c = 0; c < RAPT_MAX_VECTORS; c++) whole.stop[c] = keys;
  float *qt = check_scratch(&arena, dim * lanes),
        *s = check_scratch(&arena, set->key_block * lanes);
  float *cut = check_scratch(&arena, set->key_block * lanes);
  float *m = check_scratch(&arena, lanes), *m_cut = check_scratch(&arena, lanes);
  rng_fill_normal(r, qt, (size_t)dim * (size_t)lanes, 1);
  for (int32_t n = 0; n < lanes; n++) m[n] = m_cut[n] = -INFINITY;
  panel->scores(qt, dim, k.first, k.stride, &whole, s, m, NULL);
  for (int32_t n = 0, step; n < keys; n += step) {
    step = rng_range(r, 1, keys - n);
    rapt_block part = {.keys = step, .full_end = step};
    for (int32_t c = 0; c < RAPT_MAX_VECTORS; c++) part.stop[c] = step;
    /* A permit word for all says the same as a full stretch. */
    uint32_t words[1024];
    memset(words, 0xff, sizeof words);
    if (rng_below(r, 2)) part.permit = words, part.full_end = 0;
    /* Each part goes to the front of scratch, as the engine's blocks do (and aligned). */
    float *front = check_scratch(&arena, set->key_block * lanes);
    panel->scores(qt, dim, k.first + n * k.stride, k.stride, &part, front, m_cut, NULL);
    memcpy(cut + n * lanes, front, (size_t)(step * lanes) * sizeof *cut);
    if (arena.count > CHECK_BUFFERS - 4) break;
    CHECK_BITS(cut + n * lanes, s + n * lanes, (size_t)(step * lanes), "%d lanes, %d of %d keys",
               lanes, step, keys);
    if (n + step == keys) CHECK_BITS(m_cut, m, (size_t)lanes, "maximum of parts");
  }
  check_close(&arena, "scores cut");
}

SET_TEST(scores_cut, "scores_cut") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t p = 0; p < set->n_panels; p++)
    for (int32_t i = 0; i < 24 && !rapt_test_failed(); i++) cut_case(set, &set->panel[p], &r, i);
}
