/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The scale: default, literal zero, negative, tiny, huge; and scores far outside of what exp takes. */
#include <math.h>

#include "problem.h"

static const int32_t shapes[][2] = {{1, 9}, {4, 150}, {7, 33}, {50, 150}};

static void run_scale(float scale, uint32_t flags, double sigma, const char *what) {
  rng r = rng_make(rapt_test_seed());
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    problem p = problem_make(2, 2, 24, 24, 1, shapes[i][0], shapes[i][1]);
    p.desc.flags = flags;
    p.desc.scale = scale;
    p.sigma = sigma;
    problem_build(&p, &r);
    problem_verify_all(&p, what);
    problem_free(&p);
  }
}

RAPT_TEST(scale_default) { run_scale(0, 0, 1, "default"); }
RAPT_TEST(scale_given) { run_scale(0.125f, 0, 1, "given"); }
RAPT_TEST(scale_literal) { run_scale(0.125f, RAPT_SCALE_LITERAL, 1, "literal"); }
RAPT_TEST(scale_literal_zero) { run_scale(0, RAPT_SCALE_LITERAL, 1, "literal zero"); }
RAPT_TEST(scale_negative) { run_scale(-0.2f, 0, 1, "negative"); }
RAPT_TEST(scale_negative_literal) { run_scale(-0.2f, RAPT_SCALE_LITERAL, 1, "negative literal"); }
RAPT_TEST(scale_tiny) { run_scale(1e-30f, 0, 1, "tiny"); }
RAPT_TEST(scale_tiny_for_large_inputs) { run_scale(2e-13f, 0, 1e6, "tiny for large inputs"); }

/* Literal zero must not read a NaN as "no score": scale 0 times a finite dot is 0, every key counts
 * alike. A temperature T is 1/(T sqrt(d)). */
RAPT_TEST(scale_temperature) { run_scale(1.0f / (0.7f * sqrtf(24)), 0, 1, "temperature"); }

/* One channel, q = 1, k = j (or the reverse order): the winner takes all, exactly. */
static void winner_takes_all(float scale, int32_t q_len, int32_t kv_len, int descending) {
  problem p = problem_make(1, 1, 1, 1, 1, q_len, kv_len);
  rng r = rng_make(rapt_test_seed());
  p.desc.scale = scale;
  problem_build(&p, &r);
  for (int32_t i = 0; i < q_len; i++) *problem_writable(reference_q_row(&p.args, 0, 0, i)) = 1;
  for (int32_t j = 0; j < kv_len; j++)
    *problem_writable(reference_k_row(&p.args, 0, 0, j)) = (float)(descending ? kv_len - j : j);
  int64_t last = descending == (scale < 0) ? kv_len - 1 : 0;
  float v = *reference_v_row(&p.args, 0, 0, last);
  double score = (double)scale * (double)*reference_k_row(&p.args, 0, 0, last);
  FOR_EACH_ISA(isa) {
    if (!problem_run(&p, isa, NULL)) break;
    for (int32_t i = 0; i < q_len; i++) {
      float o = *reference_o_row(&p.args, 0, 0, i), lse = *reference_lse_at(&p.args, 0, 0, i);
      CHECK(o == v, "%s scale %g, row %d of %d, %d keys: %.9g, not %.9g", isa, (double)scale, i,
            q_len, kv_len, (double)o, (double)v);
      CHECK(fabs((double)lse - score) <= 1e-6 * fabs(score), "%s scale %g: LSE %.9g, not %.9g", isa,
            (double)scale, (double)lse, score);
    }
  }
  problem_free(&p);
}

RAPT_TEST(scale_huge) {
  static const float scales[] = {1e3f, 1e6f, 1e9f, 1e15f, 1e30f, 1e35f};
  for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
      for (int sign = 0; sign < 2; sign++)
        for (int descending = 0; descending < 2; descending++)
          winner_takes_all(sign ? -scales[s] : scales[s], shapes[i][0], shapes[i][1], descending);
}

/* Running maximum that rises with every key block, and one that falls. */
RAPT_TEST(scale_moving_maximum) {
  for (int32_t q = 1; q <= 40; q += 13)
    for (int descending = 0; descending < 2; descending++) {
      problem p = problem_make(1, 1, 1, 3, 1, q, smaller(5000, 2100));
      rng r = rng_make(rapt_test_seed());
      p.loose = 30; /* scores to 40: float32 scores are as much coarser */
      problem_build(&p, &r);
      for (int32_t i = 0; i < q; i++) *problem_writable(reference_q_row(&p.args, 0, 0, i)) = 1;
      for (int32_t j = 0; j < p.args.kv_len; j++) {
        float at = (float)(descending ? p.args.kv_len - j : j) * 0.0078125f;
        *problem_writable(reference_k_row(&p.args, 0, 0, j)) = at;
      }
      problem_verify_all(&p, descending ? "falling maximum" : "rising maximum");
      problem_free(&p);
    }
}

/* Scores in a narrow band around +-80000: the maximum must be subtracted before anything is lost. */
RAPT_TEST(scale_far_from_zero) {
  for (int sign = -1; sign <= 1; sign += 2)
    for (int32_t q = 1; q <= 17; q += 4) {
      problem p = problem_make(1, 1, 2, 4, 1, q, 200);
      rng r = rng_make(rapt_test_seed());
      p.desc.scale = 1;
      p.loose = 3e4; /* one unit of the score's last place is 0.008 */
      problem_build(&p, &r);
      for (int32_t i = 0; i < q; i++) {
        float *row = problem_writable(reference_q_row(&p.args, 0, 0, i));
        row[0] = (float)sign * 256;
        row[1] = 1;
      }
      for (int32_t j = 0; j < 200; j++) {
        float *row = problem_writable(reference_k_row(&p.args, 0, 0, j));
        row[0] = 312.5f;
        row[1] = (float)(j % 7);
      }
      problem_verify_all(&p, "far from zero");
      problem_free(&p);
    }
}
