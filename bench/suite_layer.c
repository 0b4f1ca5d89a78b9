/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * layer/...: projections, heads and output projection in one call, against the FMA anchor and the same
 * layer with OpenBLAS's own threads and unfused attention; a decode step against the read anchor on the
 * very weights. */
#include <stdio.h>
#include <string.h>

#include "layer.h"
#include "options.h"
#include "suites.h"
#include "threads.h"

enum { FUSED, UNFUSED, DECODE };

typedef struct row {
  bench_shape shape;
  int32_t way;
} row;

static double share_of_bandwidth(const bench_rounds *r, const void *ctx) {
  return bench_rounds_best(r, 1) * *(const double *)ctx / bench_rounds_best(r, 0);
}

static void measure_decode(gbench_state *state, bench_layer *l) {
  static bench_rounds r;
  memset(&r, 0, sizeof r);
  bench_call call = {.run = bench_layer_run, .ctx = l};
  bench_read read = {.isa = bench_isa_best(),
                     .threads = l->shape.threads,
                     .data = l->weights.data,
                     .bytes = l->weights.bytes,
                     .pages = BENCH_PAGES_HUGE};
  bench_read_tune(&read);
  double bytes = bench_layer_bytes(l);
  bench_rounds_add(&r, bench_call_take, &call, 0);
  int32_t anchor = bench_rounds_add(&r, bench_read_take, &read, 1);
  bench_rounds_run(&r);
  bench_rounds_settle(&r, anchor, bench_read_seen(&read));
  double share = bench_careful_share(state, &r, anchor, share_of_bandwidth, &bytes,
                                     "bandwidth_fraction");
  gbench_time(state, bench_rounds_best(&r, 0));
  gbench_counter(state, "time_median", bench_rounds_typical(&r, 0));
  gbench_counter(state, "rounds", r.n_rounds);
  gbench_counter(state, "cpus", bench_rounds_cpus(&r, 0));
  gbench_counter(state, "read_bytes", bytes / bench_rounds_best(&r, 0));
  gbench_counter(state, "anchor_bytes", 1 / bench_rounds_best(&r, anchor));
  gbench_counter(state, "bandwidth_fraction_median", bench_rounds_ratio(&r, anchor, 0) * bytes);
  char label[BENCH_LABEL];
  snprintf(label, sizeof label, "%.1f %% of read bandwidth, %s", 100 * share, bench_blas_name());
  gbench_label(state, label);
}

static void measure(gbench_state *state, bench_layer *l, int32_t way) {
  static bench_rounds r;
  memset(&r, 0, sizeof r);
  bench_call fused = {.run = bench_layer_run, .ctx = l, .batch = 1};
  bench_call unfused = {.run = bench_layer_unfused_run, .ctx = l, .batch = 1};
  bench_fma fma = {.isa = l->isa, .threads = l->shape.threads};
  int32_t subject = bench_rounds_add(&r, bench_call_take, way == FUSED ? &fused : &unfused, 0);
  int32_t anchor = bench_rounds_add(&r, bench_fma_take, &fma, 1);
  int32_t other = way == FUSED ? bench_rounds_add(&r, bench_call_take, &unfused, 0) : -1;
  bench_rounds_run(&r);
  bench_rounds_settle(&r, anchor, bench_fma_seen(&fma));
  char label[BENCH_LABEL];
  double share = bench_report_flops(state, &r, subject, anchor, bench_layer_flops(l),
                                    l->shape.threads);
  int at = snprintf(label, sizeof label, "%.1f %% of peak, %s, %s", 100 * share, l->set,
                    bench_blas_name());
  if (way == FUSED)
    bench_report_unfused(state, &r, other, subject, l->shape.threads, label + at,
                         sizeof label - (size_t)at);
  gbench_label(state, label);
}

static void layer(gbench_state *state, const void *arg) {
  const row *what = arg;
  bench_layer l;
  char why[320];
  if (bench_layer_open(&l, &what->shape, why, sizeof why) != 0)
    gbench_error(state, why);
  else if (what->way == DECODE)
    measure_decode(state, &l);
  else
    measure(state, &l, what->way);
  if (l.status) gbench_error(state, rapt_status_string(l.status));
  bench_layer_close(&l);
}

static void add(const char *suite, const char *kind, const bench_shape *s, int32_t way) {
  static row rows[32];
  static int32_t n;
  char name[BENCH_NAME];
  if (n == (int32_t)(sizeof rows / sizeof *rows)) return;
  int at = snprintf(name, sizeof name, "%s/f32/%se%d_h%d", suite, way == DECODE ? "decode_" : "",
                    (int)(s->heads_q * s->head_dim), (int)s->heads_q);
  if (s->heads_kv != s->heads_q)
    at += snprintf(name + at, sizeof name - (size_t)at, "_hkv%d", (int)s->heads_kv);
  snprintf(name + at, sizeof name - (size_t)at, "_%s%d%s/t%d", kind, (int)s->kv_len,
           s->causal ? "_causal" : "", (int)s->threads);
  rows[n] = (row){*s, way};
  gbench_register(name, layer, &rows[n++]);
}

void bench_suite_layer(void) {
  int32_t counts[BENCH_THREAD_COUNTS], n = bench_thread_counts(counts);
  for (int32_t t = 0; t < n; t++) {
    bench_shape s = {.batch = 1,
                     .heads_q = 12,
                     .heads_kv = 12,
                     .head_dim = 64,
                     .q_len = 512,
                     .kv_len = 512,
                     .bshd = 1,
                     .threads = counts[t]};
    for (int32_t causal = 0; causal < 2; causal++) {
      s.causal = causal;
      s.q_len = s.kv_len = causal ? 2048 : 512;
      if (bench_options.quick && causal) continue;
      add("layer", "s", &s, FUSED);
      add("baseline/layer-unfused", "s", &s, UNFUSED);
    }
    /* Weights that no cache holds. */
    bench_shape d = {.batch = 1,
                     .heads_q = 32,
                     .heads_kv = 8,
                     .head_dim = 128,
                     .q_len = 1,
                     .kv_len = 512,
                     .bshd = 1,
                     .threads = counts[t]};
    if (!bench_options.quick) add("layer", "kv", &d, DECODE);
  }
}
