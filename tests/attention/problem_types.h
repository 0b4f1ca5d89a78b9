/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A problem: one attention call with all its memory, and what is asked of that memory. */
#ifndef RAPT_TESTS_ATTENTION_PROBLEM_TYPES_H
#define RAPT_TESTS_ATTENTION_PROBLEM_TYPES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rapt/rapt.h>

#include "common/reference.h"
#include "common/rng.h"
#include "support/guard.h"

typedef enum problem_layout {
  LAYOUT_BHSD,
  LAYOUT_BSHD,
  LAYOUT_SBHD,     /* token outermost */
  LAYOUT_VIEW,     /* BHSD in a larger buffer: gaps after rows, heads and sequences */
  LAYOUT_REVERSED, /* inputs with negative token and head strides */
  LAYOUT_PACKED,   /* q, k, v side by side in one row per token (needs q_len = kv_len) */
  LAYOUTS
} problem_layout;

static const char *const problem_layout_names[LAYOUTS] = {"bhsd", "bshd",     "sbhd",
                                                          "view", "reversed", "packed"};

enum { TENSOR_Q, TENSOR_K, TENSOR_V, TENSOR_O, TENSOR_LSE, TENSOR_M, TENSOR_L, TENSORS };

/* What else a call points to. */
enum {
  EXTRA_MASK,
  EXTRA_FACTORS,
  EXTRA_SLOPES,
  EXTRA_SINKS,
  EXTRA_PREFIX,
  EXTRA_SCORES_OUT, /* the struct */
  EXTRA_ROWS,
  EXTRA_HEADS,
  EXTRA_SCORES,
  EXTRA_KEY_SUMS,
  EXTRAS
};

/* What a mask says; of the boolean kinds, which keys it permits. */
typedef enum mask_pattern {
  PATTERN_RANDOM,     /* a quarter forbidden, normal biases */
  PATTERN_ONES,       /* everything permitted, no bias */
  PATTERN_NOTHING,    /* everything forbidden */
  PATTERN_BIAS,       /* normal biases, nothing forbidden */
  PATTERN_CAUSAL,     /* key <= query, no bias */
  PATTERN_BLOCKS,     /* block-diagonal: four documents */
  PATTERN_PADDING,    /* the first so many keys of each sequence */
  PATTERN_SPARSE,     /* one key of sixteen */
  PATTERN_CELLS,      /* a unified cache: sequences interleaved, causal in each */
  PATTERN_EMPTY_ROWS, /* every other query sees nothing */
  PATTERN_LOWEST,     /* the lowest finite number of the type in place of -inf */
  PATTERN_LOWEST_ALL, /* nothing but that */
  PATTERN_TINY,       /* half of all f16 are subnormal; for large factors */
  PATTERN_INFINITE,   /* +inf at some keys, NaN at others: few rows survive */
  PATTERN_FINE,       /* multiples of 2^-6 up to 4: bfloat16 holds what f16 does not and v.v. */
  PATTERNS
} mask_pattern;

typedef enum mask_layout {
  MASK_DENSE,
  MASK_VIEW,        /* gaps after rows, heads and sequences */
  MASK_REVERSED,    /* negative key and query strides */
  MASK_SPACED,      /* two elements between keys */
  MASK_KEY_MAJOR,   /* key outermost, head innermost */
  MASK_QUERY_MAJOR, /* query outside of heads and sequences */
  MASK_LAYOUTS
} mask_layout;

typedef struct problem_mask {
  mask_pattern pattern;
  mask_layout layout;
  uint32_t one;   /* bit x: extent x is 1 */
  uint32_t still; /* bit x: extent x is full, its stride 0 */
  int32_t more;   /* extents are larger than needed by so much */
  int factors;    /* FACTORS_* */
} problem_mask;

enum { FACTORS_NONE, FACTORS_NORMAL, FACTORS_HUGE, FACTORS_KINDS };
enum { SINKS_NONE, SINKS_NORMAL, SINKS_HIGH, SINKS_LOW, SINKS_OFF, SINKS_MIXED, SINKS_KINDS };
enum { ROWS_ALL, ROWS_LAST, ROWS_SOME, ROWS_KINDS };

typedef struct problem_scores {
  int wanted; /* 0: no scores_out */
  int stage;
  int rows;  /* ROWS_* */
  int heads; /* chosen heads, not all */
  int no_data, sums;
  int32_t gap; /* floats between rows */
} problem_scores;

typedef struct problem {
  rapt_attention_desc desc;
  rapt_attention_args args;
  problem_layout layout;
  guard_place place;
  double sigma;      /* of q and k; v is unit normal */
  double loose;      /* factor on the accuracy bounds: 1 for unit-normal inputs */
  int by_score;      /* looser where a row's leading scores are larger than unit-normal ones */
  int no_lse;        /* call without LSE */
  int kv_shared;     /* K and V once for all sequences: batch stride 0 */
  int wild_strides;  /* garbage where a stride must be ignored */
  int32_t workers;   /* 0 = as many as the executor has */
  problem_mask mask; /* with desc.mask */
  int sinks;         /* SINKS_* */
  problem_scores scores;
  void (*change_plan)(rapt_plan *plan, const void *to); /* NULL, or called before each run */
  const void *change_to;

  guard_buffer buffer[TENSORS], extra[EXTRAS];
  /* Computed once, at the first comparison; rows as problem_gather counts them. */
  double *ref_o, *ref_lse, *ref_m, *ref_l, *ref_scores, *ref_sums;
  double *row_loose; /* of each row */
  double loosest;    /* of all rows */
} problem;

static inline problem problem_make(int32_t heads_q, int32_t heads_kv, int32_t dqk, int32_t dv,
                                   int32_t batch, int32_t q_len, int32_t kv_len) {
  problem p = {.sigma = 1, .loose = 1};
  p.desc = (rapt_attention_desc){.size = sizeof p.desc,
                                 .heads_q = heads_q,
                                 .heads_kv = heads_kv,
                                 .head_dim_qk = dqk,
                                 .head_dim_v = dv};
  p.args = (rapt_attention_args){
      .size = sizeof p.args, .batch = batch, .q_len = q_len, .kv_len = kv_len};
  return p;
}

static inline float *problem_writable(const float *row) { return (float *)(uintptr_t)row; }

static inline void *problem_memory(size_t bytes) {
  void *memory = calloc(bytes + 1, 1);
  if (!memory) exit(2);
  return memory;
}

#endif
