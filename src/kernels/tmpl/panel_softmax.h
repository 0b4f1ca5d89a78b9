/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * softmax: scores to weights relative to the new maximum. Every reduction is vertical, and l is summed
 * in the order of an output channel whose values are 1. */

/* Rows of scores taken together: as many exponentials side by side as the registers hold. */
#define EXP_ROWS (RAPT_EXP2_CHAINS / PANEL_VECTORS)

/* ROWS rows of vectors >= C0 at s become weights and are added to sum, row after row. */
RAPT_INLINE void PANEL_NAME(exp_rows)(const int NATURAL, const int ROWS, const int C0, float *s,
                                      const vf *base, vf *sum) {
  const int width = PANEL_VECTORS - C0;
  vf x[RAPT_EXP2_CHAINS];
  RAPT_UNROLL
  for (int i = 0; i < ROWS * width; i++) {
    const int c = C0 + i % width;
    x[i] = vf_sub(vf_load(s + i / width * PANEL_LANES + c * RAPT_VL), base[c]);
  }
  if (NATURAL) vf_natural_each(ROWS * width, x);
  vf_exp2_each(ROWS * width, x);
  RAPT_UNROLL
  for (int i = 0; i < ROWS * width; i++) {
    const int c = C0 + i % width;
    sum[c] = vf_add(sum[c], x[i]);
    vf_store(s + i / width * PANEL_LANES + c * RAPT_VL, x[i]);
  }
}

RAPT_INLINE void PANEL_NAME(softmax_in)(const int NATURAL, const rapt_block *block, float *s,
                                        const float *m_new, float *m, float *l, float *alpha) {
  vf base[PANEL_VECTORS], sum[PANEL_VECTORS];
  for (int c = 0; c < PANEL_VECTORS; c++) {
    vf mn = vf_load(m_new + c * RAPT_VL);
    base[c] = vf_finite_max(mn);
    sum[c] = vf_zero();
    vf_store(alpha + c * RAPT_VL, vf_exp_of(NATURAL, vf_sub(vf_load(m + c * RAPT_VL), base[c])));
    vf_store(m + c * RAPT_VL, mn);
  }
  int32_t n;
#define EXP_RUN(C0, from, to)                                                    \
  for (n = (from); n + EXP_ROWS <= (to); n += EXP_ROWS)                          \
    PANEL_NAME(exp_rows)(NATURAL, EXP_ROWS, C0, s + n * PANEL_LANES, base, sum); \
  for (; n < (to); n++) PANEL_NAME(exp_rows)(NATURAL, 1, C0, s + n * PANEL_LANES, base, sum);
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
#undef EXP_ROWS

static void PANEL_NAME(softmax)(const rapt_block *block, int32_t natural, float *s,
                                const float *m_new, float *m, float *l, float *alpha) {
  if (natural)
    PANEL_NAME(softmax_in)(1, block, s, m_new, m, l, alpha);
  else
    PANEL_NAME(softmax_in)(0, block, s, m_new, m, l, alpha);
}
