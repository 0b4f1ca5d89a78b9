/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * prefill/...: whole calls with many queries, against the FMA anchor and the unfused path. */
#include <stdio.h>
#include <string.h>

#include "baseline.h"
#include "comparison.h"
#include "options.h"
#include "suites.h"
#include "threads.h"

static void measure(gbench_state *state, bench_problem *p, bench_baseline *b,
                    bench_comparison *peers) {
  static bench_rounds r;
  memset(&r, 0, sizeof r);
  bench_call call = {.run = bench_problem_run, .ctx = p};
  bench_call unfused_call = {.run = bench_unfused_run, .ctx = b ? &b->unfused : NULL, .batch = 1};
  bench_fma fma = {.isa = p->isa, .threads = p->shape.threads};
  int32_t subject = bench_rounds_add(&r, bench_call_take, &call, 0);
  int32_t anchor = bench_rounds_add(&r, bench_fma_take, &fma, 1);
  int32_t unfused = b ? bench_rounds_add(&r, bench_call_take, &unfused_call, 0) : -1;
  bench_comparison_join(peers, &r);
  bench_rounds_run(&r);
  bench_rounds_settle(&r, anchor, bench_fma_seen(&fma));
  if (p->status != RAPT_OK) {
    gbench_error(state, rapt_status_string(p->status));
    return;
  }
  char label[BENCH_LABEL];
  double share = bench_report_flops(state, &r, subject, anchor, bench_flops(&p->shape),
                                    p->shape.threads);
  int at = snprintf(label, sizeof label, "%.1f %% of peak, %s", 100 * share, p->set);
  if (b)
    bench_report_unfused(state, &r, unfused, subject, p->shape.threads, label + at,
                         sizeof label - (size_t)at);
  bench_comparison_report(peers, state, &r, subject, label);
  gbench_label(state, label);
}

void bench_prefill(gbench_state *state, const void *arg) {
  const bench_shape *shape = arg;
  static bench_comparison peers;
  bench_problem p;
  bench_baseline b;
  char why[320];
  if (bench_open_or_report(state, &p, shape) != 0) return;
  if (bench_comparison_open(&peers, &p, state) == 0) {
    if (!bench_options.unfused || shape->kv_len > BENCH_UNFUSED_LENGTH) {
      measure(state, &p, NULL, &peers);
    } else {
      if (bench_baseline_open(&b, &p, why, sizeof why) == 0)
        measure(state, &p, &b, &peers);
      else
        gbench_error(state, why);
      bench_baseline_close(&b);
    }
  }
  bench_comparison_close(&peers);
  bench_problem_close(&p);
}

/* Both masks, both layouts, all thread counts. */
static void add(bench_shape s) {
  char name[BENCH_NAME];
  int32_t counts[BENCH_THREAD_COUNTS], n = bench_thread_counts(counts);
  for (s.causal = 0; s.causal <= 1; s.causal++)
    for (s.bshd = 0; s.bshd <= 1; s.bshd++)
      for (int32_t t = 0; t < n; t++) {
        s.threads = counts[t];
        bench_name_prefill(name, "prefill", &s);
        gbench_register(name, bench_prefill, bench_keep(&s));
      }
}

int bench_prefill_shape(int32_t index, bench_shape *shape) {
  static const int32_t shapes[][5] = {
      /* batch, heads_q, heads_kv, head_dim, length: the shorter ones first */
      {1, 12, 12, 64, 128},   {1, 12, 12, 64, 512},   {1, 12, 12, 64, 1024}, {1, 12, 12, 128, 1024},
      {1, 12, 12, 256, 1024}, {1, 12, 12, 80, 577},   {8, 12, 12, 64, 128},  {1, 12, 12, 64, 2048},
      {1, 12, 12, 64, 4096},  {1, 32, 32, 128, 2048}, {1, 32, 8, 128, 2048}, {1, 1, 1, 64, 4096},
  };
  const int32_t count = bench_options.quick ? 7 : (int32_t)(sizeof shapes / sizeof shapes[0]);
  if (index >= count) return -1;
  const int32_t *s = shapes[index];
  *shape = (bench_shape){.batch = s[0],
                         .heads_q = s[1],
                         .heads_kv = s[2],
                         .head_dim = s[3],
                         .q_len = s[4],
                         .kv_len = s[4]};
  return 0;
}

void bench_suite_prefill(void) {
  bench_shape s;
  for (int32_t i = 0; bench_prefill_shape(i, &s) == 0; i++) add(s);
}
