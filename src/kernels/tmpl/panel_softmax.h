/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * softmax: scores to weights relative to the new maximum. Every reduction is vertical, and l is summed
 * in the order of an output channel whose values are 1. */

static void PANEL_NAME(softmax)(const rapt_block *block, float *s, const float *m_new, float *m,
                                float *l, float *alpha) {
  vf base[PANEL_VECTORS], sum[PANEL_VECTORS];
  for (int c = 0; c < PANEL_VECTORS; c++) {
    vf mn = vf_load(m_new + c * RAPT_VL);
    base[c] = vf_finite_max(mn);
    sum[c] = vf_zero();
    vf_store(alpha + c * RAPT_VL, vf_exp2(vf_sub(vf_load(m + c * RAPT_VL), base[c])));
    vf_store(m + c * RAPT_VL, mn);
  }
#define EXP_RUN(C0, from, to)                        \
  for (int32_t n = (from); n < (to); n++)            \
    for (int c = C0; c < PANEL_VECTORS; c++) {       \
      float *at = s + n * PANEL_LANES + c * RAPT_VL; \
      vf e = vf_exp2(vf_sub(vf_load(at), base[c]));  \
      sum[c] = vf_add(sum[c], e);                    \
      vf_store(at, e);                               \
    }
  EXP_RUN(0, 0, block->stop[0])
#if PANEL_VECTORS > 1
  EXP_RUN(1, block->stop[0], block->stop[1])
#endif
#if PANEL_VECTORS > 2
  EXP_RUN(2, block->stop[1], block->stop[2])
#endif
#undef EXP_RUN
  for (int c = 0; c < PANEL_VECTORS; c++) {
    float *at = l + c * RAPT_VL;
    vf_store(at, vf_fma(vf_load(alpha + c * RAPT_VL), vf_load(at), sum[c]));
  }
}
