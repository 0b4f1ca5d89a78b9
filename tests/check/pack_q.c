/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * pack_q of panels and rows: exact products in the right places, zeros elsewhere. */
#include "check.h"

static void panel_case(const rapt_panel_ops *panel, rng *r, int32_t i) {
  check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
  int32_t lanes = panel->lanes, dim = check_head_dim(r, 16, i);
  int32_t n = i % 3 ? rng_range(r, 1, lanes) : lanes;
  float scale = (float)rng_normal(r);
  check_rows rows = check_rows_make(&arena, r, n, dim, 0);
  const float **at = check_bytes(&arena, (size_t)n * sizeof *at, sizeof *at);
  for (int32_t k = 0; k < n; k++) at[k] = check_row(&rows, n - 1 - k);
  float *qt = check_scratch(&arena, dim * lanes);
  panel->pack_q(at, n, dim, scale, qt);
  int bad = 0;
  for (int32_t d = 0; d < dim; d++)
    for (int32_t k = 0; k < lanes; k++) {
      float want = k < n ? at[k][d] * scale : 0;
      bad += !(qt[d * lanes + k] == want);
    }
  CHECK(!bad, "%d lanes, %d rows, head_dim %d: %d elements wrong", lanes, n, dim, bad);
  check_close(&arena, "pack_q");
}

SET_TEST(pack_q, "pack_q") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t p = 0; p < set->n_panels; p++)
    for (int32_t i = 0; i < 60; i++) panel_case(&set->panel[p], &r, i);
}

SET_TEST(row_pack_q, "row.pack_q") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < 100; i++) {
    check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
    int32_t dim = check_head_dim(&r, 16, i), n = 1 + i % RAPT_MAX_ROWS;
    int32_t stride = (dim + RAPT_KEY_ALIGN - 1) / RAPT_KEY_ALIGN * RAPT_KEY_ALIGN;
    float scale = (float)rng_normal(&r);
    check_rows rows = check_rows_make(&arena, &r, n, dim, 0);
    const float **at = check_bytes(&arena, (size_t)n * sizeof *at, sizeof *at);
    for (int32_t k = 0; k < n; k++) at[k] = check_row(&rows, k);
    float *q = check_scratch(&arena, n * stride);
    set->row.pack_q(at, n, dim, scale, q);
    int bad = 0;
    for (int32_t k = 0; k < n; k++)
      for (int32_t d = 0; d < stride; d++)
        bad += !(q[k * stride + d] == (d < dim ? at[k][d] * scale : 0));
    CHECK(!bad, "%d rows, head_dim %d: %d elements wrong", n, dim, bad);
    check_close(&arena, "row.pack_q");
  }
}
