/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Few queries: pack_q and scores of the row kernel. Vectors run along head_dim; each loaded vector of
 * K serves every row. Register tile: 4 keys x R rows of accumulators (at most 16) + 4 k + 1 q; a sum
 * over the lanes at the end of each key, four keys at a time. */

RAPT_INLINE int32_t row_stride(int32_t head_dim) {
  return (head_dim + RAPT_KEY_ALIGN - 1) / RAPT_KEY_ALIGN * RAPT_KEY_ALIGN;
}

static void row_pack_q(const float *const *rows, int32_t n_rows, int32_t head_dim, float scale,
                       float *q) {
  const int32_t stride = row_stride(head_dim);
  for (int32_t r = 0; r < n_rows; r++)
    for (int32_t d = 0; d < stride; d += RAPT_VL) {
      int32_t left = head_dim - d;
      vf x = left >= RAPT_VL ? vf_loadu(rows[r] + d)
             : left > 0      ? vf_load_first(rows[r] + d, left)
                             : vf_zero();
      vf_store(q + r * stride + d, vf_mul(x, vf_set1(scale)));
    }
}

/* Keys n..n+3; a key past the end is read as the last one and its score never used. */
RAPT_INLINE void row_scores_tile(const int R, const float *q, int32_t head_dim, const char *k,
                                 int64_t ks, int64_t ahead, int32_t n, int32_t last, float *s) {
  const int32_t stride = row_stride(head_dim);
  const float *key[4];
  vf acc[RAPT_MAX_ROWS][4];
  RAPT_UNROLL
  for (int i = 0; i < 4; i++)
    key[i] = (const float *)(const void *)(k + (n + i < last ? n + i : last) * ks);
  RAPT_UNROLL
  for (int r = 0; r < R; r++) RAPT_UNROLL
  for (int i = 0; i < 4; i++) acc[r][i] = vf_zero();
  int64_t d = 0;
  for (; d + RAPT_VL <= head_dim; d += RAPT_VL) {
    vf x[4];
    RAPT_UNROLL
    for (int i = 0; i < 4; i++) x[i] = vf_loadu(key[i] + d);
    if (d % 16 == 0 && ahead) RAPT_UNROLL
    for (int i = 0; i < 4; i++) rapt_prefetch_line((const char *)(key[i] + d) + ahead);
    RAPT_UNROLL
    for (int r = 0; r < R; r++) {
      vf y = vf_load(q + r * stride + d);
      RAPT_UNROLL
      for (int i = 0; i < 4; i++) acc[r][i] = vf_fma(x[i], y, acc[r][i]);
    }
  }
  if (d < head_dim) RAPT_UNROLL
  for (int i = 0; i < 4; i++) {
    vf x = vf_load_first(key[i] + d, (int32_t)(head_dim - d));
    RAPT_UNROLL
    for (int r = 0; r < R; r++) acc[r][i] = vf_fma(x, vf_load(q + r * stride + d), acc[r][i]);
  }
  RAPT_UNROLL
  for (int r = 0; r < R; r++) vf_sum4(acc[r], s + r * ROW_BLOCK + n);
}

static void row_scores(const float *q, int32_t n_rows, int32_t head_dim, const char *k,
                       int64_t k_stride, const rapt_block *block, float *s,
                       rapt_prefetch *prefetch) {
  const int64_t ahead = prefetch ? prefetch->k_ahead : 0;
#define ROWS_CASE(R)                                                              \
  case R:                                                                         \
    for (int32_t n = 0; n < block->keys; n += 4)                                  \
      row_scores_tile(R, q, head_dim, k, k_stride, ahead, n, block->keys - 1, s); \
    break;
  switch (n_rows) { ROWS_CASE(1) ROWS_CASE(2) ROWS_CASE(3) ROWS_CASE(4) default : break; }
#undef ROWS_CASE
}
