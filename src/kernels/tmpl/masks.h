/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensor masks: one row of the caller's, in its element type, becomes bits and (additive masks) a row
 * of float32. The last elements of a row are copied first: nothing behind them is read. */
#include <string.h>

enum { MASK_WORD = 32, MASK_F32, MASK_F16, MASK_BF16 };

static void mask_bools(const void *row, int32_t keys, uint32_t *words) {
  const uint8_t *at = row;
  int32_t n = 0;
  for (; n + MASK_WORD <= keys; n += MASK_WORD, words += RAPT_MAX_LANES)
    *words = vu_nonzero_bytes(at + n);
  if (n == keys) return;
  if (n > 0) { /* the last 32 bytes again, the ones already seen shifted out */
    *words = vu_nonzero_bytes(at + keys - MASK_WORD) >> (n + MASK_WORD - keys);
  } else {
    uint8_t rest[MASK_WORD] = {0};
    memcpy(rest, at, (size_t)keys);
    *words = vu_nonzero_bytes(rest);
  }
}

RAPT_INLINE int32_t mask_bytes(const int TYPE) { return TYPE == MASK_F32 ? 4 : 2; }

RAPT_INLINE vf mask_load(const int TYPE, const void *p) {
  if (TYPE == MASK_F16) return vf_from_f16(p);
  if (TYPE == MASK_BF16) return vf_from_bf16(p);
  return vf_loadu(p);
}

/* RAPT_VL biases; bits of the forbidden lanes; what others add goes into adds. */
RAPT_INLINE vf mask_bias_vector(const int TYPE, const void *p, vf factor, uint32_t *forbidden,
                                vf *adds) {
  const vf never = vf_set1(RAPT_NEG_INFINITY);
  vf x = mask_load(TYPE, p);
  const vm none = vm_eq(x, never);
  x = vf_mul(x, factor);
  *adds = vf_or(*adds, vf_select(none, vf_zero(), x));
  *forbidden = vm_bits(none);
  return vf_select(none, never, x);
}

RAPT_INLINE int32_t mask_bias(const int TYPE, const void *row, int32_t keys, float factor,
                              float *bias, uint32_t *words) {
  const vf f = vf_set1(factor);
  const char *at = row;
  vf adds = vf_zero();
  uint32_t bits;
  for (; keys >= MASK_WORD; keys -= MASK_WORD, words += RAPT_MAX_LANES, bias += MASK_WORD) {
    uint32_t forbidden = 0;
    RAPT_UNROLL
    for (int i = 0; i < MASK_WORD; i += RAPT_VL, at += RAPT_VL * mask_bytes(TYPE)) {
      vf_store(bias + i, mask_bias_vector(TYPE, at, f, &bits, &adds));
      forbidden |= bits << i;
    }
    *words = ~forbidden;
  }
  if (keys > 0) {
    uint32_t forbidden = 0;
    int32_t i = 0;
    for (; i + RAPT_VL <= keys; i += RAPT_VL, at += RAPT_VL * mask_bytes(TYPE)) {
      vf_store(bias + i, mask_bias_vector(TYPE, at, f, &bits, &adds));
      forbidden |= bits << i;
    }
    if (i < keys) {
      float rest[RAPT_VL] = {0};
      vf x, add = vf_zero();
      const vm there = vm_first(keys - i);
      memcpy(rest, at, (size_t)((keys - i) * mask_bytes(TYPE)));
      x = mask_bias_vector(TYPE, rest, f, &bits, &add);
      vf_store(bias + i, vf_select(there, x, vf_zero())); /* whatever 0 * factor is */
      adds = vf_or(adds, vf_select(there, add, vf_zero()));
      forbidden |= bits << i;
      i += RAPT_VL;
    }
    for (; i % RAPT_KEY_ALIGN; i += RAPT_VL) vf_store(bias + i, vf_zero());
    *words = ~forbidden & ((1u << keys) - 1u);
  }
  /* Zeros of either sign leave no more than the sign. */
  return (vm_bits(vm_eq(adds, vf_zero())) ^ ((1u << RAPT_VL) - 1u)) ? RAPT_BIAS_ADDS : 0;
}

static int32_t mask_bias_f32(const void *row, int32_t keys, float factor, float *bias,
                             uint32_t *words) {
  return mask_bias(MASK_F32, row, keys, factor, bias, words);
}
static int32_t mask_bias_f16(const void *row, int32_t keys, float factor, float *bias,
                             uint32_t *words) {
  return mask_bias(MASK_F16, row, keys, factor, bias, words);
}
static int32_t mask_bias_bf16(const void *row, int32_t keys, float factor, float *bias,
                              uint32_t *words) {
  return mask_bias(MASK_BF16, row, keys, factor, bias, words);
}

static void mask_permit(const uint32_t *words, int32_t lanes, int32_t keys, uint32_t *permit) {
  for (; keys >= MASK_WORD; keys -= MASK_WORD, words += RAPT_MAX_LANES, permit += MASK_WORD)
    vu_turn_bits(words, lanes, permit);
  if (keys > 0) {
    uint32_t rest[MASK_WORD];
    vu_turn_bits(words, lanes, rest);
    memcpy(permit, rest, (size_t)keys * sizeof *permit);
  }
}
