/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Few queries (rows of a KV head): K and V stream by once. */
#include <string.h>

#include "blocks.h"
#include "drivers.h"
#include "partials.h"
#include "rules.h"

typedef struct walk {
  const rapt_call *call;
  const rapt_task *task;
  rapt_scratch scratch;
  rapt_rows_kernel kernel;
  rapt_rows_view view;
  rapt_keys_view k, v;
  rapt_rules rules;
  rapt_partial now, fold;
  int32_t first, folded;
  int32_t last_key;
} walk;

/* Rows to fetch ahead: what a DRAM latency asks for at full bandwidth (best of 4, 8, 12, 16, 24 KiB). */
static int32_t lead_of(int32_t head_dim) {
  enum { BYTES_AHEAD = 16384 };
  int32_t row = head_dim * (int32_t)sizeof(float);
  return row > 0 ? (BYTES_AHEAD + row - 1) / row : 0;
}

static void stream_block(walk *w, int32_t from, int32_t to) {
  const rapt_plan *plan = w->call->plan;
  const rapt_row_ops *ops = w->kernel.row;
  rapt_scratch *sc = &w->scratch;
  const int32_t rows = w->task->rows;
  rapt_key_block kb;
  if (!rapt_key_block_begin(w->call, &w->view, &w->rules, sc, 0, from, to,
                            rapt_keys_from(w->k, from), rapt_keys_from(w->v, from), &kb))
    return;
  /* Rows that were copied are near, and lead nowhere. */
  const int32_t copied = kb.gathered;
  rapt_prefetch on_k = {.lead = lead_of(plan->desc.head_dim_qk),
                        .after = copied ? 0 : kb.v.at,
                        .after_stride = kb.v.stride};
  rapt_row_scores(w->call, ops, rows, &w->rules, &kb, sc, &on_k);
  ops->softmax(&kb.block, rows, plan->natural, sc->s, w->now.m, sc->alpha);
  rapt_prefetch on_v = {.lead = lead_of(plan->desc.head_dim_v),
                        .after = copied ? 0 : rapt_keys_from(w->k, to).at,
                        .after_stride = w->k.stride};
  ops->accumulate(sc->s, rows, &kb.block, kb.v.at, kb.v.stride, plan->desc.head_dim_v, sc->alpha,
                  w->first, w->now.l, w->now.o, &on_v);
  w->first = 0;
}

static void stream_split(walk *w, int32_t split) {
  const int32_t step = rapt_row_step(w->call->plan);
  int64_t from = (int64_t)split * RAPT_SPLIT_KEYS, end = from + RAPT_SPLIT_KEYS;
  if (end > w->last_key) end = w->last_key;
  w->first = 1;
  rapt_partial_reset(&w->now, RAPT_MAX_ROWS);
  for (int64_t key = from; key < end; key += step) { /* may pass INT32_MAX */
    key = rapt_view_skip(&w->view, key, step);
    if (key < end) stream_block(w, (int32_t)key, (int32_t)(key + step < end ? key + step : end));
  }
}

static void fold_split(walk *w) {
  if (!w->first)
    rapt_partial_fold(&w->kernel, w->call->plan, w->task->rows, &w->now, &w->fold, &w->folded);
}

static void whole_task(walk *w) {
  for (int32_t s = w->task->split_from; s < w->task->split_end; s++) {
    const int64_t from = (int64_t)s * RAPT_SPLIT_KEYS;
    if (from >= w->last_key) break;
    if (!rapt_view_meets(&w->view, from, from + RAPT_SPLIT_KEYS)) continue;
    stream_split(w, s);
    fold_split(w);
  }
  if (!w->folded) rapt_partial_reset(&w->fold, RAPT_MAX_ROWS);
  rapt_partial_finish(w->call, &w->kernel, w->task, 0, w->task->rows, &w->fold);
}

static void split_task(walk *w) {
  const rapt_task *t = w->task;
  int64_t from = (int64_t)t->split_from * RAPT_SPLIT_KEYS;
  if (rapt_view_meets(&w->view, from, from + RAPT_SPLIT_KEYS)) {
    rapt_slot_get(w->call, t->first_slot + t->split_from - t->sequence->split_from, RAPT_MAX_ROWS,
                  &w->now);
    if (from + RAPT_SPLIT_KEYS < w->last_key) w->last_key = (int32_t)(from + RAPT_SPLIT_KEYS);
    stream_split(w, t->split_from);
    if (w->first) { /* the mask left nothing of it: joined all the same */
      const int32_t dv = w->call->plan->desc.head_dim_v;
      const int32_t stride = (dv + RAPT_KEY_ALIGN - 1) / RAPT_KEY_ALIGN * RAPT_KEY_ALIGN;
      memset(w->now.o, 0, (size_t)t->rows * (size_t)stride * sizeof(float));
    }
  }
  rapt_split_arrive(w->call, &w->kernel, t, &w->view, t->rows);
}

void rapt_row_task(const rapt_call *call, const rapt_task *task, const rapt_scratch *scratch,
                   const rapt_outlook *outlook) {
  (void)outlook; /* its keys stream by once: nothing is near, nothing worth fetching early */
  const rapt_plan *plan = call->plan;
  const rapt_attention_args *a = &call->args;
  const float *rows[RAPT_MAX_ROWS];
  walk w;
  w.call = call;
  w.task = task;
  w.scratch = *scratch;
  w.now = scratch->now[0];
  w.fold = scratch->fold[0];
  w.folded = 0;
  w.kernel = rapt_kernel_of(plan, task->sequence, task->rows);
  rapt_view_rows(plan, task->sequence, 0, task->rows, task->rows, 0, &w.view);
  w.last_key = w.view.range[task->rows - 1].hi;
  const rapt_sequence *s = task->sequence;
  w.k = rapt_keys_view_of(rapt_key_at(call, s, task->kv_head, 0), a->k.stride[2], s->kv_len);
  w.v = rapt_keys_view_of(rapt_value_at(call, s, task->kv_head, 0), a->v.stride[2], s->kv_len);
  rapt_query_rows(call, task, 0, task->rows, rows);
  w.kernel.row->pack_q(rows, task->rows, plan->desc.head_dim_qk, plan->scale, w.scratch.q[0]);
  if (rapt_has_rules(plan)) {
    rapt_row places[RAPT_MAX_ROWS];
    rapt_task_rows(plan, task, 0, task->rows, places);
    rapt_rules_begin(call, s, places, task->rows, task->rows, &w.rules);
    w.rules.mask.few = 1;
  }
  if (call->split)
    split_task(&w);
  else
    whole_task(&w);
}
