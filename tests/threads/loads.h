/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls that exercise each way the engine cuts work, for the thread tests. */
#ifndef RAPT_TESTS_THREADS_LOADS_H
#define RAPT_TESTS_THREADS_LOADS_H

#include "attention/problem.h"

enum {
  LOAD_PREFILL,     /* several heads, full */
  LOAD_CAUSAL,      /* one head, uneven tasks */
  LOAD_DECODE,      /* one row, several splits */
  LOAD_GROUP,       /* eight rows of a group, several splits */
  LOAD_RAGGED,      /* long and short sequences in one batch */
  LOAD_LONG_PROMPT, /* prefill across a split */
  LOADS
};

static inline problem load_make(int kind, rng *r) {
  static const int32_t q_lens[] = {1, 0, 33, 5, 1, 17}, kv_lens[] = {4100, 60, 33, 0, 7, 300};
  problem p;
  switch (kind) {
  case LOAD_PREFILL:
    p = problem_make(4, 2, 32, 32, 2, 65, 65);
    break;
  case LOAD_CAUSAL:
    p = problem_make(1, 1, 16, 16, 1, smaller(400, 60), smaller(400, 60));
    break;
  case LOAD_DECODE:
    p = problem_make(2, 2, 32, 32, 1, 1, smaller(8100, 4100));
    break;
  case LOAD_GROUP:
    p = problem_make(8, 1, 16, 16, 1, 1, smaller(6100, 2100));
    break;
  case LOAD_RAGGED:
    p = problem_make(2, 1, 16, 16, 6, 33, 4100);
    break;
  default:
    p = problem_make(1, 1, 8, 8, 1, smaller(130, 6), smaller(4150, 2100));
    break;
  }
  if (kind == LOAD_RAGGED) p.args.q_lens = q_lens, p.args.kv_lens = kv_lens;
  if (kind == LOAD_CAUSAL || kind == LOAD_RAGGED || kind == LOAD_LONG_PROMPT) {
    p.desc.flags = RAPT_CAUSAL;
    p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
  }
  problem_build(&p, r);
  return p;
}

static const char *const load_names[LOADS] = {"prefill", "causal", "decode",
                                              "group",   "ragged", "long prompt"};

/* The result on one thread, checked against float64; NULL after a failure. Caller frees. */
static inline float *load_expected(problem *p, const char *isa, const char *what, size_t *n) {
  if (!problem_run(p, isa, &serial_executor) || !problem_compare(p, isa, what)) return NULL;
  return problem_gather(p, n);
}

static inline int load_same(const problem *p, const float *expected, const char *what) {
  size_t n;
  float *x = problem_gather(p, &n);
  int ok = CHECK_BITS(x, expected, n, "%s", what);
  free(x);
  return ok;
}

/* A load on one level, with the result it must have. */
typedef struct load {
  int kind;
  problem *p;
  const char *isa;
  const float *expected;
} load;

/* Calls `each` for every level, until one is wrong on a single thread already. */
static inline void load_each_level(int kind, void (*each)(const load *l)) {
  rng r = rng_make(rapt_test_seed());
  problem p = load_make(kind, &r);
  FOR_EACH_ISA(isa) {
    size_t n;
    float *expected = load_expected(&p, isa, load_names[kind], &n);
    if (!expected) break;
    load l = {kind, &p, isa, expected};
    each(&l);
    free(expected);
  }
  problem_free(&p);
}

/* A test of each load: <prefix>_prefill, <prefix>_causal, ... */
#define LOAD_TESTS(prefix, each)                                       \
  RAPT_TEST(prefix##_prefill) { load_each_level(LOAD_PREFILL, each); } \
  RAPT_TEST(prefix##_causal) { load_each_level(LOAD_CAUSAL, each); }   \
  RAPT_TEST(prefix##_decode) { load_each_level(LOAD_DECODE, each); }   \
  RAPT_TEST(prefix##_group) { load_each_level(LOAD_GROUP, each); }     \
  RAPT_TEST(prefix##_ragged) { load_each_level(LOAD_RAGGED, each); }   \
  RAPT_TEST(prefix##_long_prompt) { load_each_level(LOAD_LONG_PROMPT, each); }

#endif
