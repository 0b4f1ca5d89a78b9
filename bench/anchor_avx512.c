/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Anchors, AVX-512: 24 chains of 16 lanes. */
#include <immintrin.h>

#define ANCHOR_ISA "avx512"
#define ANCHOR_TABLE bench_isa_avx512

typedef __m512 vf;
enum { VF_LANES = 16 };
#define VF_EACH(op) VF_EACH_24(op)
#define VF_STEP(a) __asm__ volatile("vfmadd213ps %2, %1, %0" : "+v"(a) : "v"(x), "v"(y));
#define VF_KEEP(a) __asm__ volatile("" : : "v"(a));
#define VF_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define VF_MAX(a, b) _mm512_max_ps(a, b)

#include "anchor_loops.h"
