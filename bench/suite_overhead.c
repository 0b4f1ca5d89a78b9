/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * overhead/f32/...: what a call costs when there is next to nothing to compute. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "suites.h"

static int32_t serial_parallel(void *ctx, int32_t n, void (*fn)(void *arg, int32_t index),
                               void *arg) {
  (void)ctx;
  for (int32_t i = 0; i < n; i++) fn(arg, i);
  return 0;
}

static void measure(gbench_state *state, bench_call call) {
  static bench_rounds r;
  memset(&r, 0, sizeof r);
  bench_rounds_add(&r, bench_call_take, &call, 0);
  bench_rounds_run(&r);
  gbench_time(state, bench_rounds_best(&r, 0));
  gbench_counter(state, "time_median", bench_rounds_typical(&r, 0));
}

/* A plan in hand, one worker. */
static void run(gbench_state *state, const void *arg) {
  bench_problem p;
  if (bench_open_or_report(state, &p, arg) != 0) return;
  p.executor.max_workers = 1;
  p.executor.ctx = NULL;
  p.executor.parallel = serial_parallel;
  measure(state, (bench_call){.run = bench_problem_run, .ctx = &p});
  if (p.status != RAPT_OK) gbench_error(state, rapt_status_string(p.status));
  bench_problem_close(&p);
}

static rapt_attention_desc describe(const bench_shape *s) {
  return (rapt_attention_desc){.size = sizeof(rapt_attention_desc),
                               .heads_q = s->heads_q,
                               .heads_kv = s->heads_kv,
                               .head_dim_qk = s->head_dim,
                               .head_dim_v = s->head_dim};
}

static void call_plan(void *ctx) {
  rapt_attention_desc desc = describe(&((bench_problem *)ctx)->shape);
  rapt_plan *plan = NULL;
  rapt_plan_create(&desc, &plan, NULL);
  rapt_plan_destroy(plan);
}

static void call_one_shot(void *ctx) {
  bench_problem *p = ctx;
  rapt_attention_desc desc = describe(&p->shape);
  rapt_attention(&desc, &p->args, &p->executor, NULL);
}

static void plan(gbench_state *state, const void *arg) {
  bench_problem p;
  if (bench_open_or_report(state, &p, arg) != 0) return;
  measure(state, (bench_call){.run = call_plan, .ctx = &p});
  bench_problem_close(&p);
}

static void one_shot(gbench_state *state, const void *arg) {
  bench_problem p;
  if (bench_open_or_report(state, &p, arg) != 0) return;
  measure(state, (bench_call){.run = call_one_shot, .ctx = &p});
  bench_problem_close(&p);
}

void bench_suite_overhead(void) {
  bench_shape s = {.batch = 1, .heads_q = 1, .heads_kv = 1, .head_dim = 64, .threads = 1};
  s.q_len = s.kv_len = 16;
  gbench_register("overhead/f32/run/b1_hq1_hkv1_d64_s16/serial", run, bench_keep(&s));
  gbench_register("overhead/f32/plan/b1_hq1_hkv1_d64/serial", plan, bench_keep(&s));
  gbench_register("overhead/f32/one_shot/b1_hq1_hkv1_d64_s16/serial", one_shot, bench_keep(&s));
  s.q_len = s.kv_len = 1;
  gbench_register("overhead/f32/run/b1_hq1_hkv1_d64_s1/serial", run, bench_keep(&s));
}
