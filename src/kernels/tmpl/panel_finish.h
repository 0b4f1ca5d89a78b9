/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * join: two partial results of a panel become one. finish: a panel becomes rows of O. */

static void PANEL_NAME(join)(float *m, float *l, float *o, const float *m2, const float *l2,
                             const float *o2, int32_t head_dim) {
  vf w1[PANEL_VECTORS], w2[PANEL_VECTORS];
  for (int c = 0; c < PANEL_VECTORS; c++) {
    int i = c * RAPT_VL;
    vf joint = vf_join_weights(vf_load(m + i), vf_load(m2 + i), &w1[c], &w2[c]);
    vf_store(m + i, joint);
    vf_store(l + i, vf_fma(vf_load(l2 + i), w2[c], vf_mul(vf_load(l + i), w1[c])));
  }
  for (int32_t d = 0; d < head_dim; d++)
    for (int c = 0; c < PANEL_VECTORS; c++) {
      int32_t i = d * PANEL_LANES + c * RAPT_VL;
      vf_store(o + i, vf_fma(vf_load(o2 + i), w2[c], vf_mul(vf_load(o + i), w1[c])));
    }
}

static void PANEL_NAME(finish)(const float *m, const float *l, const float *o, int32_t head_dim,
                               int32_t n_rows, float *const *rows, float *lse) {
  for (int c = 0; c < PANEL_VECTORS && c * RAPT_VL < n_rows; c++) {
    vf max = vf_load(m + c * RAPT_VL), sum = vf_load(l + c * RAPT_VL);
    vm empty = vm_empty(max, sum);
    vf inverse = vf_div(vf_set1(1.0f), sum);
    if (lse) vf_store(lse + c * RAPT_VL, vf_lse(max, sum));
    for (int32_t d = 0; d < head_dim; d += RAPT_VL) {
      int32_t left = head_dim - d;
      vf r[RAPT_VL];
      for (int i = 0; i < RAPT_VL; i++)
        r[i] = i < left
                   ? vf_select(empty, vf_zero(),
                               vf_mul(inverse, vf_load(o + (d + i) * PANEL_LANES + c * RAPT_VL)))
                   : vf_zero();
      vf_transpose(r);
      /* Adding +0 makes -0 (whose sign depends on where a tile was cut) +0. */
      for (int i = 0; i < RAPT_VL && c * RAPT_VL + i < n_rows; i++) {
        float *row = rows[c * RAPT_VL + i] + d;
        vf x = vf_add(r[i], vf_zero());
        if (left >= RAPT_VL)
          vf_storeu(row, x);
        else
          vf_store_first(row, left, x);
      }
    }
  }
}
