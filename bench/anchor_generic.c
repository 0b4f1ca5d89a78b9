/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Anchors, plain C: 14 chains of 4 lanes, a multiplication and an addition each, because the generic
 * kernels round both. On an architecture without a line here the accumulators go through memory and
 * the anchor reads low; the check of shares then says so. */
#define ANCHOR_ISA "generic"
#define ANCHOR_TABLE bench_isa_generic

#if defined(__x86_64__)
#define VF_REGISTER "x"
#elif defined(__aarch64__)
#define VF_REGISTER "w"
#else
#define VF_REGISTER "m"
#endif

typedef float vf __attribute__((vector_size(16)));
enum { VF_LANES = 4 };
#define VF_EACH(op) VF_EACH_14(op)
#define VF_STEP(a) \
  a = a * x + y;   \
  __asm__ volatile("" : "+" VF_REGISTER(a));
#define VF_KEEP(a) __asm__ volatile("" : : VF_REGISTER(a));
#define VF_FMA(a, b, c) ((a) * (b) + (c))
#define VF_MAX(a, b) anchor_max(a, b)

static inline vf anchor_max(vf a, vf b) {
  typedef int vi __attribute__((vector_size(16)));
  vi greater = (vi)(a > b);
  return (vf)((greater & (vi)a) | (~greater & (vi)b));
}

#include "anchor_loops.h"
