/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports about slopes and about joining partial results. */
#include <math.h>

#include "bug.h"

/* A geometric rule for every head count; a first slope of 1. */
RAPT_TEST(bug_14_alibi_slopes) {
  static const float of_12[] = {0.5f,       0.25f,       0.125f,      0.0625f,
                                0.03125f,   0.015625f,   0.0078125f,  0.00390625f,
                                0.7071068f, 0.35355339f, 0.17677670f, 0.08838835f};
  static const int32_t heads[] = {1, 2, 3, 6, 8, 12, 40};
  float slopes[40], shard[40];
  for (int i = 0; i < 7; i++) {
    REQUIRE(rapt_alibi_slopes(heads[i], 0, heads[i], slopes, NULL) == RAPT_OK, "%d", heads[i]);
    for (int32_t h = 0; h < heads[i]; h++) {
      CHECK(slopes[h] > 0 && slopes[h] < 1, "%d of %d: %g", h, heads[i], (double)slopes[h]);
      CHECK(rapt_alibi_slopes(heads[i], h, 1, shard, NULL) == RAPT_OK && shard[0] == slopes[h],
            "head %d of %d alone", h, heads[i]);
    }
    if (heads[i] == 1) CHECK(slopes[0] == 0.00390625f, "%g", (double)slopes[0]);
    if (heads[i] == 2) CHECK(slopes[0] == 0.0625f && slopes[1] == 0.00390625f, "two");
    if (heads[i] == 3) CHECK(slopes[2] == 0.25f, "%g", (double)slopes[2]);
    if (heads[i] == 6) CHECK(slopes[3] == 0.00390625f && slopes[5] == 0.125f, "six");
    for (int32_t h = 0; h < 12 && heads[i] % 4 == 0 && heads[i] <= 12 && h < heads[i]; h++)
      CHECK(fabsf(slopes[h] - of_12[h]) <= 1e-7f, "head %d of %d: %.9g", h, heads[i],
            (double)slopes[h]);
    if (heads[i] == 40)
      CHECK(fabsf(slopes[0] - 0.8408964f) < 1e-7f && fabsf(slopes[32] - 0.9170040f) < 1e-7f &&
                fabsf(slopes[39] - 0.2726269f) < 1e-7f,
            "40: %.9g %.9g %.9g", (double)slopes[0], (double)slopes[32], (double)slopes[39]);
  }
}

static void merge_two(const float *v, const float *s, float *o, float *lse) {
  rapt_merge_part part[2];
  memset(part, 0, sizeof part);
  for (int i = 0; i < 2; i++) part[i].o.data = v + i, part[i].lse.data = s + i;
  rapt_merge_args args = {.size = sizeof args,
                          .batch = 1,
                          .heads = 1,
                          .q_len = 1,
                          .head_dim = 1,
                          .n = 2,
                          .partials = part,
                          .o.data = o,
                          .lse.data = lse};
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_attention_merge(&args, NULL, &error) == RAPT_OK, "%s: %s", error.field, error.message);
}

/* Two empty partials gave NaN. */
RAPT_TEST(bug_6_empty_partials) {
  const float values[] = {0.1f, -3e38f, 7, -0.0f}, lses[] = {0, -1000.25f, 88.5f, 3e38f};
  float o = 1, lse = 1;
  merge_two((const float[]){0, 0}, (const float[]){-INFINITY, -INFINITY}, &o, &lse);
  CHECK(o == 0 && lse == -INFINITY, "empty and empty: %g, %g", (double)o, (double)lse);
  for (int i = 0; i < 4; i++)
    for (int order = 0; order < 2; order++) {
      float v[2] = {0, 0}, s[2] = {-INFINITY, -INFINITY};
      v[order] = values[i];
      s[order] = lses[i];
      merge_two(v, s, &o, &lse);
      CHECK(o == values[i] && signbit(o) == signbit(values[i]) && lse == lses[i],
            "order %d: %g, %g", order, (double)o, (double)lse);
    }
}

/* Decode cut into four runs over slices of the keys, a window that leaves nothing in three of them. */
RAPT_TEST(bug_6_split_decode_with_a_window) {
  enum { KEYS = 64, SLICE = KEYS / 4, DIM = 16 };
  for (int32_t window = 3; window < 40; window += 18) FOR_EACH_ISA(isa) {
      rng r = rng_make(rapt_test_seed());
      problem p = problem_make(2, 1, DIM, DIM, 1, 1, KEYS);
      p.desc.flags = RAPT_CAUSAL | RAPT_WINDOW_LEFT;
      p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
      p.desc.window_left = window;
      problem_build(&p, &r);
      float o[4][2][DIM], lse[4][2], whole[2][DIM], whole_lse[2];
      rapt_merge_part part[4];
      memset(part, 0, sizeof part);
      for (int s = 0; s < 4; s++) {
        /* The slice holds the keys from `from` on that the window sees, which run to its end. */
        int32_t from = KEYS - 1 - window > s * SLICE ? KEYS - 1 - window : s * SLICE;
        rapt_attention_desc desc = p.desc;
        rapt_attention_args args = p.args;
        desc.flags = 0;
        desc.align = RAPT_ALIGN_NONE;
        desc.isa = isa;
        args.kv_len = from < (s + 1) * SLICE ? (s + 1) * SLICE - from : 0;
        args.k.data = (const char *)args.k.data + from * args.k.stride[2];
        args.v.data = (const char *)args.v.data + from * args.v.stride[2];
        args.o = (rapt_tensor){o[s], {sizeof o[s], sizeof o[s][0], sizeof o[s][0]}};
        args.lse = (rapt_tensor){lse[s], {sizeof lse[s], 4, 4}};
        REQUIRE(rapt_attention(&desc, &args, NULL, NULL) == RAPT_OK, "slice %d", s);
        if (args.kv_len == 0) CHECK(lse[s][0] == -INFINITY, "slice %d is not empty", s);
        part[s].o = (rapt_const_tensor){o[s], {0, sizeof o[s][0], 0}};
        part[s].lse = (rapt_const_tensor){lse[s], {0, 4, 0}};
      }
      rapt_merge_args merge = {.size = sizeof merge,
                               .batch = 1,
                               .heads = 2,
                               .q_len = 1,
                               .head_dim = DIM,
                               .n = 4,
                               .partials = part};
      merge.o = (rapt_tensor){whole, {sizeof whole, sizeof whole[0], 4}};
      merge.lse = (rapt_tensor){whole_lse, {8, 4, 4}};
      REQUIRE(rapt_attention_merge(&merge, NULL, NULL) == RAPT_OK, "merge");
      if (!problem_run(&p, isa, NULL)) return;
      if (window < SLICE) /* three are empty: the fourth as it is */
        CHECK_BITS(whole[0], o[3][0], (size_t)(2 * DIM), "%s window %d", isa, window);
      for (int32_t h = 0; h < 2; h++) {
        const float *want = reference_o_row(&p.args, 0, h, 0);
        for (int32_t d = 0; d < DIM; d++)
          CHECK(fabsf(whole[h][d] - want[d]) <= 2e-6f + 2e-6f * fabsf(want[d]),
                "%s window %d head %d channel %d: %.9g, %.9g", isa, window, h, d,
                (double)whole[h][d], (double)want[d]);
        CHECK(fabsf(whole_lse[h] - *reference_lse_at(&p.args, 0, h, 0)) <= 1e-6f, "lse");
      }
      problem_free(&p);
    }
}
