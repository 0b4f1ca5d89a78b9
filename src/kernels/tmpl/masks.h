/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensor masks: one row of the caller's, in its element type, becomes bits and (additive masks) a row
 * of float32. The last elements of a row are copied first: nothing behind them is read. */
#include <string.h>

enum { MASK_WORD = 32, MASK_F32, MASK_F16, MASK_BF16 };

static void mask_bools(const void *row, int32_t keys, uint32_t *words) {
  const uint8_t *at = row;
  for (; keys >= MASK_WORD; keys -= MASK_WORD, at += MASK_WORD, words += RAPT_MAX_LANES)
    *words = vu_nonzero_bytes(at);
  if (keys > 0) {
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

/* RAPT_VL biases; bits of the lanes that are permitted, and of those among them that add something. */
RAPT_INLINE vf mask_bias_vector(const int TYPE, const void *p, vf factor, uint32_t *permitted,
                                uint32_t *adds) {
  const vf never = vf_set1(RAPT_NEG_INFINITY);
  vf x = mask_load(TYPE, p);
  vm none = vm_eq(x, never);
  x = vf_select(none, never, vf_mul(x, factor));
  *permitted = ~vm_bits(none);
  *adds = ~vm_bits(vm_eq(x, vf_zero()));
  return x;
}

RAPT_INLINE int32_t mask_bias(const int TYPE, const void *row, int32_t keys, float factor,
                              float *bias, uint32_t *words) {
  const vf f = vf_set1(factor);
  const uint32_t lanes = (1u << RAPT_VL) - 1u;
  const char *at = row;
  uint32_t any = 0;
  for (; keys >= MASK_WORD; keys -= MASK_WORD, words += RAPT_MAX_LANES, bias += MASK_WORD) {
    uint32_t word = 0;
    RAPT_UNROLL
    for (int i = 0; i < MASK_WORD; i += RAPT_VL, at += RAPT_VL * mask_bytes(TYPE)) {
      uint32_t permitted, adds;
      vf_store(bias + i, mask_bias_vector(TYPE, at, f, &permitted, &adds));
      word |= (permitted & lanes) << i;
      any |= permitted & adds & lanes;
    }
    *words = word;
  }
  uint32_t word = 0;
  for (int32_t i = 0; i < (keys + RAPT_KEY_ALIGN - 1) / RAPT_KEY_ALIGN * RAPT_KEY_ALIGN;
       i += RAPT_VL, at += RAPT_VL * mask_bytes(TYPE)) {
    const int32_t left = keys - i;
    uint32_t permitted, adds;
    if (left <= 0) {
      vf_store(bias + i, vf_zero());
    } else if (left >= RAPT_VL) {
      vf_store(bias + i, mask_bias_vector(TYPE, at, f, &permitted, &adds));
      word |= (permitted & lanes) << i;
      any |= permitted & adds & lanes;
    } else {
      float rest[RAPT_VL] = {0};
      const uint32_t there = (1u << left) - 1u;
      memcpy(rest, at, (size_t)(left * mask_bytes(TYPE)));
      vf x = mask_bias_vector(TYPE, rest, f, &permitted, &adds);
      vf_store(bias + i, vf_select(vm_first(left), x, vf_zero())); /* an infinite factor */
      word |= (permitted & there) << i;
      any |= permitted & adds & there;
    }
  }
  if (keys > 0) *words = word;
  return any ? RAPT_BIAS_ADDS : 0;
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
  for (int32_t n = 0; n < keys; n++) {
    const uint32_t *column = words + n / MASK_WORD * RAPT_MAX_LANES;
    uint32_t word = 0;
    for (int32_t i = 0; i < lanes; i += RAPT_VL)
      word |= vm_bits(vm_bit_of_words(column + i, n % MASK_WORD)) << i;
    permit[n] = word;
  }
}
