/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Head dimensions of every kind, for queries and values independently, few rows and many; V = ones
 * must come out as ones. Every buffer ends (or starts) at a guard page. */
#include <math.h>

#include "problem.h"

static const int32_t dims[] = {1,  2,  3,  5,  8,  13,  15,  16,  17,  24,  31, 33,
                               40, 48, 72, 80, 96, 112, 128, 192, 256, 512, 576};

enum { DIMS = sizeof dims / sizeof *dims };

/* V = 1 everywhere: every row that sees a key is 1 within one unit in the last place. */
static void verify_ones(problem *p, const char *isa, const char *what) {
  size_t n, bad = 0;
  if (!problem_run(p, isa, NULL)) return;
  float *x = problem_gather(p, &n);
  size_t values = problem_rows(p) * (size_t)p->desc.head_dim_v;
  float worst = 1;
  for (size_t i = 0; i < values; i++)
    if (!(fabsf(x[i] - 1) <= 0x1p-23f)) worst = x[i], bad++;
  CHECK(bad == 0, "%s %s: V = ones gives %.9g (%zu of %zu)", isa, what, (double)worst, bad, values);
  free(x);
}

static void set_ones(problem *p) {
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t h = 0; h < p->desc.heads_kv; h++)
      for (int64_t j = 0; j < reference_kv_len(&p->args, b); j++) {
        float *v = problem_writable(reference_v_row(&p->args, b, h, j));
        for (int32_t c = 0; c < p->desc.head_dim_v; c++) v[c] = 1;
      }
}

/* Every `step`-th pair. */
static void sweep(int32_t q_len, int32_t kv_len, int causal, int step) {
  rng r = rng_make(rapt_test_seed());
  for (int i = 0; i < DIMS; i++)
    for (int j = 0; j < DIMS; j++) {
      if ((i + 2 * j) % (test_small() ? 7 : step)) continue;
      problem p = problem_make(1, 1, dims[i], dims[j], 1, q_len, kv_len);
      p.place = (i + j) % 3 ? GUARD_END : GUARD_START;
      p.layout = (i + j) % 2 ? LAYOUT_BHSD : LAYOUT_VIEW;
      if (causal) p.desc.flags = RAPT_CAUSAL, p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
      problem_build(&p, &r);
      char what[60];
      snprintf(what, sizeof what, "dims %d %d, %d x %d", dims[i], dims[j], q_len, kv_len);
      problem_verify_all(&p, what);
      if ((i + j) % 4 == 0) {
        set_ones(&p);
        FOR_EACH_ISA(isa) verify_ones(&p, isa, what);
      }
      problem_free(&p);
    }
}

RAPT_TEST(dims_decode) { sweep(1, 19, 0, 1); }
RAPT_TEST(dims_few_rows) { sweep(3, 35, 1, 3); }
RAPT_TEST(dims_narrow_panel) { sweep(6, 21, 0, 3); }
RAPT_TEST(dims_prefill) { sweep(35, 37, 1, 2); }
RAPT_TEST(slow_dims_prefill) { sweep(70, 149, 1, 1); }

/* Each dimension 1..1024 now and then, the ends always. */
RAPT_TEST(dims_sampled) {
  rng r = rng_make(rapt_test_seed());
  for (int i = 0; i < smaller(60, 12); i++) {
    int32_t dqk = i == 0 ? 1024 : i == 1 ? 1 : rng_range(&r, 1, 1024);
    int32_t dv = i == 0 ? 1024 : i == 2 ? 1 : rng_range(&r, 1, 1024);
    static const int32_t rows[] = {1, 4, 5, 16, 33};
    problem p = problem_make(1, 1, dqk, dv, 1, rows[i % 5], rng_range(&r, 1, smaller(120, 20)));
    problem_build(&p, &r);
    char what[60];
    snprintf(what, sizeof what, "dims %d %d", dqk, dv);
    problem_verify_all(&p, what);
    problem_free(&p);
  }
}

/* Ones over many keys, with unequal weights, over splits. */
RAPT_TEST(ones_many_keys) {
  static const int32_t keys[] = {1, 2, 95, 96, 97, 145, 700, 2016, 2017, 4100};
  rng r = rng_make(rapt_test_seed());
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    for (int32_t q = 1; q <= 37; q += 9) {
      if (test_small() && keys[i] * q > 4100) continue;
      problem p = problem_make(1, 1, 16, 9, 1, q, keys[i]);
      p.sigma = 2;
      problem_build(&p, &r);
      set_ones(&p);
      char what[60];
      snprintf(what, sizeof what, "%d x %d", q, keys[i]);
      FOR_EACH_ISA(isa) verify_ones(&p, isa, what);
      problem_free(&p);
    }
}
