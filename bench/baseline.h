/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the library is compared with: attention as two matrix products around a softmax over a stored
 * matrix of scores. */
#ifndef RAPT_BENCH_BASELINE_H
#define RAPT_BENCH_BASELINE_H

#include "problem.h"

/* Must run first in main: lets OpenBLAS choose the kernels for this CPU even if the environment
 * forces others (OPENBLAS_CORETYPE), and AVX-512 ones if it takes a newer CPU for an AVX2 machine. Set
 * RAPT_BENCH_BLAS=keep to leave its environment alone. */
void bench_blas_open(char **argv);

/* E.g. "OpenBLAS SkylakeX". */
const char *bench_blas_name(void);

/* S = scale Q K^T for a head at a time, masked softmax of S, O = S V. With at least as many heads as
 * threads each thread works on its own head and its own S, which is the fastest way; otherwise
 * OpenBLAS gets the threads. For a single query the heads that share K and V are the rows of one
 * product, so that K and V are read once. S lies in huge pages. */
typedef struct bench_unfused {
  const bench_problem *problem;
  bench_buffer scores, o;
  int32_t group; /* query heads in one product: those of a KV head for a single query, else 1 */
  int32_t teams; /* products at a time */
} bench_unfused;

int bench_unfused_open(bench_unfused *u, const bench_problem *problem, char *why, size_t size);
void bench_unfused_run(void *unfused);
void bench_unfused_close(bench_unfused *u);

/* Plain C loops, one row of scores at a time, as one would write them first. One thread. */
void bench_naive(const bench_problem *problem, float *scores, float *o);

#endif
