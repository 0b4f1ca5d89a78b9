/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Anchors, NEON: 24 chains of 4 lanes, as four pipes of latency 4 need 16. fmla adds into its
 * destination: a += x * y. */
#include <arm_neon.h>

#define ANCHOR_ISA "neon"
#define ANCHOR_TABLE bench_isa_neon

typedef float32x4_t vf;
enum { VF_LANES = 4 };
#define VF_EACH(op) VF_EACH_24(op)
#define VF_STEP(a) __asm__ volatile("fmla %0.4s, %1.4s, %2.4s" : "+w"(a) : "w"(x), "w"(y));
#define VF_KEEP(a) __asm__ volatile("" : : "w"(a));
#define VF_FMA(a, b, c) vfmaq_f32(c, a, b)
#define VF_MAX(a, b) vmaxq_f32(a, b)

#include "anchor_loops.h"
