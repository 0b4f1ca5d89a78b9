/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A softmax of any layout and mask, and its answer in float64. */
#ifndef RAPT_TESTS_ROWS_SOFTMAX_CASE_H
#define RAPT_TESTS_ROWS_SOFTMAX_CASE_H

#include <stdint.h>

#include <rapt/rapt.h>

#include "common/rng.h"
#include "support/guard.h"

enum { SOFTMAX_BUFFERS = 4 };

typedef struct softmax_case {
  rapt_softmax_args args;
  int32_t in_place;
  guard_place place;
  guard_buffer buffer[SOFTMAX_BUFFERS]; /* x, y (if not in place), mask, factors */
  int32_t buffers;
  double *want;   /* [row][length]; NaN: NaN */
  double *coarse; /* [row]: further error to allow where an additive mask rounds large scores */
} softmax_case;

/* extent, length, flags, scale, temperature, mask_kind and in_place are set before: strides are drawn
 * (any order of the dimensions, padding, for x also reversed or broadcast), and the mask's extents. */
void softmax_build(softmax_case *c, rng *r, double sigma);
void softmax_free(softmax_case *c);

int64_t softmax_rows(const softmax_case *c);
float *softmax_x(const softmax_case *c, int64_t row, int32_t i);
float *softmax_y(const softmax_case *c, int64_t row, int32_t i);

/* Works the answer out again, from what x and mask hold now. */
void softmax_answer(softmax_case *c);

/* Runs and compares: each element within 2e-6 + 2e-6 |ref| (and what a large mask rounds away), rows sum to 1 within 1e-6, nothing beside
 * the output is written. In place, x is lost. */
int softmax_verify(softmax_case *c, const char *isa, const char *what);

#endif
