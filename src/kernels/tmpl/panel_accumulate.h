/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * accumulate: O[c][lanes] = O * alpha + sum_n V[n][c] * P[n][lanes].
 *
 * Register tile: DV_TILE channels x PANEL_VECTORS vectors, walking down the keys:
 *   AVX-512 12 x 2: 24 accumulators + 2 p + 1 v, 14 loads per 24 FMAs
 *   AVX2     4 x 3: 12 accumulators + 3 p + 1 v,  7 loads per 12 FMAs
 *   NEON     8 x 2: 16 accumulators + 2 p + 2 v,  4 loads per 16 FMAs
 * The block is summed from 0 and then added to O: rounding grows with sqrt(key_block), not with
 * sqrt(kv_len). V is read in its own layout. Forbidden keys are kept out by a masked FMA, or, where there is none,
 * by P = 0 after a look whether their V is finite, else by a select. */

/* Channel 4 g + u of the key. */
#define CHANNEL(u)                                                                                \
  do {                                                                                            \
    vk_use(b_, x, u);                                                                             \
    RAPT_UNROLL                                                                                   \
    for (int c_ = C0; c_ < PANEL_VECTORS; c_++) vf_tile_fma(a[4 * g + (u)][c_], w[c_], b_, x, u); \
    vf_tile_step();                                                                               \
  } while (0)

/* Keys [n, end): a[R][C0..] += v[n][R] * p[n]. */
RAPT_INLINE void PANEL_NAME(accumulate_run)(const int R, const int C0, const int MASKED,
                                            const int FETCH, int32_t n, int32_t end, const float *p,
                                            const char *v, int64_t vs, int64_t ahead,
                                            const uint32_t *permit, vf a[DV_TILE][PANEL_VECTORS]) {
  for (; n < end; n++) {
    const float *row = (const float *)(const void *)(v + n * vs);
    vf w[PANEL_VECTORS];
    RAPT_UNROLL
    for (int c = C0; c < PANEL_VECTORS; c++) w[c] = vf_load(p + n * PANEL_LANES + c * RAPT_VL);
    if (MASKED) {
      vm ok[PANEL_VECTORS];
      RAPT_UNROLL
      for (int c = C0; c < PANEL_VECTORS; c++) ok[c] = vm_from_word(permit[n], c * RAPT_VL);
      RAPT_UNROLL
      for (int r = 0; r < R; r++) RAPT_UNROLL
      for (int c = C0; c < PANEL_VECTORS; c++)
        a[r][c] = vf_fma_where(ok[c], w[c], vf_set1(row[r]), a[r][c]);
    } else {
      RAPT_UNROLL
      for (int g = 0; 4 * g + 4 <= R; g++) {
        vk x = vk_load(row + 4 * g);
        CHANNEL(0);
        CHANNEL(1);
        CHANNEL(2);
        CHANNEL(3);
      }
      RAPT_UNROLL
      for (int r = R & ~3; r < R; r++) RAPT_UNROLL
      for (int c = C0; c < PANEL_VECTORS; c++) a[r][c] = vf_fma(w[c], vf_set1(row[r]), a[r][c]);
    }
    if (FETCH) rapt_prefetch_line((const char *)row + ahead);
  }
}

RAPT_INLINE void PANEL_NAME(accumulate_tile)(const int R, const int MASKED, const int FETCH,
                                             const float *p, const rapt_block *b, const char *v,
                                             int64_t vs, int64_t ahead, const float *alpha,
                                             int32_t first, float *o) {
  vf a[DV_TILE][PANEL_VECTORS];
  RAPT_UNROLL
  for (int r = 0; r < R; r++) RAPT_UNROLL
  for (int c = 0; c < PANEL_VECTORS; c++) a[r][c] = vf_zero();
#define RUN(C0, M, from, to) \
  PANEL_NAME(accumulate_run)(R, C0, M, FETCH, from, to, p, v, vs, ahead, b->permit, a)
  RUN(0, MASKED, 0, b->full_begin);
  RUN(0, 0, b->full_begin, b->full_end);
  RUN(0, MASKED, b->full_end, b->stop[0]);
#if PANEL_VECTORS > 1
  RUN(1, MASKED, b->stop[0], b->stop[1]);
#endif
#if PANEL_VECTORS > 2
  RUN(2, MASKED, b->stop[1], b->stop[2]);
#endif
#undef RUN
  RAPT_UNROLL
  for (int r = 0; r < R; r++) RAPT_UNROLL
  for (int c = 0; c < PANEL_VECTORS; c++) {
    float *at = o + r * PANEL_LANES + c * RAPT_VL;
    if (!first) a[r][c] = vf_fma(vf_load(alpha + c * RAPT_VL), vf_load(at), a[r][c]);
    vf_store(at, a[r][c]);
  }
}

RAPT_INLINE void PANEL_NAME(accumulate_all)(const int MASKED, const float *p, const rapt_block *b,
                                            const char *v, int64_t vs, int32_t head_dim,
                                            const float *alpha, int32_t first, float *o,
                                            rapt_prefetch *prefetch) {
  int32_t c = 0;
#define TILE(R, FETCH)                                                                           \
  PANEL_NAME(accumulate_tile)(R, MASKED, FETCH, p, b, v + c * (int64_t)sizeof(float), vs, ahead, \
                              alpha, first, o + c * PANEL_LANES)
#define TILE_CASE(R) \
  case R:            \
    TILE(R, 0);      \
    break;
  const int64_t ahead = prefetch ? prefetch->v_ahead : 0;
  for (; c + DV_TILE <= head_dim; c += DV_TILE) {
    if (ahead && c % 16 < DV_TILE) /* once per line */
      TILE(DV_TILE, 1);
    else
      TILE(DV_TILE, 0);
    if (prefetch) rapt_prefetch_step(prefetch);
  }
  switch (head_dim - c) { RAPT_CASES_BELOW(DV_TILE)(TILE_CASE) default : break; }
#undef TILE_CASE
#undef TILE
}

static void PANEL_NAME(accumulate)(const float *p, const rapt_block *block, const char *v,
                                   int64_t v_stride, int32_t head_dim, const float *alpha,
                                   int32_t first, float *o, rapt_prefetch *prefetch) {
  const rapt_block *b = block;
  int32_t plain = b->full_begin == 0 && b->full_end == b->keys;
  if (!plain) plain = b->values_finite > 0;
  if (!plain && !RAPT_MASKED_FMA && b->values_finite == 0)
    plain = rapt_rows_finite(v, v_stride, 0, b->full_begin, head_dim) &&
            rapt_rows_finite(v, v_stride, b->full_end, b->keys, head_dim);
  if (plain)
    PANEL_NAME(accumulate_all)(0, p, b, v, v_stride, head_dim, alpha, first, o, prefetch);
  else
    PANEL_NAME(accumulate_all)(1, p, b, v, v_stride, head_dim, alpha, first, o, prefetch);
}
