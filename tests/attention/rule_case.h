/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A call as plain data: the table of rule cases, the random generator and the fault injection all
 * make their problems from this. */
#ifndef RAPT_TESTS_ATTENTION_RULE_CASE_H
#define RAPT_TESTS_ATTENTION_RULE_CASE_H

#include "problem.h"

enum { RULE_MAX_BATCH = 6 };

/* Lengths of one side of a batch. */
enum { LENGTHS_EQUAL, LENGTHS_LIST, LENGTHS_PACKED, LENGTHS_KINDS };

typedef enum rule_inputs {
  INPUTS_NORMAL,
  INPUTS_ZERO,   /* q = k = 0: every score is 0 */
  INPUTS_PEAKED, /* q.k = j + 1 or its negative: with a huge scale one key takes all, exactly */
  INPUTS_LARGE,  /* scores of some hundreds */
  INPUTS_NAN_K,  /* NaN in one key that rows may see */
  INPUTS_NAN_Q,
  INPUTS_INF_V, /* infinity in one channel of one value */
  INPUTS_INF_K,
  INPUTS_KINDS
} rule_inputs;

typedef struct rule_case {
  const char *name;
  int32_t heads_q, heads_kv, dqk, dv, batch, q_len, kv_len; /* 0: 4, 2, 8, 8, 2, 13, 37 */
  uint32_t flags;
  int32_t align, left, right, keep;
  float scale, softcap;
  int mask; /* RAPT_MASK_* */
  problem_mask of_mask;
  int sinks, q_lengths, kv_lengths, positions; /* positions: 1: past the keys, too */
  rule_inputs inputs;
  problem_scores scores;
  int layout, place, wild, kv_shared, no_lse;
  int slices; /* > 1: keys in so many slices, partial results joined in float64 */
  int32_t workers;
  uint64_t seed;
} rule_case;

/* What args point to besides the problem's own memory. */
typedef struct rule_arrays {
  int32_t q_lens[RULE_MAX_BATCH], kv_lens[RULE_MAX_BATCH], positions[RULE_MAX_BATCH];
  int32_t q_offsets[RULE_MAX_BATCH + 1], kv_offsets[RULE_MAX_BATCH + 1];
} rule_arrays;

/* The table (rule_table.c). */
extern const rule_case rule_cases[];
extern const size_t rule_case_count;

/* The case's problem, built. `arrays` must outlive it. */
problem rule_build(const rule_case *c, rule_arrays *arrays);

/* The case on one line. */
void rule_print(const rule_case *c, char *text, size_t size);

/* What computes a problem: the library, or a model with a fault. Fills the outputs. */
typedef struct rule_engine {
  int (*run)(problem *p, void *ctx); /* 1: done */
  /* (m, l, o[dv]) joined with (m2, l2, o2). */
  void (*join)(double *m, double *l, double *o, double m2, double l2, const double *o2, int32_t dv,
               void *ctx);
  void *ctx;
} rule_engine;

/* (m, l, o) joined with (m2, l2, o2) in float64. */
void rule_join(double *m, double *l, double *o, double m2, double l2, const double *o2, int32_t dv,
               void *ctx);

/* Runs the case's problem (in slices, where it says so). 0: the engine refused. */
int rule_run(const rule_case *c, problem *p, const rule_engine *engine);

#endif
