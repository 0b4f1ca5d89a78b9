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

void bench_suite_layer(void);
void bench_suite_positions(void);
void bench_suite_growth(void);
void bench_suite_models(void);
void bench_suite_rules(void);

/* Benchmarks that several suites register; arg is a bench_shape. */
void bench_prefill(gbench_state *state, const void *arg);
void bench_decode_compared(gbench_state *state, const void *arg);
void bench_naive_alone(gbench_state *state, const void *arg);

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

/* Counters unfused_time, speedup_vs_unfused and its kin of the unfused voice against the subject's; the
 * speedup also goes to the end of the label. */
void bench_report_unfused(gbench_state *state, const bench_rounds *r, int32_t unfused,
                          int32_t subject, int32_t threads, char *label, size_t size);

/* Turns of an anchor are repeated before a share above the limit is believed. */
double bench_careful_share(gbench_state *state, bench_rounds *r, int32_t anchor,
                           double (*share)(const bench_rounds *r, const void *ctx), const void *ctx,
                           const char *counter);

/* Opens a problem, or reports why not (the benchmark is an error then) and returns -1. */
int bench_open_or_report(gbench_state *state, bench_problem *p, const bench_shape *shape);

#endif
