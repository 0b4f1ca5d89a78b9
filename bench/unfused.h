/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attention as two matrix products of OpenBLAS around a softmax over a stored matrix of scores. */
#ifndef RAPT_BENCH_UNFUSED_H
#define RAPT_BENCH_UNFUSED_H

#include "data.h"
#include "shape.h"

/* S = scale Q K^T for a head at a time, masked softmax of S, O = S V. With at least as many heads as
 * threads each thread works on its own head and its own S, which is the fastest way; otherwise
 * OpenBLAS gets the threads. For a single query the heads that share K and V are the rows of one
 * product, so that K and V are read once. S lies in huge pages. */
typedef struct bench_unfused {
  bench_shape shape;
  const float *q, *k, *v; /* the caller sets these and o before a run */
  float *o;
  bench_buffer scores;
  int32_t group; /* query heads in one product: those of a KV head for a single query, else 1 */
  int32_t teams; /* products at a time */
} bench_unfused;

/* Memory for S. 0, or -1 if there is none; either way release it. */
int bench_unfused_prepare(bench_unfused *u, const bench_shape *shape);
void bench_unfused_run(void *unfused);
void bench_unfused_release(bench_unfused *u);

/* E.g. "OpenBLAS SkylakeX". */
const char *bench_blas_name(void);

#endif
