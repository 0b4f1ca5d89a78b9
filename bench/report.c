/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the suites share: counters from rounds. */
#include <stdio.h>
#include <stdlib.h>

#include "failures.h"
#include "suites.h"

const bench_shape *bench_keep(const bench_shape *shape) {
  bench_shape *kept = malloc(sizeof *kept);
  if (!kept) abort();
  *kept = *shape;
  return kept;
}

int bench_open_or_report(gbench_state *state, bench_problem *p, const bench_shape *shape) {
  char why[320];
  if (bench_problem_open(p, shape, why, sizeof why) == 0) return 0;
  gbench_error(state, why);
  bench_problem_close(p);
  return -1;
}

double bench_careful_share(gbench_state *state, bench_rounds *r, int32_t anchor,
                           double (*share)(const bench_rounds *r, const void *ctx), const void *ctx,
                           const char *counter) {
  for (int32_t again = 0; again < 4 && share(r, ctx) > BENCH_SHARE_LIMIT; again++)
    bench_rounds_more(r, anchor, 20);
  double value = bench_share(gbench_name(state), counter, share(r, ctx));
  gbench_counter(state, counter, value);
  return value;
}

typedef struct flops_share {
  int32_t voice, anchor;
  double flops;
} flops_share;

static double share_of_peak(const bench_rounds *r, const void *ctx) {
  const flops_share *s = ctx;
  return bench_rounds_best(r, s->anchor) * s->flops / bench_rounds_best(r, s->voice);
}

double bench_report_flops(gbench_state *state, bench_rounds *r, int32_t voice, int32_t anchor,
                          double flops, int32_t threads) {
  const flops_share ctx = {voice, anchor, flops};
  double share = bench_careful_share(state, r, anchor, share_of_peak, &ctx, "peak_fraction");
  gbench_time(state, bench_rounds_best(r, voice));
  gbench_counter(state, "time_median", bench_rounds_typical(r, voice));
  gbench_counter(state, "rounds", r->n_rounds);
  gbench_counter(state, "cpus", bench_rounds_cpus(r, voice));
  gbench_counter(state, "flops", flops / bench_rounds_best(r, voice));
  gbench_counter(state, "anchor_flops", 1 / bench_rounds_best(r, anchor));
  if (threads == 1)
    gbench_counter(state, "peak_fraction_cpu",
                   bench_rounds_best(r, anchor) * flops / bench_rounds_best_own(r, voice));
  gbench_counter(state, "peak_fraction_median", bench_rounds_ratio(r, anchor, voice) * flops);
  return share;
}

void bench_report_unfused(gbench_state *state, const bench_rounds *r, int32_t unfused,
                          int32_t subject, int32_t threads, char *label, size_t size) {
  double speedup = bench_rounds_best(r, unfused) / bench_rounds_best(r, subject);
  gbench_counter(state, "unfused_time", bench_rounds_best(r, unfused));
  gbench_counter(state, "speedup_vs_unfused", speedup);
  gbench_counter(state, "speedup_vs_unfused_median", bench_rounds_ratio(r, unfused, subject));
  if (threads == 1)
    gbench_counter(state, "speedup_vs_unfused_cpu",
                   bench_rounds_best_own(r, unfused) / bench_rounds_best_own(r, subject));
  snprintf(label, size, ", %.2fx unfused", speedup);
}
