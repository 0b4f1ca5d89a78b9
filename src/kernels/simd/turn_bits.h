/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Part of the vocabularies: a matrix of bits turned by whole words. */
#ifndef RAPT_SIMD_TURN_BITS_H
#define RAPT_SIMD_TURN_BITS_H

/* The 8 x 8 bits of x (row r is byte r, column c its bit c) turned: quarters of 1, 2 and 4 bits change
 * places. */
RAPT_INLINE uint64_t rapt_turn_8x8(uint64_t x) {
  uint64_t t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aau;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000cccc0000ccccu;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0u;
  return x ^ t ^ (t << 28);
}

/* Bit i of out[b] = bit b of words[i], i < lanes, b < 32. Eight lanes at a time. */
RAPT_INLINE void vu_turn_bits(const uint32_t *words, int32_t lanes, uint32_t *out) {
  for (int32_t from = 0; from < lanes; from += 8)
    for (int32_t byte = 0; byte < 4; byte++) {
      uint64_t x = 0;
      for (int32_t i = 0; i < 8; i++) x |= (uint64_t)(words[from + i] >> 8 * byte & 0xffu) << 8 * i;
      x = rapt_turn_8x8(x);
      for (int32_t b = 0; b < 8; b++) {
        const uint32_t bits = (uint32_t)(x >> 8 * b & 0xffu) << from;
        out[8 * byte + b] = from ? out[8 * byte + b] | bits : bits;
      }
    }
}

#endif
