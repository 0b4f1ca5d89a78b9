/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * positions/...: rotary positions with a table and without, tables, learned positions added. What works on
 * a tensor is held against a copy of the same bytes by as many threads. */
#include <stdio.h>
#include <string.h>

#include "data.h"
#include "options.h"
#include "suites.h"
#include "threads.h"

enum { HALVES, PAIRS, UNTABLED, OUT_OF_PLACE, TABLE, SINUSOIDAL, ADD, WAYS };

static const char *const names[WAYS] = {"rope_halves", "rope_pairs", "rope_without_table",
                                        "rope_to",     "rope_table", "sinusoidal_table",
                                        "add"};

typedef struct row {
  int32_t way, tokens, threads;
} row;

enum { HEADS = 32, DIM = 128, WIDTH = HEADS * DIM };

typedef struct work {
  const row *what;
  rapt_rope *rope;
  rapt_rope_table table;
  rapt_rope_args args;
  rapt_add_positions_args add;
  bench_buffer x, y, angles;
  rapt_executor executor;
  rapt_status status;
} work;

static void run(void *ctx) {
  work *w = ctx;
  const row *r = w->what;
  rapt_status status;
  if (r->way == TABLE)
    status = rapt_rope_table_fill(w->rope, 0, r->tokens, w->angles.data, w->angles.bytes,
                                  &w->executor, &w->table, NULL);
  else if (r->way == SINUSOIDAL)
    status = rapt_sinusoidal_table(r->tokens, 0, WIDTH, 0, w->y.data, 4 * WIDTH, &w->executor,
                                   NULL);
  else if (r->way == ADD)
    status = rapt_add_positions(&w->add, &w->executor, NULL);
  else
    status = rapt_rope_rotate(w->rope, &w->args, &w->executor, NULL);
  if (status != RAPT_OK) w->status = status;
}

static void copy_part(void *arg, int32_t index) {
  const work *w = arg;
  const size_t part = w->x.bytes / (size_t)w->what->threads, at = (size_t)index * part;
  memcpy((char *)w->y.data + at, (const char *)w->x.data + at, part);
}

static void copy(void *ctx) {
  const work *w = ctx;
  bench_parallel(w->what->threads, copy_part, ctx);
}

static rapt_status open_work(work *w, const row *what) {
  const int64_t token = 4 * WIDTH, head = 4 * DIM;
  rapt_rope_desc desc = {.size = sizeof desc,
                         .flags = what->way == PAIRS ? (uint32_t)RAPT_ROPE_INTERLEAVED : 0,
                         .head_dim = DIM};
  memset(w, 0, sizeof *w);
  w->what = what;
  bench_executor(what->threads, &w->executor);
  rapt_status status = rapt_rope_create(&desc, &w->rope, NULL);
  if (status) return status;
  const size_t bytes = (size_t)what->tokens * (size_t)token;
  uint64_t angles = 0;
  status = rapt_rope_table_bytes(w->rope, what->tokens, &angles, NULL);
  if (bench_buffer_open(&w->x, bytes, BENCH_PAGES_4K) ||
      bench_buffer_open(&w->y, bytes, BENCH_PAGES_4K) ||
      bench_buffer_open(&w->angles, (size_t)angles, BENCH_PAGES_4K))
    return RAPT_ERROR_OUT_OF_MEMORY;
  bench_fill(&w->x, 1, what->threads);
  bench_fill(&w->y, 2, what->threads);
  w->table.size = sizeof w->table;
  if (!status)
    status = rapt_rope_table_fill(w->rope, 0, what->tokens, w->angles.data, w->angles.bytes, NULL,
                                  &w->table, NULL);
  w->args = (rapt_rope_args){.size = sizeof w->args,
                             .batch = 1,
                             .heads = HEADS,
                             .tokens = what->tokens,
                             .x = {w->x.data, {0, head, token}},
                             .y = {w->x.data, {0, head, token}},
                             .table = what->way == UNTABLED ? NULL : &w->table};
  if (what->way == OUT_OF_PLACE) w->args.y.data = w->y.data;
  w->add = (rapt_add_positions_args){.size = sizeof w->add,
                                     .tokens = what->tokens,
                                     .dim = WIDTH,
                                     .table_rows = what->tokens,
                                     .table = w->y.data,
                                     .table_stride = token,
                                     .x = w->x.data,
                                     .x_stride = token};
  if (what->way == ADD) memset(w->y.data, 0, bytes); /* or x would grow without end */
  return status;
}

static void measure(gbench_state *state, const void *arg) {
  static bench_rounds r;
  work w;
  rapt_status status = open_work(&w, arg);
  if (status == RAPT_OK) {
    const row *what = arg;
    const int computed = what->way == TABLE || what->way == SINUSOIDAL;
    bench_call subject = {.run = run, .ctx = &w}, copied = {.run = copy, .ctx = &w};
    memset(&r, 0, sizeof r);
    bench_rounds_add(&r, bench_call_take, &subject, 0);
    if (!computed) bench_rounds_add(&r, bench_call_take, &copied, 0);
    bench_rounds_run(&r);
    status = w.status;
    const double best = bench_rounds_best(&r, 0);
    char label[BENCH_LABEL];
    gbench_time(state, best);
    gbench_counter(state, "time_median", bench_rounds_typical(&r, 0));
    gbench_counter(state, "rounds", r.n_rounds);
    gbench_counter(state, "cpus", bench_rounds_cpus(&r, 0));
    if (computed) {
      /* a sine and a cosine */
      const double pairs = (double)what->tokens * (what->way == TABLE ? DIM : WIDTH) / 2;
      gbench_counter(state, "pair_time", best / pairs);
      snprintf(label, sizeof label, "%.2f ns a pair", 1e9 * best / pairs);
    } else {
      gbench_counter(state, "copy_time", bench_rounds_best(&r, 1));
      gbench_counter(state, "over_copy", best / bench_rounds_best(&r, 1));
      gbench_counter(state, "over_copy_median", bench_rounds_ratio(&r, 0, 1));
      if (what->threads == 1)
        gbench_counter(state, "over_copy_cpu",
                       bench_rounds_best_own(&r, 0) / bench_rounds_best_own(&r, 1));
      snprintf(label, sizeof label, "%.2f times a copy", best / bench_rounds_best(&r, 1));
    }
    gbench_label(state, label);
  }
  if (status) gbench_error(state, rapt_status_string(status));
  bench_buffer_close(&w.angles);
  bench_buffer_close(&w.y);
  bench_buffer_close(&w.x);
  rapt_rope_destroy(w.rope);
}

void bench_suite_positions(void) {
  static row rows[BENCH_THREAD_COUNTS * 2 * WAYS];
  static const int32_t tokens[] = {16, 2048}; /* 256 KiB, in L2; 32 MiB */
  int32_t counts[BENCH_THREAD_COUNTS], used = 0;
  const int32_t n = bench_thread_counts(counts);
  for (int32_t t = 0; t < n; t++)
    for (int32_t way = 0; way < WAYS; way++)
      for (int32_t size = 0; size < 2; size++) {
        if (bench_options.quick && (size == 0 || t > 0)) continue;
        char name[BENCH_NAME];
        row *at = &rows[used++];
        *at = (row){.way = way, .tokens = tokens[size], .threads = counts[t]};
        snprintf(name, sizeof name, "positions/f32/%s/h%d_d%d_s%d/t%d", names[way], HEADS, DIM,
                 (int)at->tokens, (int)at->threads);
        gbench_register(name, measure, at);
      }
}
