/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Score rules on threads: equal bits of outputs, scores, weights and key sums for any number of workers
 * and any executor. */
#include "executors.h"
#include "rule_loads.h"

static void every_executor(const load *l) {
  static const parallel_fn tempers[] = {parallel_ascending, parallel_reversed, parallel_scrambled,
                                        parallel_threads,   parallel_two,      parallel_only_last};
  static const int32_t workers[] = {1, 2, 3, 96};
  if (problem_run(l->p, l->isa, NULL)) load_same(l->p, l->expected, "default executor");
  for (int t = 0; t < 6; t++)
    for (int w = 0; w < 4; w++) {
      if (test_small() && workers[w] > 16) continue;
      rapt_executor executor = executor_of(tempers[t], workers[w], NULL);
      char what[100];
      snprintf(what, sizeof what, "%s %s: executor %d, %d workers", l->isa,
               rule_load_names[l->kind], t, workers[w]);
      if (problem_run(l->p, l->isa, &executor)) load_same(l->p, l->expected, what);
    }
}

RULE_LOAD_TESTS(bits_rules, every_executor)

/* Again and again with real threads: a race has many chances. */
RAPT_TEST(bits_rules_repeated) {
  for (int kind = 0; kind < RULE_LOADS; kind++) {
    problem p = rule_load_make(kind);
    size_t n;
    float *expected = load_expected(&p, level_at(0), rule_load_names[kind], &n);
    rapt_executor executor = executor_of(parallel_threads, 4, NULL);
    for (int i = 0; expected && i < smaller(60, 5) && !rapt_test_failed(); i++)
      if (problem_run(&p, level_at(0), &executor)) load_same(&p, expected, rule_load_names[kind]);
    free(expected);
    problem_free(&p);
  }
}
