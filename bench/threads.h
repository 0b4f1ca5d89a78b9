/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The workers of a benchmark: librapt's own default executor, limited to t of them. */
#ifndef RAPT_BENCH_THREADS_H
#define RAPT_BENCH_THREADS_H

#include <rapt/rapt.h>

/* Notes how many workers there are, before OpenBLAS changes the default. Call first. */
void bench_threads_open(void);

int32_t bench_threads_max(void);

/* 1, 2 and the maximum, as far as the machine has them. Returns how many. */
enum { BENCH_THREAD_COUNTS = 3 };
int32_t bench_thread_counts(int32_t counts[BENCH_THREAD_COUNTS]);

/* The default executor with max_workers = threads. */
void bench_executor(int32_t threads, rapt_executor *executor);

/* fn(arg, 0 .. threads-1) on that executor; directly for one thread. */
void bench_parallel(int32_t threads, void (*fn)(void *arg, int32_t index), void *arg);

#endif
