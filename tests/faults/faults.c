/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The rule cases notice every fault: of each, at least one case must differ beyond the tolerance that
 * tests/attention holds the library to. Without a fault, none differs. */
#include "model.h"

static const struct {
  const char *name, *text;
} faults[FAULTS] = {
    {"none", "nothing"},
#define FAULT(name, text) {#name, text},
#include "faults.def"
#undef FAULT
};

static int differs(const rule_case *c, problem *p, model_fault fault, difference *d) {
  const rule_engine engine = {model_run, fault == FAULT_NONE ? rule_join : model_join, &fault};
  for (int t = TENSOR_O; t < TENSORS; t++)
    if (p->buffer[t].map) guard_fill_nan(&p->buffer[t]);
  if (!rule_run(c, p, &engine)) return 0;
  *d = problem_difference(p);
  return d->n > 0;
}

RAPT_TEST(model_without_fault) {
  for (size_t n = 0; n < rule_case_count; n++) {
    rule_case c = rule_cases[n];
    rule_arrays arrays;
    difference d;
    for (c.seed = n + 1; c.seed < n + 4000; c.seed += 1000) {
      problem p = rule_build(&c, &arrays);
      CHECK(!differs(&c, &p, FAULT_NONE, &d), "%s: %s (%zu elements)", c.name, d.text, d.n);
      problem_free(&p);
    }
  }
}

RAPT_TEST(every_fault_is_noticed) {
  int by[FAULTS] = {0};
  const char *first[FAULTS] = {NULL};
  for (size_t n = 0; n < rule_case_count; n++) {
    rule_case c = rule_cases[n];
    rule_arrays arrays;
    difference d;
    c.seed = n + 1;
    problem p = rule_build(&c, &arrays);
    for (int f = 1; f < FAULTS; f++) {
      if (!differs(&c, &p, (model_fault)f, &d)) continue;
      if (by[f]++ == 0) first[f] = c.name;
    }
    problem_free(&p);
  }
  for (int f = 1; f < FAULTS; f++) {
    printf("  %-60s %3d cases, first: %s\n", faults[f].text, by[f], first[f] ? first[f] : "none");
    CHECK(by[f] > 0, "%s survives all %zu cases: %s", faults[f].name, rule_case_count,
          faults[f].text);
  }
  printf("  %d faults, %zu cases\n", FAULTS - 1, rule_case_count);
  CHECK(FAULTS - 1 >= 30, "only %d faults", FAULTS - 1);
}
