/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports about tensor masks. */
#include <float.h>

#include "bug.h"

static const float no = -INFINITY;

/* The band of report 1 as a mask of every kind. A boolean one gives the bits of the window. */
RAPT_TEST(bug_1_band_of_masks) {
  const int32_t n = smaller(640, 160), extent[] = {1, 1, n, n};
  problem p = problem_make(1, 1, 4, 4, 1, n, n);
  float *mask = problem_memory((size_t)n * (size_t)n * sizeof *mask);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) mask[i * n + j] = j <= i && j >= i - 10 ? 0 : no;
  bug_build(&p);
  FOR_EACH_ISA(isa) {
    size_t count;
    p.desc.flags = RAPT_CAUSAL | RAPT_WINDOW_LEFT;
    p.desc.align = RAPT_ALIGN_TOP_LEFT;
    p.desc.window_left = 10;
    p.desc.mask = RAPT_MASK_NONE;
    p.args.mask = (rapt_mask){.data = NULL};
    if (!problem_run(&p, isa, NULL)) break;
    float *window = problem_gather(&p, &count);
    p.desc.flags = 0;
    p.desc.align = RAPT_ALIGN_NONE;
    for (int kind = RAPT_MASK_BOOL; kind <= RAPT_MASK_BF16; kind++) {
      bug_mask(&p, kind, extent, mask);
      if (!problem_run(&p, isa, NULL)) break;
      for (int64_t i = 0; i < n; i++)
        bug_row(&p, isa, i, i < 10 ? (double)i / 2 : (double)i - 5,
                log(i < 10 ? (double)i + 1 : 11));
      if (kind > RAPT_MASK_BITS) continue;
      float *x = problem_gather(&p, &count);
      CHECK_BITS(x, window, count, "%s mask kind %d against the window", isa, kind);
      free(x);
    }
    free(window);
  }
  free(mask);
  problem_free(&p);
}

/* A mask of +inf or NaN on a key of row 0: that row is NaN, the other keeps its bits. On a key that a
 * rule forbids it has no influence. */
RAPT_TEST(bug_2_mask_of_plus_infinity) {
  static const int32_t extent[] = {1, 1, 2, 3};
  static const float bad[] = {INFINITY, NAN};
  problem p = problem_make(1, 1, 4, 4, 1, 2, 3);
  rng r = rng_make(2);
  problem_build(&p, &r);
  for (int x = 0; x < 2; x++)
    for (int kind = RAPT_MASK_F32; kind <= RAPT_MASK_BF16; kind++) FOR_EACH_ISA(isa) {
        const float clean[] = {0, 0, 0, 0, 0.5f, 0}, spoilt[] = {0, bad[x], 0, 0, 0.5f, 0};
        float row[5];
        bug_mask(&p, kind, extent, clean);
        if (!problem_run(&p, isa, NULL)) return;
        memcpy(row, reference_o_row(&p.args, 0, 0, 1), 16);
        row[4] = *reference_lse_at(&p.args, 0, 0, 1);
        bug_mask(&p, kind, extent, spoilt);
        if (!problem_run(&p, isa, NULL)) return;
        bug_row(&p, isa, 0, (double)NAN, (double)NAN);
        CHECK_BITS(reference_o_row(&p.args, 0, 0, 1), row, 4, "%s kind %d: row 1", isa, kind);
        CHECK_BITS(reference_lse_at(&p.args, 0, 0, 1), row + 4, 1, "%s kind %d: LSE", isa, kind);
        p.desc.flags = RAPT_CAUSAL; /* row 0 sees key 0 alone */
        p.desc.align = RAPT_ALIGN_TOP_LEFT;
        if (problem_run(&p, isa, NULL))
          CHECK_BITS(reference_o_row(&p.args, 0, 0, 0), reference_v_row(&p.args, 0, 0, 0), 4,
                     "%s kind %d: one key", isa, kind);
        p.desc.flags = 0;
        p.desc.align = RAPT_ALIGN_NONE;
      }
  problem_free(&p);
}

/* Rows: scores below every finite fill, nothing visible, the lowest numbers (legal, not empty). */
RAPT_TEST(bug_5_lowest_numbers_are_not_empty) {
  static const int32_t extent[] = {1, 1, 4, 2};
  static const float lowest[] = {-3e38f, -FLT_MAX};
  const double y = 0.7310586, lse = -59999.6867;
  problem p = problem_make(1, 1, 1, 1, 1, 4, 2);
  p.desc.scale = 1;
  bug_build(&p);
  for (int64_t i = 0; i < 4; i++) bug_set(&p, TENSOR_Q, 0, 0, i, 0, 1);
  bug_set(&p, TENSOR_K, 0, 0, 0, 0, -60000);
  bug_set(&p, TENSOR_K, 0, 0, 1, 0, -60001);
  bug_set(&p, TENSOR_V, 0, 0, 0, 0, 1);
  bug_set(&p, TENSOR_V, 0, 0, 1, 0, 0);
  for (int x = 0; x < 2; x++) FOR_EACH_ISA(isa) {
      const float low = lowest[x], mask[] = {0, 0, no, no, low, low, low, 0};
      bug_mask(&p, RAPT_MASK_F32, extent, mask);
      if (!problem_run(&p, isa, NULL)) return;
      CHECK_CLOSE(reference_o_row(&p.args, 0, 0, 0), &y, 1, 2e-3, 0, "%s", isa);
      CHECK_CLOSE(reference_lse_at(&p.args, 0, 0, 0), &lse, 1, 0, 2e-7, "%s LSE", isa);
      bug_row(&p, isa, 1, 0, BUG_EMPTY);
      bug_row(&p, isa, 2, 0.5, (double)low);
      bug_row(&p, isa, 3, 0, -60001);
    }
  problem_free(&p);
}

/* Padding and causal together: by AND, in every kind, never by two fills of different size. */
RAPT_TEST(bug_12_padding_and_causal) {
  enum { S = 7 };
  const float keep[S] = {no, 0, 0, no, no, 0, no};
  const double y[S] = {0, 1, 1.5, 1.5, 1.5, 8 / 3.0, 8 / 3.0};
  const int count[S] = {0, 1, 2, 2, 2, 3, 3};
  float whole[S * S];
  for (int i = 0; i < S * S; i++) whole[i] = keep[i % S];
  problem p = problem_make(2, 1, 4, 4, 1, S, S);
  p.desc.flags = RAPT_CAUSAL;
  p.desc.align = RAPT_ALIGN_TOP_LEFT;
  bug_build(&p);
  for (int kind = RAPT_MASK_BOOL; kind <= RAPT_MASK_BF16; kind++)
    for (int full = 0; full < 2; full++) {
      const int32_t extent[] = {1, 1, full ? S : 1, S};
      bug_mask(&p, kind, extent, full ? whole : keep);
      FOR_EACH_ISA(isa)
      if (problem_run(&p, isa, NULL))
        for (int32_t h = 0; h < 2; h++)
          for (int64_t i = 0; i < S; i++)
            bug_row_of(&p, isa, 0, h, i, y[i], count[i] ? log(count[i]) : BUG_EMPTY);
    }
  problem_free(&p);
}

/* A mask held transposed, every other dimension padded: equal bits to the copied, contiguous one. Rows
 * of O that would overlap are refused. */
RAPT_TEST(bug_17_transposed_mask) {
  enum { SQ = 3, SK = 5, PAD = 2 };
  static const int32_t extent[] = {1, 1, SQ, SK};
  float mask[SQ * SK];
  problem p = problem_make(1, 1, 8, 8, 1, SQ, SK);
  rng r = rng_make(rapt_test_seed());
  problem_build(&p, &r);
  rng_fill_normal(&r, mask, SQ * SK, 1);
  mask[4] = mask[11] = no;
  for (int kind = RAPT_MASK_BOOL; kind <= RAPT_MASK_BF16; kind++) FOR_EACH_ISA(isa) {
      if (kind == RAPT_MASK_BITS) continue; /* has no stride between keys */
      size_t n;
      int64_t size = mask_element_size(kind);
      bug_mask(&p, kind, extent, mask);
      if (!problem_run(&p, isa, NULL)) break;
      float *expected = problem_gather(&p, &n);
      rapt_mask plain = p.args.mask;
      guard_buffer turned = guard_alloc((size_t)(((SK - 1) * (SQ + PAD) + SQ) * size), GUARD_END,
                                        (size_t)size);
      for (int64_t i = 0; i < SQ; i++)
        for (int64_t j = 0; j < SK; j++)
          mask_put(kind, (char *)turned.data + i * size, j, (SQ + PAD) * size,
                   (double)mask[i * SK + j]);
      p.args.mask.data = turned.data;
      p.args.mask.stride[2] = size;
      p.args.mask.stride[3] = (SQ + PAD) * size;
      if (problem_run(&p, isa, NULL)) {
        float *x = problem_gather(&p, &n);
        CHECK_BITS(x, expected, n, "%s kind %d", isa, kind);
        free(x);
      }
      p.args.mask = plain;
      p.args.o.stride[2] -= 4;
      CHECK(problem_try(&p, isa, NULL, NULL) == RAPT_ERROR_INVALID_ARGUMENT, "rows of O overlap");
      CHECK_UNTOUCHED(p.buffer[TENSOR_O].data, p.buffer[TENSOR_O].bytes, "O");
      p.args.o.stride[2] += 4;
      guard_free(&turned);
      free(expected);
    }
  problem_free(&p);
}

/* A mask of one key for all: its stride is anything. */
RAPT_TEST(bug_19_mask_of_one_key) {
  static const int32_t extent[] = {2, 1, 3, 1};
  const float mask[] = {0, 2, no, 2, no, 0};
  problem p = problem_make(1, 1, 4, 4, 2, 3, 4);
  bug_build(&p);
  for (int kind = RAPT_MASK_F32; kind <= RAPT_MASK_BF16; kind++)
    for (int64_t wild = -987654322; wild <= 987654322; wild += 987654322) {
      bug_mask(&p, kind, extent, mask);
      p.args.mask.stride[1] = p.args.mask.stride[3] = wild;
      FOR_EACH_ISA(isa)
      if (problem_run(&p, isa, NULL))
        for (int n = 0; n < 6; n++) {
          int empty = mask[n] < -1;
          bug_row_of(&p, isa, n / 3, 0, n % 3, empty ? 0 : 1.5,
                     empty ? BUG_EMPTY : log(4) + (double)mask[n]);
        }
    }
  problem_free(&p);
}

/* Masks belong to query heads, not to KV heads: two heads of a group see different keys. */
RAPT_TEST(bug_24_masks_of_query_heads) {
  static const int32_t extent[] = {1, 6, 1, 6};
  float mask[36];
  for (int h = 0; h < 6; h++)
    for (int j = 0; j < 6; j++) mask[h * 6 + j] = h == j ? 0 : no;
  for (int32_t q_len = 1; q_len <= 9; q_len += 4)
    for (int32_t heads_kv = 1; heads_kv <= 6; heads_kv++) {
      if (6 % heads_kv) continue;
      problem p = problem_make(6, heads_kv, 4, 4, 1, q_len, 6);
      bug_build(&p);
      for (int kind = RAPT_MASK_BOOL; kind <= RAPT_MASK_BF16; kind++) FOR_EACH_ISA(isa) {
          bug_mask(&p, kind, extent, mask);
          if (!problem_run(&p, isa, NULL)) break;
          for (int32_t h = 0; h < 6; h++)
            for (int64_t i = 0; i < q_len; i++) bug_row_of(&p, isa, 0, h, i, h, 0);
        }
      problem_free(&p);
    }
}
