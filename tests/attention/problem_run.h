/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a problem. */
#ifndef RAPT_TESTS_ATTENTION_PROBLEM_RUN_H
#define RAPT_TESTS_ATTENTION_PROBLEM_RUN_H

#include "levels.h"
#include "problem_types.h"
#include "support/rapt_test.h"

/* ---- Running ------------------------------------------------------------------------------- */

/* Fills O and LSE with NaN again, then plans and runs; returns the first status that is not OK. */
static inline rapt_status problem_try(problem *p, const char *isa, const rapt_executor *executor,
                                      rapt_error *error) {
  for (int t = TENSOR_O; t < TENSORS; t++)
    if (p->buffer[t].map) guard_fill_nan(&p->buffer[t]);
  for (int t = EXTRA_SCORES; t < EXTRAS; t++)
    if (p->extra[t].map) guard_fill_nan(&p->extra[t]);
  rapt_plan *plan = NULL;
  rapt_workspace_info info = {.size = sizeof info};
  int32_t workers = p->workers ? p->workers
                    : executor ? executor->max_workers
                               : rapt_default_workers();
  p->desc.isa = isa;
  rapt_status status = rapt_plan_create(&p->desc, &plan, error);
  p->desc.isa = NULL;
  if (status != RAPT_OK) return status;
  if (p->change_plan) p->change_plan(plan, p->change_to);
  status = rapt_plan_workspace(plan, &p->args, workers, &info, error);
  if (status == RAPT_OK) {
    guard_buffer workspace = guard_alloc((size_t)info.bytes, GUARD_END, 64);
    status = rapt_attention_run(plan, &p->args, workspace.data, workspace.bytes, executor, error);
    CHECK(guard_free(&workspace), "written around the workspace of %llu bytes",
          (unsigned long long)info.bytes);
  }
  rapt_plan_destroy(plan);
  return status;
}

/* Runs and requires success. */
static inline int problem_run(problem *p, const char *isa, const rapt_executor *executor) {
  rapt_error error = {.size = sizeof error};
  rapt_status status = problem_try(p, isa, executor, &error);
  return CHECK(status == RAPT_OK, "%s: %s: %s: %s", isa, rapt_status_string(status), error.field,
               error.message);
}

#endif
