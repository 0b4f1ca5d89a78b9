/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Vector vocabulary, AVX-512VL on 8 lanes, for narrow panels of a 16-lane set: include it after the
 * 16-lane templates. The words get other names; the bits are those of 16 lanes. */
#ifndef RAPT_SIMD_AVX512_8_H
#define RAPT_SIMD_AVX512_8_H

#include "avx512.h"

#define RAPT_VL RAPT_VL_8
#define vf vf8
#define vm vm8
#define vf_set1 vf8_set1
#define vf_zero vf8_zero
#define vf_load vf8_load
#define vf_loadu vf8_loadu
#define vf_store vf8_store
#define vf_storeu vf8_storeu
#define vm_first vm8_first
#define vf_load_first vf8_load_first
#define vf_store_first vf8_store_first
#define vf_add vf8_add
#define vf_sub vf8_sub
#define vf_mul vf8_mul
#define vf_div vf8_div
#define vf_max vf8_max
#define vf_fma vf8_fma
#define vf_fma_where vf8_fma_where
#define vm_from_word vm8_from_word
#define vm_and vm8_and
#define vm_eq vm8_eq
#define vf_select vf8_select
#define vf_exp2_split vf8_exp2_split
#define vf_exp2_scale vf8_exp2_scale
#define vf_log_split vf8_log_split
#define vf_transpose vf8_transpose
#define vf_exp2_each vf8_exp2_each
#define vf_exp2 vf8_exp2
#define vf_ln vf8_ln
#define vf_finite_max vf8_finite_max
#define vm_empty vm8_empty
#define vf_lse vf8_lse
#define vf_join_weights vf8_join_weights
#define vf_natural_each vf8_natural_each
#define vf_exp_of vf8_exp_of
#define vf_sink vf8_sink

enum { RAPT_VL = 8 };

typedef __m256 vf;
typedef __mmask8 vm;

RAPT_INLINE vf vf_set1(float x) { return _mm256_set1_ps(x); }
RAPT_INLINE vf vf_zero(void) { return _mm256_setzero_ps(); }
RAPT_INLINE vf vf_load(const float *p) { return _mm256_load_ps(p); }
RAPT_INLINE vf vf_loadu(const float *p) { return _mm256_loadu_ps(p); }
RAPT_INLINE void vf_store(float *p, vf a) { _mm256_store_ps(p, a); }
RAPT_INLINE void vf_storeu(float *p, vf a) { _mm256_storeu_ps(p, a); }
RAPT_INLINE vm vm_first(int32_t n) { return (vm)(n >= 8 ? 0xffu : (1u << n) - 1u); }
RAPT_INLINE vf vf_load_first(const float *p, int32_t n) {
  return _mm256_maskz_loadu_ps(vm_first(n), p);
}
RAPT_INLINE void vf_store_first(float *p, int32_t n, vf a) {
  _mm256_mask_storeu_ps(p, vm_first(n), a);
}

RAPT_INLINE vf vf_add(vf a, vf b) { return _mm256_add_ps(a, b); }
RAPT_INLINE vf vf_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
RAPT_INLINE vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
RAPT_INLINE vf vf_div(vf a, vf b) { return _mm256_div_ps(a, b); }
RAPT_INLINE vf vf_max(vf a, vf b) { return _mm256_max_ps(a, b); }
RAPT_INLINE vf vf_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
RAPT_INLINE vf vf_fma_where(vm m, vf a, vf b, vf c) { return _mm256_mask3_fmadd_ps(a, b, c, m); }

RAPT_INLINE vm vm_from_word(uint32_t word, int32_t from) { return (vm)(word >> from); }
RAPT_INLINE vm vm_and(vm a, vm b) { return (vm)(a & b); }
RAPT_INLINE vm vm_eq(vf a, vf b) { return _mm256_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
RAPT_INLINE vf vf_select(vm m, vf a, vf b) { return _mm256_mask_mov_ps(b, m, a); }

RAPT_INLINE vf vf_exp2_split(vf x, vf *n) {
  *n = _mm256_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return _mm256_sub_ps(x, *n);
}
RAPT_INLINE vf vf_exp2_scale(vf p, vf n) { return _mm256_scalef_ps(p, n); }

RAPT_INLINE vf vf_log_split(vf x, vf *e) {
  const __m256i base = _mm256_set1_epi32(0x3f3504f3); /* bits of sqrt(1/2) */
  __m256i bits = _mm256_castps_si256(x);
  __m256i n = _mm256_srai_epi32(_mm256_sub_epi32(bits, base), 23);
  *e = _mm256_cvtepi32_ps(n);
  return _mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_slli_epi32(n, 23)));
}

#include "transpose_8x8.h"

#endif
