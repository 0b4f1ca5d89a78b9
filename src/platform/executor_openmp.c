/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The default executor of librapt: OpenMP's threads. No setting of the process is changed here. */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

#include "platform.h"

/* The threads of a runtime do not survive a fork, and libgomp waits for them in vain. */
static atomic_int forked;

static void in_child(void) { atomic_store_explicit(&forked, 1, memory_order_relaxed); }

/* When the library is loaded rather than at first use, because registering allocates and a run must
 * not. If it fails, a forked child has the plain behaviour of its OpenMP runtime. */
__attribute__((constructor)) static void watch_fork(void) {
  (void)pthread_atfork(NULL, NULL, in_child);
}

static int32_t openmp_parallel(void *ctx, int32_t n, void (*fn)(void *arg, int32_t index),
                               void *arg) {
  (void)ctx;
  if (n <= 1 || atomic_load_explicit(&forked, memory_order_relaxed)) {
    for (int32_t i = 0; i < n; i++) fn(arg, i);
    return 0;
  }
  /* Work sharing, not one index per thread: the runtime may grant fewer threads than asked for. */
#pragma omp parallel for schedule(static, 1) num_threads(n)
  for (int32_t i = 0; i < n; i++) fn(arg, i);
  return 0;
}

void rapt_default_executor(rapt_executor *executor) {
  int workers = 1;
  if (!atomic_load_explicit(&forked, memory_order_relaxed) && !omp_in_parallel())
    workers = omp_get_max_threads();
  if (workers < 1) workers = 1;
  *executor = (rapt_executor){
      .size = sizeof *executor, .max_workers = workers, .parallel = openmp_parallel};
}

int32_t rapt_openmp_limit(int32_t n) {
  const int before = omp_get_max_threads();
  if (before == n || omp_in_parallel()) return 0;
  omp_set_num_threads(n);
  return before;
}
