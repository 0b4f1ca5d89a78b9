/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Score rules of panels, between scores and softmax: add_bias and adjust. */

/* Keys n .. n + RAPT_VL - 1 (the first `left` of them) of one vector of lanes: bias lies along the
 * keys, scores along the lanes, so a square of it is turned in registers. */
RAPT_INLINE void PANEL_NAME(bias_block)(const int WHOLE, int32_t left, const float *bias,
                                        int64_t stride, float *s) {
  vf r[RAPT_VL];
  RAPT_UNROLL
  for (int i = 0; i < RAPT_VL; i++) r[i] = vf_load(bias + i * stride);
  vf_transpose(r);
  RAPT_UNROLL
  for (int i = 0; i < RAPT_VL; i++)
    if (WHOLE || i < left)
      vf_store(s + i * PANEL_LANES, vf_add(vf_load(s + i * PANEL_LANES), r[i]));
}

static void PANEL_NAME(add_bias)(const rapt_block *block, const float *bias, int64_t stride,
                                 float *s) {
  if (stride == 0) { /* one row for all lanes */
    for (int32_t n = 0; n < block->keys; n++) {
      const vf b = vf_set1(bias[n]);
      float *at = s + n * PANEL_LANES;
      RAPT_UNROLL
      for (int c = 0; c < PANEL_VECTORS; c++)
        vf_store(at + c * RAPT_VL, vf_add(vf_load(at + c * RAPT_VL), b));
    }
    return;
  }
  for (int32_t c = 0; c < PANEL_VECTORS; c++) {
    const float *rows = bias + c * RAPT_VL * stride;
    float *at = s + c * RAPT_VL;
    int32_t n = 0;
    for (; n + RAPT_VL <= block->stop[c]; n += RAPT_VL)
      PANEL_NAME(bias_block)(1, RAPT_VL, rows + n, stride, at + n * PANEL_LANES);
    if (n < block->stop[c])
      PANEL_NAME(bias_block)(0, block->stop[c] - n, rows + n, stride, at + n * PANEL_LANES);
  }
}

/* Keys [n, end) for vectors >= C0. permit: NULL where all are permitted. */
RAPT_INLINE void PANEL_NAME(adjust_run)(const int C0, const int ALIBI, const int MASKED, int32_t n,
                                        int32_t end, const rapt_alibi *alibi,
                                        const uint32_t *permit, float *s, vf *mx) {
  vf slope[PANEL_VECTORS], distance[PANEL_VECTORS];
  if (ALIBI)
    for (int c = C0; c < PANEL_VECTORS; c++) {
      slope[c] = vf_loadu(alibi->slope + c * RAPT_VL);
      distance[c] = vf_loadu(alibi->distance + c * RAPT_VL);
    }
  for (; n < end; n++) {
    float *at = s + n * PANEL_LANES;
    RAPT_UNROLL
    for (int c = C0; c < PANEL_VECTORS; c++) {
      vf x = vf_load(at + c * RAPT_VL);
      if (ALIBI) x = vf_fma(slope[c], vf_add(distance[c], vf_set1(alibi->key[n])), x);
      if (MASKED)
        x = vf_select(vm_from_word(permit[n], c * RAPT_VL), x, vf_set1(RAPT_NEG_INFINITY));
      if (ALIBI || MASKED) vf_store(at + c * RAPT_VL, x);
      mx[c] = vf_max(mx[c], x);
    }
  }
}

RAPT_INLINE void PANEL_NAME(adjust_in)(const int ALIBI, const rapt_block *b,
                                       const rapt_alibi *alibi, float *s, vf *mx) {
#define RUN(C0, from, to)                                                                \
  do {                                                                                   \
    if (b->permit)                                                                       \
      PANEL_NAME(adjust_run)(C0, ALIBI, 1, from, to, alibi, b->permit, s, mx);           \
    else                                                                                 \
      PANEL_NAME(adjust_run)(C0, ALIBI, 0, from, to, alibi, (const uint32_t *)0, s, mx); \
  } while (0)
  RUN(0, 0, b->full_begin);
  PANEL_NAME(adjust_run)(0, ALIBI, 0, b->full_begin, b->full_end, alibi, (const uint32_t *)0, s,
                         mx);
  RUN(0, b->full_end, b->stop[0]);
#if PANEL_VECTORS > 1
  RUN(1, b->stop[0], b->stop[1]);
#endif
#if PANEL_VECTORS > 2
  RUN(2, b->stop[1], b->stop[2]);
#endif
#undef RUN
}

static void PANEL_NAME(adjust)(const rapt_block *block, const rapt_alibi *alibi, float *s,
                               float *m_new) {
  vf mx[PANEL_VECTORS];
  RAPT_UNROLL
  for (int c = 0; c < PANEL_VECTORS; c++) mx[c] = vf_load(m_new + c * RAPT_VL);
  if (alibi)
    PANEL_NAME(adjust_in)(1, block, alibi, s, mx);
  else
    PANEL_NAME(adjust_in)(0, block, alibi, s, mx);
  RAPT_UNROLL
  for (int c = 0; c < PANEL_VECTORS; c++) vf_store(m_new + c * RAPT_VL, mx[c]);
}
