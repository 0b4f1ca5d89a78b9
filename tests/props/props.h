/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Helpers of the property tests: run on one thread, compare rows of two calls bit for bit. */
#ifndef RAPT_TESTS_PROPS_H
#define RAPT_TESTS_PROPS_H

#include "attention/problem.h"

/* Rows [from, from + n) of (b, h) of `p` against rows [at, ...) of (b2, h2) of `q`: O and LSE. */
static inline int props_rows_equal(const problem *p, int32_t b, int32_t h, int64_t from,
                                   const problem *q, int32_t b2, int32_t h2, int64_t at, int64_t n,
                                   const char *what) {
  int ok = 1;
  size_t dv = (size_t)p->desc.head_dim_v;
  for (int64_t i = 0; i < n && ok; i++) {
    ok &= CHECK_BITS(reference_o_row(&p->args, b, h, from + i),
                     reference_o_row(&q->args, b2, h2, at + i), dv,
                     "%s: O of sequence %d, head %d, row %lld", what, b, h, (long long)(from + i));
    if (p->args.lse.data && q->args.lse.data)
      ok &= CHECK_BITS(
          reference_lse_at(&p->args, b, h, from + i), reference_lse_at(&q->args, b2, h2, at + i), 1,
          "%s: LSE of sequence %d, head %d, row %lld", what, b, h, (long long)(from + i));
  }
  return ok;
}

static inline void props_causal(problem *p, int32_t align) {
  p->desc.flags |= RAPT_CAUSAL;
  p->desc.align = align;
}

#endif
