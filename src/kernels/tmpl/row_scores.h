/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Few queries: pack_q and scores of the row kernel. Vectors run along head_dim; each loaded vector of
 * K serves a group of R rows. Register tile: 4 keys x R rows of accumulators (at most 16), up to 4 k and
 * 1 q; a sum over the lanes at the end, four keys at a time. */

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
      x = vf_mul(x, vf_set1(scale));
      if (left < RAPT_VL) /* the padding is 0, an infinite scale notwithstanding */
        x = left > 0 ? vf_select(vm_first(left), x, vf_zero()) : vf_zero();
      vf_store(q + r * stride + d, x);
    }
}

/* acc[i][r] = q[r] . k_i for KEYS keys: one accumulator each, channels ascending. */
RAPT_INLINE void row_scores_keys(const int R, const int KEYS, const float *q, int32_t head_dim,
                                 const float *const *key, row_fetch *fetch, vf acc[4][ROW_GROUP]) {
  const int32_t stride = row_stride(head_dim);
  vf x[4];
  RAPT_UNROLL
  for (int i = 0; i < KEYS * R; i++) acc[i / R][i % R] = vf_zero();
  int64_t d = 0;
#define CHUNK(at)                                                                     \
  do {                                                                                \
    RAPT_UNROLL                                                                       \
    for (int i_ = 0; i_ < KEYS; i_++) x[i_] = vf_loadu(key[i_] + (at));               \
    RAPT_UNROLL                                                                       \
    for (int r_ = 0; r_ < R; r_++) {                                                  \
      vf y_ = vf_load(q + r_ * stride + (at));                                        \
      RAPT_UNROLL                                                                     \
      for (int i_ = 0; i_ < KEYS; i_++) acc[i_][r_] = vf_fma(x[i_], y_, acc[i_][r_]); \
    }                                                                                 \
  } while (0)
  for (; d + ROW_FETCH_CHANNELS <= head_dim; d += ROW_FETCH_CHANNELS) {
    RAPT_UNROLL
    for (int u = 0; u < ROW_FETCH_CHANNELS; u += RAPT_VL) {
      if (u % (ROW_FETCH_CHANNELS / KEYS) == 0) row_fetch_lines(fetch, ROW_FETCH_LINES);
      CHUNK(d + u);
    }
  }
  if (d < head_dim) row_fetch_lines(fetch, KEYS * (int32_t)((head_dim - d + 15) / 16));
  for (; d + RAPT_VL <= head_dim; d += RAPT_VL) CHUNK(d);
#undef CHUNK
  if (d < head_dim) {
    RAPT_UNROLL
    for (int i = 0; i < KEYS; i++) x[i] = vf_load_first(key[i] + d, (int32_t)(head_dim - d));
    RAPT_UNROLL
    for (int i = 0; i < KEYS * R; i++)
      acc[i / R][i % R] = vf_fma(x[i / R], vf_load(q + i % R * stride + d), acc[i / R][i % R]);
  }
}

/* Scores of the four keys at `key` for R rows at q, to s. */
RAPT_INLINE void row_scores_group(const int R, const float *q, int32_t head_dim,
                                  const float *const *key, row_fetch *fetch, float *s) {
  const int KEYS = ROW_KEYS_FOR(R);
  vf acc[4][ROW_GROUP];
  RAPT_UNROLL
  for (int i = 0; i < 4; i += KEYS) row_scores_keys(R, KEYS, q, head_dim, key + i, fetch, acc + i);
  RAPT_UNROLL
  for (int r = 0; r < R; r++) {
    vf row[4] = {acc[0][r], acc[1][r], acc[2][r], acc[3][r]};
    vf_sum4(row, s + r * ROW_BLOCK);
  }
}

/* Four keys at a time for all rows; a key past the end is read as the last one and its score never
 * used. The first group of rows fetches; the others find the same keys in L1. */
static void row_scores(const float *q, int32_t n_rows, int32_t head_dim, const char *k,
                       int64_t k_stride, const rapt_block *block, float *s,
                       rapt_prefetch *prefetch) {
  const int32_t stride = row_stride(head_dim), last = block->keys - 1;
  row_fetch fetch = row_fetch_begin(prefetch, k, k_stride, block->keys, head_dim);
  for (int32_t n = 0; n < block->keys; n += 4) {
    const float *key[4];
    for (int i = 0; i < 4; i++)
      key[i] = (const float *)(const void *)(k + (n + i < last ? n + i : last) * k_stride);
    row_fetch none = {0}, *now = &fetch;
    for (int32_t r = 0; r < n_rows; r += ROW_GROUP, now = &none) {
#define ROWS_CASE(R)                                                                \
  case R:                                                                           \
    row_scores_group(R, q + r * stride, head_dim, key, now, s + r * ROW_BLOCK + n); \
    break;
      switch (n_rows - r) {
        ROWS_CASE(1)
        ROWS_CASE(2)
        ROWS_CASE(3)
      default:
        ROWS_CASE(4)
      }
#undef ROWS_CASE
    }
  }
}
