/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * add_mask: an additive tile straight from the caller's rows into the scores, for tiles that seem to forbid
 * nothing. The mask lies along the keys, the scores along the lanes: squares of RAPT_VL x RAPT_VL are turned
 * in registers. Against bits, a float32 copy and add_bias it saves one pass over the tile (f32, S = 2048,
 * AVX-512: a cost of 20 instead of 24 %). */

/* Elements of a row, the first `left` of them (the rest 0). */
RAPT_INLINE vf PANEL_NAME(mask_part)(const int BYTES, const int BF16, const char *at,
                                     int32_t left) {
  if (BYTES == 4)
    return left >= RAPT_VL ? vf_loadu((const float *)(const void *)at)
                           : vf_load_first((const float *)(const void *)at, left);
  uint16_t rest[RAPT_VL] = {0};
  if (left < RAPT_VL) {
    for (int32_t i = 0; i < left; i++) rest[i] = ((const uint16_t *)(const void *)at)[i];
    at = (const char *)rest;
  }
  return BF16 ? vf_from_bf16(at) : vf_from_f16(at);
}

RAPT_INLINE int32_t PANEL_NAME(add_mask_type)(const int BYTES, const int BF16,
                                              const rapt_block *block, const char *const *rows,
                                              const float *factors, float *s) {
  vf strange = vf_zero(); /* x * 0 is NaN for -inf, and for what else is not finite */
  for (int32_t c = 0; c < PANEL_VECTORS; c++) {
    const vf factor = vf_loadu(factors + c * RAPT_VL);
    for (int32_t n = 0; n < block->stop[c]; n += RAPT_VL) {
      const int32_t left = block->stop[c] - n;
      float *at = s + n * PANEL_LANES + c * RAPT_VL;
      vf r[RAPT_VL];
      if (left >= RAPT_VL) {
        RAPT_UNROLL
        for (int i = 0; i < RAPT_VL; i++)
          r[i] = PANEL_NAME(mask_part)(BYTES, BF16, rows[c * RAPT_VL + i] + n * BYTES, RAPT_VL);
      } else {
        for (int i = 0; i < RAPT_VL; i++)
          r[i] = PANEL_NAME(mask_part)(BYTES, BF16, rows[c * RAPT_VL + i] + n * BYTES, left);
      }
      vf_transpose(r);
      RAPT_UNROLL
      for (int i = 0; i < RAPT_VL; i++) {
        strange = vf_fma(r[i], vf_zero(), strange);
        if (i < left)
          vf_store(at + i * PANEL_LANES,
                   vf_add(vf_load(at + i * PANEL_LANES), vf_mul(factor, r[i])));
      }
    }
  }
  return vm_bits(vm_eq(strange, strange)) != (1u << RAPT_VL) - 1u;
}

static int32_t PANEL_NAME(add_mask)(int32_t type, const rapt_block *block, const char *const *rows,
                                    const float *factors, float *s) {
  switch (type) {
  case RAPT_BIAS_F32:
    return PANEL_NAME(add_mask_type)(4, 0, block, rows, factors, s);
  case RAPT_BIAS_F16:
    return PANEL_NAME(add_mask_type)(2, 0, block, rows, factors, s);
  default:
    return PANEL_NAME(add_mask_type)(2, 1, block, rows, factors, s);
  }
}
