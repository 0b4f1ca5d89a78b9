/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports about threads and batches. Those about foreign parallel regions, changing thread counts,
 * failing allocators and growing memory (30, 31, 36, 37) continue in the suites threads and memory. */
#include "bug.h"

/* Wrong with several threads at S = 33, right at 32. */
RAPT_TEST(bug_30_lengths_and_workers) {
  static const int32_t lengths[] = {31, 32, 33, 64, 65}, workers[] = {1, 2, 3, 5, 16, 64};
  for (int s = 0; s < 5; s++) {
    problem p = problem_make(4, 4, 16, 16, 2, lengths[s], lengths[s]);
    rng r = rng_make(rapt_test_seed());
    problem_build(&p, &r);
    FOR_EACH_ISA(isa) {
      size_t n;
      if (!problem_verify(&p, isa, "default executor")) break;
      float *expected = problem_gather(&p, &n);
      for (int w = 0; w < 6; w++) {
        rapt_executor executor = serial_executor;
        executor.max_workers = workers[w];
        if (!problem_run(&p, isa, &executor)) break;
        float *x = problem_gather(&p, &n);
        CHECK_BITS(x, expected, n, "%s S = %d, %d workers", isa, lengths[s], workers[w]);
        free(x);
      }
      free(expected);
    }
    problem_free(&p);
  }
}

/* One sequence of 1000 keys, alone and with 1, 7, 63 others of other lengths, same workers. */
RAPT_TEST(bug_33_batch_companions) {
  enum { MOST = 64, KEYS = 1000, DIM = 16 };
  static const int32_t companions[] = {0, 1, 7, 63};
  static const int32_t workers[] = {1, 4};
  FOR_EACH_ISA(isa)
  for (int w = 0; w < 2; w++) {
    float first[2 * (DIM + 1)];
    for (int n = 0; n < (test_small() ? 3 : 4); n++) {
      int32_t kv_lens[MOST], batch = companions[n] + 1;
      rng r = rng_make(rapt_test_seed());
      for (int32_t b = 0; b < batch; b++) kv_lens[b] = b ? (b * 577) % 2500 : KEYS;
      problem p = problem_make(2, 1, DIM, DIM, batch, 1, 2500);
      rapt_executor executor = serial_executor;
      executor.max_workers = workers[w];
      p.args.kv_lens = kv_lens;
      problem_build(&p, &r);
      r = rng_make(rapt_test_seed() + 1);
      for (int32_t h = 0; h < 2; h++)
        rng_fill_normal(&r, problem_writable(reference_q_row(&p.args, 0, h, 0)), DIM, 1);
      rng_fill_normal(&r, problem_writable(reference_k_row(&p.args, 0, 0, 0)), KEYS * DIM, 1);
      rng_fill_normal(&r, problem_writable(reference_v_row(&p.args, 0, 0, 0)), KEYS * DIM, 1);
      if (problem_run(&p, isa, &executor)) {
        float row[2 * (DIM + 1)];
        for (int32_t h = 0; h < 2; h++) {
          memcpy(row + h * DIM, reference_o_row(&p.args, 0, h, 0), DIM * 4);
          row[2 * DIM + h] = *reference_lse_at(&p.args, 0, h, 0);
        }
        if (n == 0) memcpy(first, row, sizeof first);
        CHECK_BITS(row, first, 2 * (DIM + 1), "%s with %d companions, %d workers", isa,
                   companions[n], workers[w]);
      }
      problem_free(&p);
    }
  }
}
