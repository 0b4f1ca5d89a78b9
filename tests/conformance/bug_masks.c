/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports about masks, alignments, windows and NaN. */
#include "bug.h"

/* A band of 11 keys over 640: late rows see nothing of the first key block. */
RAPT_TEST(bug_1_band_of_window) {
  const int32_t n = smaller(640, 160);
  problem p = problem_make(1, 1, 4, 4, 1, n, n);
  p.desc.flags = RAPT_CAUSAL | RAPT_WINDOW_LEFT;
  p.desc.align = RAPT_ALIGN_TOP_LEFT;
  p.desc.window_left = 10;
  bug_build(&p);
  FOR_EACH_ISA(isa) {
    if (!problem_run(&p, isa, NULL)) break;
    for (int64_t i = 0; i < n; i++)
      bug_row(&p, isa, i, i < 10 ? (double)i / 2 : (double)i - 5, log(i < 10 ? (double)i + 1 : 11));
  }
  problem_free(&p);
}

/* A NaN in the query, in a key that is seen, and a score of +inf: NaN rows, never zeros. */
RAPT_TEST(bug_2_nan_is_not_an_empty_row) {
  problem p = problem_make(1, 1, 4, 4, 1, 2, 3);
  rng r = rng_make(2);
  problem_build(&p, &r);
  FOR_EACH_ISA(isa) {
    size_t n;
    if (!problem_run(&p, isa, NULL)) break;
    float *clean = problem_gather(&p, &n);
    float q01 = reference_q_row(&p.args, 0, 0, 0)[1], k10 = reference_k_row(&p.args, 0, 0, 1)[0];
    bug_set(&p, TENSOR_Q, 0, 0, 0, 1, NAN);
    if (problem_run(&p, isa, NULL)) {
      bug_row(&p, isa, 0, NAN, NAN);
      CHECK_BITS(reference_o_row(&p.args, 0, 0, 1), clean + 4, 4, "%s: row 1", isa);
      CHECK_BITS(reference_lse_at(&p.args, 0, 0, 1), clean + 9, 1, "%s: LSE of row 1", isa);
    }
    bug_set(&p, TENSOR_Q, 0, 0, 0, 1, q01);
    for (int kind = 0; kind < 2; kind++) {
      bug_set(&p, TENSOR_K, 0, 0, 1, 0, kind ? INFINITY : NAN);
      bug_set(&p, TENSOR_Q, 0, 0, 0, 0, fabsf(reference_q_row(&p.args, 0, 0, 0)[0]));
      bug_set(&p, TENSOR_Q, 0, 0, 1, 0, fabsf(reference_q_row(&p.args, 0, 0, 1)[0]));
      if (problem_run(&p, isa, NULL))
        for (int64_t i = 0; i < 2; i++) bug_row(&p, isa, i, NAN, NAN);
    }
    bug_set(&p, TENSOR_K, 0, 0, 1, 0, k10);
    free(clean);
  }
  problem_free(&p);
}

/* Scores far below any finite fill; a second sequence without keys. */
RAPT_TEST(bug_5_scores_below_finite_fills) {
  static const int32_t kv_lens[] = {2, 0};
  problem p = problem_make(1, 1, 1, 1, 2, 1, 2);
  p.args.kv_lens = kv_lens;
  p.desc.scale = 1;
  bug_build(&p);
  bug_set(&p, TENSOR_Q, 0, 0, 0, 0, 1);
  bug_set(&p, TENSOR_K, 0, 0, 0, 0, -60000);
  bug_set(&p, TENSOR_K, 0, 0, 1, 0, -60001);
  bug_set(&p, TENSOR_V, 0, 0, 0, 0, 1);
  bug_set(&p, TENSOR_V, 0, 0, 1, 0, 0);
  FOR_EACH_ISA(isa) {
    if (!problem_run(&p, isa, NULL)) break;
    /* One unit in the last place of a score of 60000 is 0.004; base 2 adds its own. */
    double y = 0.7310586, lse = -59999.6867;
    CHECK_CLOSE(reference_o_row(&p.args, 0, 0, 0), &y, 1, 2e-3, 0, "%s", isa);
    CHECK_CLOSE(reference_lse_at(&p.args, 0, 0, 0), &lse, 1, 0, 2e-7, "%s LSE", isa);
    bug_row_of(&p, isa, 1, 0, 0, 0, BUG_EMPTY);
  }
  problem_free(&p);
}

/* Four splits, three of them without a key of the row: joined, never NaN. */
RAPT_TEST(bug_6_empty_splits) {
  rapt_kernel_info info = {.size = sizeof info};
  REQUIRE(rapt_kernel_get(0, &info, NULL) == RAPT_OK, "kernel info");
  const int32_t n = 4 * info.split_keys;
  static const int32_t workers[] = {1, 4, 16};
  for (int32_t last = 1; last <= 4; last++)
    for (int w = 0; w < 3; w++) {
      const int32_t position[] = {last * info.split_keys - 1};
      rapt_executor executor = serial_executor;
      executor.max_workers = workers[w];
      problem p = problem_make(1, 1, 8, 4, 1, 1, n);
      p.desc.flags = RAPT_CAUSAL | RAPT_WINDOW_LEFT;
      p.desc.align = RAPT_ALIGN_OFFSET;
      p.desc.window_left = 20;
      p.args.q_positions = position;
      bug_build(&p);
      FOR_EACH_ISA(isa)
      if (problem_run(&p, isa, &executor)) bug_row(&p, isa, 0, *position - 10.0, log(21));
      problem_free(&p);
    }
}

static void alignment(int32_t align, int32_t q_len, int32_t kv_len, const double *y,
                      const double *lse) {
  problem p = problem_make(1, 1, 4, 4, 1, q_len, kv_len);
  p.desc.flags = RAPT_CAUSAL;
  p.desc.align = align;
  bug_build(&p);
  FOR_EACH_ISA(isa) {
    if (!problem_run(&p, isa, NULL)) break;
    for (int64_t i = 0; i < q_len; i++) bug_row(&p, isa, i, y[i], lse[i]);
  }
  problem_free(&p);
}

RAPT_TEST(bug_10_top_left_and_bottom_right) {
  const double l2 = log(2), l4 = log(4), l5 = log(5);
  alignment(RAPT_ALIGN_TOP_LEFT, 1, 4, (double[]){0}, (double[]){0});
  alignment(RAPT_ALIGN_BOTTOM_RIGHT, 1, 4, (double[]){1.5}, (double[]){l4});
  alignment(RAPT_ALIGN_TOP_LEFT, 2, 5, (double[]){0, .5}, (double[]){0, l2});
  alignment(RAPT_ALIGN_BOTTOM_RIGHT, 2, 5, (double[]){1.5, 2}, (double[]){l4, l5});
  alignment(RAPT_ALIGN_TOP_LEFT, 5, 2, (double[]){0, .5, .5, .5, .5},
            (double[]){0, l2, l2, l2, l2});
  alignment(RAPT_ALIGN_BOTTOM_RIGHT, 5, 2, (double[]){0, 0, 0, 0, .5},
            (double[]){BUG_EMPTY, BUG_EMPTY, BUG_EMPTY, 0, l2});
}

/* window_left counts the keys to the left; the token itself is always there. */
RAPT_TEST(bug_11_window_includes_the_token) {
  static const int32_t widths[] = {0, 1, 2, 4, 100};
  static const double y[] = {4, 3.5, 3, 2, 2}, keys[] = {1, 2, 3, 5, 5};
  for (int w = 0; w < 5; w++)
    for (int prefill = 0; prefill < 2; prefill++) {
      problem p = problem_make(1, 1, 4, 4, 1, prefill ? 5 : 1, 5);
      p.desc.flags = RAPT_CAUSAL | RAPT_WINDOW_LEFT;
      p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
      p.desc.window_left = widths[w];
      bug_build(&p);
      FOR_EACH_ISA(isa)
      if (problem_run(&p, isa, NULL)) {
        bug_row(&p, isa, prefill ? 4 : 0, y[w], log(keys[w]));
        for (int64_t i = 0; prefill && i < 5; i++) {
          double first = i > widths[w] ? (double)(i - widths[w]) : 0;
          bug_row(&p, isa, i, (first + (double)i) / 2, log((double)i - first + 1));
        }
      }
      problem_free(&p);
    }
}
