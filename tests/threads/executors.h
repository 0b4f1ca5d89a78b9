/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Executors of every temper. Each is a function for rapt_executor.parallel; ctx is a trait below (or
 * NULL). */
#ifndef RAPT_TESTS_THREADS_EXECUTORS_H
#define RAPT_TESTS_THREADS_EXECUTORS_H

#include <stdint.h>

#include <rapt/rapt.h>

typedef int32_t (*parallel_fn)(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg);

/* All on the caller's thread: ascending, descending, in a scrambled order. */
int32_t parallel_ascending(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg);
int32_t parallel_reversed(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg);
int32_t parallel_scrambled(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg);

/* A POSIX thread for each index. */
int32_t parallel_threads(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg);

/* The same, but even indices sleep before they start: others have finished the work by then. */
int32_t parallel_late(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg);

/* Two threads that share the indices, one taking them from below, one from above. */
int32_t parallel_two(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg);

/* Only the last index is ever called; none is; all are, but a failure is reported. The latter two
 * count their calls in ctx, if it is a call_note. */
int32_t parallel_only_last(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg);
int32_t parallel_nobody(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg);
int32_t parallel_failing(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg);

/* ctx: where to note how often parallel was called and the largest n. */
typedef struct call_note {
  int32_t calls, largest;
} call_note;
int32_t parallel_noting(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg);

rapt_executor executor_of(parallel_fn parallel, int32_t workers, void *ctx);

/* Runs fn(arg, 0..n-1) on n POSIX threads and waits for all. */
void on_threads(int32_t n, void (*fn)(void *arg, int32_t index), void *arg);

#endif
