/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The score rules that suite_rules.c measures: what each adds to a call, and what it makes of one score,
 * for the check. */
#ifndef RAPT_BENCH_RULES_H
#define RAPT_BENCH_RULES_H

#include <rapt/rapt.h>

#include "data.h"
#include "shape.h"

typedef enum bench_rule {
  BENCH_RULE_NONE,
  BENCH_ADDITIVE_F32, /* a random bias for every pair */
  BENCH_ADDITIVE_F16,
  BENCH_ADDITIVE_BF16,
  BENCH_ADDITIVE_FACTORS, /* f32, a factor per head */
  BENCH_BOOLEAN,          /* a random half of all pairs */
  BENCH_BITS,             /* the same half */
  BENCH_PADDING,          /* boolean, one row for all queries: the last eighth is forbidden */
  BENCH_PADDING_EIGHTH,   /* an eighth here and there */
  BENCH_PADDING_HALF,     /* half of the keys here and there */
  BENCH_SOFTCAP,
  BENCH_ALIBI,
  BENCH_SINKS,
  BENCH_PARTIAL,
  BENCH_WEIGHTS,    /* of BENCH_WEIGHT_ROWS rows */
  BENCH_WINDOW,     /* with shape.causal: BENCH_WINDOW_KEYS keys, the query's own included */
  BENCH_DOCUMENTS,  /* boolean: sequences in one row of tokens, every token sees all of its own */
  BENCH_CAUSAL_F16, /* 0 and -inf, as engines build it for one sequence */
  BENCH_UNIFIED,    /* 0 and -inf: cells of several sequences in turns, tokens grouped */
  BENCH_UNIFIED_INTERLEAVED, /* tokens in turns too */
  BENCH_CAUSAL_END,          /* no mask: the last query stands at the last key */
  BENCH_RULES
} bench_rule;

enum { BENCH_SEQUENCES = 8, BENCH_WINDOW_KEYS = 512, BENCH_WEIGHT_ROWS = 16 };

typedef struct bench_rules {
  bench_rule rule;
  bench_shape shape;
  bench_buffer mask, per_head, sums, weights; /* sums: m, then l */
  int32_t rows[BENCH_WEIGHT_ROWS];
  rapt_scores_out scores;
} bench_rules;

const char *bench_rule_name(bench_rule rule);

/* Permitted pairs of one head of one sequence. */
double bench_rule_pairs(bench_rule rule, const bench_shape *shape);

/* 0, or -1 when there is no memory. Either way close it. */
int bench_rules_open(bench_rules *r, bench_rule rule, const bench_shape *shape);
void bench_rules_close(bench_rules *r);

/* What the rule adds to a description and to arguments that are complete without it. The arguments point into
 * r, which must stay where it is. */
void bench_rules_describe(const bench_rules *r, rapt_attention_desc *desc);
void bench_rules_apply(bench_rules *r, rapt_attention_args *args);

/* The score of a pair whose scaled product is `raw`; -inf if the key is not visible. */
double bench_rules_score(const bench_rules *r, int32_t head, int32_t query, int32_t key,
                         double raw);

/* What the denominator of a row has besides its keys, as a score: -inf for nothing. */
double bench_rules_sink(const bench_rules *r, int32_t head);

/* The divisor that the row of O still lacks: 1 unless the result is partial. */
double bench_rules_divisor(const bench_rules *r, int32_t b, int32_t head, int32_t query);

/* The weights that the last run gave out for this row, or NULL if it was not asked for. */
const float *bench_rules_weights(const bench_rules *r, int32_t b, int32_t head, int32_t query);

#endif
