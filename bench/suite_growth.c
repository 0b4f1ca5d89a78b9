/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * growth/...: one head of 64 channels on one thread, at lengths that double: the library in turns with
 * the unfused path, and naive loops. ./dev demo draws it. */
#include "options.h"
#include "suites.h"

/* Beyond, S takes gigabytes and one call of the naive loops seconds. */
enum { SHORTEST = 128, LONGEST = 16384, LONGEST_UNFUSED = 8192, LONGEST_NAIVE = 4096 };

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
    int32_t compared = bench_options.unfused && length <= LONGEST_UNFUSED;
    add("growth/rapt", &s, compared ? bench_prefill_compared : bench_prefill_alone);
    if (length <= LONGEST_NAIVE) add("growth/naive", &s, bench_naive_alone);
  }
}
