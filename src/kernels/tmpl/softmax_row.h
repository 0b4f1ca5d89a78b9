/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Softmax of a plain row of floats, for rapt_softmax: vectors along the row, whose address is any
 * multiple of 4. */

/* Elements i.. of x, `otherwise` in lanes past the end. */
RAPT_INLINE vf softmax_tail(const float *x, int32_t i, int32_t n, float otherwise) {
  return vf_select(vm_first(n - i), vf_load_first(x + i, n - i), vf_set1(otherwise));
}

static void softmax_prepare(const float *x, int32_t n, float scale, const float *bias,
                            const uint32_t *words, float *out) {
  const vf factor = vf_set1(scale), forbidden = vf_set1(RAPT_NEG_INFINITY);
  for (int32_t i = 0; i < n; i += RAPT_VL) {
    const int32_t left = n - i < RAPT_VL ? n - i : RAPT_VL;
    const vf add = bias ? vf_load(bias + i) : vf_zero(); /* readable past n */
    vf s = vf_fma(vf_load_first(x + i, left), factor, add);
    if (words) s = vf_select(vm_from_word(words[i / 32 * RAPT_MAX_LANES], i % 32), s, forbidden);
    vf_store_first(out + i, left, s);
  }
}

static float softmax_largest(const float *x, int32_t n) {
  vf top[4];
  int32_t i = 0;
  for (int c = 0; c < 4; c++) top[c] = vf_set1(RAPT_NEG_INFINITY);
  for (; i + 4 * RAPT_VL <= n; i += 4 * RAPT_VL) {
    RAPT_UNROLL
    for (int c = 0; c < 4; c++) top[c] = vf_max(top[c], vf_loadu(x + i + c * RAPT_VL));
  }
  for (; i + RAPT_VL <= n; i += RAPT_VL) top[0] = vf_max(top[0], vf_loadu(x + i));
  if (i < n) top[1] = vf_max(top[1], softmax_tail(x, i, n, RAPT_NEG_INFINITY));
  return vf_largest(vf_max(vf_max(top[0], top[1]), vf_max(top[2], top[3])));
}

/* As many exponentials side by side as the registers hold, each chain with a sum of its own. */
static float softmax_sum(const float *x, int32_t n, float base, float factor) {
  const vf least = vf_set1(base), times = vf_set1(factor);
  vf sum[RAPT_EXP2_CHAINS], e[RAPT_EXP2_CHAINS];
  int32_t i = 0;
  for (int c = 0; c < RAPT_EXP2_CHAINS; c++) sum[c] = vf_zero();
  for (; i + RAPT_EXP2_CHAINS * RAPT_VL <= n; i += RAPT_EXP2_CHAINS * RAPT_VL) {
    RAPT_UNROLL
    for (int c = 0; c < RAPT_EXP2_CHAINS; c++)
      e[c] = vf_mul(vf_sub(vf_loadu(x + i + c * RAPT_VL), least), times);
    vf_exp2_each(RAPT_EXP2_CHAINS, e);
    RAPT_UNROLL
    for (int c = 0; c < RAPT_EXP2_CHAINS; c++) sum[c] = vf_add(sum[c], e[c]);
  }
  for (; i < n; i += RAPT_VL)
    sum[0] = vf_add(
        sum[0], vf_exp2(vf_mul(vf_sub(softmax_tail(x, i, n, RAPT_NEG_INFINITY), least), times)));
  for (int c = 1; c < RAPT_EXP2_CHAINS; c++) sum[0] = vf_add(sum[0], sum[c]);
  return vf_sum(sum[0]);
}

static void softmax_weights(const float *x, int32_t n, float base, float factor, float inverse,
                            float *y) {
  const vf least = vf_set1(base), times = vf_set1(factor), scale = vf_set1(inverse);
  vf e[RAPT_EXP2_CHAINS];
  int32_t i = 0;
  for (; i + RAPT_EXP2_CHAINS * RAPT_VL <= n; i += RAPT_EXP2_CHAINS * RAPT_VL) {
    RAPT_UNROLL
    for (int c = 0; c < RAPT_EXP2_CHAINS; c++)
      e[c] = vf_mul(vf_sub(vf_loadu(x + i + c * RAPT_VL), least), times);
    vf_exp2_each(RAPT_EXP2_CHAINS, e);
    RAPT_UNROLL
    for (int c = 0; c < RAPT_EXP2_CHAINS; c++) vf_storeu(y + i + c * RAPT_VL, vf_mul(e[c], scale));
  }
  for (; i < n; i += RAPT_VL) {
    const int32_t left = n - i < RAPT_VL ? n - i : RAPT_VL;
    vf one = vf_exp2(vf_mul(vf_sub(vf_load_first(x + i, left), least), times));
    vf_store_first(y + i, left, vf_mul(one, scale));
  }
}

static void softmax_logs(const float *x, int32_t n, float base, float factor, float ln_sum,
                         float *y) {
  const vf least = vf_set1(base), times = vf_set1(factor), less = vf_set1(ln_sum);
  for (int32_t i = 0; i < n; i += RAPT_VL) {
    const int32_t left = n - i < RAPT_VL ? n - i : RAPT_VL;
    vf s = vf_sub(vf_mul(vf_sub(vf_load_first(x + i, left), least), times), less);
    vf_store_first(y + i, left, s);
  }
}
