/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Vector vocabulary in plain C with the compilers' vector extension: 4 lanes, any architecture. The
 * product and the sum of vf_fma round separately, as not every baseline has a fused instruction. */
#ifndef RAPT_SIMD_GENERIC_H
#define RAPT_SIMD_GENERIC_H

#include <string.h>

#include "common.h"
#include "halves.h"
#include "turn_bits.h"

enum { RAPT_VL = 4, RAPT_MASKED_FMA = 0, RAPT_EXP2_CHAINS = 4 };

typedef float vf __attribute__((vector_size(16)));
typedef int32_t vm __attribute__((vector_size(16))); /* 0 or -1 per lane */
typedef uint32_t rapt_vu __attribute__((vector_size(16)));

RAPT_INLINE vf vf_set1(float x) { return (vf){x, x, x, x}; }
RAPT_INLINE vf vf_zero(void) { return vf_set1(0.0f); }
RAPT_INLINE vf vf_loadu(const float *p) {
  vf a;
  memcpy(&a, p, sizeof a);
  return a;
}
RAPT_INLINE vf vf_load(const float *p) { return vf_loadu(p); }
RAPT_INLINE void vf_storeu(float *p, vf a) { memcpy(p, &a, sizeof a); }
RAPT_INLINE void vf_store(float *p, vf a) { vf_storeu(p, a); }

RAPT_INLINE vm vm_first(int32_t n) { return (vm){0, 1, 2, 3} < (vm){n, n, n, n}; }
RAPT_INLINE vf vf_load_first(const float *p, int32_t n) {
  vf a = vf_zero();
  for (int32_t i = 0; i < 4; i++)
    if (i < n) a[i] = p[i];
  return a;
}
RAPT_INLINE void vf_store_first(float *p, int32_t n, vf a) {
  for (int32_t i = 0; i < 4; i++)
    if (i < n) p[i] = a[i];
}

/* a where m, b elsewhere. */
RAPT_INLINE vf vf_select(vm m, vf a, vf b) { return (vf)((m & (vm)a) | (~m & (vm)b)); }

RAPT_INLINE vf vf_add(vf a, vf b) { return a + b; }
RAPT_INLINE vf vf_sub(vf a, vf b) { return a - b; }
RAPT_INLINE vf vf_mul(vf a, vf b) { return a * b; }
RAPT_INLINE vf vf_div(vf a, vf b) { return a / b; }
RAPT_INLINE vf vf_max(vf a, vf b) { return vf_select(a > b, a, b); }
RAPT_INLINE vf vf_fma(vf a, vf b, vf c) { return a * b + c; }
/* a * b - p, for what rounding took from p = a * b; the product of floats is exact in double. */
RAPT_INLINE vf vf_residue(vf a, vf b, vf p) {
  vf r;
  for (int i = 0; i < 4; i++) r[i] = (float)((double)a[i] * (double)b[i] - (double)p[i]);
  return r;
}
RAPT_INLINE vf vf_fma_where(vm m, vf a, vf b, vf c) { return vf_select(m, a * b + c, c); }

RAPT_INLINE vm vm_from_word(uint32_t word, int32_t from) {
  uint32_t w = word >> from;
  return (vm)(((rapt_vu){w, w, w, w} & (rapt_vu){1, 2, 4, 8}) != 0);
}
RAPT_INLINE vm vm_bit_of_words(const uint32_t *words, int32_t bit) {
  rapt_vu w;
  uint32_t b = 1u << bit;
  memcpy(&w, words, sizeof w);
  return (vm)((w & (rapt_vu){b, b, b, b}) != 0);
}
RAPT_INLINE vm vm_and(vm a, vm b) { return a & b; }
RAPT_INLINE uint32_t vm_bits(vm m) {
  return ((uint32_t)m[0] & 1u) | ((uint32_t)m[1] & 2u) | ((uint32_t)m[2] & 4u) |
         ((uint32_t)m[3] & 8u);
}
RAPT_INLINE vm vm_eq(vf a, vf b) { return a == b; }
RAPT_INLINE vm vm_less(vf a, vf b) { return a < b; }

/* -|a|; bits of either; |a| with the sign of b. */
RAPT_INLINE vf vf_minus_abs(vf a) { return (vf)((vm)a | (vm)vf_set1(-0.0f)); }
RAPT_INLINE vf vf_or(vf a, vf b) { return (vf)((vm)a | (vm)b); }
RAPT_INLINE vf vf_copysign(vf a, vf b) { return vf_select((vm)vf_set1(-0.0f), b, a); }

/* Bit i = p[i] is not 0, 32 bytes. */
RAPT_INLINE uint32_t vu_nonzero_bytes(const uint8_t *p) {
  uint32_t bits = 0;
  for (int i = 0; i < 32; i++) bits |= (uint32_t)(p[i] != 0) << i;
  return bits;
}
/* Half precision to float32: exact; subnormals by their integer, which no flush mode touches. */
RAPT_INLINE float rapt_float_of_half(uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000u) << 16, low = h & 0x7fffu, e = low >> 10;
  uint32_t bits = (low << 13) + (112u << 23);
  float x;
  if (e == 31) bits += 112u << 23; /* infinity, NaN */
  if (e == 0) {
    x = (float)low * 0x1p-24f;
    memcpy(&bits, &x, sizeof bits);
  }
  bits |= sign;
  memcpy(&x, &bits, sizeof x);
  return x;
}
RAPT_INLINE vf vf_from_f16(const void *p) {
  uint16_t h[4];
  memcpy(h, p, sizeof h);
  return (vf){rapt_float_of_half(h[0]), rapt_float_of_half(h[1]), rapt_float_of_half(h[2]),
              rapt_float_of_half(h[3])};
}
RAPT_INLINE vf vf_from_bf16(const void *p) {
  uint16_t h[4];
  memcpy(h, p, sizeof h);
  return (vf)((rapt_vu){h[0], h[1], h[2], h[3]} << 16);
}

/* See avx2.h. */
RAPT_INLINE vf vf_exp2_split(vf x, vf *n) {
  const vf magic = vf_set1(12582912.0f + 127.0f);
  x = vf_max(vf_set1(-127.0f), x);
  *n = x + magic;
  return x - (*n - magic);
}
RAPT_INLINE vf vf_exp2_scale(vf p, vf n) { return p * (vf)((rapt_vu)n << 23); }

RAPT_INLINE vf vf_log_split(vf x, vf *e) {
  const vm base = {0x3f3504f3, 0x3f3504f3, 0x3f3504f3, 0x3f3504f3}; /* bits of sqrt(1/2) */
  vm n = ((vm)x - base) >> 23;
  *e = (vf){(float)n[0], (float)n[1], (float)n[2], (float)n[3]};
  return (vf)((rapt_vu)x - ((rapt_vu)n << 23));
}

RAPT_INLINE float vf_sum(vf a) { return (a[0] + a[2]) + (a[1] + a[3]); }
RAPT_INLINE float vf_largest(vf a) {
  float x = a[0] > a[2] ? a[0] : a[2], y = a[1] > a[3] ? a[1] : a[3];
  return x > y ? x : y;
}
RAPT_INLINE void vf_sum4(const vf *a, float *out) {
  for (int i = 0; i < 4; i++) out[i] = vf_sum(a[i]);
}

/* Transposes the 4 x 4 block r in place. */
RAPT_INLINE void vf_transpose(vf *r) {
  vf a = r[0], b = r[1], c = r[2], d = r[3];
  r[0] = (vf){a[0], b[0], c[0], d[0]};
  r[1] = (vf){a[1], b[1], c[1], d[1]};
  r[2] = (vf){a[2], b[2], c[2], d[2]};
  r[3] = (vf){a[3], b[3], c[3], d[3]};
}

/* Even and odd lanes of the 2 * 4 floats in a, b; and back. */
RAPT_INLINE void vf_split_pairs(vf a, vf b, vf *even, vf *odd) {
  *even = (vf){a[0], a[2], b[0], b[2]};
  *odd = (vf){a[1], a[3], b[1], b[3]};
}
RAPT_INLINE void vf_join_pairs(vf even, vf odd, vf *a, vf *b) {
  *a = (vf){even[0], odd[0], even[1], odd[1]};
  *b = (vf){even[2], odd[2], even[3], odd[3]};
}
RAPT_INLINE vf vf_pair_order(vf c) { return c; }

/* Register tiles: acc += a * b for one of four consecutive scalars k[u], u a constant 0..3, which
 * vk_use makes a broadcast b. */
typedef const float *vk;
RAPT_INLINE vk vk_load(const float *p) { return p; }
#define vk_use(b, k, u) const vf b = vf_set1((k)[u])
#define vf_tile_fma(acc, a, b, k, u) ((acc) = vf_fma((a), (b), (acc)))
#define vf_tile_step() ((void)0)

#endif
