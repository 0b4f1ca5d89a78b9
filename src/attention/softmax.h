/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef RAPT_ATTENTION_SOFTMAX_H
#define RAPT_ATTENTION_SOFTMAX_H

#include <rapt/rapt.h>

#include "../kernels/kernel_set.h"

/* A softmax in work: checked arguments and what follows from them. */
typedef struct rapt_softmax_call {
  rapt_softmax_args args;
  const rapt_kernel_set *set;
  int32_t prepare; /* elements go through set->softmax.prepare with `before` */
  float before;    /* factor before the maximum is taken: +-1, or the scale where it must be */
  float after;     /* factor of the differences to the maximum, > 0 */
} rapt_softmax_call;

/* Fills in the rest from args and set; scale is scale / temperature. */
void rapt_softmax_plan(rapt_softmax_call *call, float scale);

/* Rows [first, last); row (i0 * extent[1] + i1) * extent[2] + i2. `call` is a rapt_softmax_call. */
void rapt_softmax_rows(const void *call, int64_t first, int64_t last);

#endif
