/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * softcap: s = cap * tanh(s / cap), over any vocabulary.
 *
 * With y = |s / cap| and E = e^(-2y) - 1, which lies in (-1, 0], tanh y = -E / (E + 2): nothing
 * overflows. 2^t = e^(-2y), t = n + f as in the exponential, p = 2^f - 1 by a polynomial without a
 * constant term, so that a small y keeps its relative accuracy, E = p * 2^n + (2^n - 1). */

enum { SOFTCAP_CHAINS = RAPT_EXP2_CHAINS > 4 ? 4 : RAPT_EXP2_CHAINS };

RAPT_INLINE void softcap_each(const int n, float *s, vf rate, vf cap) {
  static const float c[6] = {0.693147182f,  0.240226433f,   0.0555036105f,
                             0.0096190013f, 0.00133904233f, 0.000152003951f};
  vf e[SOFTCAP_CHAINS], f[SOFTCAP_CHAINS], t[SOFTCAP_CHAINS], p[SOFTCAP_CHAINS];
  RAPT_UNROLL
  for (int i = 0; i < n; i++) t[i] = vf_mul(vf_minus_abs(vf_load(s + i * RAPT_VL)), rate);
  RAPT_UNROLL
  for (int i = 0; i < n; i++) f[i] = vf_exp2_split(vf_max(vf_set1(-64.0f), t[i]), &e[i]);
  RAPT_UNROLL
  for (int i = 0; i < n; i++) p[i] = vf_fma(vf_set1(c[5]), f[i], vf_set1(c[4]));
  RAPT_UNROLL
  for (int k = 3; k >= 0; k--) {
    RAPT_UNROLL
    for (int i = 0; i < n; i++) p[i] = vf_fma(p[i], f[i], vf_set1(c[k]));
  }
  RAPT_UNROLL
  for (int i = 0; i < n; i++) {
    const vf one = vf_set1(1.0f), power = vf_exp2_scale(one, e[i]);
    p[i] = vf_fma(vf_mul(p[i], f[i]), power, vf_sub(power, one));
  }
  RAPT_UNROLL
  for (int i = 0; i < n; i++) p[i] = vf_mul(vf_div(p[i], vf_add(p[i], vf_set1(2.0f))), cap);
  RAPT_UNROLL
  for (int i = 0; i < n; i++) {
    vf x = vf_load(s + i * RAPT_VL);
    /* Where y^2 / 3 is lost in rounding, the score stays: exact, and nothing underflows. */
    vm cut = vm_less(t[i], vf_set1(-0x1p-11f));
    p[i] = vf_copysign(p[i], x);
    vf_store(s + i * RAPT_VL, vf_select(cut, p[i], x));
  }
}

static void set_softcap(float *s, int32_t n, float cap) {
  const vf rate = vf_set1((float)(2.8853900817779268 / (double)cap)), c = vf_set1(cap);
  int32_t i = 0;
  for (; i + SOFTCAP_CHAINS * RAPT_VL <= n; i += SOFTCAP_CHAINS * RAPT_VL)
    softcap_each(SOFTCAP_CHAINS, s + i, rate, c);
  for (; i < n; i += RAPT_VL) softcap_each(1, s + i, rate, c);
}
