/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Score rules of the row kernel: vectors run along the keys. What lies beyond the block's keys is
 * scratch and may change. */

static void row_add_bias(const rapt_block *block, int32_t n_rows, const float *bias, int64_t stride,
                         float *s) {
  for (int32_t r = 0; r < n_rows; r++) {
    float *row = s + r * ROW_BLOCK;
    for (int32_t n = 0; n < block->keys; n += RAPT_VL)
      vf_store(row + n, vf_add(vf_load(row + n), vf_load(bias + r * stride + n)));
  }
}

static void row_add_alibi(const rapt_block *block, int32_t n_rows, const rapt_alibi *alibi,
                          float *s) {
  for (int32_t n = 0; n < block->keys; n += RAPT_VL) {
    const int32_t left = block->keys - n;
    vf key = left >= RAPT_VL ? vf_loadu(alibi->key + n) : vf_load_first(alibi->key + n, left);
    for (int32_t r = 0; r < n_rows; r++) {
      float *at = s + r * ROW_BLOCK + n;
      vf distance = vf_add(vf_set1(alibi->distance[r]), key);
      vf_store(at, vf_fma(vf_set1(alibi->slope[r]), distance, vf_load(at)));
    }
  }
}
