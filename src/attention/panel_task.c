/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Many queries: panels of queries in the lanes walk the key blocks together. */
#include <string.h>

#include "blocks.h"
#include "drivers.h"
#include "partials.h"
#include "rules.h"

typedef struct panel {
  rapt_rules rules;
  int64_t row;
  float *q;
  rapt_rows_kernel kernel;
  rapt_partial now, fold;
  int32_t rows;
  int32_t first;  /* nothing of this split seen yet */
  int32_t folded; /* fold holds earlier splits */
  rapt_rows_view view;
} panel;

/* What a task keeps at hand while it walks. */
typedef struct walk {
  panel panel[RAPT_MOST_PANELS];
  const rapt_call *call;
  const rapt_task *task;
  int64_t next_task;   /* to prefetch while the last block is in work, or -1 */
  rapt_keys_view k, v; /* key 0 of the head */
  rapt_scratch scratch;
  int32_t panels;
  int32_t copy_k, copy_v;
  int32_t last_key; /* end of the keys that this task walks */
  int32_t narrow;   /* panels are not the widest: their mask tiles are not those of other heads */
  int32_t values_finite; /* what is known of the key block in work: rapt_block */
  int32_t stream;        /* the keys are not in L2: prefetch each next block */
} walk;

/* Rows per panel: as many as the widest takes, unless there are few and a mask scatters their keys. Nothing
 * of it shows in the bits. */
static int32_t rows_per_panel(const walk *w) {
  const rapt_plan *plan = w->call->plan;
  const rapt_task *task = w->task;
  const rapt_kernel_set *set = plan->prefill;
  const int32_t widest = set->panel[0].lanes, narrowest = set->panel[set->n_panels - 1].lanes;
  /* One token a panel if that makes few enough of them. */
  const int32_t few = task->rows <= plan->panels * plan->group ? plan->group : narrowest;
  if (!plan->desc.mask || w->call->split || task->rows > widest || few > narrowest ||
      task->rows <= few || task->rows > plan->panels * few)
    return widest;
  rapt_row places[RAPT_MAX_LANES];
  rapt_mask_rows mask;
  rapt_task_rows(plan, task, task->row, task->rows, places);
  rapt_mask_rows_get(w->call, task->sequence, places, task->rows, task->rows, &mask);
  const rapt_range last = rapt_visible(plan, task->sequence,
                                       (task->row + task->rows - 1) / plan->group);
  return rapt_mask_is_scattered(w->call, &mask, &w->scratch, last.lo, last.hi) ? few : widest;
}

static void begin_panels(walk *w) {
  const rapt_plan *plan = w->call->plan;
  const rapt_task *task = w->task;
  const int32_t most = rows_per_panel(w);
  w->narrow = most < plan->prefill->panel[0].lanes;
  const float *rows[RAPT_MAX_LANES];
  w->panels = 0;
  int32_t done = 0;
  do { /* a task has at least one row */
    panel *p = &w->panel[w->panels];
    p->rows = task->rows - done < most ? task->rows - done : most;
    p->row = task->row + done;
    p->kernel = rapt_kernel_of(plan, task->sequence, p->rows);
    p->q = w->scratch.q[w->panels];
    p->now = w->scratch.now[w->panels];
    p->fold = w->scratch.fold[w->panels];
    p->folded = 0;
    const rapt_panel_ops *ops = p->kernel.panel;
    rapt_view_rows(plan, task->sequence, p->row, p->rows, ops->lanes, ops->vector, &p->view);
    rapt_query_rows(w->call, task, p->row, p->rows, rows);
    ops->pack_q(rows, p->rows, plan->desc.head_dim_qk, plan->scale, p->q);
    if (rapt_has_rules(plan)) {
      rapt_row places[RAPT_MAX_LANES];
      rapt_task_rows(plan, task, p->row, p->rows, places);
      rapt_rules_begin(w->call, task->sequence, places, p->rows, ops->lanes, &p->rules);
      p->rules.direct = plan->desc.mask >= RAPT_MASK_F32 && ops->add_mask;
    }
    w->panels++;
    done += most;
  } while (done < task->rows);
}

/* Register tiles of a whole block for all panels. */
static int64_t tiles_of(const walk *w) {
  const rapt_plan *plan = w->call->plan;
  const rapt_kernel_set *set = plan->prefill;
  int64_t each = set->key_block / set->key_tile + plan->desc.head_dim_v / set->dv_tile;
  return w->panels * each;
}

static uint8_t *tile_of(const walk *w, const panel *p, int32_t key) {
  return w->narrow ? 0 : rapt_mask_tile(w->call, w->task->sequence, p->row, key);
}

/* The mask tile that is read next: of the next panel, or of the first one against the next block. Not
 * earlier: rows of masks often lie at a power of two, and few of them fit in a cache side by side. */
static void prefetch_mask(const walk *w, int32_t now, int32_t from, int32_t to,
                          rapt_prefetch *prefetch) {
  const rapt_plan *plan = w->call->plan;
  if (!plan->desc.mask || (to >= w->last_key && w->next_task >= 0)) return; /* streams are taken */
  const int32_t wraps = now + 1 == w->panels;
  const panel *p = &w->panel[wraps ? 0 : now + 1];
  const int32_t hi = p->view.range[p->view.lanes - 1].hi;
  if (wraps) from = to, to += plan->prefill->key_block;
  if (to > hi) to = hi;
  if (from >= to) return;
  const uint8_t *tile = tile_of(w, p, from);
  rapt_mask_prefetch(&p->rules.mask, plan->mask_element, tile, from, to - from,
                     tiles_of(w) / w->panels, prefetch);
}

/* Forbidden keys in a mixed tile: where it matters, whether the block's V is finite is found out once for all
 * panels. */
static void look_at_values(walk *w, int32_t from, int32_t to, rapt_keys_view v,
                           rapt_key_block *kb) {
  const rapt_plan *plan = w->call->plan;
  if (!plan->desc.mask || !kb->block.permit || !plan->prefill->finite || w->panels == 1) return;
  if (!w->values_finite)
    w->values_finite = plan->prefill->finite(v.at, v.stride, to - from, plan->desc.head_dim_v);
  kb->block.values_finite = w->values_finite;
}

/* One panel against keys [from, to); k and v are the views of key `from`. 0 if it sees none. */
static int32_t panel_block(walk *w, panel *p, int32_t from, int32_t to, rapt_keys_view k,
                           rapt_keys_view v, rapt_prefetch *prefetch) {
  const rapt_plan *plan = w->call->plan;
  const rapt_panel_ops *ops = p->kernel.panel;
  rapt_scratch *sc = &w->scratch;
  rapt_key_block kb;
  uint8_t *tile = tile_of(w, p, from);
  if (!rapt_key_block_begin(w->call, &p->view, &p->rules, sc, tile, from, to, k, v, &kb)) return 0;
  prefetch_mask(w, (int32_t)(p - w->panel), from, to, prefetch);
  if (kb.gathered) prefetch->k_ahead = prefetch->v_ahead = 0;
  for (int32_t i = 0; i < ops->lanes; i++) sc->m_new[i] = p->now.m[i];
  if (!rapt_panel_scores(w->call, ops, plan->natural, p->q, &p->rules, &kb, sc, prefetch)) return 0;
  look_at_values(w, from, to, v, &kb);
  ops->softmax(&kb.block, plan->natural, sc->s, sc->m_new, p->now.m, p->now.l, sc->alpha);
  ops->accumulate(sc->s, &kb.block, kb.v.at, kb.v.stride, plan->desc.head_dim_v, sc->alpha,
                  p->first, p->now.o, prefetch);
  p->first = 0;
  return 1;
}

/* What to fetch while the block at k, v is in work: the next block at key `to`, or after the last one
 * what the next task needs. */
static void plan_prefetch(const walk *w, int32_t to, rapt_keys_view k, rapt_keys_view v,
                          rapt_prefetch *p) {
  rapt_next_keys next = {0, 0};
  *p = (rapt_prefetch){.count = 0};
  if (to < w->last_key) {
    if (w->stream)
      next = (rapt_next_keys){rapt_keys_from(w->k, to).at, rapt_keys_from(w->v, to).at};
  } else if (w->next_task >= 0) {
    next = rapt_prefetch_task(w->call, w->next_task, w->task, tiles_of(w), p);
  }
  /* A copied block has strides of its own: its rows do not lead to the next ones. */
  if (next.k && !w->copy_k) p->k_ahead = (int64_t)((uintptr_t)next.k - (uintptr_t)k.at);
  if (next.v && !w->copy_v) p->v_ahead = (int64_t)((uintptr_t)next.v - (uintptr_t)v.at);
}

/* The keys of one split that any panel sees, block by block. */
static void walk_split(walk *w, int32_t split) {
  const rapt_plan *plan = w->call->plan;
  const int32_t step = plan->prefill->key_block;
  int64_t from = (int64_t)split * RAPT_SPLIT_KEYS, end = from + RAPT_SPLIT_KEYS;
  const panel *last = &w->panel[w->panels - 1];
  int32_t hi = last->view.range[last->view.lanes - 1].hi;
  if (end > hi) end = hi;
  rapt_prefetch prefetch;
  for (int64_t key = from; key < end; key += step) {    /* may pass INT32_MAX */
    key = rapt_view_skip(&w->panel[0].view, key, step); /* the first rows see the earliest keys */
    if (key >= end) break;
    const int32_t j = (int32_t)key, to = (int32_t)(key + step < end ? key + step : end);
    rapt_keys_view k = rapt_keys_from(w->k, j), v = rapt_keys_from(w->v, j);
    if (w->copy_k) k = rapt_copy_block(k, to - j, plan->desc.head_dim_qk, w->scratch.k);
    if (w->copy_v) v = rapt_copy_block(v, to - j, plan->desc.head_dim_v, w->scratch.v);
    plan_prefetch(w, to, k, v, &prefetch);
    w->values_finite = 0;
    for (int32_t p = 0; p < w->panels; p++) {
      if (panel_block(w, &w->panel[p], j, to, k, v, &prefetch) && !w->narrow)
        prefetch.k_ahead = prefetch.v_ahead = 0; /* fetched once is enough */
    }
  }
}

static void fold_split(walk *w, panel *p) {
  if (!p->first)
    rapt_partial_fold(&p->kernel, w->call->plan, p->rows, &p->now, &p->fold, &p->folded);
}

static void begin_split(panel *p) {
  p->first = 1;
  rapt_partial_reset(&p->now, p->kernel.lanes);
}

static int32_t task_meets(const walk *w, int64_t from, int64_t to) {
  for (int32_t p = 0; p < w->panels; p++)
    if (rapt_view_meets(&w->panel[p].view, from, to)) return 1;
  return 0;
}

static void whole_task(walk *w) {
  const panel *last = &w->panel[w->panels - 1];
  const int32_t last_key = w->last_key = last->view.range[last->view.lanes - 1].hi;
  for (int32_t s = w->task->split_from; s < w->task->split_end; s++) {
    int64_t from = (int64_t)s * RAPT_SPLIT_KEYS;
    if (from >= last_key) break;
    if (!task_meets(w, from, from + RAPT_SPLIT_KEYS)) continue;
    for (int32_t p = 0; p < w->panels; p++) begin_split(&w->panel[p]);
    walk_split(w, s);
    for (int32_t p = 0; p < w->panels; p++) fold_split(w, &w->panel[p]);
  }
  for (int32_t i = 0; i < w->panels; i++) {
    panel *p = &w->panel[i];
    if (!p->folded) rapt_partial_reset(&p->fold, p->kernel.lanes);
    rapt_partial_finish(w->call, &p->kernel, w->task, p->row, p->rows, &p->fold);
  }
}

/* One panel, one split: into its slot. */
static void split_task(walk *w) {
  panel *p = &w->panel[0];
  const rapt_task *t = w->task;
  int64_t from = (int64_t)t->split_from * RAPT_SPLIT_KEYS;
  if (rapt_view_meets(&p->view, from, from + RAPT_SPLIT_KEYS)) {
    rapt_slot_get(w->call, t->first_slot + t->split_from - t->sequence->split_from, p->kernel.lanes,
                  &p->now);
    begin_split(p);
    int64_t end = from + RAPT_SPLIT_KEYS;
    int32_t hi = p->view.range[p->view.lanes - 1].hi;
    w->last_key = end < hi ? (int32_t)end : hi;
    walk_split(w, t->split_from);
    if (p->first) /* the mask left nothing of it: joined all the same */
      memset(p->now.o, 0,
             (size_t)w->call->plan->desc.head_dim_v * (size_t)p->kernel.lanes * sizeof(float));
  }
  rapt_split_arrive(w->call, &p->kernel, t, &p->view, p->rows);
}

void rapt_panel_task(const rapt_call *call, const rapt_task *task, const rapt_scratch *scratch,
                     const rapt_outlook *outlook) {
  walk w;
  w.call = call;
  w.task = task;
  w.scratch = *scratch;
  w.next_task = outlook->next_task;
  const rapt_attention_args *a = &call->args;
  const rapt_attention_desc *d = &call->plan->desc;
  int64_t kv_bytes = (int64_t)task->sequence->kv_len * (d->head_dim_qk + d->head_dim_v) *
                     (int64_t)sizeof(float);
  w.stream = outlook->new_keys || kv_bytes > call->plan->l2_bytes / 2;
  begin_panels(&w);
  const rapt_sequence *s = task->sequence;
  w.k = rapt_keys_view_of(rapt_key_at(call, s, task->kv_head, 0), a->k.stride[2], s->kv_len);
  w.v = rapt_keys_view_of(rapt_value_at(call, s, task->kv_head, 0), a->v.stride[2], s->kv_len);
  w.copy_k = task->rows >= RAPT_MAX_LANES && rapt_rows_conflict(w.k);
  w.copy_v = task->rows >= RAPT_MAX_LANES && rapt_rows_conflict(w.v);
  if (call->split)
    split_task(&w);
  else
    whole_task(&w);
}
