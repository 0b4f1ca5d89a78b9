/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports whose fault lies in the softmax: as rows of rapt_softmax, weights in place of outputs. */
#include "bug.h"

static int softmax_row(const char *isa, const float *x, int32_t n, int32_t kind, const void *mask,
                       float *y) {
  rapt_error error = {.size = sizeof error};
  rapt_softmax_args args = {.size = sizeof args,
                            .extent = {1, 1, 1},
                            .length = n,
                            .x = {x, {0, 0, 0, 4}},
                            .y = {y, {0, 0, 0, 4}},
                            .mask_kind = kind,
                            .isa = isa};
  args.mask.data = mask;
  args.mask.extent[0] = args.mask.extent[1] = args.mask.extent[2] = 1;
  args.mask.extent[3] = n;
  args.mask.stride[3] = kind == RAPT_MASK_F32 ? 4 : 1;
  return CHECK(rapt_softmax(&args, NULL, &error) == RAPT_OK, "%s: %s", error.field, error.message);
}

/* A band mask whose first keys, more than any block, are all -inf: the running maximum stays -inf. */
RAPT_TEST(bug_1_softmax_of_a_band) {
  enum { N = 640 };
  static float x[N], y[N], mask[N];
  static unsigned char keep[N];
  for (int i = 0; i < N; i += 39) FOR_EACH_ISA(isa) {
      double count = i < 10 ? i + 1 : 11;
      for (int j = 0; j < N; j++) {
        keep[j] = j <= i && j >= i - 10;
        mask[j] = keep[j] ? 0 : -INFINITY;
      }
      for (int kind = RAPT_MASK_BOOL; kind <= RAPT_MASK_F32; kind += 2) {
        const void *data = kind == RAPT_MASK_BOOL ? (const void *)keep : (const void *)mask;
        if (!softmax_row(isa, x, N, kind, data, y)) return;
        for (int j = 0; j < N; j++)
          CHECK(keep[j] ? fabs((double)y[j] * count - 1) < 1e-6 : y[j] == 0,
                "%s row %d weight %d: %g", isa, i, j, (double)y[j]);
      }
    }
}

/* A NaN score or a mask of +inf gives NaN, not zeros. */
RAPT_TEST(bug_2_softmax_nan_is_not_empty) {
  const float nan_first[] = {NAN, 1, 2}, plain[] = {0, 1, 2}, mask[] = {0, INFINITY, 0};
  float y[3];
  FOR_EACH_ISA(isa) {
    if (!softmax_row(isa, nan_first, 3, RAPT_MASK_NONE, NULL, y)) return;
    CHECK(isnan(y[0]) && isnan(y[1]) && isnan(y[2]), "%s NaN element: %g", isa, (double)y[1]);
    if (!softmax_row(isa, plain, 3, RAPT_MASK_F32, mask, y)) return;
    CHECK(isnan(y[0]) && isnan(y[1]) && isnan(y[2]), "%s mask of +inf: %g", isa, (double)y[0]);
  }
}

/* Finite fills of -5e4; scores below them, rows of the lowest numbers, rows without a key. */
RAPT_TEST(bug_5_softmax_far_below_zero) {
  const float low[] = {-60000, -60001}, zero[] = {0, 0.5f};
  const float lowest[] = {-3e38f, -3e38f}, none[] = {-INFINITY, -INFINITY};
  const unsigned char nobody[] = {0, 0};
  float y[2];
  FOR_EACH_ISA(isa) {
    if (!softmax_row(isa, low, 2, RAPT_MASK_NONE, NULL, y)) return;
    CHECK(fabsf(y[0] - 0.7310586f) < 1e-6f && fabsf(y[1] - 0.2689414f) < 1e-6f, "%s: %g %g", isa,
          (double)y[0], (double)y[1]);
    if (!softmax_row(isa, zero, 2, RAPT_MASK_F32, lowest, y)) return;
    CHECK(y[0] == 0.5f && y[1] == 0.5f, "%s lowest: %g %g", isa, (double)y[0], (double)y[1]);
    if (!softmax_row(isa, zero, 2, RAPT_MASK_F32, none, y)) return;
    CHECK(y[0] == 0 && y[1] == 0, "%s -inf: %g %g", isa, (double)y[0], (double)y[1]);
    if (!softmax_row(isa, zero, 2, RAPT_MASK_BOOL, nobody, y)) return;
    CHECK(y[0] == 0 && y[1] == 0, "%s false: %g %g", isa, (double)y[0], (double)y[1]);
  }
}

/* Large scores: 131072 and 130048, which half precision does not have. */
RAPT_TEST(bug_4_softmax_of_large_scores) {
  const float x[] = {131072, 130048}, scaled[] = {128, 127};
  float y[2];
  FOR_EACH_ISA(isa) {
    if (!softmax_row(isa, x, 2, RAPT_MASK_NONE, NULL, y)) return;
    CHECK(y[0] == 1 && y[1] == 0, "%s: %g %g", isa, (double)y[0], (double)y[1]);
    if (!softmax_row(isa, scaled, 2, RAPT_MASK_NONE, NULL, y)) return;
    CHECK(fabsf(y[0] - 0.7310586f) < 1e-6f, "%s: %g", isa, (double)y[0]);
  }
}
