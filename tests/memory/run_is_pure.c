/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A run allocates nothing, takes no lock and reads no environment. */
#include "attention/problem.h"
#include "interpose.h"

static void watch(problem *p, const char *isa, int team, const char *what) {
  rapt_plan *plan = NULL;
  rapt_workspace_info info = {.size = sizeof info};
  p->desc.isa = isa;
  REQUIRE(rapt_plan_create(&p->desc, &plan, NULL) == RAPT_OK, "plan");
  REQUIRE(rapt_plan_workspace(plan, &p->args, 3, &info, NULL) == RAPT_OK, "workspace");
  guard_buffer workspace = guard_alloc((size_t)info.bytes, GUARD_END, 64);
  memset(workspace.data, 0, RAPT_TEAM_HEADER_BYTES);
  rapt_executor executor = serial_executor;
  executor.max_workers = 3;
  interpose_begin();
  rapt_status status =
      team ? rapt_attention_run_team(plan, &p->args, workspace.data, workspace.bytes, 0, 1, NULL)
           : rapt_attention_run(plan, &p->args, workspace.data, workspace.bytes, &executor, NULL);
  forbidden_calls calls = interpose_end();
  CHECK(status == RAPT_OK, "%s %s: status %d", isa, what, status);
  CHECK(!calls.allocate && !calls.release, "%s %s: %ld allocations, %ld releases", isa, what,
        calls.allocate, calls.release);
  CHECK(!calls.lock && !calls.environment, "%s %s: %ld locks, %ld getenv", isa, what, calls.lock,
        calls.environment);
  guard_free(&workspace);
  rapt_plan_destroy(plan);
}

RAPT_TEST(run_is_pure) {
  if (!interpose_works()) SKIP("malloc belongs to a sanitizer here");
  static const int32_t shapes[][2] = {{1, 40}, {3, 4100}, {5, 40}, {70, 70}, {40, 2100}, {0, 0}};
  rng r = rng_make(rapt_test_seed());
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int causal = 0; causal < 2; causal++) FOR_EACH_ISA(isa) {
        problem p = problem_make(2, 2, 16, 16, 3, shapes[i][0], shapes[i][1]);
        if (causal) p.desc.flags = RAPT_CAUSAL, p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
        problem_build(&p, &r);
        char what[60];
        snprintf(what, sizeof what, "%d x %d", shapes[i][0], shapes[i][1]);
        watch(&p, isa, 0, what);
        watch(&p, isa, 1, what);
        problem_free(&p);
      }
}

/* Every rule at once, and scores, weights and key sums out. */
RAPT_TEST(run_is_pure_with_all_rules) {
  if (!interpose_works()) SKIP("malloc belongs to a sanitizer here");
  static const int32_t shapes[][2] = {{1, 40}, {3, 4100}, {70, 70}, {40, 2100}, {5, 0}};
  rng r = rng_make(rapt_test_seed());
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int kind = RAPT_MASK_BOOL; kind <= RAPT_MASK_BF16; kind++)
      for (int partial = 0; partial < 2; partial++) FOR_EACH_ISA(isa) {
          problem p = problem_make(4, 2, 16, 16, 2, shapes[i][0], shapes[i][1]);
          p.desc.flags = RAPT_CAUSAL | RAPT_WINDOW_LEFT | RAPT_ALIBI | RAPT_PREFIX;
          p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
          p.desc.window_left = 1500;
          p.desc.window_keep = 4;
          p.desc.softcap = 20;
          p.desc.mask = kind;
          p.mask.one = kind % 2 ? 2 : 0;
          p.mask.factors = kind >= RAPT_MASK_F32 ? FACTORS_NORMAL : FACTORS_NONE;
          p.scores = (problem_scores){.wanted = 1, .stage = kind % 4, .rows = ROWS_SOME, .sums = 1};
          if (partial)
            p.desc.flags |= RAPT_PARTIAL;
          else
            p.sinks = SINKS_MIXED;
          problem_build(&p, &r);
          char what[80];
          snprintf(what, sizeof what, "%d x %d, mask kind %d", shapes[i][0], shapes[i][1], kind);
          watch(&p, isa, 0, what);
          watch(&p, isa, 1, what);
          problem_free(&p);
        }
}

/* A ragged batch, sorted inside, takes nothing either; nor does a refused call. */
RAPT_TEST(run_is_pure_for_large_batches) {
  if (!interpose_works()) SKIP("malloc belongs to a sanitizer here");
  enum { BATCH = 500 };
  static int32_t q_lens[BATCH], kv_lens[BATCH];
  rng r = rng_make(rapt_test_seed());
  for (int b = 0; b < BATCH; b++) q_lens[b] = rng_below(&r, 9), kv_lens[b] = rng_below(&r, 30);
  problem p = problem_make(1, 1, 4, 4, BATCH, 8, 30);
  p.args.q_lens = q_lens;
  p.args.kv_lens = kv_lens;
  problem_build(&p, &r);
  FOR_EACH_ISA(isa) watch(&p, isa, 0, "large batch");
  rapt_plan *plan = NULL;
  REQUIRE(rapt_plan_create(&p.desc, &plan, NULL) == RAPT_OK, "plan");
  rapt_error error = {.size = sizeof error};
  p.args.batch = -3;
  interpose_begin();
  rapt_status status = rapt_attention_run(plan, &p.args, NULL, 0, NULL, &error);
  forbidden_calls calls = interpose_end();
  CHECK(status < 0 && !calls.allocate && !calls.environment, "refused: status %d, %ld allocations",
        status, calls.allocate);
  p.args.batch = BATCH;
  rapt_plan_destroy(plan);
  problem_free(&p);
}
