/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * pack_q: queries into the lanes, once per panel. */

static void PANEL_NAME(pack_q)(const float *const *rows, int32_t n_rows, int32_t head_dim,
                               float scale, float *qt) {
  const vf factor = vf_set1(scale);
  for (int c = 0; c < PANEL_VECTORS; c++)
    for (int32_t d = 0; d < head_dim; d += RAPT_VL) {
      int32_t left = head_dim - d;
      vf r[RAPT_VL];
      for (int i = 0; i < RAPT_VL; i++) {
        int32_t row = c * RAPT_VL + i;
        if (row >= n_rows)
          r[i] = vf_zero();
        else if (left >= RAPT_VL)
          r[i] = vf_mul(factor, vf_loadu(rows[row] + d));
        else
          r[i] = vf_mul(factor, vf_load_first(rows[row] + d, left));
      }
      vf_transpose(r);
      for (int i = 0; i < RAPT_VL && i < left; i++)
        vf_store(qt + (d + i) * PANEL_LANES + c * RAPT_VL, r[i]);
    }
}
