/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "look.h"

#include "attend.h"

/* `data` moved on by `at` strides; a stride counts bytes. */
static const void *moved(const void *data, int64_t stride, int32_t at) {
  return (const char *)data + stride * at;
}

/* One sequence, one head, values of no channels: such a call computes nothing but the rows looked at. */
static void narrow(const call *c, int32_t b, int32_t head, rapt_attention_desc *d,
                   rapt_attention_args *a) {
  const int32_t kv_head = head / (c->q.heads / c->k.heads), place[2] = {b, head};
  *d = c->desc;
  *a = c->args;
  d->heads_q = d->heads_kv = 1;
  d->head_dim_v = 0;
  a->batch = 1;
  if (a->q_lens) a->q_lens += b;
  if (a->kv_lens) a->kv_lens += b;
  if (a->prefix_lens) a->prefix_lens += b;
  if (a->alibi_slopes) a->alibi_slopes += head;
  if (a->sinks) a->sinks += head;
  a->q.data = moved(moved(a->q.data, a->q.stride[0], b), a->q.stride[1], head);
  a->k.data = moved(moved(a->k.data, a->k.stride[0], b), a->k.stride[1], kv_head);
  a->v = (rapt_const_tensor){NULL, {0, 0, 0}};
  a->o = a->lse = (rapt_tensor){NULL, {0, 0, 0}};
  for (int i = 0; a->mask.data && i < 2; i++) {
    if (a->mask.extent[i] > 1) a->mask.data = moved(a->mask.data, a->mask.stride[i], place[i]);
    a->mask.extent[i] = 1;
  }
}

int look_at_rows(const call *c, int32_t sequence, int32_t head, int32_t stage, const int32_t *rows,
                 int32_t n, float *out, failure *why) {
  rapt_attention_desc d;
  rapt_attention_args a;
  const int64_t row = (int64_t)sizeof *out * c->k.tokens;
  narrow(c, sequence, head, &d, &a);
  rapt_scores_out scores = {.size = sizeof scores,
                            .stage = stage,
                            .n_rows = n,
                            .rows = rows,
                            .data = out,
                            .stride = {row * n, row * n, row}};
  a.scores = &scores;
  return attend(&d, &a, &c->executor, 1, 0, NULL, NULL, why);
}
