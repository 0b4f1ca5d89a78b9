/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where a row lies. Every offset in 64 bits; with ragged offsets the batch stride is not used. */
#include "call.h"

/* NULL (legal where there are no elements) stays NULL. */
static const char *row_at(const void *data, const int64_t stride[3], const int32_t *offsets,
                          int32_t index, int32_t head, int64_t token) {
  if (!data) return 0;
  /* Unsigned: strides of a tensor without elements may be any number and lead nowhere. */
  uint64_t at = (uint64_t)head * (uint64_t)stride[1] + (uint64_t)token * (uint64_t)stride[2];
  at += offsets ? (uint64_t)offsets[index] * (uint64_t)stride[2]
                : (uint64_t)index * (uint64_t)stride[0];
  return (const char *)((uintptr_t)data + (uintptr_t)at);
}

const char *rapt_query_at(const rapt_call *call, const rapt_sequence *s, int32_t head, int64_t i) {
  const rapt_attention_args *a = &call->args;
  return row_at(a->q.data, a->q.stride, a->q_offsets, s->index, head, i);
}

char *rapt_output_at(const rapt_call *call, const rapt_sequence *s, int32_t head, int64_t i) {
  const rapt_attention_args *a = &call->args;
  return (char *)row_at(a->o.data, a->o.stride, a->q_offsets, s->index, head, i);
}

float *rapt_sum_at(const rapt_call *call, const rapt_sequence *s, const rapt_tensor *tensor,
                   int32_t head, int64_t i) {
  return (float *)(void *)row_at(tensor->data, tensor->stride, call->args.q_offsets, s->index, head,
                                 i);
}

const char *rapt_key_at(const rapt_call *call, const rapt_sequence *s, int32_t kv_head, int64_t i) {
  const rapt_attention_args *a = &call->args;
  return row_at(a->k.data, a->k.stride, a->kv_offsets, s->index, kv_head, i);
}

const char *rapt_value_at(const rapt_call *call, const rapt_sequence *s, int32_t kv_head,
                          int64_t i) {
  const rapt_attention_args *a = &call->args;
  return row_at(a->v.data, a->v.stride, a->kv_offsets, s->index, kv_head, i);
}
