/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the benchmark itself needs compiled for one instruction set: the anchors, and the softmax of
 * the unfused baseline. One table per anchor_<isa>.c. */
#ifndef RAPT_BENCH_ISA_H
#define RAPT_BENCH_ISA_H

#include <stddef.h>
#include <stdint.h>

typedef struct bench_isa {
  const char *isa;
  double flops_per_step;

  /* The most multiply-adds this instruction set can do: independent chains in registers. */
  void (*fma)(int64_t steps);

  /* Loads every byte of `data` (64-byte aligned) as 1, 2 or 4 concurrent streams, each prefetched
   * `distance` bytes ahead (0: hardware only). Returns the bytes read: `bytes` less a tail. */
  size_t (*read)(const char *data, size_t bytes, int32_t streams, size_t distance);

  /* row[i] = e^(row[i] - maximum) for i < n; returns the sum. */
  float (*softmax)(float *row, int32_t n);
} bench_isa;

enum { BENCH_READ_TAIL = 4 * 256 }; /* read may leave out less than this */

extern const bench_isa bench_isa_generic;
#ifdef RAPT_HAVE_ANCHOR_AVX2
extern const bench_isa bench_isa_avx2;
#endif
#ifdef RAPT_HAVE_ANCHOR_AVX512
extern const bench_isa bench_isa_avx512;
#endif
#ifdef RAPT_HAVE_ANCHOR_NEON
extern const bench_isa bench_isa_neon;
#endif

/* The table of a kernel set's instruction set; NULL if there is none. */
const bench_isa *bench_isa_find(const char *isa);

/* The best this machine can run. */
const bench_isa *bench_isa_best(void);

/* Number of tables, and table i, best first; `usable` may be NULL. */
int32_t bench_isa_count(void);
const bench_isa *bench_isa_get(int32_t index, int32_t *usable);

#endif
