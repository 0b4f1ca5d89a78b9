/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lengths around vector widths, key tiles, key blocks and splits. */
#include "problem.h"

static const int32_t rows[] = {1, 2, 4, 5, 8, 9, 16, 17, 32, 33, 48, 65};

enum { ROWS = sizeof rows / sizeof *rows };

static void cross(const int32_t *keys, size_t n, int causal) {
  rng r = rng_make(rapt_test_seed());
  for (size_t i = 0; i < n; i++)
    for (int q = 0; q < ROWS; q++) {
      if (test_small() && (keys[i] > 2100 || rows[q] * keys[i] > 5000)) continue;
      if (keys[i] > 1000 && q % 3) continue;
      problem p = problem_make(1, 1, 8, 8, 1, rows[q], keys[i]);
      p.place = q % 2 ? GUARD_START : GUARD_END;
      if (causal) p.desc.flags = RAPT_CAUSAL, p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
      problem_build(&p, &r);
      char what[60];
      snprintf(what, sizeof what, "%d x %d%s", rows[q], keys[i], causal ? " causal" : "");
      problem_verify_all(&p, what);
      problem_free(&p);
    }
}

static const int32_t around_blocks[] = {1,   2,   3,   7,   8,   11,  12,  13,  15,  16,  17,
                                        23,  24,  25,  31,  32,  33,  47,  48,  49,  63,  64,
                                        65,  95,  96,  97,  111, 112, 113, 143, 144, 145, 191,
                                        192, 193, 223, 224, 225, 287, 288, 289, 335, 336, 337};
static const int32_t around_splits[] = {2000, 2015, 2016, 2017, 2031, 2032, 4031,
                                        4032, 4033, 4048, 6047, 6048, 6049};

#define COUNT(a) (sizeof(a) / sizeof *(a))

RAPT_TEST(length_blocks) { cross(around_blocks, COUNT(around_blocks), 0); }
RAPT_TEST(length_blocks_causal) { cross(around_blocks, COUNT(around_blocks), 1); }
RAPT_TEST(length_splits) { cross(around_splits, COUNT(around_splits), 0); }
RAPT_TEST(length_splits_causal) { cross(around_splits, COUNT(around_splits), 1); }

/* Square causal prompts whose diagonal crosses a split. */
RAPT_TEST(length_square_over_split) {
  if (test_small()) SKIP("too large for an emulator");
  rng r = rng_make(rapt_test_seed());
  static const int32_t lengths[] = {2016, 2050};
  for (int i = 0; i < 2; i++) {
    problem p = problem_make(1, 1, 4, 4, 1, lengths[i], lengths[i]);
    p.desc.flags = RAPT_CAUSAL;
    p.desc.align = RAPT_ALIGN_TOP_LEFT;
    problem_build(&p, &r);
    problem_verify_all(&p, "square causal");
    problem_free(&p);
  }
}

/* Every length 1..200 against itself, causal. */
RAPT_TEST(length_every_square) {
  rng r = rng_make(rapt_test_seed());
  for (int32_t n = 1; n <= smaller(200, 50); n++) {
    problem p = problem_make(1, 1, 4, 4, 1, n, n);
    p.desc.flags = RAPT_CAUSAL;
    p.desc.align = RAPT_ALIGN_TOP_LEFT;
    problem_build(&p, &r);
    char what[40];
    snprintf(what, sizeof what, "%d x %d", n, n);
    problem_verify_all(&p, what);
    problem_free(&p);
  }
}

/* Group sizes: rows of one KV head are tokens times group. */
RAPT_TEST(length_groups) {
  rng r = rng_make(rapt_test_seed());
  for (int32_t group = 1; group <= 40; group = group < 9 ? group + 1 : group + 7)
    for (int32_t q = 1; q <= 10; q += 3)
      for (int causal = 0; causal < 2; causal++) {
        problem p = problem_make(2 * group, 2, 8, 8, 1, q, 100);
        p.layout = q % 2 ? LAYOUT_BHSD : LAYOUT_BSHD;
        if (causal) p.desc.flags = RAPT_CAUSAL, p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
        problem_build(&p, &r);
        char what[60];
        snprintf(what, sizeof what, "group %d, %d queries%s", group, q, causal ? " causal" : "");
        problem_verify_all(&p, what);
        problem_free(&p);
      }
}
