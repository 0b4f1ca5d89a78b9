/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The default executor of librapt-core: the caller's thread. */
#include "platform.h"

static int32_t serial_parallel(void *ctx, int32_t n, void (*fn)(void *arg, int32_t index),
                               void *arg) {
  (void)ctx;
  for (int32_t i = 0; i < n; i++) fn(arg, i);
  return 0;
}

void rapt_default_executor(rapt_executor *executor) {
  *executor = (rapt_executor){
      .size = sizeof *executor, .max_workers = 1, .parallel = serial_parallel};
}
