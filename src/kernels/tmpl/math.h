/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The exponential and the logarithm, over any vocabulary: included once for each. */
#define RAPT_NEG_INFINITY (-__builtin_inff())

/* 2^x within 2 ulp: polynomial of degree 5 for 2^f on [-1/2, 1/2], its constant fixed at 1 so that
 * 2^0 = 1 exactly. The coefficients were fitted with the error counted in ulp and the rounded
 * evaluation in the search: at most 1.77 ulp with a fused multiply-add and 1.87 without, on 20001
 * points. 2^-inf = 0 exactly, NaN stays NaN, subnormal results may flush to 0.
 *
 * n vectors side by side, stage by stage, so that the scheduler holds work that is ready rather than
 * one long chain after the other (Zen 5: 4.3 against 4.9 cycles a vector). */
RAPT_INLINE void vf_exp2_each(const int n, vf *x) {
  static const float c[5] = {9.67353303e-3f, 5.55091985e-2f, 2.40221992e-1f, 6.93146765e-1f, 1.0f};
  vf e[RAPT_EXP2_CHAINS], p[RAPT_EXP2_CHAINS];
  RAPT_UNROLL
  for (int i = 0; i < n; i++) x[i] = vf_exp2_split(x[i], &e[i]);
  RAPT_UNROLL
  for (int i = 0; i < n; i++) p[i] = vf_fma(vf_set1(1.32273533e-3f), x[i], vf_set1(c[0]));
  RAPT_UNROLL
  for (int k = 1; k < 5; k++) {
    RAPT_UNROLL
    for (int i = 0; i < n; i++) p[i] = vf_fma(p[i], x[i], vf_set1(c[k]));
  }
  RAPT_UNROLL
  for (int i = 0; i < n; i++) x[i] = vf_exp2_scale(p[i], e[i]);
}

RAPT_INLINE vf vf_exp2(vf x) {
  vf_exp2_each(1, &x);
  return x;
}

/* Natural differences of scores to base 2: multiplied only here, so that no score overflows. */
RAPT_INLINE void vf_natural_each(const int n, vf *x) {
  RAPT_UNROLL
  for (int i = 0; i < n; i++) x[i] = vf_mul(x[i], vf_set1(1.44269504f));
}

/* e^x if natural, else 2^x. */
RAPT_INLINE vf vf_exp_of(int32_t natural, vf x) {
  return vf_exp2(natural ? vf_mul(x, vf_set1(1.44269504f)) : x);
}

/* ln x for normal x > 0: ln f = 2 atanh(s), s = (f-1)/(f+1), |s| <= 0.1716; the first term left out
 * of the odd series is 2 s^11 / 11 < 7e-10. */
RAPT_INLINE vf vf_ln(vf x) {
  vf e, f = vf_log_split(x, &e);
  const vf one = vf_set1(1.0f);
  vf s = vf_div(vf_sub(f, one), vf_add(f, one)), z = vf_mul(s, s);
  vf p = vf_set1(2.0f / 9.0f);
  p = vf_fma(p, z, vf_set1(2.0f / 7.0f));
  p = vf_fma(p, z, vf_set1(2.0f / 5.0f));
  p = vf_fma(p, z, vf_set1(2.0f / 3.0f));
  p = vf_mul(vf_mul(p, z), s);
  return vf_fma(e, vf_set1(0.693147181f), vf_fma(vf_set1(2.0f), s, p));
}

/* m, or 0 where m = -inf: what exponents are taken relative to, so that -inf - -inf never occurs. */
RAPT_INLINE vf vf_finite_max(vf m) {
  return vf_select(vm_eq(m, vf_set1(RAPT_NEG_INFINITY)), vf_zero(), m);
}

/* Rows without a visible key: no maximum and nothing summed (a NaN sum is a NaN row, not an empty
 * one). */
RAPT_INLINE vm vm_empty(vf m, vf l) {
  return vm_and(vm_eq(m, vf_set1(RAPT_NEG_INFINITY)), vm_eq(l, vf_zero()));
}

/* Natural log-sum-exp of a row with maximum m (of base 2 unless natural) and sum l. */
RAPT_INLINE vf vf_lse(int32_t natural, vf m, vf l) {
  vf log = vf_ln(l);
  vf lse = natural ? vf_add(m, log) : vf_fma(m, vf_set1(0.693147181f), log);
  lse = vf_select(vm_eq(l, l), lse, l); /* the integer split of ln knows no NaN */
  return vf_select(vm_empty(m, l), vf_set1(RAPT_NEG_INFINITY), lse);
}

/* What a sink does to a row: the factor of o (instead of 1 / l) and the log-sum-exp. The sink joins
 * the maximum and the sum as one more score without a value. None (-inf) leaves the bits alone. */
RAPT_INLINE vf vf_sink(int32_t natural, vf m, vf l, vf sink, vf *lse) {
  const vf none = vf_set1(RAPT_NEG_INFINITY);
  vf max = natural ? m : vf_mul(m, vf_set1(0.693147181f));
  vf joint = vf_max(max, sink), base = vf_finite_max(joint);
  vf w = vf_exp_of(1, vf_sub(max, base));
  vf total = vf_fma(l, w, vf_exp_of(1, vf_sub(sink, base)));
  vf x = vf_add(joint, vf_ln(total));
  x = vf_select(vm_eq(total, total), x, total);
  x = vf_select(vm_empty(m, l), sink, x);
  *lse = vf_select(vm_eq(sink, none), vf_lse(natural, m, l), x);
  return vf_div(w, total);
}

/* Weights 2^(m1-m), 2^(m2-m) (e^ if natural) of two partial results, m = max(m1, m2). */
RAPT_INLINE vf vf_join_weights(int32_t natural, vf m1, vf m2, vf *w1, vf *w2) {
  vf m = vf_max(m1, m2), base = vf_finite_max(m);
  *w1 = vf_exp_of(natural, vf_sub(m1, base));
  *w2 = vf_exp_of(natural, vf_sub(m2, base));
  return m;
}
