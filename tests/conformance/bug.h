/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Public bug reports of attention kernels as small inputs with the right value. Shorthand of all of
 * them: Q = K = 0 makes every score 0, so a row is the mean of the V rows it sees and LSE the logarithm
 * of their number; V[j] = j shows which they were. */
#ifndef RAPT_TESTS_CONFORMANCE_BUG_H
#define RAPT_TESTS_CONFORMANCE_BUG_H

#include <math.h>

#include "attention/problem.h"

/* Builds p with Q = K = 0 and V[j] = j. */
static inline void bug_build(problem *p) {
  rng r = rng_make(1);
  p->sigma = 0;
  problem_build(p, &r);
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t h = 0; h < p->desc.heads_kv; h++)
      for (int64_t j = 0; j < reference_kv_len(&p->args, b); j++)
        for (int32_t c = 0; c < p->desc.head_dim_v; c++)
          problem_writable(reference_v_row(&p->args, b, h, j))[c] = (float)j;
}

static inline void bug_set(problem *p, int tensor, int32_t b, int32_t h, int64_t row, int32_t c,
                           float value) {
  const float *at = tensor == TENSOR_Q   ? reference_q_row(&p->args, b, h, row)
                    : tensor == TENSOR_K ? reference_k_row(&p->args, b, h, row)
                                         : reference_v_row(&p->args, b, h, row);
  problem_writable(at)[c] = value;
}

/* Every channel of row (b, h, i) is `y` and its LSE `lse`, to 1e-6 relative. */
static inline int bug_row_of(const problem *p, const char *isa, int32_t b, int32_t h, int64_t i,
                             double y, double lse) {
  int ok = 1;
  const float *o = reference_o_row(&p->args, b, h, i), *l = reference_lse_at(&p->args, b, h, i);
  for (int32_t c = 0; c < p->desc.head_dim_v && ok; c++)
    ok = CHECK_CLOSE(o + c, &y, 1, 1e-6, 1e-6, "%s row %lld (sequence %d, head %d), channel %d",
                     isa, (long long)i, b, h, c);
  if (l) ok &= CHECK_CLOSE(l, &lse, 1, 1e-6, 1e-6, "%s LSE of row %lld", isa, (long long)i);
  return ok;
}

static inline int bug_row(const problem *p, const char *isa, int64_t i, double y, double lse) {
  return bug_row_of(p, isa, 0, 0, i, y, lse);
}

#define BUG_EMPTY (-(double)INFINITY)

/* Gives p, which was built without one, a mask of `kind` that ends at a guard page: `values` are
 * [extent[0]]..[extent[3]], -inf forbids. Bits beyond the keys stay 1. */
static inline void bug_mask(problem *p, int kind, const int32_t extent[4], const float *values) {
  int64_t size = mask_element_size(kind), n = extent[3], row = n * size;
  int64_t rows = (int64_t)extent[0] * extent[1] * extent[2];
  if (kind == RAPT_MASK_BITS) row = (n + 31) / 32 * 4;
  if (p->extra[EXTRA_MASK].map) guard_free(&p->extra[EXTRA_MASK]);
  p->extra[EXTRA_MASK] = guard_alloc((size_t)(rows * row), GUARD_END, (size_t)size);
  char *data = p->extra[EXTRA_MASK].data;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t j = 0; j < n; j++)
      mask_put(kind, data + r * row, j, size, (double)values[r * n + j]);
  int64_t head = extent[2] * row;
  p->desc.mask = kind;
  p->args.mask = (rapt_mask){.data = data, .stride = {extent[1] * head, head, row, size}};
  memcpy(p->args.mask.extent, extent, sizeof p->args.mask.extent);
}

#endif
