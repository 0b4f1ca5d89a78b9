/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The suites. Each registers its benchmarks by name. */
#ifndef RAPT_BENCH_SUITES_H
#define RAPT_BENCH_SUITES_H

#include "gbench.h"
#include "measure.h"
#include "problem.h"

void bench_suite_prefill(void);
void bench_suite_decode(void);
void bench_suite_scaling(void);
void bench_suite_overhead(void);
void bench_suite_kernels(void);
void bench_suite_anchors(void);
void bench_suite_baseline(void);

/* After the run: prints the growth exponents of the scaling groups that were run. */
void bench_scaling_report(void);

/* Shape `index` of those that prefill and the baseline measure; -1 past the last. */
int bench_prefill_shape(int32_t index, bench_shape *shape);

/* A copy of the shape that lives as long as the process. */
const bench_shape *bench_keep(const bench_shape *shape);

/* Counters flops, peak_fraction and its kin, anchor_flops of a voice that does `flops` a call with
 * `threads` threads, against the FMA anchor voice. Returns the share. */
double bench_report_flops(gbench_state *state, bench_rounds *r, int32_t voice, int32_t anchor,
                          double flops, int32_t threads);

/* Turns of an anchor are repeated before a share above the limit is believed. */
double bench_careful_share(gbench_state *state, bench_rounds *r, int32_t anchor,
                           double (*share)(const bench_rounds *r, const void *ctx), const void *ctx,
                           const char *counter);

/* Opens a problem, or reports why not (the benchmark is an error then) and returns -1. */
int bench_open_or_report(gbench_state *state, bench_problem *p, const bench_shape *shape);

#endif
