/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The caller's allocator: used for every block, released with the same sizes, and allowed to fail at
 * any request: then a status, nothing written, nothing leaked, and the next call is right. */
#include "attention/problem.h"
#include "support/counting_alloc.h"

static void balanced(const counting_alloc *c, const char *what) {
  CHECK(c->live == 0 && c->bad_releases == 0, "%s: %ld blocks left, %ld bad releases", what,
        c->live, c->bad_releases);
}

RAPT_TEST(allocator_fails_in_plan_create) {
  problem p = problem_make(2, 1, 16, 16, 1, 9, 30);
  for (long fail_at = 1;; fail_at++) {
    counting_alloc c;
    counting_alloc_init(&c);
    c.fail_at = fail_at;
    p.desc.allocator = &c.allocator;
    rapt_plan *plan = (rapt_plan *)&p; /* must stay as it is on failure */
    rapt_error error = {.size = sizeof error};
    rapt_status status = rapt_plan_create(&p.desc, &plan, &error);
    if (status == RAPT_OK) {
      CHECK(fail_at > 1, "the allocator was never asked");
      rapt_plan_destroy(plan);
      balanced(&c, "plan");
      break;
    }
    CHECK(status == RAPT_ERROR_OUT_OF_MEMORY, "request %ld: status %d", fail_at, status);
    CHECK(plan == (rapt_plan *)&p, "request %ld: *plan was set", fail_at);
    balanced(&c, "failed plan");
    REQUIRE(fail_at < 50, "no end");
  }
}

RAPT_TEST(allocator_fails_in_one_shot) {
  static const int32_t shapes[][2] = {{1, 50}, {4, 4100}, {40, 60}};
  for (int s = 0; s < 3; s++) FOR_EACH_ISA(isa) {
      rng r = rng_make(rapt_test_seed());
      problem p = problem_make(2, 1, 16, 16, 2, shapes[s][0], shapes[s][1]);
      problem_build(&p, &r);
      long fail_at = 0;
      rapt_status status = RAPT_ERROR_OUT_OF_MEMORY;
      p.desc.isa = isa;
      for (fail_at = 1; status == RAPT_ERROR_OUT_OF_MEMORY && fail_at < 50; fail_at++) {
        counting_alloc c;
        counting_alloc_init(&c);
        c.fail_at = fail_at;
        p.desc.allocator = &c.allocator;
        rapt_error error = {.size = sizeof error};
        status = rapt_attention(&p.desc, &p.args, NULL, &error);
        balanced(&c, "one shot");
        if (status == RAPT_ERROR_OUT_OF_MEMORY)
          for (int t = TENSOR_O; t < TENSORS; t++)
            CHECK_UNTOUCHED(p.buffer[t].data, p.buffer[t].bytes, "%s request %ld", isa, fail_at);
      }
      CHECK(status == RAPT_OK && fail_at > 2, "%s: status %d after %ld", isa, status, fail_at);
      p.desc.allocator = NULL;
      p.desc.isa = NULL;
      problem_compare(&p, isa, "after failures");
      problem_free(&p);
    }
}

/* The plan copies the allocator and asks it for nothing during runs. */
RAPT_TEST(allocator_rests_in_run) {
  rng r = rng_make(rapt_test_seed());
  problem p = problem_make(2, 1, 16, 16, 2, 30, 60);
  problem_build(&p, &r);
  counting_alloc c;
  counting_alloc_init(&c);
  rapt_allocator passed = c.allocator;
  p.desc.allocator = &passed;
  rapt_plan *plan = NULL;
  rapt_workspace_info info = {.size = sizeof info};
  REQUIRE(rapt_plan_create(&p.desc, &plan, NULL) == RAPT_OK, "plan");
  memset(&passed, 0xff, sizeof passed);
  long calls = c.calls;
  REQUIRE(rapt_plan_workspace(plan, &p.args, 2, &info, NULL) == RAPT_OK, "workspace");
  guard_buffer workspace = guard_alloc((size_t)info.bytes, GUARD_END, 64);
  rapt_status status = rapt_attention_run(plan, &p.args, workspace.data, workspace.bytes, NULL,
                                          NULL);
  CHECK(status == RAPT_OK && c.calls == calls, "status %d, %ld requests in run", status,
        c.calls - calls);
  guard_free(&workspace);
  rapt_plan_destroy(plan);
  balanced(&c, "plan");
  p.desc.allocator = NULL;
  problem_free(&p);
}
