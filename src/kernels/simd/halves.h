/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Part of the vocabularies: a look at 16-bit floats as integers, element by element. */
#ifndef RAPT_SIMD_HALVES_H
#define RAPT_SIMD_HALVES_H

RAPT_INLINE void vu_halves(const void *p, uint16_t value, uint32_t *equal, uint32_t *zero) {
  const uint16_t *x = p;
  uint32_t e = 0, z = 0;
  for (int i = 0; i < 32; i++) {
    e |= (uint32_t)(x[i] == value) << i;
    z |= (uint32_t)((x[i] & 0x7fffu) == 0) << i;
  }
  *equal = e;
  *zero = z;
}

#endif
