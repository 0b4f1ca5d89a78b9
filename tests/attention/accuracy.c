/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The accuracy table: unit-normal inputs, relative L2 and each element, to S = 8192; inputs a hundred
 * times larger. */
#include "problem.h"

/* `rows` queries at the end of a sequence of `keys`: as exact as all of them, and cheaper. */
static void accuracy(int32_t d, int32_t rows, int32_t keys, int causal) {
  problem p = problem_make(1, 1, d, d, 1, rows, keys);
  rng r = rng_make(rapt_test_seed());
  if (causal) p.desc.flags = RAPT_CAUSAL, p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
  problem_build(&p, &r);
  problem_reference(&p);
  char what[80];
  snprintf(what, sizeof what, "D%d, %d of %d%s", d, rows, keys, causal ? " causal" : "");
  FOR_EACH_ISA(isa) {
    if (!problem_verify(&p, isa, what)) continue;
    size_t n;
    float *x = problem_gather(&p, &n);
    double error = reference_rel_l2(x, p.ref_o, (size_t)rows * (size_t)d);
    printf("  %s %s: relative L2 %.2e\n", isa, what, error);
    free(x);
  }
  problem_free(&p);
}

RAPT_TEST(accuracy_d64_s128) { accuracy(64, smaller(128, 16), smaller(128, 64), 0); }
RAPT_TEST(accuracy_d64_s1024) { accuracy(64, smaller(256, 8), 1024, 0); }
RAPT_TEST(accuracy_d64_s1024_causal) { accuracy(64, smaller(1024, 8), 1024, 1); }
RAPT_TEST(accuracy_d64_s4096) { accuracy(64, smaller(128, 5), smaller(4096, 2100), 0); }
RAPT_TEST(accuracy_d64_decode) { accuracy(64, 1, 4096, 0); }
RAPT_TEST(accuracy_d64_four_rows) { accuracy(64, 4, smaller(4096, 2100), 1); }
RAPT_TEST(accuracy_d128_s2048) { accuracy(128, smaller(128, 5), 2048, 1); }
RAPT_TEST(accuracy_d128_decode) { accuracy(128, 1, smaller(8192, 2100), 0); }
RAPT_TEST(accuracy_d256_s1024) { accuracy(256, smaller(64, 5), smaller(1024, 300), 0); }
RAPT_TEST(accuracy_d1024_s256) { accuracy(1024, smaller(64, 5), smaller(256, 40), 1); }
RAPT_TEST(accuracy_d8_s2048) { accuracy(8, smaller(256, 5), 2048, 1); }
RAPT_TEST(accuracy_d80_s577) { accuracy(80, smaller(577, 9), smaller(577, 150), 0); }
RAPT_TEST(slow_accuracy_d64_s8192) { accuracy(64, 1024, 8192, 1); }
RAPT_TEST(slow_accuracy_d128_s8192) { accuracy(128, 512, 8192, 0); }
RAPT_TEST(slow_accuracy_d64_s32768) { accuracy(64, 128, 32768, 0); }
RAPT_TEST(slow_accuracy_d64_s4096_all) { accuracy(64, 4096, 4096, 0); }

/* Peaked softmax: q and k a hundred times unit-normal, relative L2 only. Scores reach 50000, where
 * float32 has steps of 0.004, and hardly any row has two keys that near: the error of a sample is that
 * of its nearest tie, if it has one. Hence fixed samples and their median. */
enum { SAMPLES = 5 };

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void large_inputs(int32_t d, int32_t rows, int32_t keys, double bar) {
  double error[16][SAMPLES];
  for (int sample = 0; sample < SAMPLES; sample++) {
    problem p = problem_make(1, 1, d, d, 1, rows, keys);
    rng r = rng_make(1 + (uint64_t)sample);
    int level = 0;
    p.sigma = 100;
    problem_build(&p, &r);
    problem_reference(&p);
    FOR_EACH_ISA(isa) {
      size_t n;
      if (!problem_run(&p, isa, NULL)) return;
      float *x = problem_gather(&p, &n);
      error[level++][sample] = reference_rel_l2(x, p.ref_o, (size_t)rows * (size_t)d);
      free(x);
    }
    problem_free(&p);
  }
  int level = 0;
  FOR_EACH_ISA(isa) {
    double *e = error[level++];
    qsort(e, SAMPLES, sizeof *e, ascending);
    printf("  %s D%d, %d x %d, inputs x 100: relative L2 %.2e (largest %.2e)\n", isa, d, rows, keys,
           e[SAMPLES / 2], e[SAMPLES - 1]);
    CHECK(e[SAMPLES / 2] <= bar, "%s D%d, %d x %d: %.3g", isa, d, rows, keys, e[SAMPLES / 2]);
    CHECK(e[SAMPLES - 1] <= 30 * bar, "%s D%d, %d x %d: %.3g", isa, d, rows, keys, e[SAMPLES - 1]);
  }
}

RAPT_TEST(accuracy_large_inputs_d64) { large_inputs(64, smaller(512, 8), smaller(512, 128), 3e-5); }
RAPT_TEST(accuracy_large_inputs_d64_long) {
  large_inputs(64, smaller(128, 5), smaller(2048, 256), 3e-5);
}
RAPT_TEST(accuracy_large_inputs_d128) {
  large_inputs(128, smaller(256, 5), smaller(512, 96), 3e-5);
}
RAPT_TEST(accuracy_large_inputs_decode) { large_inputs(128, 4, smaller(2048, 256), 3e-5); }
