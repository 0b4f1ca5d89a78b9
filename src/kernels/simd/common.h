/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What every vocabulary shares. See VOCABULARY.md. */
#ifndef RAPT_SIMD_COMMON_H
#define RAPT_SIMD_COMMON_H

#include <stdint.h>

/* Tiles are always_inline bodies with constant bounds: their accumulator arrays live in registers. */
#define RAPT_INLINE static inline __attribute__((always_inline))

/* Before a loop over the registers of a tile: gcc takes an array apart into registers only when the
 * loops over it are gone early. */
#if defined(__clang__)
#define RAPT_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RAPT_UNROLL _Pragma("GCC unroll 64")
#endif

#endif
