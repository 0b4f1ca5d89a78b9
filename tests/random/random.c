/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random calls of every option together against float64, guard pages on. A failure prints the whole
 * case, which can be put into tests/attention/rule_table.c as it is; RAPT_TEST_SEED repeats a run. */
#include "attention/rule_run.h"
#include "draw.h"

static void random_calls(int32_t runs, int32_t most_queries, int32_t most_keys) {
  int32_t levels = 0, done = 0;
  while (level_at(levels)) levels++;
  for (int32_t n = 0; done < runs && !rapt_test_failed(); n++) {
    rng r = rng_make(rapt_test_seed() + (uint64_t)n * 0x9e3779b97f4a7c15u);
    rule_case c = draw_case(&r, most_queries, most_keys);
    rule_check(&c);
    done += levels;
  }
  printf("  %d calls on %d levels\n", done, levels);
}

RAPT_TEST(everything) { random_calls(smaller(20000, 300), smaller(24, 8), smaller(80, 40)); }
RAPT_TEST(everything_few_rows) { random_calls(smaller(3000, 100), 2, smaller(300, 60)); }
RAPT_TEST(slow_everything) { random_calls(60000, 70, 200); }
