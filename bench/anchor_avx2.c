/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Anchors, AVX2 with FMA: 14 chains of 8 lanes. */
#include <immintrin.h>

#define ANCHOR_ISA "avx2"
#define ANCHOR_TABLE bench_isa_avx2

typedef __m256 vf;
enum { VF_LANES = 8 };
#define VF_EACH(op) VF_EACH_14(op)
#define VF_STEP(a) __asm__ volatile("vfmadd213ps %2, %1, %0" : "+x"(a) : "x"(x), "x"(y));
#define VF_KEEP(a) __asm__ volatile("" : : "x"(a));
#define VF_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define VF_MAX(a, b) _mm256_max_ps(a, b)

#include "anchor_loops.h"
