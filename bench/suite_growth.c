/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * growth/...: one head of 64 channels on one thread, at lengths that double, by the library, the
 * unfused path and naive loops. ./dev demo draws it. */
#include <stdio.h>

#include "options.h"
#include "suites.h"

typedef struct way {
  const char *suite;
  gbench_function function;
  int32_t longest; /* beyond, one call takes seconds, or S gigabytes */
} way;

static const way ways[] = {{"growth/rapt", bench_prefill_alone, 16384},
                           {"growth/unfused", bench_unfused_alone, 8192},
                           {"growth/naive", bench_naive_alone, 4096}};

void bench_suite_growth(void) {
  char name[BENCH_NAME];
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
    for (int32_t length = 128; length <= ways[i].longest; length *= 2) {
      bench_shape s = {.batch = 1,
                       .heads_q = 1,
                       .heads_kv = 1,
                       .head_dim = 64,
                       .q_len = length,
                       .kv_len = length,
                       .threads = 1};
      bench_name_prefill(name, ways[i].suite, &s);
      gbench_register(name, ways[i].function, bench_keep(&s));
    }
}
