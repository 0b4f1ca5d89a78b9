/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * scores: S[n][lanes] = sum_d K[n][d] * Qt[d][lanes], the maximum on the way.
 *
 * Register tile: KEY_TILE keys x PANEL_VECTORS vectors. Per channel: PANEL_VECTORS loads of Qt, one
 * broadcast (or lane) of K per key, KEY_TILE * PANEL_VECTORS FMAs:
 *   AVX-512  12 x 2: 24 accumulators + 2 q + 1 k of 32 registers, 14 loads per 24 FMAs
 *   AVX2      4 x 3: 12 accumulators + 3 q + 1 k of 16 registers,  7 loads per 12 FMAs
 *   NEON      8 x 2: 16 accumulators + 2 q + 8 k of 32 registers,  4 loads per 16 FMAs
 * Latency 4 x 2 pipes needs 8 accumulators; the full tiles have more. K is read in its own layout.
 * Channels are summed in chunks of RAPT_CHANNEL_CHUNK, each from 0: the rounding of a long sequential
 * sum (head_dim 576 and more) would pass 2e-6 in a weight. */

/* Keys r of the tile, channels d..d+3 (or one channel). C0: first panel vector in work. */
#define TILE_CHANNEL(u)                                                                            \
  do {                                                                                             \
    vf q_[PANEL_VECTORS];                                                                          \
    RAPT_UNROLL                                                                                    \
    for (int c_ = C0; c_ < PANEL_VECTORS; c_++)                                                    \
      q_[c_] = vf_load(qt + (d + (u)) * PANEL_LANES + c_ * RAPT_VL);                               \
    RAPT_UNROLL                                                                                    \
    for (int r_ = 0; r_ < R; r_++) {                                                               \
      vk_use(b_, kk[r_], u);                                                                       \
      RAPT_UNROLL                                                                                  \
      for (int c_ = C0; c_ < PANEL_VECTORS; c_++) vf_tile_fma(acc[r_][c_], q_[c_], b_, kk[r_], u); \
      vf_tile_step();                                                                              \
    }                                                                                              \
  } while (0)

RAPT_INLINE void PANEL_NAME(scores_tile)(const int R, const int C0, const int FETCH,
                                         const float *qt, int32_t head_dim, const char *k,
                                         int64_t ks, int64_t ahead, int32_t begun, int32_t ends,
                                         const uint32_t *permit, float *s, vf *mx) {
  vf acc[KEY_TILE][PANEL_VECTORS];
  RAPT_UNROLL
  for (int r = 0; r < R; r++) RAPT_UNROLL
  for (int c = C0; c < PANEL_VECTORS; c++) acc[r][c] = vf_zero();
  /* Rows are reached as base[r / 3] + (r % 3) * ks: few pointers, no spilled addresses. */
  const char *base[(KEY_TILE + 2) / 3];
  RAPT_UNROLL
  for (int g = 0; 3 * g < R; g++) base[g] = k + 3 * g * ks;

  int64_t d = 0;
  for (; d + 4 <= head_dim; d += 4) {
    vk kk[KEY_TILE];
    RAPT_UNROLL
    for (int r = 0; r < R; r++)
      kk[r] = vk_load((const float *)(const void *)(base[r / 3] + (r % 3) * ks) + d);
    TILE_CHANNEL(0);
    TILE_CHANNEL(1);
    TILE_CHANNEL(2);
    TILE_CHANNEL(3);
    if (FETCH) /* a quarter of the rows each time: every line of the next block once */
      RAPT_UNROLL
    for (int r = 0; r < R / 4; r++)
      rapt_prefetch_line(k + ahead + (d / 4 % 4 * (R / 4) + r) * ks + d * 4);
  }
  for (; d < head_dim; d++) {
    vf q[PANEL_VECTORS];
    RAPT_UNROLL
    for (int c = C0; c < PANEL_VECTORS; c++) q[c] = vf_load(qt + d * PANEL_LANES + c * RAPT_VL);
    RAPT_UNROLL
    for (int r = 0; r < R; r++) {
      vf b = vf_set1(((const float *)(const void *)(base[r / 3] + (r % 3) * ks))[d]);
      RAPT_UNROLL
      for (int c = C0; c < PANEL_VECTORS; c++) acc[r][c] = vf_fma(q[c], b, acc[r][c]);
    }
  }

  RAPT_UNROLL
  for (int i = 0; i < R * (PANEL_VECTORS - C0); i++) {
    const int r = i / (PANEL_VECTORS - C0), c = C0 + i % (PANEL_VECTORS - C0);
    float *at = s + r * PANEL_LANES + c * RAPT_VL;
    vf a = acc[r][c];
    if (begun) a = vf_add(vf_load(at), a);
    if (ends) {
      if (permit)
        a = vf_select(vm_from_word(permit[r], c * RAPT_VL), a, vf_set1(RAPT_NEG_INFINITY));
      mx[c] = vf_max(mx[c], a);
    }
    vf_store(at, a);
  }
}
#undef TILE_CHANNEL

/* A run of keys [n, end) for vectors >= C0; exact tiles for the remainder. */
RAPT_INLINE void PANEL_NAME(scores_run)(const int C0, const float *qt, int32_t head_dim,
                                        const char *k, int64_t ks, int32_t n, int32_t end,
                                        const uint32_t *permit, float *s, vf *mx,
                                        rapt_prefetch *prefetch) {
#define TILE(R, FETCH)                                                                            \
  for (int32_t d = 0; d < head_dim; d += RAPT_CHANNEL_CHUNK) PANEL_NAME(scores_tile)              \
  (R, C0, FETCH, qt + d * PANEL_LANES,                                                            \
   head_dim - d < RAPT_CHANNEL_CHUNK ? head_dim - d : RAPT_CHANNEL_CHUNK,                         \
   k + n * ks + d * (int64_t)sizeof(float), ks, ahead, d > 0, d + RAPT_CHANNEL_CHUNK >= head_dim, \
   permit ? permit + n : (void *)0, s + n * PANEL_LANES, mx)
#define TILE_CASE(R) \
  case R:            \
    TILE(R, 0);      \
    break;
  const int64_t ahead = prefetch ? prefetch->k_ahead : 0;
  for (; n + KEY_TILE <= end; n += KEY_TILE) {
    if (ahead) {
      TILE(KEY_TILE, 1);
    } else {
      TILE(KEY_TILE, 0);
    }
    if (prefetch) rapt_prefetch_step(prefetch);
  }
  switch (end - n) { RAPT_CASES_BELOW(KEY_TILE)(TILE_CASE) default : break; }
#undef TILE_CASE
#undef TILE
}

/* Three runs of a block share one body: a call costs less than its copy in the instruction cache. */
#define SCORES_FROM(C0)                                                                     \
  static __attribute__((noinline)) void PANEL_NAME(scores_from##C0)(                        \
      const float *qt, int32_t head_dim, const char *k, int64_t ks, int32_t n, int32_t end, \
      const uint32_t *permit, float *s, float *m, rapt_prefetch *prefetch) {                \
    vf mx[PANEL_VECTORS];                                                                   \
    RAPT_UNROLL                                                                             \
    for (int c = C0; c < PANEL_VECTORS; c++) mx[c] = vf_load(m + c * RAPT_VL);              \
    PANEL_NAME(scores_run)(C0, qt, head_dim, k, ks, n, end, permit, s, mx, prefetch);       \
    RAPT_UNROLL                                                                             \
    for (int c = C0; c < PANEL_VECTORS; c++) vf_store(m + c * RAPT_VL, mx[c]);              \
  }
SCORES_FROM(0)
#if PANEL_VECTORS > 1
SCORES_FROM(1)
#endif
#if PANEL_VECTORS > 2
SCORES_FROM(2)
#endif
#undef SCORES_FROM

static void PANEL_NAME(scores)(const float *qt, int32_t head_dim, const char *k, int64_t k_stride,
                               const rapt_block *block, float *s, float *m_new,
                               rapt_prefetch *prefetch) {
#define RUN(C0, from, to, words)                 \
  if ((from) < (to)) PANEL_NAME(scores_from##C0) \
  (qt, head_dim, k, k_stride, from, to, words, s, m_new, prefetch)
  RUN(0, 0, block->full_begin, block->permit);
  RUN(0, block->full_begin, block->full_end, (const uint32_t *)0);
  RUN(0, block->full_end, block->stop[0], block->permit);
#if PANEL_VECTORS > 1
  RUN(1, block->stop[0], block->stop[1], block->permit);
#endif
#if PANEL_VECTORS > 2
  RUN(2, block->stop[1], block->stop[2], block->permit);
#endif
#undef RUN
}
