/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports about what happens to scores: large ones, softcap, ALiBi, sinks, and looking at them. */
#include "bug.h"

/* Dot products that half precision does not have. (The storage types are of later versions.) */
RAPT_TEST(bug_4_large_dot_products) {
  static const float scales[] = {1, 1 / 1024.0f};
  static const double y[] = {1, 0.7310586}, lse[] = {131072, 128.3132617};
  for (int s = 0; s < 2; s++) {
    problem p = problem_make(1, 1, 512, 1, 1, 1, 2);
    p.desc.scale = scales[s];
    bug_build(&p);
    for (int32_t c = 0; c < 512; c++) {
      bug_set(&p, TENSOR_Q, 0, 0, 0, c, 16);
      bug_set(&p, TENSOR_K, 0, 0, 0, c, 16);
      bug_set(&p, TENSOR_K, 0, 0, 1, c, 15.875f);
    }
    bug_set(&p, TENSOR_V, 0, 0, 0, 0, 1);
    bug_set(&p, TENSOR_V, 0, 0, 1, 0, 0);
    FOR_EACH_ISA(isa) {
      if (!problem_run(&p, isa, NULL)) break;
      /* 512 equal terms and a rounded scale: 1e-6 of the score, which is up to 128 (or one is 1). */
      CHECK_CLOSE(reference_o_row(&p.args, 0, 0, 0), &y[s], 1, 1.3e-4, 0, "%s", isa);
      CHECK_CLOSE(reference_lse_at(&p.args, 0, 0, 0), &lse[s], 1, 0, 2e-6, "%s LSE", isa);
    }
    problem_free(&p);
  }
}

/* tanh from e^x and e^-x overflows; capped scores are exactly the cap. */
RAPT_TEST(bug_8_softcap_of_large_scores) {
  static const float keys[] = {4400, 5000, 10000, -10000};
  for (int32_t n = 1; n <= 2; n++)
    for (int x = 0; x < (n == 1 ? 4 : 1); x++) {
      problem p = problem_make(1, 1, 1, 1, 1, 1, n);
      p.desc.scale = 1;
      p.desc.softcap = 50;
      p.scores = (problem_scores){.wanted = 1, .stage = RAPT_STAGE_SOFTCAP};
      bug_build(&p);
      const float first = n == 2 ? 5000 : keys[x];
      bug_set(&p, TENSOR_Q, 0, 0, 0, 0, 1);
      bug_set(&p, TENSOR_K, 0, 0, 0, 0, first);
      bug_set(&p, TENSOR_V, 0, 0, 0, 0, 1);
      if (n == 2) bug_set(&p, TENSOR_K, 0, 0, 1, 0, -10000);
      if (n == 2) bug_set(&p, TENSOR_V, 0, 0, 1, 0, 0);
      FOR_EACH_ISA(isa) {
        if (!problem_run(&p, isa, NULL)) break;
        const float *score = reference_scores_at(&p.args, 0, 0, 0);
        CHECK(score[0] == (first > 0 ? 50.0f : -50.0f), "%s: %g becomes %.9g", isa, (double)first,
              (double)score[0]);
        if (n == 2) CHECK(score[1] == -50, "%s: -10000 becomes %.9g", isa, (double)score[1]);
        bug_row(&p, isa, 0, 1, first > 0 ? 50 : -50);
      }
      problem_free(&p);
    }
}

/* What a spelling of "the second of two keys is not visible" may be. */
enum { BY_F32, BY_BOOL, BY_CAUSAL, BY_LENGTH, SPELLINGS };

/* Softcap after the mask gave -inf the weight of -cap. Each stage shows what it should. */
RAPT_TEST(bug_13_softcap_is_before_the_mask) {
  static const int32_t extent[] = {1, 1, 1, 2}, one_key[] = {1};
  static const float mask[] = {0, -INFINITY};
  for (int spelling = 0; spelling < SPELLINGS; spelling++)
    for (int stage = RAPT_STAGE_RAW; stage <= RAPT_STAGE_WEIGHTS; stage++) {
      problem p = problem_make(1, 1, 4, 4, 1, 1, 2);
      p.desc.softcap = 2;
      p.scores = (problem_scores){.wanted = 1, .stage = stage};
      bug_build(&p);
      for (int32_t c = 0; c < 4; c++) bug_set(&p, TENSOR_V, 0, 0, 1, c, 1000);
      if (spelling == BY_F32) bug_mask(&p, RAPT_MASK_F32, extent, mask);
      if (spelling == BY_BOOL) bug_mask(&p, RAPT_MASK_BOOL, extent, mask);
      if (spelling == BY_CAUSAL) p.desc.flags = RAPT_CAUSAL, p.desc.align = RAPT_ALIGN_TOP_LEFT;
      if (spelling == BY_LENGTH) p.args.kv_lens = one_key;
      FOR_EACH_ISA(isa) {
        if (!problem_run(&p, isa, NULL)) break;
        const float *score = reference_scores_at(&p.args, 0, 0, 0),
                    *o = reference_o_row(&p.args, 0, 0, 0);
        float hidden = stage == RAPT_STAGE_WEIGHTS                         ? 0
                       : stage == RAPT_STAGE_BIAS || spelling == BY_LENGTH ? -INFINITY
                                                                           : 0;
        bug_row(&p, isa, 0, 0, 0);
        CHECK(o[0] == 0 && o[3] == 0, "%s spelling %d: Y is %.9g", isa, spelling, (double)o[0]);
        CHECK(score[0] == (stage == RAPT_STAGE_WEIGHTS) && score[1] == hidden,
              "%s spelling %d stage %d: %.9g, %.9g", isa, spelling, stage, (double)score[0],
              (double)score[1]);
      }
      problem_free(&p);
    }
}

/* Slopes of twelve heads, in one call and in shards of five: scores are slope * (j - 5). */
RAPT_TEST(bug_14_alibi_of_shards) {
  enum { H = 12, KEYS = 6 };
  for (int32_t width = 5; width <= H; width += 7)
    for (int32_t first = 0; first < H; first += width) {
      int32_t heads = first + width <= H ? width : H - first;
      float slopes[H];
      problem p = problem_make(heads, heads, 4, 4, 1, 1, KEYS);
      p.desc.flags = RAPT_ALIBI;
      p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
      p.scores = (problem_scores){.wanted = 1, .stage = RAPT_STAGE_BIAS};
      bug_build(&p);
      REQUIRE(rapt_alibi_slopes(H, first, heads, slopes, NULL) == RAPT_OK, "slopes");
      p.args.alibi_slopes = slopes;
      FOR_EACH_ISA(isa) {
        if (!problem_run(&p, isa, NULL)) break;
        for (int32_t h = 0; h < heads; h++) {
          double slope = pow(2, first + h < 8 ? -(first + h + 1) : -0.5 - (first + h - 8));
          double sum = 0, y = 0;
          const float *score = reference_scores_at(&p.args, 0, h, 0);
          for (int32_t j = 0; j < KEYS; j++) {
            double s = slope * (j - 5);
            CHECK(fabs((double)score[j] - s) <= 1e-6, "%s head %d key %d: %.9g", isa, first + h, j,
                  (double)score[j]);
            sum += exp(s);
            y += exp(s) * j;
          }
          bug_row_of(&p, isa, 0, h, 0, y / sum, log(sum));
        }
      }
      problem_free(&p);
    }
}

/* Zero-size dimensions with weights, key sums and a mask asked for. */
RAPT_TEST(bug_21_zero_size_dimensions_and_weights) {
  static const int32_t workers[] = {1, 2, 64};
  for (int which = 0; which < 6; which++)
    for (int w = 0; w < 3; w++) {
      int32_t n[6] = {3, 4, 3, 5, 7, 7}; /* B, H, Sq, Skv, D, Dv */
      n[which] = 0;
      rapt_executor executor = serial_executor;
      executor.max_workers = workers[w];
      problem p = problem_make(n[1], n[1], n[4], n[5], n[0], n[2], n[3]);
      p.scores = (problem_scores){.wanted = 1, .stage = RAPT_STAGE_WEIGHTS, .sums = 1};
      p.desc.mask = RAPT_MASK_BOOL;
      p.mask.pattern = PATTERN_ONES;
      bug_build(&p);
      FOR_EACH_ISA(isa) {
        if (which == 4) { /* D = 0: a documented error */
          rapt_status status = problem_try(&p, isa, &executor, NULL);
          CHECK(status == RAPT_ERROR_INVALID_ARGUMENT, "D = 0: status %d", status);
        } else if (problem_run(&p, isa, &executor)) {
          problem_compare(&p, isa, "a dimension of size zero");
        }
      }
      problem_free(&p);
    }
}
