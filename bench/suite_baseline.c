/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * baseline/...: the unfused OpenBLAS path and naive loops, alone, by the same clock and anchors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "suites.h"
#include "threads.h"

static void measure(gbench_state *state, const bench_problem *p, bench_call *call) {
  static bench_rounds r;
  memset(&r, 0, sizeof r);
  bench_fma fma = {.isa = bench_isa_best(), .threads = p->shape.threads};
  int32_t subject = bench_rounds_add(&r, bench_call_take, call, 0);
  int32_t anchor = bench_rounds_add(&r, bench_fma_take, &fma, 1);
  bench_rounds_run(&r);
  bench_rounds_settle(&r, anchor, bench_fma_seen(&fma));
  char label[64];
  double share = bench_report_flops(state, &r, subject, anchor, bench_flops(&p->shape),
                                    p->shape.threads);
  snprintf(label, sizeof label, "%.1f %% of peak", 100 * share);
  gbench_label(state, label);
}

static void unfused(gbench_state *state, const void *arg) {
  bench_problem p;
  bench_baseline b;
  char why[320];
  if (bench_open_or_report(state, &p, arg) != 0) return;
  bench_call call = {.run = bench_unfused_run, .ctx = &b.unfused};
  if (bench_baseline_open(&b, &p, why, sizeof why) == 0)
    measure(state, &p, &call);
  else
    gbench_error(state, why);
  bench_baseline_close(&b);
  bench_problem_close(&p);
}

typedef struct naive_call {
  const bench_problem *p;
  float *scores, *o;
} naive_call;

static void run_naive(void *ctx) {
  const naive_call *c = ctx;
  bench_naive(c->p, c->scores, c->o);
}

void bench_naive_alone(gbench_state *state, const void *arg) {
  bench_problem p;
  char why[320];
  if (bench_open_or_report(state, &p, arg) != 0) return;
  float *memory = malloc(p.o.bytes + (size_t)p.shape.kv_len * sizeof *memory);
  if (memory) {
    naive_call c = {&p, memory, memory + p.shape.kv_len};
    /* Slow enough to be timed one at a time. */
    bench_call call = {.run = run_naive, .ctx = &c, .batch = p.shape.kv_len >= 512};
    run_naive(&c);
    if (bench_problem_compare(&p, c.o, why, sizeof why) == 0)
      measure(state, &p, &call);
    else
      gbench_error(state, why);
  } else {
    gbench_error(state, "no memory");
  }
  free(memory);
  bench_problem_close(&p);
}

void bench_suite_baseline(void) {
  char name[BENCH_NAME];
  bench_shape s;
  int32_t counts[BENCH_THREAD_COUNTS], n = bench_thread_counts(counts);
  for (int32_t i = 0; bench_prefill_shape(i, &s) == 0; i++)
    for (s.causal = 0; s.causal <= 1; s.causal++)
      for (int32_t t = 0; t < n; t++) {
        s.threads = counts[t];
        bench_name_prefill(name, "baseline/unfused", &s);
        gbench_register(name, unfused, bench_keep(&s));
        if (s.q_len > 512 || s.threads > 1) continue;
        bench_name_prefill(name, "baseline/naive", &s);
        gbench_register(name, bench_naive_alone, bench_keep(&s));
      }
}
