/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * softcap: s = cap * tanh(s / cap), over any vocabulary.
 *
 * With y = |s / cap| and E = e^(-2y) - 1, which lies in (-1, 0], tanh y = -E / (E + 2): nothing
 * overflows. e^(-2y) = 2^t, t = n + f as in the exponential; E = p * 2^n + (2^n - 1), where
 * p = 2^f - 1 is a polynomial without a constant term, so that a small y keeps its relative accuracy.
 * What rounding took from t = -|s| * (2 log2 e / cap) is given back to p. |s| is cut at t = -64, where
 * tanh long is 1.
 *
 * The coefficients are a minimax fit (Remez exchange) of p / f on [-1/2, 1/2], of the relative error of
 * E: weight 1 for f <= 0, and (2^f - 1) / (2 - 2^f) for f > 0, where n <= -1 and p is the smaller part
 * of E. From the lowest on three were rounded to float32, each time refitting the others, then the rest.
 * Largest error of p 0.14 * 2^-24. */

enum { SOFTCAP_CHAINS = RAPT_EXP2_CHAINS > 4 ? 4 : RAPT_EXP2_CHAINS };

typedef struct softcap_constants {
  vf cap, low, rate, rest;
} softcap_constants;

RAPT_INLINE void softcap_each(const int n, float *s, const softcap_constants *k) {
  static const float c[6] = {0.693147182f,  0.240226433f,   0.0555036105f,
                             0.0096190013f, 0.00133904233f, 0.000152003951f};
  vf e[SOFTCAP_CHAINS], f[SOFTCAP_CHAINS], t[SOFTCAP_CHAINS], d[SOFTCAP_CHAINS], p[SOFTCAP_CHAINS];
  RAPT_UNROLL
  for (int i = 0; i < n; i++) d[i] = vf_max(k->low, vf_minus_abs(vf_load(s + i * RAPT_VL)));
  RAPT_UNROLL
  for (int i = 0; i < n; i++) t[i] = vf_mul(d[i], k->rate);
  RAPT_UNROLL
  for (int i = 0; i < n; i++) f[i] = vf_exp2_split(t[i], &e[i]);
  RAPT_UNROLL
  for (int i = 0; i < n; i++) d[i] = vf_fma(d[i], k->rest, vf_residue(d[i], k->rate, t[i]));
  RAPT_UNROLL
  for (int i = 0; i < n; i++) p[i] = vf_fma(vf_set1(c[5]), f[i], vf_set1(c[4]));
  RAPT_UNROLL
  for (int j = 3; j > 0; j--) {
    RAPT_UNROLL
    for (int i = 0; i < n; i++) p[i] = vf_fma(p[i], f[i], vf_set1(c[j]));
  }
  RAPT_UNROLL
  for (int i = 0; i < n; i++) {
    const vf first = vf_set1(c[0]), square = vf_mul(vf_mul(p[i], f[i]), f[i]);
    p[i] = vf_fma(f[i], first, vf_fma(d[i], first, square));
  }
  RAPT_UNROLL
  for (int i = 0; i < n; i++) {
    const vf one = vf_set1(1.0f), power = vf_exp2_scale(one, e[i]);
    p[i] = vf_fma(p[i], power, vf_sub(power, one));
  }
  RAPT_UNROLL
  for (int i = 0; i < n; i++) p[i] = vf_mul(vf_div(p[i], vf_add(p[i], vf_set1(2.0f))), k->cap);
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
  const double rate = 2.8853900817779268 / (double)cap; /* 2 log2 e / cap */
  const float high = (float)rate, rest = (float)(rate - (double)high);
  const softcap_constants k = {vf_set1(cap), vf_set1(-64.0f / high), vf_set1(high), vf_set1(rest)};
  int32_t i = 0;
  for (; i + SOFTCAP_CHAINS * RAPT_VL <= n; i += SOFTCAP_CHAINS * RAPT_VL)
    softcap_each(SOFTCAP_CHAINS, s + i, &k);
  for (; i < n; i += RAPT_VL) softcap_each(1, s + i, &k);
}
