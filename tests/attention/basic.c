/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The first tests to look at, small enough for an emulator: each path, mask and layout once. */
#include "problem.h"

static void one(problem *p, const char *what) {
  rng r = rng_make(rapt_test_seed());
  problem_build(p, &r);
  problem_verify_all(p, what);
  problem_free(p);
}

RAPT_TEST(basic_levels) {
  CHECK(level_at(0) != NULL, "no usable kernel set");
  FOR_EACH_ISA(isa) {
    printf("  level %s\n", isa);
    rapt_attention_desc desc = {.size = sizeof desc,
                                .heads_q = 1,
                                .heads_kv = 1,
                                .head_dim_qk = 64,
                                .head_dim_v = 64,
                                .isa = isa};
    rapt_plan_info info = {.size = sizeof info};
    rapt_error error = {.size = sizeof error};
    rapt_status status = rapt_plan_check(&desc, &info, &error);
    CHECK(status == RAPT_OK, "%s: %s", isa, error.message);
    size_t n = strlen(isa);
    CHECK(strncmp(info.prefill_set, isa, n) == 0 && info.prefill_set[n] == '_', "%s: prefill by %s",
          isa, info.prefill_set);
    CHECK(info.split_keys % info.key_block == 0, "split %d, block %d", info.split_keys,
          info.key_block);
  }
}

RAPT_TEST(basic_prefill) {
  problem p = problem_make(2, 2, 16, 16, 2, 37, 37);
  one(&p, "prefill");
}

RAPT_TEST(basic_one_row) {
  problem p = problem_make(2, 2, 16, 16, 1, 1, 50);
  one(&p, "one row");
}

RAPT_TEST(basic_three_rows) {
  problem p = problem_make(3, 1, 16, 16, 1, 1, 50);
  one(&p, "three rows of a group");
}

RAPT_TEST(basic_six_rows) {
  problem p = problem_make(3, 1, 16, 16, 1, 2, 50);
  one(&p, "six rows of a group");
}

RAPT_TEST(basic_gqa) {
  problem p = problem_make(4, 2, 8, 12, 1, 9, 31);
  one(&p, "gqa");
}

RAPT_TEST(basic_causal) {
  problem p = problem_make(1, 1, 16, 16, 1, 40, 40);
  p.desc.flags = RAPT_CAUSAL;
  p.desc.align = RAPT_ALIGN_TOP_LEFT;
  one(&p, "causal");
}

RAPT_TEST(basic_causal_decode) {
  problem p = problem_make(4, 2, 16, 16, 1, 2, 40);
  p.desc.flags = RAPT_CAUSAL;
  p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
  one(&p, "causal decode");
}

RAPT_TEST(basic_window) {
  problem p = problem_make(1, 1, 16, 16, 1, 40, 40);
  p.desc.flags = RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT;
  p.desc.align = RAPT_ALIGN_TOP_LEFT;
  p.desc.window_left = 7;
  p.desc.window_right = 3;
  one(&p, "window");
}

RAPT_TEST(basic_small_layouts) {
  for (int layout = 0; layout < LAYOUTS; layout++)
    for (int place = 0; place < 2; place++) {
      problem p = problem_make(4, 2, 5, 7, 2, 11, 11);
      p.layout = (problem_layout)layout;
      p.place = place ? GUARD_START : GUARD_END;
      one(&p, problem_layout_names[layout]);
    }
}

RAPT_TEST(basic_force_lanes) {
  for (int32_t rows = 1; rows < 6; rows++) {
    problem p = problem_make(1, 1, 16, 16, 1, rows, 50);
    p.desc.flags = RAPT_FORCE_LANES;
    one(&p, "force lanes");
  }
}

RAPT_TEST(basic_without_lse) {
  for (int32_t rows = 1; rows < 40; rows += 6) {
    problem p = problem_make(1, 1, 16, 16, 1, rows, 50);
    p.no_lse = 1;
    one(&p, "without lse");
  }
}

RAPT_TEST(basic_one_shot) {
  FOR_EACH_ISA(isa) {
    problem p = problem_make(2, 1, 16, 16, 2, 9, 21);
    rng r = rng_make(rapt_test_seed());
    problem_build(&p, &r);
    rapt_error error = {.size = sizeof error};
    p.desc.isa = isa;
    rapt_status status = rapt_attention(&p.desc, &p.args, NULL, &error);
    p.desc.isa = NULL;
    CHECK(status == RAPT_OK, "%s: %s", isa, error.message);
    problem_compare(&p, isa, "one shot");
    problem_free(&p);
  }
}
