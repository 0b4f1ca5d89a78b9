/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the machine can do, as voices of bench_rounds: measured in this process, next to what it is
 * compared with, with as many threads and on the very data. */
#ifndef RAPT_BENCH_ANCHORS_H
#define RAPT_BENCH_ANCHORS_H

#include <stddef.h>
#include <stdint.h>

#include "isa.h"
#include "measure.h"

/* Multiply-adds. A turn is in seconds per flop of all threads together. */
typedef struct bench_fma {
  const bench_isa *isa;
  int32_t threads;
  int64_t steps; /* 0 = find out */
} bench_fma;

bench_turn bench_fma_take(void *fma, double seconds);

/* The least seconds per flop (per byte) this process has seen of that anchor. */
double bench_fma_seen(const bench_fma *fma);

/* Reading. A turn is in seconds per byte of all threads together, each of which reads its part of the
 * data. The best of 1, 2, 4 streams and six prefetch distances is found first; turns then take the
 * two best of them. */
typedef struct bench_read_way {
  int32_t streams;
  size_t distance;
  double seconds; /* per byte, when found */
  double pass;    /* bytes that one pass reads; 0 = not counted yet */
} bench_read_way;

typedef struct bench_read {
  const bench_isa *isa;
  int32_t threads;
  const char *data;
  size_t bytes;
  int32_t pages; /* BENCH_PAGES_* */
  size_t at;     /* where the next sample begins */
  bench_read_way way[2];
} bench_read;

void bench_read_tune(bench_read *read);
bench_turn bench_read_take(void *read, double seconds);
double bench_read_seen(const bench_read *read);

#endif
