/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs rule cases with the library. */
#ifndef RAPT_TESTS_ATTENTION_RULE_RUN_H
#define RAPT_TESTS_ATTENTION_RULE_RUN_H

#include "rule_case.h"

typedef struct rule_level {
  const char *isa;
  const rapt_executor *executor;
} rule_level;

static inline int rule_library(problem *p, void *ctx) {
  const rule_level *level = ctx;
  return problem_run(p, level->isa, level->executor);
}

/* The problem of a case on one level, against float64. */
static inline int rule_verify(const rule_case *c, problem *p, rule_level level, const char *what) {
  const rule_engine engine = {rule_library, rule_join, &level};
  for (int t = TENSOR_O; t < TENSORS; t++)
    if (p->buffer[t].map) guard_fill_nan(&p->buffer[t]);
  return rule_run(c, p, &engine) && problem_compare(p, level.isa, what);
}

/* The case on every level. A failure prints all of it, to be put into a test. */
static inline int rule_check(const rule_case *c) {
  rule_arrays arrays;
  char what[900];
  int ok = 1;
  rule_print(c, what, sizeof what);
  problem p = rule_build(c, &arrays);
  FOR_EACH_ISA(isa) ok &= rule_verify(c, &p, (rule_level){isa, NULL}, "case");
  problem_free(&p);
  return CHECK(ok && !rapt_test_failed(), "%s", what);
}

#endif
