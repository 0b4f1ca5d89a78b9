/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports of the list's last section, which have no number. */
#include "bug.h"

static const float no = -INFINITY;

/* pytorch 160064: weights of a call in which one whole head is masked. */
RAPT_TEST(bug_spare_weights_of_a_masked_head) {
  static const int32_t extent[] = {1, 2, 1, 4};
  const float mask[] = {0, 0, 0, 0, no, no, no, no};
  problem p = problem_make(2, 1, 4, 4, 1, 9, 4);
  p.scores = (problem_scores){.wanted = 1, .stage = RAPT_STAGE_WEIGHTS, .sums = 1};
  bug_build(&p);
  for (int kind = RAPT_MASK_BOOL; kind <= RAPT_MASK_BF16; kind++) FOR_EACH_ISA(isa) {
      bug_mask(&p, kind, extent, mask);
      if (!problem_run(&p, isa, NULL)) return;
      for (int64_t i = 0; i < 9; i++) {
        bug_row_of(&p, isa, 0, 0, i, 1.5, log(4));
        bug_row_of(&p, isa, 0, 1, i, 0, BUG_EMPTY);
        for (int32_t h = 0; h < 2; h++)
          for (int j = 0; j < 4; j++) {
            float weight = reference_scores_at(&p.args, 0, h, (int32_t)i)[j];
            CHECK(fabsf(weight - (h ? 0 : 0.25f)) <= (h ? 0 : 1e-7f), "%s head %d: %.9g", isa, h,
                  (double)weight);
          }
      }
    }
  problem_free(&p);
}

/* tt-metal 51927: one key gives V exactly, whatever rules made its score. */
RAPT_TEST(bug_spare_one_key_is_its_value) {
  for (int32_t n = 1; n < 400; n = n * 3 + 1)
    for (int32_t q_len = 1; q_len <= 33; q_len += 16)
      for (int kind = RAPT_MASK_BOOL; kind <= RAPT_MASK_BF16; kind++) {
        const int32_t extent[] = {1, 1, 1, n}, key = n * 2 / 3;
        float *mask = problem_memory((size_t)n * sizeof *mask);
        for (int32_t j = 0; j < n; j++) mask[j] = j == key ? 3.5f : no;
        problem p = problem_make(2, 1, 8, 20, 1, q_len, n);
        rng r = rng_make(rapt_test_seed());
        p.desc.softcap = kind % 2 ? 1.5f : 0;
        p.desc.flags = RAPT_ALIBI;
        p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
        problem_build(&p, &r);
        bug_mask(&p, kind, extent, mask);
        FOR_EACH_ISA(isa)
        if (problem_run(&p, isa, NULL))
          for (int32_t h = 0; h < 2; h++)
            for (int64_t i = 0; i < q_len; i++)
              CHECK_BITS(reference_o_row(&p.args, 0, h, i), reference_v_row(&p.args, 0, 0, key), 20,
                         "%s key %d of %d, kind %d, row %lld", isa, key, n, kind, (long long)i);
        free(mask);
        problem_free(&p);
      }
}

/* openvino 30692: score rows rounded up to a write width, several workers. */
RAPT_TEST(bug_spare_score_rows_are_exact) {
  static const int32_t lengths[] = {1, 15, 17, 33, 65};
  for (int n = 0; n < 5; n++)
    for (int32_t gap = 0; gap < 2; gap++)
      for (int32_t workers = 1; workers <= 16; workers *= 4) {
        problem p = problem_make(4, 2, 8, 8, 2, 7, lengths[n]);
        rng r = rng_make(rapt_test_seed());
        rapt_executor executor = serial_executor;
        executor.max_workers = workers;
        p.scores = (problem_scores){
            .wanted = 1, .stage = n % 4, .rows = ROWS_SOME, .sums = 1, .gap = gap};
        problem_build(&p, &r);
        FOR_EACH_ISA(isa)
        if (problem_run(&p, isa, &executor)) problem_compare(&p, isa, "scores of some rows");
        problem_free(&p);
      }
}

/* openvino 35446: a bidirectional block and a left window. What shall stay visible is said with
 * window_keep; without it the window cuts the block, too. */
RAPT_TEST(bug_spare_block_and_window) {
  static const int32_t prefix[] = {6};
  static const double kept[] = {2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 3, 3.5},
                      cut[] = {2.5, 2.5, 2.5, 3, 3.5, 4, 5, 6};
  static const double keys[] = {6, 6, 6, 6, 6, 6, 7, 8}, left[] = {6, 6, 6, 5, 4, 3, 3, 3};
  for (int keep = 0; keep < 2; keep++) {
    problem p = problem_make(2, 1, 4, 4, 1, 8, 8);
    p.desc.flags = RAPT_CAUSAL | RAPT_WINDOW_LEFT;
    p.desc.align = RAPT_ALIGN_TOP_LEFT;
    p.desc.window_left = 2;
    p.desc.window_keep = keep ? 6 : 0;
    bug_build(&p);
    p.desc.flags |= RAPT_PREFIX;
    p.args.prefix_lens = prefix;
    FOR_EACH_ISA(isa)
    if (problem_run(&p, isa, NULL))
      for (int64_t i = 0; i < 8; i++)
        bug_row(&p, isa, i, keep ? kept[i] : cut[i], log(keep ? keys[i] : left[i]));
    problem_free(&p);
  }
}

/* PaddleFleet 1439: a sink left out of the row maximum overflows. */
RAPT_TEST(bug_spare_sinks_join_the_maximum) {
  static const float sinks[] = {1e4f, -1e4f, 100, 0, -INFINITY};
  static const double y[] = {0, 2, 0, 5.0 / 3, 2}; /* five keys, weights 1 of 5 + e^sink */
  const double lse[] = {1e4, log(5), 100, log(6), log(5)};
  for (int32_t q_len = 1; q_len <= 33; q_len += 16) {
    problem p = problem_make(5, 5, 4, 4, 1, q_len, 5);
    bug_build(&p);
    p.args.sinks = sinks;
    FOR_EACH_ISA(isa) {
      p.args.kv_len = 5;
      if (problem_run(&p, isa, NULL))
        for (int32_t h = 0; h < 5; h++)
          for (int64_t i = 0; i < q_len; i++) bug_row_of(&p, isa, 0, h, i, y[h], lse[h]);
      p.args.kv_len = 0;
      if (problem_run(&p, isa, NULL))
        for (int32_t h = 0; h < 5; h++) bug_row_of(&p, isa, 0, h, 0, 0, (double)sinks[h]);
    }
    p.args.kv_len = 5;
    problem_free(&p);
  }
}

/* tt-metal 54833: what follows the last key in a mask's memory is not a permission, and a mask that is
 * shorter than the keys is an error. */
RAPT_TEST(bug_spare_padding_of_masks) {
  static const int32_t lengths[] = {16, 40};
  for (int n = 0; n < 2; n++)
    for (int32_t more = -1; more <= 8; more++)
      for (int kind = RAPT_MASK_BOOL; kind <= RAPT_MASK_BF16; kind++) {
        int32_t keys = lengths[n];
        const int32_t extent[] = {1, 1, 1, keys + more};
        float mask[64];
        int additive = kind >= RAPT_MASK_F32;
        for (int32_t j = 0; j < keys + more; j++) mask[j] = j >= keys ? 0 : additive ? -5 : no;
        problem p = problem_make(1, 1, 4, 4, 1, 3, keys);
        bug_build(&p);
        bug_mask(&p, kind, extent, mask);
        FOR_EACH_ISA(isa) {
          if (more < 0) {
            rapt_error error = {.size = sizeof error};
            rapt_status status = problem_try(&p, isa, NULL, &error);
            CHECK(status == RAPT_ERROR_INVALID_ARGUMENT && strstr(error.field, "mask"),
                  "status %d, %s", status, error.field);
            CHECK_UNTOUCHED(p.buffer[TENSOR_O].data, p.buffer[TENSOR_O].bytes, "O");
          } else if (problem_run(&p, isa, NULL)) {
            for (int64_t i = 0; i < 3; i++)
              bug_row(&p, isa, i, additive ? (keys - 1) / 2.0 : 0,
                      additive ? log(keys) - 5 : BUG_EMPTY);
          }
        }
        problem_free(&p);
      }
}

/* colibri 110: a fixed array of 8192 scores. */
RAPT_TEST(bug_spare_long_context_weights) {
  const int32_t n = smaller(9001, 2101);
  for (int32_t q_len = 1; q_len <= 17; q_len += 16) {
    problem p = problem_make(1, 1, 4, 4, 1, q_len, n);
    p.scores = (problem_scores){.wanted = 1, .stage = RAPT_STAGE_WEIGHTS, .rows = ROWS_LAST};
    bug_build(&p);
    FOR_EACH_ISA(isa) {
      if (!problem_run(&p, isa, NULL)) break;
      bug_row(&p, isa, q_len - 1, (n - 1) / 2.0, log(n));
      for (int32_t j = 0; j < n; j++) {
        double weight = (double)reference_scores_at(&p.args, 0, 0, 0)[j] * n;
        if (!CHECK(fabs(weight - 1) < 2e-6, "%s key %d: %.9g", isa, j, weight)) break;
      }
    }
    problem_free(&p);
  }
}
