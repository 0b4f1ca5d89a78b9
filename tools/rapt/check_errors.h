/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Errors beside float64, collected and judged. */
#ifndef RAPT_TOOL_CHECK_ERRORS_H
#define RAPT_TOOL_CHECK_ERRORS_H

#include <stddef.h>
#include <stdint.h>

/* Absolute and relative, for unit-normal inputs: docs/numerics.md. */
#define CHECK_BOUND 2e-6

typedef struct errors {
  double largest; /* of elements that are finite in both */
  size_t beyond;  /* elements beyond the bound */
  size_t n;
  double least, most; /* bounds that were allowed */
} errors;

/* Rounding errors grow with the scores; the bounds are stated for unit-normal inputs, whose largest are
 * about 4. Keys far below the largest score weigh nothing, whatever a mask has added to them. */
double errors_looseness(const double *score, int64_t n);

/* Elements may differ by bound + bound * |ref|. */
void errors_add(errors *e, const float *got, const double *ref, size_t n, double bound);

/* Adds those of another worker. */
void errors_join(errors *e, const errors *other);

/* "check     ok: largest error ..." without the end of the line. 1 if nothing is beyond its bound and
 * `ok`. */
int errors_print(const char *what, const errors *e, int ok);

#endif
