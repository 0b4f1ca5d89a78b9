/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What must be equal to the bit with score rules: any number of workers, a boolean mask of ones and no
 * mask, a boolean mask and the rule it spells out, the kinds of boolean mask. */
#include "rule_run.h"

static int same(const problem *p, const float *expected, const char *isa, const char *what) {
  size_t n;
  float *x = problem_gather(p, &n);
  int ok = CHECK_BITS(x, expected, n, "%s %s", isa, what);
  free(x);
  return ok;
}

static int32_t scrambled(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  (void)ctx;
  for (int32_t i = 0; i < n; i++) fn(arg, n - 1 - i);
  return 0;
}

/* Workers split the keys into tasks: 1, 2, 3 of them, one after the other. */
static void any_workers(int32_t q_len, int32_t kv_len) {
  for (size_t c = 0; c < rule_case_count && !rapt_test_failed(); c++) {
    rule_case one = rule_cases[c];
    rule_arrays arrays;
    if (one.slices || (test_small() && c % 7)) continue;
    one.seed = rapt_test_seed() + c;
    one.batch = one.batch > 2 ? 2 : one.batch;
    one.heads_q = one.heads_kv = 1;
    one.q_len = q_len;
    one.kv_len = kv_len;
    problem p = rule_build(&one, &arrays);
    FOR_EACH_ISA(isa) {
      size_t n;
      if (!problem_run(&p, isa, &serial_executor)) break;
      float *expected = problem_gather(&p, &n);
      for (int32_t workers = 2; workers <= 3; workers++) {
        rapt_executor executor = {
            .size = sizeof executor, .max_workers = workers, .parallel = scrambled};
        if (problem_run(&p, isa, &executor)) same(&p, expected, isa, one.name);
      }
      free(expected);
    }
    problem_free(&p);
  }
}

RAPT_TEST(rules_bits_of_any_workers) { any_workers(23, 150); }
RAPT_TEST(rules_bits_of_any_workers_decode) { any_workers(1, 2100); }
RAPT_TEST(rules_bits_of_any_workers_split_panel) { any_workers(6, smaller(4100, 2100)); }

/* Two problems of the same numbers, which differ in how a rule is said. */
static void equal(rule_case a, rule_case b, const char *what) {
  rule_arrays of_a, of_b;
  problem p = rule_build(&a, &of_a), q = rule_build(&b, &of_b);
  FOR_EACH_ISA(isa) {
    size_t n;
    if (!problem_run(&p, isa, NULL) || !problem_run(&q, isa, NULL)) break;
    float *expected = problem_gather(&p, &n);
    same(&q, expected, isa, what);
    free(expected);
  }
  problem_free(&p);
  problem_free(&q);
}

static const int32_t sizes[][2] = {{1, 1},   {1, 70},   {3, 200}, {12, 31},
                                   {33, 33}, {64, 150}, {40, 300}};

enum { SIZES = sizeof sizes / sizeof *sizes };

RAPT_TEST(rules_ones_are_no_mask) {
  for (int s = 0; s < SIZES; s++)
    for (int type = RAPT_MASK_BOOL; type <= RAPT_MASK_BITS; type++)
      for (int causal = 0; causal < 2 && !rapt_test_failed(); causal++) {
        rule_case a = {.q_len = sizes[s][0], .kv_len = sizes[s][1], .seed = rapt_test_seed()};
        if (causal) a.flags = RAPT_CAUSAL, a.align = RAPT_ALIGN_BOTTOM_RIGHT;
        rule_case b = a;
        b.mask = type;
        b.of_mask.pattern = PATTERN_ONES;
        b.of_mask.one = s % 2 ? 6 : 0;
        equal(a, b, "a mask of ones");
      }
}

RAPT_TEST(rules_causal_mask_is_causal) {
  for (int s = 0; s < SIZES; s++)
    for (int type = RAPT_MASK_BOOL; type <= RAPT_MASK_BITS && !rapt_test_failed(); type++) {
      rule_case a = {.q_len = sizes[s][0], .kv_len = sizes[s][1], .seed = rapt_test_seed()};
      rule_case b = a;
      a.flags = RAPT_CAUSAL;
      a.align = RAPT_ALIGN_TOP_LEFT;
      b.mask = type;
      b.of_mask.pattern = PATTERN_CAUSAL;
      equal(a, b, "causal as a mask");
    }
}

/* Bytes, bits, and additive masks of 0 and -inf among themselves. */
RAPT_TEST(rules_kinds_of_mask_agree) {
  static const mask_pattern patterns[] = {PATTERN_CAUSAL, PATTERN_BLOCKS, PATTERN_PADDING,
                                          PATTERN_CELLS, PATTERN_NOTHING};
  for (int s = 0; s < SIZES; s++)
    for (int x = 0; x < 5; x++)
      for (int type = RAPT_MASK_BITS; type <= RAPT_MASK_BF16 && !rapt_test_failed(); type++) {
        rule_case a = {.q_len = sizes[s][0], .kv_len = sizes[s][1], .seed = rapt_test_seed()};
        a.mask = type > RAPT_MASK_F32 ? RAPT_MASK_F32 : RAPT_MASK_BOOL;
        a.of_mask.pattern = patterns[x];
        rule_case b = a;
        b.mask = type;
        if (type == RAPT_MASK_F32) continue; /* natural scores: other bits than a boolean mask */
        equal(a, b, "kinds of mask");
      }
}

/* A sequence's bits do not depend on its companions, whatever masks they have. */
RAPT_TEST(rules_bits_in_company) {
  for (size_t c = 0; c < rule_case_count && !rapt_test_failed(); c++) {
    rule_case many = rule_cases[c];
    rule_arrays arrays;
    if (many.slices || many.scores.wanted) continue;
    many.seed = rapt_test_seed() + c;
    many.batch = 4;
    many.q_lengths = many.kv_lengths = LENGTHS_LIST;
    problem p = rule_build(&many, &arrays);
    FOR_EACH_ISA(isa) {
      size_t n, rows, dv = (size_t)p.desc.head_dim_v;
      if (!problem_run(&p, isa, NULL)) break;
      float *all = problem_gather(&p, &n);
      int32_t q_lens[4], kv_lens[4], alone = 1;
      memcpy(q_lens, p.args.q_lens, sizeof q_lens);
      memcpy(kv_lens, p.args.kv_lens, sizeof kv_lens);
      for (int32_t b = 0; b < 4; b++)
        if (b != alone) arrays.q_lens[b] = 0; /* and keys of the others are not needed either */
      if (problem_run(&p, isa, NULL)) {
        float *one = problem_gather(&p, &rows);
        size_t before = (size_t)q_lens[0] * (size_t)p.desc.heads_q * dv;
        CHECK_BITS(one, all + before, (size_t)q_lens[1] * (size_t)p.desc.heads_q * dv,
                   "%s %s: alone and in company", isa, many.name);
        free(one);
      }
      memcpy(arrays.q_lens, q_lens, sizeof q_lens);
      free(all);
    }
    problem_free(&p);
  }
}
