/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A merge whose answer is known: scores and values of each row are drawn, the keys are dealt to partials
 * as ranges, and partials and the whole are computed in float64. */
#ifndef RAPT_TESTS_ROWS_MERGE_CASE_H
#define RAPT_TESTS_ROWS_MERGE_CASE_H

#include <stdint.h>

#include <rapt/rapt.h>

#include "common/rng.h"
#include "support/guard.h"

typedef enum merge_layout { MERGE_BHSD, MERGE_BSHD, MERGE_PADDED, MERGE_LAYOUTS } merge_layout;

typedef enum merge_form { MERGE_LSE, MERGE_SUMS, MERGE_MIXED, MERGE_FORMS } merge_form;

typedef struct merge_case {
  /* What to draw. */
  int32_t batch, heads, q_len, head_dim, n;
  merge_form form;
  merge_layout layout;
  guard_place place;
  double base, sigma; /* of the scores */
  int32_t most_keys;  /* of a row in a partial; 0 of them is an empty partial */
  int32_t sinks;      /* 1: there are some */
  int32_t partial;    /* 1: the output is a partial */
  /* What came of it. */
  rapt_merge_args args;
  rapt_merge_part *part;
  guard_buffer *buffer;
  int32_t buffers;
  double *o, *lse; /* of the whole: [row][head_dim], [row] */
} merge_case;

int64_t merge_rows(const merge_case *c);

/* Draws inputs and the answer; outputs are NaN. */
void merge_build(merge_case *c, rng *r);
void merge_free(merge_case *c);

/* Row `row` of a tensor of the case. */
float *merge_at(const merge_case *c, const void *data, const int64_t *stride, int64_t row);

/* Runs it; 1 if it succeeded. */
int merge_run(merge_case *c, const rapt_executor *executor);

/* Outputs within the bound of the answer, everything around them intact. */
int merge_verify(const merge_case *c, const char *what);

/* A copy of all output rows: o, then lse, m, l as far as there are any. */
float *merge_outputs(const merge_case *c, size_t *n);

#endif
