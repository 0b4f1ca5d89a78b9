/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * scaling/...: how time grows with the length, and its exponent. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/power_fit.h"

#include "comparison.h"
#include "options.h"
#include "suites.h"
#include "threads.h"

enum { MAX_POINTS = 8 * 2 * BENCH_THREAD_COUNTS, FIT_FROM = 1024 };

/* time: best; work: the same in units of the anchor, so that a change of the clock drops out. */
static struct {
  int32_t causal, threads, length;
  double time, work;
} points[MAX_POINTS];
static int32_t n_points;

/* Exponent of the growth with the length; returns the number of points. */
static int32_t fit(int32_t causal, int32_t threads, int32_t use_work, double *exponent) {
  power_fit line = {0};
  for (int32_t i = 0; i < n_points; i++)
    if (points[i].causal == causal && points[i].threads == threads && points[i].length >= FIT_FROM)
      power_fit_add(&line, points[i].length, use_work ? points[i].work : points[i].time);
  *exponent = power_fit_exponent(&line);
  return line.points;
}

static void keep_point(const bench_shape *s, double time, double work) {
  int32_t i = 0; /* with --benchmark_repetitions the best counts */
  while (i < n_points && !(points[i].causal == s->causal && points[i].threads == s->threads &&
                           points[i].length == s->q_len))
    i++;
  if (i == MAX_POINTS) return;
  if (i == n_points) {
    n_points++;
    points[i].time = points[i].work = INFINITY;
  }
  points[i].causal = s->causal;
  points[i].threads = s->threads;
  points[i].length = s->q_len;
  points[i].time = fmin(points[i].time, time);
  points[i].work = fmin(points[i].work, work);
}

static void measure(gbench_state *state, bench_problem *p, bench_comparison *peers) {
  static bench_rounds r;
  const bench_shape *shape = &p->shape;
  memset(&r, 0, sizeof r);
  bench_call call = {.run = bench_problem_run, .ctx = p};
  bench_fma fma = {.isa = p->isa, .threads = shape->threads};
  int32_t subject = bench_rounds_add(&r, bench_call_take, &call, 0);
  int32_t anchor = bench_rounds_add(&r, bench_fma_take, &fma, 1);
  bench_comparison_join(peers, &r);
  bench_rounds_run(&r);
  bench_rounds_settle(&r, anchor, bench_fma_seen(&fma));
  if (p->status != RAPT_OK) {
    gbench_error(state, rapt_status_string(p->status));
    return;
  }
  char label[BENCH_LABEL];
  double exponent;
  double share = bench_report_flops(state, &r, subject, anchor, bench_flops(shape), shape->threads);
  int at = snprintf(label, sizeof label, "%.1f %% of peak, %s", 100 * share, p->set);
  keep_point(shape, bench_rounds_best(&r, subject), 1 / bench_rounds_ratio(&r, anchor, subject));
  if (fit(shape->causal, shape->threads, 0, &exponent) >= 3) {
    gbench_counter(state, "growth_exponent", exponent);
    snprintf(label + at, sizeof label - (size_t)at, ", exponent %.3f so far", exponent);
  }
  bench_comparison_report(peers, state, &r, subject, label);
  gbench_label(state, label);
}

static void scaling(gbench_state *state, const void *arg) {
  static bench_comparison peers;
  bench_problem p;
  if (bench_open_or_report(state, &p, arg) != 0) return;
  if (bench_comparison_open(&peers, &p, state) == 0) measure(state, &p, &peers);
  bench_comparison_close(&peers);
  bench_problem_close(&p);
}

void bench_scaling_report(void) {
  int32_t counts[BENCH_THREAD_COUNTS], n = bench_thread_counts(counts);
  for (int32_t causal = 0; causal <= 1; causal++)
    for (int32_t t = 0; t < n; t++) {
      double time, work;
      int32_t used = fit(causal, counts[t], 0, &time);
      if (used < 3) continue;
      fit(causal, counts[t], 1, &work);
      fprintf(stderr,
              "scaling/f32/%s, %d thread%s: time grows with length^%.3f from %d on (%d lengths; "
              "^%.3f by the anchor's clock)\n",
              causal ? "causal" : "none", (int)counts[t], counts[t] > 1 ? "s" : "", time, FIT_FROM,
              (int)used, work);
    }
}

void bench_suite_scaling(void) {
  char name[BENCH_NAME];
  int32_t counts[BENCH_THREAD_COUNTS], n = bench_thread_counts(counts);
  for (int32_t causal = 0; causal <= 1; causal++)
    for (int32_t t = 0; t < n; t++)
      for (int32_t length = 128; length <= (bench_options.quick ? 4096 : 16384); length *= 2) {
        bench_shape s = {.batch = 1,
                         .heads_q = 12,
                         .heads_kv = 12,
                         .head_dim = 64,
                         .q_len = length,
                         .kv_len = length,
                         .causal = causal,
                         .threads = counts[t]};
        bench_name_scaling(name, &s);
        gbench_register(name, scaling, bench_keep(&s));
      }
}
