/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "threads.h"

#include "failures.h"
#include "platform/platform.h"

static rapt_executor everyone;

void bench_threads_open(void) {
  everyone.size = sizeof everyone;
  rapt_default_executor(&everyone);
}

int32_t bench_threads_max(void) { return everyone.max_workers; }

int32_t bench_thread_counts(int32_t counts[BENCH_THREAD_COUNTS]) {
  int32_t n = 0, most = bench_threads_max();
  counts[n++] = 1;
  if (most >= 2) counts[n++] = 2;
  if (most > 2) counts[n++] = most;
  return n;
}

void bench_executor(int32_t threads, rapt_executor *executor) {
  *executor = everyone;
  executor->max_workers = threads;
}

void bench_parallel(int32_t threads, void (*fn)(void *arg, int32_t index), void *arg) {
  if (threads <= 1) {
    fn(arg, 0);
  } else if (everyone.parallel(everyone.ctx, threads, fn, arg) != 0) {
    bench_fail("the executor failed with %d workers", (int)threads);
  }
}
