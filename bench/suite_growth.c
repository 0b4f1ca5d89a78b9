/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * growth/...: one head of 64 channels on one thread, at lengths that double: the library in turns with
 * the unfused path (as long as prefill has it), and naive loops. ./dev demo draws it. */
#include "suites.h"

/* Beyond, one call of the naive loops takes seconds. */
enum { SHORTEST = 128, LONGEST = 16384, LONGEST_NAIVE = 4096 };

static void add(const char *suite, const bench_shape *shape, gbench_function function) {
  char name[BENCH_NAME];
  bench_name_prefill(name, suite, shape);
  gbench_register(name, function, bench_keep(shape));
}

void bench_suite_growth(void) {
  for (int32_t length = SHORTEST; length <= LONGEST; length *= 2) {
    const bench_shape s = {.batch = 1,
                           .heads_q = 1,
                           .heads_kv = 1,
                           .head_dim = 64,
                           .q_len = length,
                           .kv_len = length,
                           .threads = 1};
    add("growth/rapt", &s, bench_prefill);
    if (length <= LONGEST_NAIVE) add("growth/naive", &s, bench_naive_alone);
  }
}
