/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * pack_q: queries into the lanes, once per panel. */

/* Channels d..d+RAPT_VL-1 of RAPT_VL rows into the lanes of one vector. */
RAPT_INLINE void PANEL_NAME(pack_block)(const float *const *rows, int32_t d, vf factor, float *qt) {
  vf r[RAPT_VL];
  RAPT_UNROLL
  for (int i = 0; i < RAPT_VL; i++) r[i] = vf_loadu(rows[i] + d);
  vf_transpose(r);
  RAPT_UNROLL
  for (int i = 0; i < RAPT_VL; i++) vf_store(qt + (d + i) * PANEL_LANES, vf_mul(factor, r[i]));
}

/* The same for the first n rows and `left` channels; lanes without a row are 0. */
static void PANEL_NAME(pack_edge)(const float *const *rows, int32_t n, int32_t d, int32_t left,
                                  vf factor, float *qt) {
  vf r[RAPT_VL];
  if (left > RAPT_VL) left = RAPT_VL;
  for (int i = 0; i < RAPT_VL; i++) r[i] = i < n ? vf_load_first(rows[i] + d, left) : vf_zero();
  vf_transpose(r);
  for (int i = 0; i < left; i++) vf_store(qt + (d + i) * PANEL_LANES, vf_mul(factor, r[i]));
}

static void PANEL_NAME(pack_q)(const float *const *rows, int32_t n_rows, int32_t head_dim,
                               float scale, float *qt) {
  const vf factor = vf_set1(scale);
  for (int32_t lane = 0; lane < PANEL_LANES; lane += RAPT_VL) {
    const int32_t n = n_rows - lane;
    int32_t d = 0;
    if (n >= RAPT_VL)
      for (; d + RAPT_VL <= head_dim; d += RAPT_VL)
        PANEL_NAME(pack_block)(rows + lane, d, factor, qt + lane);
    for (; d < head_dim; d += RAPT_VL)
      PANEL_NAME(pack_edge)(rows + lane, n, d, head_dim - d, factor, qt + lane);
  }
}
