/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Vector vocabulary, AVX2 + FMA: 8 lanes, masks as full-width vectors. */
#ifndef RAPT_SIMD_AVX2_H
#define RAPT_SIMD_AVX2_H

#include <immintrin.h>

#include "common.h"
#include "turn_bits_avx2.h"

enum { RAPT_VL = 8, RAPT_MASKED_FMA = 0, RAPT_EXP2_CHAINS = 4 };

typedef __m256 vf;
typedef __m256 vm;

RAPT_INLINE vf vf_set1(float x) { return _mm256_set1_ps(x); }
RAPT_INLINE vf vf_zero(void) { return _mm256_setzero_ps(); }
RAPT_INLINE vf vf_load(const float *p) { return _mm256_load_ps(p); }
RAPT_INLINE vf vf_loadu(const float *p) { return _mm256_loadu_ps(p); }
RAPT_INLINE void vf_store(float *p, vf a) { _mm256_store_ps(p, a); }
RAPT_INLINE void vf_storeu(float *p, vf a) { _mm256_storeu_ps(p, a); }

RAPT_INLINE vm vm_first(int32_t n) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(n), lane));
}
/* Three lanes or fewer by pieces of two and one: exact for every memory, where VMASKMOV is slow to
 * store (AMD) or not exact (emulators). */
RAPT_INLINE __m128 rapt_load_below_4(const float *p, int32_t n) {
  __m128 one = n & 1 ? _mm_load_ss(p + (n & 2)) : _mm_setzero_ps();
  if (!(n & 2)) return one;
  return _mm_movelh_ps(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)p)), one);
}
RAPT_INLINE void rapt_store_below_4(float *p, int32_t n, __m128 a) {
  if (n & 2) {
    _mm_storel_epi64((__m128i *)(void *)p, _mm_castps_si128(a));
    a = _mm_movehl_ps(a, a);
  }
  if (n & 1) _mm_store_ss(p + (n & 2), a);
}
RAPT_INLINE vf vf_load_first(const float *p, int32_t n) {
  if (n >= 8) return _mm256_loadu_ps(p);
  if (n < 4) return _mm256_zextps128_ps256(rapt_load_below_4(p, n));
  return _mm256_set_m128(rapt_load_below_4(p + 4, n - 4), _mm_loadu_ps(p));
}
RAPT_INLINE void vf_store_first(float *p, int32_t n, vf a) {
  if (n >= 8) {
    _mm256_storeu_ps(p, a);
  } else if (n < 4) {
    rapt_store_below_4(p, n, _mm256_castps256_ps128(a));
  } else {
    _mm_storeu_ps(p, _mm256_castps256_ps128(a));
    rapt_store_below_4(p + 4, n - 4, _mm256_extractf128_ps(a, 1));
  }
}

RAPT_INLINE vf vf_add(vf a, vf b) { return _mm256_add_ps(a, b); }
RAPT_INLINE vf vf_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
RAPT_INLINE vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
RAPT_INLINE vf vf_div(vf a, vf b) { return _mm256_div_ps(a, b); }
RAPT_INLINE vf vf_max(vf a, vf b) { return _mm256_max_ps(a, b); }
RAPT_INLINE vf vf_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
RAPT_INLINE vf vf_residue(vf a, vf b, vf p) { return _mm256_fmsub_ps(a, b, p); }
RAPT_INLINE vf vf_fma_where(vm m, vf a, vf b, vf c) {
  return _mm256_blendv_ps(c, _mm256_fmadd_ps(a, b, c), m);
}

RAPT_INLINE vm vm_from_word(uint32_t word, int32_t from) {
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  __m256i w = _mm256_set1_epi32((int)(word >> from));
  return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(w, bit), bit));
}
RAPT_INLINE vm vm_bit_of_words(const uint32_t *words, int32_t bit) {
  __m256i b = _mm256_set1_epi32((int)(1u << bit));
  __m256i w = _mm256_loadu_si256((const __m256i *)(const void *)words);
  return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(w, b), b));
}
RAPT_INLINE vm vm_and(vm a, vm b) { return _mm256_and_ps(a, b); }
RAPT_INLINE uint32_t vm_bits(vm m) { return (uint32_t)_mm256_movemask_ps(m); }
RAPT_INLINE vm vm_eq(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
RAPT_INLINE vm vm_less(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
RAPT_INLINE vf vf_select(vm m, vf a, vf b) { return _mm256_blendv_ps(b, a, m); }

RAPT_INLINE vf vf_minus_abs(vf a) { return _mm256_or_ps(a, _mm256_set1_ps(-0.0f)); }
RAPT_INLINE vf vf_or(vf a, vf b) { return _mm256_or_ps(a, b); }
RAPT_INLINE vf vf_copysign(vf a, vf b) {
  const vf sign = _mm256_set1_ps(-0.0f);
  return _mm256_or_ps(_mm256_andnot_ps(sign, a), _mm256_and_ps(sign, b));
}

RAPT_INLINE uint32_t vu_nonzero_bytes(const uint8_t *p) {
  __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
  return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_setzero_si256()));
}
/* 32 bits of 2 x 16 truth values. */
RAPT_INLINE uint32_t rapt_bits_of_halves(__m256i a, __m256i b) {
  return (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xd8));
}
RAPT_INLINE void vu_halves(const void *p, uint16_t value, uint32_t *equal, uint32_t *zero) {
  const __m256i v = _mm256_set1_epi16((short)value), low = _mm256_set1_epi16(0x7fff);
  const __m256i none = _mm256_setzero_si256();
  __m256i a = _mm256_loadu_si256(p), b = _mm256_loadu_si256((const __m256i *)p + 1);
  *equal = rapt_bits_of_halves(_mm256_cmpeq_epi16(a, v), _mm256_cmpeq_epi16(b, v));
  *zero = rapt_bits_of_halves(_mm256_cmpeq_epi16(_mm256_and_si256(a, low), none),
                              _mm256_cmpeq_epi16(_mm256_and_si256(b, low), none));
}
RAPT_INLINE vf vf_from_f16(const void *p) { return _mm256_cvtph_ps(_mm_loadu_si128(p)); }
RAPT_INLINE vf vf_from_bf16(const void *p) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(p)), 16));
}

/* No scalef here: 1.5*2^23 rounds to an integer, and with 127 added its low bits are the biased
 * exponent, so that n = -127 makes 2^n = 0. max has x second: NaN stays NaN. */
RAPT_INLINE vf vf_exp2_split(vf x, vf *n) {
  const vf magic = _mm256_set1_ps(12582912.0f + 127.0f);
  x = _mm256_max_ps(_mm256_set1_ps(-127.0f), x);
  *n = _mm256_add_ps(x, magic);
  return _mm256_sub_ps(x, _mm256_sub_ps(*n, magic));
}
RAPT_INLINE vf vf_exp2_scale(vf p, vf n) {
  return _mm256_mul_ps(p, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(n), 23)));
}

RAPT_INLINE vf vf_log_split(vf x, vf *e) {
  const __m256i base = _mm256_set1_epi32(0x3f3504f3); /* bits of sqrt(1/2) */
  __m256i bits = _mm256_castps_si256(x);
  __m256i n = _mm256_srai_epi32(_mm256_sub_epi32(bits, base), 23);
  *e = _mm256_cvtepi32_ps(n);
  return _mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_slli_epi32(n, 23)));
}

RAPT_INLINE float vf_sum(vf a) {
  __m128 c = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  c = _mm_add_ps(c, _mm_movehl_ps(c, c));
  return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}
RAPT_INLINE float vf_largest(vf a) {
  __m128 c = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  c = _mm_max_ps(c, _mm_movehl_ps(c, c));
  return _mm_cvtss_f32(_mm_max_ss(c, _mm_movehdup_ps(c)));
}
RAPT_INLINE void vf_sum4(const vf *a, float *out) {
  __m256 u = _mm256_hadd_ps(a[0], a[1]), w = _mm256_hadd_ps(a[2], a[3]);
  __m256 x = _mm256_hadd_ps(u, w);
  _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1)));
}

/* Even and odd lanes of the 2 * 8 floats in a, b; and back. Within 128-bit lanes only, which takes one
 * shuffle instead of two: the pairs come out in the order 0 1 4 5 2 3 6 7. */
RAPT_INLINE void vf_split_pairs(vf a, vf b, vf *even, vf *odd) {
  *even = _mm256_shuffle_ps(a, b, 0x88);
  *odd = _mm256_shuffle_ps(a, b, 0xdd);
}
RAPT_INLINE void vf_join_pairs(vf even, vf odd, vf *a, vf *b) {
  *a = _mm256_unpacklo_ps(even, odd);
  *b = _mm256_unpackhi_ps(even, odd);
}
RAPT_INLINE vf vf_pair_order(vf c) {
  return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(c), 0xd8));
}

#include "transpose_8x8.h"

/* Register tiles: acc += a * b for one of four consecutive scalars k[u], u a constant 0..3, which
 * vk_use makes a broadcast b. In assembly because compilers would rather collect the broadcasts of
 * many steps, or broadcast from memory once per vector, and then spill accumulators (gcc 12, clang
 * 19); order and registers are as written. */
typedef const float *vk;
RAPT_INLINE vk vk_load(const float *p) { return p; }
#define vk_use(b, k, u) const vf b = vf_set1((k)[u])
#define vf_tile_fma(acc, a, b, k, u) \
  __asm__ volatile("vfmadd231ps %2, %1, %0" : "+x"(acc) : "x"(a), "x"(b))
#define vf_tile_step() __asm__ volatile("" : : : "memory") /* no load moves across */

#endif
