/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * decode/...: one query a sequence against a long cache. Time is held against the roofline: the cache
 * must be read once, the flops must be done, and the dearer of the two is what a perfect program
 * takes. The read anchor reads the very same K and V with the same threads. */
#include <stdio.h>
#include <string.h>

#include "baseline.h"
#include "comparison.h"
#include "options.h"
#include "suites.h"
#include "threads.h"

typedef struct decode_cost {
  int32_t subject, fma, read;
  double flops, bytes;
} decode_cost;

static double share_of_bandwidth(const bench_rounds *r, const void *ctx) {
  const decode_cost *c = ctx;
  return bench_rounds_best(r, c->read) * c->bytes / bench_rounds_best(r, c->subject);
}

static double share_of_peak(const bench_rounds *r, const void *ctx) {
  const decode_cost *c = ctx;
  return bench_rounds_best(r, c->fma) * c->flops / bench_rounds_best(r, c->subject);
}

static void report(gbench_state *state, bench_rounds *r, const decode_cost *c, int32_t threads) {
  double best = bench_rounds_best(r, c->subject);
  double memory = bench_careful_share(state, r, c->read, share_of_bandwidth, c,
                                      "bandwidth_fraction");
  double peak = bench_careful_share(state, r, c->fma, share_of_peak, c, "peak_fraction");
  double memory_median = bench_rounds_ratio(r, c->read, c->subject) * c->bytes;
  double peak_median = bench_rounds_ratio(r, c->fma, c->subject) * c->flops;
  gbench_time(state, best);
  gbench_counter(state, "time_median", bench_rounds_typical(r, c->subject));
  gbench_counter(state, "rounds", r->n_rounds);
  gbench_counter(state, "cpus", bench_rounds_cpus(r, c->subject));
  gbench_counter(state, "flops", c->flops / best);
  gbench_counter(state, "read_bytes", c->bytes / best);
  gbench_counter(state, "anchor_flops", 1 / bench_rounds_best(r, c->fma));
  gbench_counter(state, "anchor_bytes", 1 / bench_rounds_best(r, c->read));
  gbench_counter(state, "roofline_fraction", memory > peak ? memory : peak);
  if (threads == 1)
    gbench_counter(state, "roofline_fraction_cpu",
                   (memory > peak ? memory : peak) * best / bench_rounds_best_own(r, c->subject));
  gbench_counter(state, "bandwidth_fraction_median", memory_median);
  gbench_counter(state, "roofline_fraction_median",
                 memory_median > peak_median ? memory_median : peak_median);
}

/* With a baseline the unfused path, too, takes turns with the library. */
static void measure(gbench_state *state, bench_problem *p, bench_baseline *b,
                    bench_comparison *peers) {
  static bench_rounds r;
  memset(&r, 0, sizeof r);
  bench_call call = {.run = bench_problem_run, .ctx = p};
  bench_call unfused_call = {.run = bench_unfused_run, .ctx = b ? &b->unfused : NULL};
  bench_fma fma = {.isa = p->isa, .threads = p->shape.threads};
  bench_read read = {.isa = bench_isa_best(),
                     .threads = p->shape.threads,
                     .data = p->kv.data,
                     .bytes = p->kv.bytes,
                     .pages = p->shape.pages};
  bench_read_tune(&read);
  decode_cost cost = {.flops = bench_flops(&p->shape), .bytes = bench_kv_bytes(&p->shape)};
  cost.subject = bench_rounds_add(&r, bench_call_take, &call, 0);
  cost.fma = bench_rounds_add(&r, bench_fma_take, &fma, 1);
  cost.read = bench_rounds_add(&r, bench_read_take, &read, 1);
  int32_t unfused = b ? bench_rounds_add(&r, bench_call_take, &unfused_call, 0) : -1;
  bench_comparison_join(peers, &r);
  bench_rounds_run(&r);
  bench_rounds_settle(&r, cost.fma, bench_fma_seen(&fma));
  bench_rounds_settle(&r, cost.read, bench_read_seen(&read));
  if (p->status != RAPT_OK) {
    gbench_error(state, rapt_status_string(p->status));
    return;
  }
  report(state, &r, &cost, p->shape.threads);
  char label[BENCH_LABEL];
  int at = snprintf(label, sizeof label, "%.1f %% of read bandwidth, %.1f %% of peak, %s",
                    100 * share_of_bandwidth(&r, &cost), 100 * share_of_peak(&r, &cost), p->set);
  if (b)
    bench_report_unfused(state, &r, unfused, cost.subject, p->shape.threads, label + at,
                         sizeof label - (size_t)at);
  bench_comparison_report(peers, state, &r, cost.subject, label);
  gbench_label(state, label);
}

static void decode(gbench_state *state, const void *arg) {
  static bench_comparison peers;
  bench_problem p;
  if (bench_open_or_report(state, &p, arg) != 0) return;
  if (bench_comparison_open(&peers, &p, state) == 0) measure(state, &p, NULL, &peers);
  bench_comparison_close(&peers);
  bench_problem_close(&p);
}

void bench_decode_compared(gbench_state *state, const void *arg) {
  static bench_comparison peers;
  bench_problem p;
  bench_baseline b;
  char why[320];
  if (bench_open_or_report(state, &p, arg) != 0) return;
  if (bench_comparison_open(&peers, &p, state) == 0) {
    if (bench_baseline_open(&b, &p, why, sizeof why) == 0)
      measure(state, &p, &b, &peers);
    else
      gbench_error(state, why);
    bench_baseline_close(&b);
  }
  bench_comparison_close(&peers);
  bench_problem_close(&p);
}

void bench_suite_decode(void) {
  /* Rows per KV head: 1, 2, 4, 8, 16 with 8 KV heads, and 32 heads without groups. */
  static const int32_t heads[][2] = {{32, 32}, {32, 8}, {8, 8}, {16, 8}, {64, 8}, {128, 8}};
  static const int32_t lengths[] = {4096, 32768};
  char name[BENCH_NAME];
  int32_t counts[BENCH_THREAD_COUNTS], n = bench_thread_counts(counts);
  for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++)
      for (int32_t pages = BENCH_PAGES_4K; pages <= BENCH_PAGES_HUGE; pages++)
        for (int32_t t = 0; t < n; t++) {
          if (bench_options.quick && lengths[l] > 4096) continue;
          bench_shape s = {.batch = 1,
                           .heads_q = heads[h][0],
                           .heads_kv = heads[h][1],
                           .head_dim = 128,
                           .q_len = 1,
                           .kv_len = lengths[l],
                           .pages = pages,
                           .threads = counts[t]};
          bench_name_decode(name, &s);
          gbench_register(name, decode, bench_keep(&s));
        }
}
