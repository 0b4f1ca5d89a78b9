/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Properties of softmax seen through V: weights are non-negative, sum to 1, and follow their keys. */
#include <math.h>

#include "props.h"

/* V = rows of the identity: O holds the weights themselves. */
static void weights_sum_to_one(int32_t q_len, int32_t kv_len, int causal) {
  problem p = problem_make(1, 1, 16, kv_len, 1, q_len, kv_len);
  rng r = rng_make(rapt_test_seed());
  if (causal) props_causal(&p, RAPT_ALIGN_BOTTOM_RIGHT);
  problem_build(&p, &r);
  for (int64_t j = 0; j < kv_len; j++)
    for (int32_t c = 0; c < kv_len; c++)
      problem_writable(reference_v_row(&p.args, 0, 0, j))[c] = c == j;
  FOR_EACH_ISA(isa) {
    if (!problem_run(&p, isa, NULL)) break;
    for (int64_t i = 0; i < q_len; i++) {
      const float *o = reference_o_row(&p.args, 0, 0, i);
      double sum = 0;
      int64_t begin, end;
      reference_range(&p.desc, &p.args, 0, i, &begin, &end);
      for (int32_t c = 0; c < kv_len; c++) {
        sum += (double)o[c];
        CHECK(o[c] >= 0 && (c < end || o[c] == 0), "%s row %lld, weight %d is %g", isa,
              (long long)i, c, (double)o[c]);
      }
      CHECK(fabs(sum - (begin < end)) <= 1e-6, "%s %d x %d row %lld: weights sum to %.9g", isa,
            q_len, kv_len, (long long)i, sum);
    }
  }
  problem_free(&p);
}

RAPT_TEST(weights_sum_to_one) {
  static const int32_t rows[] = {1, 4, 5, 17, 40};
  static const int32_t keys[] = {1, 7, 40, 150, 700};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      for (int causal = 0; causal < 2; causal++) {
        if (test_small() && rows[i] * keys[j] > 3000) continue;
        weights_sum_to_one(rows[i], keys[j], causal);
      }
}

/* Keys in another order (K and V alike): the same result up to rounding. */
RAPT_TEST(key_permutation) {
  static const int32_t rows[] = {1, 4, 6, 40};
  for (int i = 0; i < 4; i++) {
    const int32_t n = smaller(300, 60), d = 16;
    problem p = problem_make(1, 1, d, d, 1, rows[i], n), q = p;
    rng r = rng_make(rapt_test_seed());
    problem_build(&p, &r);
    r = rng_make(rapt_test_seed());
    problem_build(&q, &r);
    for (int32_t j = n - 1; j > 0; j--) { /* Fisher-Yates on q's rows */
      int32_t other = rng_below(&r, j + 1);
      for (int kv = 0; kv < 2; kv++)
        for (int32_t c = 0; c < d; c++) {
          float *a = problem_writable(kv ? reference_v_row(&q.args, 0, 0, j)
                                         : reference_k_row(&q.args, 0, 0, j));
          float *b = problem_writable(kv ? reference_v_row(&q.args, 0, 0, other)
                                         : reference_k_row(&q.args, 0, 0, other));
          float t = a[c];
          a[c] = b[c];
          b[c] = t;
        }
    }
    problem_reference(&p);
    FOR_EACH_ISA(isa) {
      if (!problem_run(&q, isa, NULL)) break;
      size_t size;
      float *x = problem_gather(&q, &size);
      CHECK_CLOSE(x, p.ref_o, (size_t)(rows[i] * d), 2e-6, 2e-6, "%s permuted, %d rows", isa,
                  rows[i]);
      CHECK_CLOSE(x + rows[i] * d, p.ref_lse, (size_t)rows[i], 2e-6, 2e-6, "%s permuted LSE", isa);
      free(x);
    }
    problem_free(&p);
    problem_free(&q);
  }
}

/* Each key twice: the same O, LSE larger by ln 2. */
RAPT_TEST(doubled_keys) {
  static const int32_t rows[] = {1, 3, 8, 40};
  for (int i = 0; i < 4; i++) {
    problem p = problem_make(1, 1, 8, 8, 1, rows[i], 130);
    rng r = rng_make(rapt_test_seed());
    problem_build(&p, &r);
    for (int64_t j = 0; j < 65; j++) {
      memcpy(problem_writable(reference_k_row(&p.args, 0, 0, 65 + j)),
             reference_k_row(&p.args, 0, 0, j), 32);
      memcpy(problem_writable(reference_v_row(&p.args, 0, 0, 65 + j)),
             reference_v_row(&p.args, 0, 0, j), 32);
    }
    problem half = p;
    half.args.kv_len = 65;
    problem_reference(&half); /* p has no reference yet: the arrays are half's own */
    FOR_EACH_ISA(isa) {
      if (!problem_run(&p, isa, NULL)) break;
      for (int64_t n = 0; n < rows[i]; n++) {
        double lse = half.ref_lse[n] + log(2);
        CHECK_CLOSE(reference_o_row(&p.args, 0, 0, n), half.ref_o + 8 * n, 8, 2e-6, 2e-6,
                    "%s doubled", isa);
        CHECK_CLOSE(reference_lse_at(&p.args, 0, 0, n), &lse, 1, 2e-6, 2e-6, "%s LSE", isa);
      }
    }
    problem_forget(&half);
    problem_free(&p);
  }
}

/* One key: V itself, exactly; LSE is the score. */
RAPT_TEST(one_key_gives_its_value) {
  for (int32_t rows = 1; rows < 70; rows += 5)
    for (int32_t dv = 1; dv < 70; dv += 17) {
      problem p = problem_make(2, 1, 16, dv, 1, rows, 1);
      rng r = rng_make(rapt_test_seed());
      problem_build(&p, &r);
      FOR_EACH_ISA(isa) {
        if (!problem_run(&p, isa, NULL)) break;
        for (int32_t h = 0; h < 2; h++)
          for (int64_t i = 0; i < rows; i++)
            CHECK_BITS(reference_o_row(&p.args, 0, h, i), reference_v_row(&p.args, 0, 0, 0),
                       (size_t)dv, "%s one key, %d rows, dv %d", isa, rows, dv);
      }
      problem_free(&p);
    }
}

/* Equal queries give equal rows, wherever they stand in a panel and whatever their neighbours. */
RAPT_TEST(equal_queries_equal_rows) {
  for (int32_t rows = 2; rows <= 100; rows += rows < 20 ? 1 : 9) {
    problem p = problem_make(1, 1, 24, 24, 1, rows, 333);
    rng r = rng_make(rapt_test_seed());
    problem_build(&p, &r);
    for (int64_t i = 2; i < rows; i += 2)
      memcpy(problem_writable(reference_q_row(&p.args, 0, 0, i)), reference_q_row(&p.args, 0, 0, 0),
             96);
    FOR_EACH_ISA(isa) {
      if (!problem_run(&p, isa, NULL)) break;
      for (int64_t i = 2; i < rows; i += 2) {
        CHECK_BITS(reference_o_row(&p.args, 0, 0, i), reference_o_row(&p.args, 0, 0, 0), 24,
                   "%s row %lld of %d", isa, (long long)i, rows);
        CHECK_BITS(reference_lse_at(&p.args, 0, 0, i), reference_lse_at(&p.args, 0, 0, 0), 1,
                   "%s LSE of row %lld of %d", isa, (long long)i, rows);
      }
    }
    problem_free(&p);
  }
}
