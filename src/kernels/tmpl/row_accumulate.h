/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * accumulate of the row kernel: R rows x W vectors of channels stay in registers while the keys of
 * the block go by; each loaded vector of V serves every row. The sum l is one more channel whose
 * value is 1, added in the same order. */

/* One key: a[r][i] += p[r] * v[i] for the rows in `rows`; PARTIAL: the last vector has `tail` lanes. */
RAPT_INLINE void row_accumulate_key(const int R, const int W, const int PARTIAL, int32_t tail,
                                    const float *p, const float *v, uint32_t rows,
                                    vf a[ROW_GROUP][ROW_VECTORS], vf *l) {
  vf x[ROW_VECTORS], w[ROW_GROUP];
  RAPT_UNROLL
  for (int i = 0; i < W; i++)
    x[i] = PARTIAL && i == W - 1 ? vf_load_first(v + i * RAPT_VL, tail) : vf_loadu(v + i * RAPT_VL);
  RAPT_UNROLL
  for (int r = 0; r < R; r++) w[r] = vf_set1(p[r * ROW_BLOCK]);
  RAPT_UNROLL
  for (int r = 0; r < R; r++)
    if (rows >> r & 1) {
      l[r] = vf_add(l[r], w[r]);
      RAPT_UNROLL
      for (int i = 0; i < W; i++) a[r][i] = vf_fma(w[r], x[i], a[r][i]);
    }
}

/* Channels of W vectors at v, o; tail lanes in the last one. */
RAPT_INLINE void row_accumulate_tile(const int R, const int W, const int PARTIAL, int32_t tail,
                                     const float *p, const rapt_block *b, const char *v, int64_t vs,
                                     const float *alpha, int32_t first, const float *l_in,
                                     float *l_out, float *o, int32_t o_stride, int32_t row0,
                                     row_fetch *fetch, int32_t groups) {
  vf a[ROW_GROUP][ROW_VECTORS], l[ROW_GROUP];
  const uint32_t all = (1u << R) - 1u;
  RAPT_UNROLL
  for (int r = 0; r < R; r++) {
    l[r] = vf_zero();
    RAPT_UNROLL
    for (int i = 0; i < W; i++) a[r][i] = vf_zero();
  }
#define KEY(n, rows) /* without channels v may be NULL, whatever the stride */ \
  row_accumulate_key(R, W, PARTIAL, tail, p + (n),                             \
                     (const float *)(const void *)(W ? v + (n) * vs : v), rows, a, l)
  int32_t n = 0;
  for (; n < b->full_begin; n++) {
    row_fetch_lines(fetch, groups);
    KEY(n, b->permit[n] >> row0);
  }
  for (; n < b->full_end; n++) {
    row_fetch_lines(fetch, groups);
    KEY(n, all);
  }
  for (; n < b->keys; n++) {
    row_fetch_lines(fetch, groups);
    KEY(n, b->permit[n] >> row0);
  }
#undef KEY
  RAPT_UNROLL
  for (int r = 0; r < R; r++) {
    vf w = vf_set1(alpha[r]);
    vf_store_first(l_out + r, 1, vf_fma(w, vf_set1(l_in[r]), l[r]));
    RAPT_UNROLL
    for (int i = 0; i < W; i++) {
      float *at = o + r * o_stride + i * RAPT_VL;
      if (!first) a[r][i] = vf_fma(w, vf_load(at), a[r][i]);
      vf_store(at, a[r][i]);
    }
  }
}

/* All channels for a group of R rows: most vectors first, then the rest by halves, the odd channels
 * last. */
RAPT_INLINE void row_accumulate_group(const int R, const int W, const float *p, const rapt_block *b,
                                      const char *v, int64_t vs, int32_t head_dim,
                                      const float *alpha, int32_t first, float *l, float *o,
                                      int32_t row0, row_fetch *fetch, int32_t groups) {
  const int32_t o_stride = row_stride(head_dim);
  float l_new[ROW_GROUP] = {0};
  int32_t c = 0;
#define TILE(W, PARTIAL, tail)                                                                \
  do {                                                                                        \
    row_accumulate_tile(R, W, PARTIAL, tail, p, b, v + c * (int64_t)sizeof(float), vs, alpha, \
                        first, l, l_new, o + c, o_stride, row0, fetch,                        \
                        ((W) * RAPT_VL + 16 * groups - 1) / (16 * groups));                   \
    c += (W) * RAPT_VL;                                                                       \
  } while (0)
  while (c + W * RAPT_VL <= head_dim) TILE(W, 0, 0);
  if (W > 4 && c + 4 * RAPT_VL <= head_dim) TILE(W > 4 ? 4 : 1, 0, 0);
  if (W > 2 && c + 2 * RAPT_VL <= head_dim) TILE(W > 2 ? 2 : 1, 0, 0);
  if (c + RAPT_VL <= head_dim) TILE(1, 0, 0);
  if (c < head_dim) TILE(1, 1, head_dim - c);
  if (head_dim == 0) TILE(0, 0, 0);
#undef TILE
  for (int r = 0; r < R; r++) l[r] = l_new[r];
}

static void row_accumulate(const float *p, int32_t n_rows, const rapt_block *block, const char *v,
                           int64_t v_stride, int32_t head_dim, const float *alpha, int32_t first,
                           float *l, float *o, rapt_prefetch *prefetch) {
  const int32_t stride = row_stride(head_dim), groups = (n_rows + ROW_GROUP - 1) / ROW_GROUP;
  row_fetch fetch = row_fetch_begin(prefetch, v, v_stride, block->keys, head_dim);
  for (int32_t r = 0; r < n_rows; r += ROW_GROUP) {
#define ROWS_CASE(R)                                                                             \
  case R:                                                                                        \
    row_accumulate_group(R, ROW_VECTORS_FOR(R), p + r * ROW_BLOCK, block, v, v_stride, head_dim, \
                         alpha + r, first, l + r, o + r * stride, r, &fetch, groups);            \
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
