/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Part of the vocabularies of x86: a matrix of bits turned by byte masks. */
#ifndef RAPT_SIMD_TURN_BITS_AVX2_H
#define RAPT_SIMD_TURN_BITS_AVX2_H

/* Bit i of out[b] = bit b of words[i], b < 32; for all 32 lanes, whatever `lanes` says. Each byte of the
 * 32 words in a vector of its own, then its bits from the highest down. */
RAPT_INLINE void vu_turn_bits(const uint32_t *words, int32_t lanes, uint32_t *out) {
  const __m256i bytes = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0, 4,
                                         8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  __m256i w[4], byte[4];
  (void)lanes;
  RAPT_UNROLL
  for (int i = 0; i < 4; i++)
    w[i] = _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)(const void *)(words + 8 * i)),
                               bytes);
  __m256i a = _mm256_unpacklo_epi32(w[0], w[1]), b = _mm256_unpackhi_epi32(w[0], w[1]);
  __m256i c = _mm256_unpacklo_epi32(w[2], w[3]), d = _mm256_unpackhi_epi32(w[2], w[3]);
  byte[0] = _mm256_unpacklo_epi64(a, c);
  byte[1] = _mm256_unpackhi_epi64(a, c);
  byte[2] = _mm256_unpacklo_epi64(b, d);
  byte[3] = _mm256_unpackhi_epi64(b, d);
  RAPT_UNROLL
  for (int i = 0; i < 4; i++) {
    __m256i x = _mm256_permutevar8x32_epi32(byte[i], order);
    RAPT_UNROLL
    for (int bit = 7; bit >= 0; bit--) {
      out[8 * i + bit] = (uint32_t)_mm256_movemask_epi8(x);
      x = _mm256_add_epi8(x, x);
    }
  }
}

#endif
