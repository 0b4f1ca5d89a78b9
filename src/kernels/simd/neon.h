/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Vector vocabulary, 64-bit Arm NEON: 4 lanes, fused multiply-add, multiplication by lane. */
#ifndef RAPT_SIMD_NEON_H
#define RAPT_SIMD_NEON_H

#include <arm_neon.h>

#include "common.h"
#include "halves.h"
#include "turn_bits.h"

enum { RAPT_VL = 4, RAPT_MASKED_FMA = 0, RAPT_EXP2_CHAINS = 6 };

typedef float32x4_t vf;
typedef uint32x4_t vm;

RAPT_INLINE vf vf_set1(float x) { return vdupq_n_f32(x); }
RAPT_INLINE vf vf_zero(void) { return vdupq_n_f32(0.0f); }
RAPT_INLINE vf vf_load(const float *p) { return vld1q_f32(p); }
RAPT_INLINE vf vf_loadu(const float *p) { return vld1q_f32(p); }
RAPT_INLINE void vf_store(float *p, vf a) { vst1q_f32(p, a); }
RAPT_INLINE void vf_storeu(float *p, vf a) { vst1q_f32(p, a); }

RAPT_INLINE vm vm_first(int32_t n) {
  const uint32x4_t lane = {0, 1, 2, 3};
  return vcltq_u32(lane, vdupq_n_u32((uint32_t)n));
}
RAPT_INLINE vf vf_load_first(const float *p, int32_t n) {
  vf a = vdupq_n_f32(0.0f);
  if (n >= 4) return vld1q_f32(p);
  a = vsetq_lane_f32(p[0], a, 0);
  if (n > 1) a = vsetq_lane_f32(p[1], a, 1);
  if (n > 2) a = vsetq_lane_f32(p[2], a, 2);
  return a;
}
RAPT_INLINE void vf_store_first(float *p, int32_t n, vf a) {
  if (n >= 4) {
    vst1q_f32(p, a);
    return;
  }
  p[0] = vgetq_lane_f32(a, 0);
  if (n > 1) p[1] = vgetq_lane_f32(a, 1);
  if (n > 2) p[2] = vgetq_lane_f32(a, 2);
}

RAPT_INLINE vf vf_select(vm m, vf a, vf b) { return vbslq_f32(m, a, b); }
RAPT_INLINE vf vf_add(vf a, vf b) { return vaddq_f32(a, b); }
RAPT_INLINE vf vf_sub(vf a, vf b) { return vsubq_f32(a, b); }
RAPT_INLINE vf vf_mul(vf a, vf b) { return vmulq_f32(a, b); }
RAPT_INLINE vf vf_div(vf a, vf b) { return vdivq_f32(a, b); }
/* FMAX gives NaN where either is NaN. */
RAPT_INLINE vf vf_max(vf a, vf b) { return vmaxq_f32(a, b); }
RAPT_INLINE vf vf_fma(vf a, vf b, vf c) { return vfmaq_f32(c, a, b); }
RAPT_INLINE vf vf_residue(vf a, vf b, vf p) { return vnegq_f32(vfmsq_f32(p, a, b)); }
RAPT_INLINE vf vf_fma_where(vm m, vf a, vf b, vf c) { return vbslq_f32(m, vfmaq_f32(c, a, b), c); }

RAPT_INLINE vm vm_from_word(uint32_t word, int32_t from) {
  const uint32x4_t bit = {1, 2, 4, 8};
  return vtstq_u32(vdupq_n_u32(word >> from), bit);
}
RAPT_INLINE vm vm_bit_of_words(const uint32_t *words, int32_t bit) {
  return vtstq_u32(vld1q_u32(words), vdupq_n_u32(1u << bit));
}
RAPT_INLINE vm vm_and(vm a, vm b) { return vandq_u32(a, b); }
RAPT_INLINE uint32_t vm_bits(vm m) {
  const uint32x4_t bit = {1, 2, 4, 8};
  return vaddvq_u32(vandq_u32(m, bit));
}
RAPT_INLINE vm vm_eq(vf a, vf b) { return vceqq_f32(a, b); }
RAPT_INLINE vm vm_less(vf a, vf b) { return vcltq_f32(a, b); }

RAPT_INLINE vf vf_minus_abs(vf a) { return vnegq_f32(vabsq_f32(a)); }
RAPT_INLINE vf vf_or(vf a, vf b) {
  return vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
}
RAPT_INLINE vf vf_copysign(vf a, vf b) { return vbslq_f32(vdupq_n_u32(0x80000000u), b, a); }

RAPT_INLINE uint32_t vu_nonzero_bytes(const uint8_t *p) {
  const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint8x16_t a = vld1q_u8(p), b = vld1q_u8(p + 16);
  a = vandq_u8(vtstq_u8(a, a), bit);
  b = vandq_u8(vtstq_u8(b, b), bit);
  /* Three pairwise sums leave one byte for eight. */
  a = vpaddq_u8(a, b);
  a = vpaddq_u8(a, a);
  a = vpaddq_u8(a, a);
  return vgetq_lane_u32(vreinterpretq_u32_u8(a), 0);
}
RAPT_INLINE vf vf_from_f16(const void *p) {
  return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}
RAPT_INLINE vf vf_from_bf16(const void *p) {
  return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16));
}

/* See avx2.h; FMAX keeps the NaN by itself. */
RAPT_INLINE vf vf_exp2_split(vf x, vf *n) {
  const vf magic = vdupq_n_f32(12582912.0f + 127.0f);
  x = vmaxq_f32(vdupq_n_f32(-127.0f), x);
  *n = vaddq_f32(x, magic);
  return vsubq_f32(x, vsubq_f32(*n, magic));
}
RAPT_INLINE vf vf_exp2_scale(vf p, vf n) {
  return vmulq_f32(p, vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_f32(n), 23)));
}

RAPT_INLINE vf vf_log_split(vf x, vf *e) {
  const int32x4_t base = vdupq_n_s32(0x3f3504f3); /* bits of sqrt(1/2) */
  int32x4_t bits = vreinterpretq_s32_f32(x);
  int32x4_t n = vshrq_n_s32(vsubq_s32(bits, base), 23);
  *e = vcvtq_f32_s32(n);
  return vreinterpretq_f32_s32(vsubq_s32(bits, vshlq_n_s32(n, 23)));
}

RAPT_INLINE float vf_sum(vf a) { return vaddvq_f32(a); }
RAPT_INLINE float vf_largest(vf a) { return vmaxvq_f32(a); }
RAPT_INLINE void vf_sum4(const vf *a, float *out) {
  vst1q_f32(out, vpaddq_f32(vpaddq_f32(a[0], a[1]), vpaddq_f32(a[2], a[3])));
}

/* Transposes the 4 x 4 block r in place. */
RAPT_INLINE void vf_transpose(vf *r) {
  float32x4_t a = vtrn1q_f32(r[0], r[1]), b = vtrn2q_f32(r[0], r[1]);
  float32x4_t c = vtrn1q_f32(r[2], r[3]), d = vtrn2q_f32(r[2], r[3]);
  r[0] = vcombine_f32(vget_low_f32(a), vget_low_f32(c));
  r[1] = vcombine_f32(vget_low_f32(b), vget_low_f32(d));
  r[2] = vcombine_f32(vget_high_f32(a), vget_high_f32(c));
  r[3] = vcombine_f32(vget_high_f32(b), vget_high_f32(d));
}

/* Even and odd lanes of the 2 * 4 floats in a, b; and back. */
RAPT_INLINE void vf_split_pairs(vf a, vf b, vf *even, vf *odd) {
  *even = vuzp1q_f32(a, b);
  *odd = vuzp2q_f32(a, b);
}
RAPT_INLINE void vf_join_pairs(vf even, vf odd, vf *a, vf *b) {
  *a = vzip1q_f32(even, odd);
  *b = vzip2q_f32(even, odd);
}
RAPT_INLINE vf vf_pair_order(vf c) { return c; }

/* Register tiles: acc += a * k[u], u a constant 0..3; four consecutive scalars are one load and the
 * multiplication takes them by lane. */
typedef float32x4_t vk;
RAPT_INLINE vk vk_load(const float *p) { return vld1q_f32(p); }
#define vk_use(b, k, u) ((void)0)
#define vf_tile_fma(acc, a, b, k, u) ((acc) = vfmaq_laneq_f32((acc), (a), (k), (u)))
#define vf_tile_step() ((void)0)

#endif
