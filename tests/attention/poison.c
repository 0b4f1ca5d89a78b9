/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * NaN and infinity: where they may not be seen they have no influence (bits of the result stay), where
 * they are seen the row is NaN and no other row is. Memory beyond lengths is NaN in every test that
 * uses problem.h. */
#include <math.h>

#include "problem.h"

static const float poisons[] = {NAN, INFINITY, -INFINITY, -NAN};

enum { POISONS = sizeof poisons / sizeof *poisons };

static void set_row(const float *row, int32_t n, float value) {
  for (int32_t c = 0; c < n; c++) problem_writable(row)[c] = value;
}

typedef struct setting {
  int32_t rows, keys;
  uint32_t flags;
  int32_t left;
} setting;

static const setting settings[] = {
    {1, 50, RAPT_CAUSAL, 0},
    {3, 50, RAPT_CAUSAL, 0},
    {4, 40, RAPT_CAUSAL | RAPT_WINDOW_LEFT, 6},
    {6, 50, RAPT_CAUSAL, 0},
    {40, 40, RAPT_CAUSAL, 0},
    {100, 150, RAPT_CAUSAL, 0},
    {100, 100, RAPT_CAUSAL | RAPT_WINDOW_LEFT, 30},
    {13, 230, RAPT_WINDOW_LEFT, 20},
    {2, 2030, RAPT_CAUSAL | RAPT_WINDOW_LEFT, 10},
};

enum { SETTINGS = sizeof settings / sizeof *settings };

static problem poison_problem(const setting *s, int32_t dv) {
  problem p = problem_make(2, 1, 9, dv, 1, s->rows, s->keys);
  p.desc.flags = s->flags;
  p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
  p.desc.window_left = s->left;
  return p;
}

/* Poison in key `at` (K and V): rows that may not see it keep their bits. */
static void poison_key(problem *p, const char *isa, int64_t at, float value, const float *before) {
  size_t n, dv = (size_t)p->desc.head_dim_v, rows = problem_rows(p), r = 0;
  if (!problem_run(p, isa, NULL)) return;
  float *x = problem_gather(p, &n);
  for (int32_t h = 0; h < p->desc.heads_q; h++)
    for (int64_t i = 0; i < p->args.q_len; i++, r++) {
      int64_t begin, end;
      reference_range(&p->desc, &p->args, 0, i, &begin, &end);
      if (begin <= at && at < end) continue;
      CHECK_BITS(x + r * dv, before + r * dv, dv, "%s %d x %d, key %lld = %g, row %lld", isa,
                 p->args.q_len, p->args.kv_len, (long long)at, (double)value, (long long)i);
      CHECK_BITS(x + rows * dv + r, before + rows * dv + r, 1, "%s LSE, key %lld, row %lld", isa,
                 (long long)at, (long long)i);
    }
  free(x);
}

static void forbidden_keys(int32_t dv) {
  for (int s = 0; s < SETTINGS; s++) {
    if (test_small() && settings[s].rows * settings[s].keys > 2000) continue;
    problem p = poison_problem(&settings[s], dv);
    rng r = rng_make(rapt_test_seed());
    problem_build(&p, &r);
    FOR_EACH_ISA(isa) {
      size_t n;
      if (!problem_run(&p, isa, NULL)) return;
      float *before = problem_gather(&p, &n);
      for (int32_t at = p.args.kv_len - 1; at >= 0; at -= at > 200 ? 97 : at % 8 + 1) {
        float k[16], *k_row = problem_writable(reference_k_row(&p.args, 0, 0, at));
        float v[64], *v_row = problem_writable(reference_v_row(&p.args, 0, 0, at));
        memcpy(k, k_row, 4 * (size_t)p.desc.head_dim_qk);
        memcpy(v, v_row, 4 * (size_t)dv);
        float value = poisons[at % POISONS];
        set_row(v_row, dv, value);
        if (at % 3) set_row(k_row, p.desc.head_dim_qk, value);
        poison_key(&p, isa, at, value, before);
        memcpy(k_row, k, 4 * (size_t)p.desc.head_dim_qk);
        memcpy(v_row, v, 4 * (size_t)dv);
        if (rapt_test_failed()) break;
      }
      free(before);
    }
    problem_free(&p);
  }
}

RAPT_TEST(poison_forbidden_keys) { forbidden_keys(8); }
RAPT_TEST(poison_forbidden_keys_odd_dims) { forbidden_keys(35); }

/* One seen key in V: the channel it is in becomes non-finite in the rows that see it, the reference
 * says where; all else is right. */
RAPT_TEST(poison_seen_values) {
  for (int s = 0; s < SETTINGS; s++)
    for (int kind = 0; kind < POISONS; kind++) {
      if (test_small() && settings[s].rows * settings[s].keys > 2000) continue;
      problem p = poison_problem(&settings[s], 11);
      rng r = rng_make(rapt_test_seed());
      problem_build(&p, &r);
      int32_t at = settings[s].keys - 1 - kind * settings[s].rows / 5;
      problem_writable(reference_v_row(&p.args, 0, 0, at))[kind * 3] = poisons[kind];
      char what[80];
      snprintf(what, sizeof what, "setting %d, V[%d][%d] = %g", s, at, kind * 3,
               (double)poisons[kind]);
      problem_verify_all(&p, what);
      problem_free(&p);
    }
}

/* NaN or infinity in a key that rows see: exactly those rows are NaN (the reference tells; a score of
 * -inf merely forbids). */
RAPT_TEST(poison_seen_keys) {
  for (int s = 0; s < SETTINGS; s++)
    for (int kind = 0; kind < POISONS; kind++) {
      if (test_small() && settings[s].rows * settings[s].keys > 2000) continue;
      problem p = poison_problem(&settings[s], 8);
      rng r = rng_make(rapt_test_seed());
      problem_build(&p, &r);
      int32_t at = settings[s].keys - 1 - kind * settings[s].rows / 5;
      problem_writable(reference_k_row(&p.args, 0, 0, at))[kind * 2] = poisons[kind];
      char what[80];
      snprintf(what, sizeof what, "setting %d, K[%d][%d] = %g", s, at, kind * 2,
               (double)poisons[kind]);
      problem_verify_all(&p, what);
      problem_free(&p);
    }
}

/* A NaN in a query is that row's own affair. */
RAPT_TEST(poison_queries) {
  static const int32_t rows[] = {1, 2, 3, 4, 5, 16, 33, 70};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int kind = 0; kind < POISONS; kind++) {
      problem p = problem_make(2, 1, 9, 8, 1, rows[i], 60);
      rng r = rng_make(rapt_test_seed());
      problem_build(&p, &r);
      problem_writable(reference_q_row(&p.args, 0, kind % 2, rows[i] / 2))[kind] = poisons[kind];
      char what[60];
      snprintf(what, sizeof what, "%d rows, one query with %g", rows[i], (double)poisons[kind]);
      problem_verify_all(&p, what);
      problem_free(&p);
    }
}

/* A row all of whose scores are -inf is empty, not NaN. */
RAPT_TEST(poison_all_minus_infinity) {
  for (int32_t rows = 1; rows < 40; rows += 4) {
    problem p = problem_make(1, 1, 1, 8, 1, rows, 300);
    rng r = rng_make(rapt_test_seed());
    problem_build(&p, &r);
    for (int32_t i = 0; i < rows; i++)
      *problem_writable(reference_q_row(&p.args, 0, 0, i)) = i % 2 ? 1 : -1;
    for (int32_t j = 0; j < 300; j++)
      *problem_writable(reference_k_row(&p.args, 0, 0, j)) = -INFINITY;
    problem_verify_all(&p, "scores of -inf and +inf");
    problem_free(&p);
  }
}
