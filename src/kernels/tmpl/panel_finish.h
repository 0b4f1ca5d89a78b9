/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * join: two partial results of a panel become one. finish: a panel becomes rows of O.
 * copy_out: the same without a division. */

static void PANEL_NAME(join)(int32_t natural, float *m, float *l, float *o, const float *m2,
                             const float *l2, const float *o2, int32_t head_dim) {
  vf w1[PANEL_VECTORS], w2[PANEL_VECTORS];
  for (int c = 0; c < PANEL_VECTORS; c++) {
    int i = c * RAPT_VL;
    vf joint = vf_join_weights(natural, vf_load(m + i), vf_load(m2 + i), &w1[c], &w2[c]);
    vf_store(m + i, joint);
    vf_store(l + i, vf_fma(vf_load(l2 + i), w2[c], vf_mul(vf_load(l + i), w1[c])));
  }
  for (int32_t d = 0; d < head_dim; d++)
    for (int c = 0; c < PANEL_VECTORS; c++) {
      int32_t i = d * PANEL_LANES + c * RAPT_VL;
      vf_store(o + i, vf_fma(vf_load(o2 + i), w2[c], vf_mul(vf_load(o + i), w1[c])));
    }
}

/* Channels d.. of lanes 0..RAPT_VL-1 to their rows. Adding +0 makes -0 (whose sign depends on where a
 * tile was cut) +0. */
RAPT_INLINE void PANEL_NAME(finish_block)(const float *o, int32_t d, vf inverse, vm empty,
                                          float *const *rows) {
  vf r[RAPT_VL];
  RAPT_UNROLL
  for (int i = 0; i < RAPT_VL; i++) {
    vf x = vf_mul(inverse, vf_load(o + (d + i) * PANEL_LANES));
    r[i] = vf_add(vf_select(empty, vf_zero(), x), vf_zero());
  }
  vf_transpose(r);
  RAPT_UNROLL
  for (int i = 0; i < RAPT_VL; i++) vf_storeu(rows[i] + d, r[i]);
}

/* The same for the first n lanes and `left` channels. */
static void PANEL_NAME(finish_edge)(const float *o, int32_t n, int32_t d, int32_t left, vf inverse,
                                    vm empty, float *const *rows) {
  vf r[RAPT_VL];
  if (left > RAPT_VL) left = RAPT_VL;
  for (int i = 0; i < RAPT_VL; i++) {
    vf x = i < left ? vf_mul(inverse, vf_load(o + (d + i) * PANEL_LANES)) : vf_zero();
    r[i] = vf_add(vf_select(empty, vf_zero(), x), vf_zero());
  }
  vf_transpose(r);
  for (int i = 0; i < RAPT_VL && i < n; i++) vf_store_first(rows[i] + d, left, r[i]);
}

/* Lanes lane.. times factor to their rows. */
RAPT_INLINE void PANEL_NAME(finish_lanes)(const float *o, int32_t head_dim, int32_t n, vf factor,
                                          vm empty, float *const *rows) {
  int32_t d = 0;
  if (n >= RAPT_VL)
    for (; d + RAPT_VL <= head_dim; d += RAPT_VL)
      PANEL_NAME(finish_block)(o, d, factor, empty, rows);
  for (; d < head_dim; d += RAPT_VL)
    PANEL_NAME(finish_edge)(o, n, d, head_dim - d, factor, empty, rows);
}

static void PANEL_NAME(finish)(int32_t natural, const float *m, const float *l, const float *o,
                               const float *sink, int32_t head_dim, int32_t n_rows,
                               float *const *rows, float *lse) {
  for (int32_t lane = 0; lane < PANEL_LANES && lane < n_rows; lane += RAPT_VL) {
    const vf max = vf_load(m + lane), sum = vf_load(l + lane);
    vf factor, log;
    if (sink) {
      factor = vf_sink(natural, max, sum, vf_load(sink + lane), &log);
    } else {
      factor = vf_div(vf_set1(1.0f), sum);
      log = lse ? vf_lse(natural, max, sum) : max;
    }
    if (lse) vf_store(lse + lane, log);
    PANEL_NAME(finish_lanes)(o + lane, head_dim, n_rows - lane, factor, vm_empty(max, sum),
                             rows + lane);
  }
}

static void PANEL_NAME(copy_out)(const float *m, const float *l, const float *o, int32_t head_dim,
                                 int32_t n_rows, float *const *rows) {
  for (int32_t lane = 0; lane < PANEL_LANES && lane < n_rows; lane += RAPT_VL)
    PANEL_NAME(finish_lanes)(o + lane, head_dim, n_rows - lane, vf_set1(1.0f),
                             vm_empty(vf_load(m + lane), vf_load(l + lane)), rows + lane);
}
