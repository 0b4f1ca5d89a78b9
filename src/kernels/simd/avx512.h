/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Vector vocabulary, AVX-512 (F, VL, DQ, BW): 16 lanes, mask registers. */
#ifndef RAPT_SIMD_AVX512_H
#define RAPT_SIMD_AVX512_H

#include <immintrin.h>

#include "common.h"
#include "turn_bits_avx2.h"

enum { RAPT_VL = 16, RAPT_MASKED_FMA = 1, RAPT_EXP2_CHAINS = 6 };

typedef __m512 vf;
typedef __mmask16 vm;

RAPT_INLINE vf vf_set1(float x) { return _mm512_set1_ps(x); }
RAPT_INLINE vf vf_zero(void) { return _mm512_setzero_ps(); }
RAPT_INLINE vf vf_load(const float *p) { return _mm512_load_ps(p); }
RAPT_INLINE vf vf_loadu(const float *p) { return _mm512_loadu_ps(p); }
RAPT_INLINE void vf_store(float *p, vf a) { _mm512_store_ps(p, a); }
RAPT_INLINE void vf_storeu(float *p, vf a) { _mm512_storeu_ps(p, a); }

/* The first n lanes, 0 < n <= 16; the others read as 0 and their memory is not touched. */
RAPT_INLINE vm vm_first(int32_t n) { return (vm)(n >= 16 ? 0xffffu : (1u << n) - 1u); }
RAPT_INLINE vf vf_load_first(const float *p, int32_t n) {
  return _mm512_maskz_loadu_ps(vm_first(n), p);
}
RAPT_INLINE void vf_store_first(float *p, int32_t n, vf a) {
  _mm512_mask_storeu_ps(p, vm_first(n), a);
}

RAPT_INLINE vf vf_add(vf a, vf b) { return _mm512_add_ps(a, b); }
RAPT_INLINE vf vf_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
RAPT_INLINE vf vf_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
RAPT_INLINE vf vf_div(vf a, vf b) { return _mm512_div_ps(a, b); }
/* The larger; where one is NaN, b. */
RAPT_INLINE vf vf_max(vf a, vf b) { return _mm512_max_ps(a, b); }
/* a * b + c, rounded once. */
RAPT_INLINE vf vf_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
/* a * b - p, for what rounding took from p = a * b. */
RAPT_INLINE vf vf_residue(vf a, vf b, vf p) { return _mm512_fmsub_ps(a, b, p); }
/* a * b + c where m, c elsewhere. */
RAPT_INLINE vf vf_fma_where(vm m, vf a, vf b, vf c) { return _mm512_mask3_fmadd_ps(a, b, c, m); }

/* Lanes whose bits are set in word, from bit `from` on. */
RAPT_INLINE vm vm_from_word(uint32_t word, int32_t from) { return (vm)(word >> from); }
/* Lane i = bit `bit` of words[i]. */
RAPT_INLINE vm vm_bit_of_words(const uint32_t *words, int32_t bit) {
  return _mm512_test_epi32_mask(_mm512_loadu_si512(words), _mm512_set1_epi32((int)(1u << bit)));
}
RAPT_INLINE vm vm_and(vm a, vm b) { return (vm)(a & b); }
RAPT_INLINE uint32_t vm_bits(vm m) { return m; }
RAPT_INLINE vm vm_eq(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
RAPT_INLINE vm vm_less(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
/* a where m, b elsewhere. */
RAPT_INLINE vf vf_select(vm m, vf a, vf b) { return _mm512_mask_mov_ps(b, m, a); }

/* -|a|; |a| with the sign of b. */
RAPT_INLINE vf vf_minus_abs(vf a) { return _mm512_or_ps(a, _mm512_set1_ps(-0.0f)); }
RAPT_INLINE vf vf_copysign(vf a, vf b) {
  return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(
      _mm512_set1_epi32(INT32_MIN), _mm512_castps_si512(b), _mm512_castps_si512(a), 0xca));
}

RAPT_INLINE vf vf_or(vf a, vf b) { return _mm512_or_ps(a, b); }

/* Tensor masks: bit i = p[i] is not 0, 32 bytes; RAPT_VL elements as float32. */
RAPT_INLINE uint32_t vu_nonzero_bytes(const uint8_t *p) {
  __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
  return _mm256_test_epi8_mask(x, x);
}
RAPT_INLINE void vu_halves(const void *p, uint16_t value, uint32_t *equal, uint32_t *zero) {
  __m512i x = _mm512_loadu_si512(p);
  *equal = _mm512_cmpeq_epi16_mask(x, _mm512_set1_epi16((short)value));
  *zero = _mm512_testn_epi16_mask(x, _mm512_set1_epi16(0x7fff));
}
RAPT_INLINE vf vf_from_f16(const void *p) { return _mm512_cvtph_ps(_mm256_loadu_si256(p)); }
RAPT_INLINE vf vf_from_bf16(const void *p) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(p)), 16));
}

/* x = n + f with n the nearest integer; p * 2^n. */
RAPT_INLINE vf vf_exp2_split(vf x, vf *n) {
  *n = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return _mm512_sub_ps(x, *n);
}
RAPT_INLINE vf vf_exp2_scale(vf p, vf n) { return _mm512_scalef_ps(p, n); }

/* x = f * 2^e for normal x > 0, f in [sqrt(1/2), sqrt(2)). */
RAPT_INLINE vf vf_log_split(vf x, vf *e) {
  const __m512i base = _mm512_set1_epi32(0x3f3504f3); /* bits of sqrt(1/2) */
  __m512i bits = _mm512_castps_si512(x);
  __m512i n = _mm512_srai_epi32(_mm512_sub_epi32(bits, base), 23);
  *e = _mm512_cvtepi32_ps(n);
  return _mm512_castsi512_ps(_mm512_sub_epi32(bits, _mm512_slli_epi32(n, 23)));
}

/* Sum of the lanes by halves: 8+8, 4+4, 2+2, 1+1. */
RAPT_INLINE float vf_sum(vf a) {
  __m256 b = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
  __m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
  c = _mm_add_ps(c, _mm_movehl_ps(c, c));
  return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}
RAPT_INLINE float vf_largest(vf a) {
  __m256 b = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
  __m128 c = _mm_max_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
  c = _mm_max_ps(c, _mm_movehl_ps(c, c));
  return _mm_cvtss_f32(_mm_max_ss(c, _mm_movehdup_ps(c)));
}
/* out[i] = sum of the lanes of a[i], i < 4, all four in the same order. */
RAPT_INLINE void vf_sum4(const vf *a, float *out) {
  __m512 u = _mm512_add_ps(_mm512_shuffle_f32x4(a[0], a[1], 0x88), /* quarters 0 2 of each */
                           _mm512_shuffle_f32x4(a[0], a[1], 0xdd));
  __m512 w = _mm512_add_ps(_mm512_shuffle_f32x4(a[2], a[3], 0x88),
                           _mm512_shuffle_f32x4(a[2], a[3], 0xdd));
  __m512 x = _mm512_add_ps(_mm512_shuffle_f32x4(u, w, 0x88), _mm512_shuffle_f32x4(u, w, 0xdd));
  /* Quarter i of x: four partial sums of a[i]. */
  x = _mm512_add_ps(x, _mm512_permute_ps(x, 0x4e));
  x = _mm512_add_ps(x, _mm512_permute_ps(x, 0xb1));
  const __m512i pick = _mm512_setr_epi32(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  _mm_storeu_ps(out, _mm512_castps512_ps128(_mm512_permutexvar_ps(pick, x)));
}

/* Transposes the 16 x 16 block r in place. */
RAPT_INLINE void vf_transpose(vf *r) {
  vf t[16];
  RAPT_UNROLL
  for (int i = 0; i < 8; i++) {
    t[2 * i] = _mm512_unpacklo_ps(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_ps(r[2 * i], r[2 * i + 1]);
  }
  RAPT_UNROLL
  for (int i = 0; i < 4; i++) {
    __m512d a = _mm512_castps_pd(t[4 * i]), b = _mm512_castps_pd(t[4 * i + 2]);
    __m512d c = _mm512_castps_pd(t[4 * i + 1]), d = _mm512_castps_pd(t[4 * i + 3]);
    r[4 * i] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
    r[4 * i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
    r[4 * i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(c, d));
    r[4 * i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(c, d));
  }
  RAPT_UNROLL
  for (int i = 0; i < 4; i++) {
    t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xdd);
    t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xdd);
  }
  RAPT_UNROLL
  for (int i = 0; i < 8; i++) {
    r[i] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88);
    r[i + 8] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0xdd);
  }
}

/* Even and odd lanes of the 2 * 16 floats in a, b; and back. */
RAPT_INLINE void vf_split_pairs(vf a, vf b, vf *even, vf *odd) {
  const __m512i e = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i o = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  *even = _mm512_permutex2var_ps(a, e, b);
  *odd = _mm512_permutex2var_ps(a, o, b);
}
RAPT_INLINE void vf_join_pairs(vf even, vf odd, vf *a, vf *b) {
  const __m512i l = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i h = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  *a = _mm512_permutex2var_ps(even, l, odd);
  *b = _mm512_permutex2var_ps(even, h, odd);
}
RAPT_INLINE vf vf_pair_order(vf c) { return c; }

/* Register tiles: acc += a * b for one of four consecutive scalars k[u], u a constant 0..3, which
 * vk_use makes a broadcast b. In assembly because compilers would rather collect the broadcasts of
 * many steps, or broadcast from memory once per vector, and then spill accumulators (gcc 12, clang
 * 19); order and registers are as written. */
typedef const float *vk;
RAPT_INLINE vk vk_load(const float *p) { return p; }
#define vk_use(b, k, u) const vf b = vf_set1((k)[u])
#define vf_tile_fma(acc, a, b, k, u) \
  __asm__ volatile("vfmadd231ps %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b))
#define vf_tile_step() __asm__ volatile("" : : : "memory") /* no load moves across */

#endif
