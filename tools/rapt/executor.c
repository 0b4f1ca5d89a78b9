/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "executor.h"

static int32_t parallel(void *ctx, int32_t n, void (*fn)(void *arg, int32_t index), void *arg) {
  (void)ctx;
#pragma omp parallel for schedule(static, 1) num_threads(n)
  for (int32_t i = 0; i < n; i++) fn(arg, i);
  return 0;
}

rapt_executor executor_of_threads(int32_t threads) {
  return (rapt_executor){
      .size = sizeof(rapt_executor), .max_workers = threads, .parallel = parallel};
}
