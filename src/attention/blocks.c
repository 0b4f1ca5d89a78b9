/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "blocks.h"

#include <string.h>

#include "ranges.h"

rapt_keys_view rapt_copy_block(rapt_keys_view from, int32_t keys, int32_t head_dim, float *to) {
  const int64_t bytes = head_dim * (int64_t)sizeof(float);
  for (int32_t n = 0; n < keys; n++)
    memcpy((char *)to + n * bytes, from.at + n * from.stride, (size_t)bytes);
  rapt_keys_view copy = {(const char *)to, bytes};
  return copy;
}

/* Rows of the tokens, with all heads of the group where they lie side by side, else of the first. */
static void add_stream(rapt_prefetch *p, const char *at, const int64_t stride[3], int64_t rows,
                       int32_t head_dim, int32_t heads) {
  int64_t bytes = head_dim * (int64_t)sizeof(float);
  if (rows <= 0 || bytes <= 0) return;
  if (stride[1] == bytes) bytes *= heads;
  rapt_prefetch_stream s = {at, rows > 1 ? stride[2] : 0, (int32_t)rows, (int32_t)bytes};
  p->stream[p->count++] = s;
}

static void spread(rapt_prefetch *p, int64_t tiles) {
  int64_t lines = 0;
  for (int32_t i = 0; i < p->count; i++)
    lines += p->stream[i].rows *
             (int64_t)((p->stream[i].bytes + RAPT_PREFETCH_LINE - 1) / RAPT_PREFETCH_LINE);
  if (tiles < 1) tiles = 1;
  p->lines_per_tile = (int32_t)((lines + tiles - 1) / tiles);
}

rapt_next_keys rapt_prefetch_task(const rapt_call *call, int64_t index, const rapt_task *now,
                                  int64_t tiles, rapt_prefetch *p) {
  const rapt_plan *plan = call->plan;
  const rapt_attention_args *a = &call->args;
  rapt_task next;
  rapt_task_get(call, index, &next);
  const rapt_sequence *s = next.sequence;
  int64_t token = next.row / plan->group;
  int64_t tokens = (next.row + next.rows - 1) / plan->group - token + 1;
  int32_t head = next.kv_head * plan->group;
  int32_t heads = plan->group < next.rows ? plan->group : next.rows;
  add_stream(p, rapt_query_at(call, s, head, token), a->q.stride, tokens, plan->desc.head_dim_qk,
             heads);
  add_stream(p, rapt_output_at(call, s, head, token), a->o.stride, tokens, plan->desc.head_dim_v,
             heads);
  spread(p, tiles);

  rapt_next_keys keys = {0, 0};
  if (s == now->sequence && next.kv_head == now->kv_head && !call->split) return keys;
  /* Other keys: the first block that the task's first row sees. */
  int64_t block = s->row_kernel ? rapt_row_step(plan) : plan->prefill->key_block;
  int64_t key = (int64_t)next.split_from * RAPT_SPLIT_KEYS, lo = rapt_visible(plan, s, token).lo;
  if (lo > key && !plan->window_keep) key = lo / block * block;
  if (key >= s->kv_len) return keys;
  keys.k = rapt_key_at(call, s, next.kv_head, key);
  keys.v = rapt_value_at(call, s, next.kv_head, key);
  return keys;
}
