/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls with score rules, and with scores, weights or key sums out, for the thread tests. */
#ifndef RAPT_TESTS_THREADS_RULE_LOADS_H
#define RAPT_TESTS_THREADS_RULE_LOADS_H

#include "loads.h"

enum {
  RULES_MASK,  /* one mask for all heads: tiles are remembered across tasks */
  RULES_LOOK,  /* weights of all rows and key sums */
  RULES_SPLIT, /* a decode step over several splits, weights and key sums out */
  RULES_ALL,   /* everything at once, ragged */
  RULES_PARTIAL,
  RULE_LOADS
};

static const char *const rule_load_names[RULE_LOADS] = {"mask", "look", "split", "all", "partial"};

static inline problem rule_load_make(int kind) {
  static const int32_t q_lens[] = {33, 0, 5, 1}, kv_lens[] = {70, 9, 0, 150};
  rng r = rng_make(rapt_test_seed());
  problem p = problem_make(4, 2, 16, 16, 2, smaller(130, 40), smaller(300, 90));
  p.desc.mask = RAPT_MASK_F16;
  p.mask = (problem_mask){.pattern = PATTERN_BLOCKS, .one = 2};
  switch (kind) {
  case RULES_MASK:
    break;
  case RULES_LOOK:
    p.desc.mask = RAPT_MASK_BOOL;
    p.mask = (problem_mask){.pattern = PATTERN_RANDOM};
    p.scores = (problem_scores){.wanted = 1, .stage = RAPT_STAGE_WEIGHTS, .sums = 1};
    break;
  case RULES_SPLIT:
    p = problem_make(4, 2, 16, 16, 1, 1, smaller(6100, 2100));
    p.desc.mask = RAPT_MASK_BITS;
    p.desc.softcap = 5;
    p.scores = (problem_scores){.wanted = 1, .stage = RAPT_STAGE_WEIGHTS, .sums = 1};
    break;
  case RULES_ALL:
    p = problem_make(4, 2, 16, 16, 4, 33, 150);
    p.args.q_lens = q_lens;
    p.args.kv_lens = kv_lens;
    p.desc.flags = RAPT_CAUSAL | RAPT_WINDOW_LEFT | RAPT_ALIBI | RAPT_PREFIX;
    p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
    p.desc.window_left = 40;
    p.desc.window_keep = 3;
    p.desc.softcap = 3;
    p.desc.mask = RAPT_MASK_F32;
    p.mask.factors = FACTORS_NORMAL;
    p.sinks = SINKS_MIXED;
    p.scores = (problem_scores){
        .wanted = 1, .stage = RAPT_STAGE_BIAS, .rows = ROWS_SOME, .heads = 1, .sums = 1};
    break;
  default:
    p = problem_make(2, 2, 16, 16, 1, 7, smaller(4100, 2100));
    p.desc.flags = RAPT_PARTIAL;
    p.desc.mask = RAPT_MASK_BF16;
    break;
  }
  problem_build(&p, &r);
  return p;
}

/* Calls `each` for every level, until one is wrong on a single thread already. */
static inline void rule_load_each_level(int kind, void (*each)(const load *l)) {
  problem p = rule_load_make(kind);
  FOR_EACH_ISA(isa) {
    size_t n;
    float *expected = load_expected(&p, isa, rule_load_names[kind], &n);
    if (!expected) break;
    load l = {kind, &p, isa, expected};
    each(&l);
    free(expected);
  }
  problem_free(&p);
}

#define RULE_LOAD_TESTS(prefix, each)                                    \
  RAPT_TEST(prefix##_mask) { rule_load_each_level(RULES_MASK, each); }   \
  RAPT_TEST(prefix##_look) { rule_load_each_level(RULES_LOOK, each); }   \
  RAPT_TEST(prefix##_split) { rule_load_each_level(RULES_SPLIT, each); } \
  RAPT_TEST(prefix##_all) { rule_load_each_level(RULES_ALL, each); }     \
  RAPT_TEST(prefix##_partial) { rule_load_each_level(RULES_PARTIAL, each); }

#endif
