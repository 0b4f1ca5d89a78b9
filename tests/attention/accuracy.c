/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The accuracy table: unit-normal inputs, relative L2 and each element, to S = 8192. */
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
RAPT_TEST(slow_accuracy_d8_s8192) { accuracy(8, 256, 8192, 1); }
RAPT_TEST(slow_accuracy_d80_s8192) { accuracy(80, 128, 8192, 1); }
RAPT_TEST(slow_accuracy_d256_s8192) { accuracy(256, 64, 8192, 1); }
RAPT_TEST(slow_accuracy_d1024_s8192) { accuracy(1024, 40, 8192, 0); }
RAPT_TEST(slow_accuracy_d64_s32768) { accuracy(64, 128, 32768, 0); }
RAPT_TEST(slow_accuracy_d64_s4096_all) { accuracy(64, 4096, 4096, 0); }
