/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L
#include "measure.h"

#include <float.h>
#include <stdlib.h>
#include <time.h>

#include "options.h"

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *values, int32_t n) {
  if (n <= 0) return 0;
  qsort(values, (size_t)n, sizeof values[0], compare);
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

int32_t bench_rounds_add(bench_rounds *r, bench_take take, void *ctx, int32_t anchor) {
  int32_t v = r->n_voices++;
  r->voice[v].take = take;
  r->voice[v].ctx = ctx;
  r->voice[v].anchor = anchor;
  r->voice[v].best = r->voice[v].best_own = DBL_MAX;
  r->voice[v].seconds = anchor ? 1e-3 : bench_options.quick ? 2e-3 : 5e-3;
  return v;
}

static void take(bench_rounds *r, int32_t v, int32_t round) {
  bench_turn t = r->voice[v].take(r->voice[v].ctx, r->voice[v].seconds);
  if (t.best < r->voice[v].best) r->voice[v].best = t.best;
  if (t.best_own < r->voice[v].best_own) r->voice[v].best_own = t.best_own;
  r->voice[v].wall += t.wall;
  r->voice[v].cpu += t.cpu;
  if (round >= 0) r->voice[v].turn[round] = t;
}

void bench_rounds_run(bench_rounds *r) {
  const double budget = bench_options.seconds;
  const int32_t least = bench_options.quick ? 3 : 5;
  double begin = bench_now();
  for (int32_t v = 0; v < r->n_voices; v++)
    if (!r->voice[v].anchor) r->voice[v].take(r->voice[v].ctx, 0); /* warm-up, not counted */

  for (;;) {
    for (int32_t v = 0; v < r->n_voices; v++)
      if (r->voice[v].anchor) take(r, v, r->n_rounds);
    double spent = bench_now() - begin;
    if (r->n_rounds >= BENCH_MAX_ROUNDS) break;
    if (r->n_rounds >= least && spent > budget) break;
    if (r->n_rounds >= 2 && spent > 20 * budget) break;
    for (int32_t v = 0; v < r->n_voices; v++)
      if (!r->voice[v].anchor) take(r, v, r->n_rounds);
    if (r->n_rounds++ == 0) {
      /* Long calls deserve longer anchors: a tenth of a call, within 1 to 20 ms. */
      double turn = r->voice[0].turn[0].typical / 10;
      for (int32_t v = 0; v < r->n_voices; v++)
        if (r->voice[v].anchor && turn > r->voice[v].seconds)
          r->voice[v].seconds = turn < 20e-3 ? turn : 20e-3;
    }
  }
}

void bench_rounds_more(bench_rounds *r, int32_t voice, int32_t turns) {
  for (int32_t i = 0; i < turns; i++) take(r, voice, -1);
}

void bench_rounds_settle(bench_rounds *r, int32_t voice, double seen) {
  for (int32_t i = 0; i < 4 && r->voice[voice].best > BENCH_DRIFT * seen; i++)
    bench_rounds_more(r, voice, 10);
  if (r->voice[voice].best > BENCH_DRIFT * seen) r->voice[voice].best = seen;
}

double bench_rounds_best(const bench_rounds *r, int32_t voice) { return r->voice[voice].best; }

double bench_rounds_best_own(const bench_rounds *r, int32_t voice) {
  return r->voice[voice].best_own;
}

double bench_rounds_cpus(const bench_rounds *r, int32_t voice) {
  return r->voice[voice].wall > 0 ? r->voice[voice].cpu / r->voice[voice].wall : 0;
}

double bench_rounds_typical(const bench_rounds *r, int32_t voice) {
  double values[BENCH_MAX_ROUNDS];
  for (int32_t i = 0; i < r->n_rounds; i++) values[i] = r->voice[voice].turn[i].typical;
  return bench_median(values, r->n_rounds);
}

static double near_round(const bench_rounds *r, int32_t voice, int32_t round) {
  const bench_turn *t = r->voice[voice].turn;
  if (!r->voice[voice].anchor) return t[round].typical;
  double near = t[round].best < t[round + 1].best ? t[round].best : t[round + 1].best;
  double least = BENCH_DRIFT * r->voice[voice].best;
  return near < least ? near : least;
}

double bench_rounds_ratio(const bench_rounds *r, int32_t b, int32_t a) {
  double values[BENCH_MAX_ROUNDS];
  for (int32_t i = 0; i < r->n_rounds; i++) values[i] = near_round(r, b, i) / near_round(r, a, i);
  return bench_median(values, r->n_rounds);
}

/* ---- Repeated calls ---- */

static double cpu_now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds per call; *own: of this thread's CPU time. */
static double sample(const bench_call *c, double *own) {
  double cpu = cpu_now(CLOCK_THREAD_CPUTIME_ID), begin = bench_now();
  for (int64_t i = 0; i < c->batch; i++) c->run(c->ctx);
  double wall = bench_now() - begin;
  *own = (cpu_now(CLOCK_THREAD_CPUTIME_ID) - cpu) / (double)c->batch;
  return wall / (double)c->batch;
}

/* Enough calls per sample for the clock. */
static void find_batch(bench_call *c) {
  const double shortest = 20e-6;
  double own;
  c->batch = 1;
  c->run(c->ctx); /* cold */
  for (double t; (t = sample(c, &own) * (double)c->batch) < shortest;) {
    int64_t more = t > 0 ? (int64_t)(1.3 * shortest / t) + 1 : 16;
    c->batch *= more < 2 ? 2 : more > 16 ? 16 : more;
  }
}

bench_turn bench_call_take(void *call, double seconds) {
  enum { SAMPLES = 512 };
  bench_call *c = call;
  if (c->batch == 0) find_batch(c);
  double values[SAMPLES], own[SAMPLES];
  double cpu = cpu_now(CLOCK_PROCESS_CPUTIME_ID), begin = bench_now(), wall;
  int32_t n = 0;
  do {
    values[n] = sample(c, &own[n]);
    n++;
    wall = bench_now() - begin;
  } while (n < SAMPLES && wall < seconds);
  cpu = cpu_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  double typical = bench_median(values, n); /* sorts */
  bench_median(own, n);
  return (bench_turn){
      .best = values[0], .typical = typical, .wall = wall, .cpu = cpu, .best_own = own[0]};
}
