/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory of a known page type, and the numbers in it. */
#ifndef RAPT_BENCH_DATA_H
#define RAPT_BENCH_DATA_H

#include <stddef.h>
#include <stdint.h>

enum { BENCH_PAGES_4K = 0, BENCH_PAGES_HUGE = 1 };

/* Pages are mapped and advised, not yet touched; 2 MiB aligned. */
typedef struct bench_buffer {
  void *data;
  size_t bytes;
  void *mapping;
  size_t mapped;
} bench_buffer;

/* 0, or -1 when there is no memory. */
int bench_buffer_open(bench_buffer *buffer, size_t bytes, int32_t pages);
void bench_buffer_close(bench_buffer *buffer);

/* Normally distributed numbers of variance 1 (near enough: a sum of four uniform ones), the same for
 * the same seed. Each of `threads` threads touches its part first. */
void bench_fill(bench_buffer *buffer, uint64_t seed, int32_t threads);

/* The same, one value. */
float bench_normal(uint64_t seed, uint64_t index);

/* What the system says of huge pages, e.g. "always [madvise] never", or "unknown". */
const char *bench_huge_pages(void);

#endif
