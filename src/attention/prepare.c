/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How the work is cut: the sequence table, dearest sequence first, and the number of tasks. None of it
 * changes a bit of the result. */
#include <string.h>

#include "call.h"
#include "masks.h"
#include "scratch.h"

static void describe(const rapt_call *call, int32_t b, rapt_sequence *s) {
  const rapt_plan *plan = call->plan;
  const rapt_attention_args *a = &call->args;
  s->index = b;
  s->q_len = a->q_offsets ? a->q_offsets[b + 1] - a->q_offsets[b]
             : a->q_lens  ? a->q_lens[b]
                          : a->q_len;
  s->kv_len = a->kv_offsets ? a->kv_offsets[b + 1] - a->kv_offsets[b]
              : a->kv_lens  ? a->kv_lens[b]
                            : a->kv_len;
  s->prefix = plan->desc.flags & RAPT_PREFIX ? a->prefix_lens[b] : 0;
  s->position = 0;
  if (plan->desc.align == RAPT_ALIGN_BOTTOM_RIGHT) s->position = (int64_t)s->kv_len - s->q_len;
  if (plan->desc.align == RAPT_ALIGN_OFFSET) s->position = a->q_positions[b];
  s->rows = rapt_rows_of(plan, s->q_len);
  s->row_kernel = rapt_takes_row_kernel(plan, s->rows);
  if (s->q_len == 0) {
    s->cost = 0;
    return;
  }
  /* Later rows see at least as much on the right; the last task is the dearest. */
  rapt_range last = rapt_visible(plan, s, s->q_len - 1);
  s->cost = (double)(last.hi - last.lo + 1) * (double)(s->rows < 128 ? s->rows : 128);
}

/* Heap sort by falling cost: in place, no recursion. */
static void sift(rapt_sequence *s, int64_t at, int64_t n) {
  for (int64_t child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && s[child + 1].cost < s[child].cost) child++;
    if (s[at].cost <= s[child].cost) return;
    rapt_sequence t = s[at];
    s[at] = s[child];
    s[child] = t;
  }
}

static void sort_dearest_first(rapt_sequence *s, int64_t n) {
  for (int64_t i = n / 2 - 1; i >= 0; i--) sift(s, i, n);
  for (int64_t end = n - 1; end > 0; end--) {
    rapt_sequence t = s[0];
    s[0] = s[end];
    s[end] = t;
    sift(s, 0, end);
  }
}

static int32_t already_sorted(const rapt_sequence *s, int64_t n) {
  for (int64_t i = 1; i < n; i++)
    if (s[i].cost > s[i - 1].cost) return 0;
  return 1;
}

static int64_t row_tasks_of(const rapt_call *call, const rapt_sequence *s, int64_t panels) {
  if (s->row_kernel) return s->rows > 0;
  int64_t rows = panels * call->plan->prefill->panel[0].lanes;
  return (s->rows + rows - 1) / rows;
}

/* Splits that hold a key of some row of the sequence: at least one, so that empty rows are written. */
static void find_splits(const rapt_call *call, rapt_sequence *s) {
  s->split_from = 0;
  s->splits = 1;
  if (!call->split || s->q_len == 0) return;
  int32_t lo = call->plan->window_keep ? 0 : rapt_visible(call->plan, s, 0).lo;
  int32_t hi = rapt_visible(call->plan, s, s->q_len - 1).hi;
  if (hi <= lo) return;
  s->split_from = lo / RAPT_SPLIT_KEYS;
  s->splits = (hi - 1) / RAPT_SPLIT_KEYS - s->split_from + 1;
}

static int64_t count_row_tasks(const rapt_call *call, int32_t batch, int64_t panels) {
  int64_t n = 0;
  for (int32_t i = 0; i < batch; i++) n += row_tasks_of(call, &call->sequence[i], panels);
  return n * call->plan->desc.heads_kv;
}

/* Fewer panels a task, then single splits, until there is something for every worker. */
static void decide(rapt_call *call, int32_t batch) {
  const int64_t wanted = (int64_t)call->workers * RAPT_TASKS_PER_WORKER;
  call->panels = call->plan->panels;
  call->split = 0;
  if (call->workers == 1) return;
  int64_t single = count_row_tasks(call, batch, 1);
  if (single < wanted) {
    call->panels = 1;
    call->split = call->args.kv_len > RAPT_SPLIT_KEYS; /* as rapt_layout_for has it */
  } else if (single / wanted < call->panels) {
    call->panels = (int32_t)(single / wanted);
  }
}

/* Nothing is known of any mask tile yet. */
static void prepare_tiles(rapt_call *call, int32_t batch) {
  const rapt_layout *l = &call->layout;
  if (call->tiles) memset(call->tiles, 0, (size_t)(batch * l->tile_rows * l->tile_blocks));
}

void rapt_prepare(rapt_call *call) {
  /* Without channels and sums there is nothing to write, however many rows the (zero) strides allow. */
  const int32_t writes = call->plan->desc.head_dim_v > 0 || call->args.lse.data ||
                         call->plan->desc.flags & RAPT_PARTIAL;
  const int32_t batch = call->args.batch;
  for (int32_t b = 0; b < batch; b++) describe(call, b, &call->sequence[b]);
  if (!already_sorted(call->sequence, batch)) sort_dearest_first(call->sequence, batch);
  decide(call, batch);
  int64_t tasks = 0, groups = 0;
  for (int32_t i = 0; i < batch; i++) {
    rapt_sequence *s = &call->sequence[i];
    s->row_tasks = writes ? row_tasks_of(call, s, call->panels) : 0;
    find_splits(call, s);
    s->first_task = tasks;
    s->first_group = groups;
    int64_t per_split = s->row_tasks * call->plan->desc.heads_kv;
    groups += per_split;
    tasks += per_split * s->splits;
  }
  call->looks = rapt_count_looks(call);
  call->total = tasks + call->looks;
  prepare_tiles(call, batch);
  if (call->split) {
    _Atomic int32_t *arrived = (_Atomic int32_t *)(void *)(call->workspace + call->layout.groups);
    for (int64_t g = 0; g < groups; g++) atomic_init(&arrived[g], 0);
  }
}
