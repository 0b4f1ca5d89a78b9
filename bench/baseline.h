/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the library is compared with: the unfused path and naive loops over the tensors of a problem. */
#ifndef RAPT_BENCH_BASELINE_H
#define RAPT_BENCH_BASELINE_H

#include "problem.h"
#include "unfused.h"

/* Must run first in main: lets OpenBLAS choose the kernels for this CPU even if the environment
 * forces others (OPENBLAS_CORETYPE), and AVX-512 ones if it takes a newer CPU for an AVX2 machine. Set
 * RAPT_BENCH_BLAS=keep to leave its environment alone. */
void bench_blas_open(char **argv);

/* The unfused path over a problem's tensors. */
typedef struct bench_baseline {
  bench_unfused unfused; /* the context of bench_unfused_run */
  bench_buffer o;
} bench_baseline;

/* Runs once and compares some rows with float64. 0, or -1 with the reason; either way close it. */
int bench_baseline_open(bench_baseline *b, const bench_problem *problem, char *why, size_t size);
void bench_baseline_close(bench_baseline *b);

/* Plain C loops, one row of scores at a time, as one would write them first. One thread. */
void bench_naive(const bench_problem *problem, float *scores, float *o);

#endif
