/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensors of a problem: q, k, v and the outputs, in a chosen layout, between guard pages. */
#ifndef RAPT_TESTS_ATTENTION_PROBLEM_TENSORS_H
#define RAPT_TESTS_ATTENTION_PROBLEM_TENSORS_H

#include "problem_types.h"

typedef struct problem_shape {
  int64_t n[3]; /* batch, heads, tokens */
  int64_t row;  /* bytes of a row */
} problem_shape;

static inline problem_shape problem_shape_of(const problem *p, int tensor) {
  const rapt_attention_args *a = &p->args;
  int kv = tensor == TENSOR_K || tensor == TENSOR_V;
  const int32_t *offsets = kv ? a->kv_offsets : a->q_offsets;
  problem_shape s = {{a->batch, kv ? p->desc.heads_kv : p->desc.heads_q, kv ? a->kv_len : a->q_len},
                     4};
  if (offsets) {
    s.n[0] = 1;
    s.n[2] = offsets[a->batch];
  } else if (kv && p->kv_shared) {
    s.n[0] = 1;
  }
  if (tensor == TENSOR_Q || tensor == TENSOR_K) s.row = 4 * (int64_t)p->desc.head_dim_qk;
  if (tensor == TENSOR_V || tensor == TENSOR_O) s.row = 4 * (int64_t)p->desc.head_dim_v;
  return s;
}

static inline void problem_strides(const problem *p, int tensor, const problem_shape *s,
                                   int64_t stride[3]) {
  problem_layout layout = p->layout;
  int output = tensor >= TENSOR_O;
  if (output && (layout == LAYOUT_REVERSED || layout == LAYOUT_PACKED)) layout = LAYOUT_BSHD;
  int64_t row = s->row;
  switch (layout) {
  case LAYOUT_BSHD:
    stride[1] = row, stride[2] = s->n[1] * row, stride[0] = s->n[2] * stride[2];
    break;
  case LAYOUT_SBHD:
    stride[1] = row, stride[0] = s->n[1] * row, stride[2] = s->n[0] * stride[0];
    break;
  case LAYOUT_VIEW:
    stride[2] = row + 12, stride[1] = s->n[2] * stride[2] + 8;
    stride[0] = s->n[1] * stride[1] + 20;
    break;
  case LAYOUT_PACKED:
    stride[1] = row;
    stride[2] = 4 * ((int64_t)p->desc.heads_q * p->desc.head_dim_qk +
                     (int64_t)p->desc.heads_kv * (p->desc.head_dim_qk + p->desc.head_dim_v));
    stride[0] = s->n[2] * stride[2];
    break;
  default:
    stride[2] = row, stride[1] = s->n[2] * row, stride[0] = s->n[1] * stride[1];
    break;
  }
  if (layout == LAYOUT_REVERSED) stride[1] = -stride[1], stride[2] = -stride[2];
}

/* Where the tensor's first element lies in its buffer, and the buffer's bytes. */
static inline int64_t problem_extent(const problem_shape *s, const int64_t stride[3],
                                     int64_t *bytes) {
  int64_t lo = 0, hi = s->row;
  for (int i = 0; i < 3; i++) {
    int64_t reach = (s->n[i] - 1) * stride[i];
    if (reach < 0) lo += reach;
    if (reach > 0) hi += reach;
  }
  *bytes = s->n[0] && s->n[1] && s->n[2] ? hi - lo : 0;
  return *bytes ? -lo : 0;
}

static inline void problem_place(problem *p, int tensor, char *data, const int64_t stride[3]) {
  rapt_const_tensor *in[] = {&p->args.q, &p->args.k, &p->args.v};
  rapt_tensor *out[] = {&p->args.o, &p->args.lse, &p->args.m, &p->args.l};
  if (tensor < TENSOR_O) {
    in[tensor]->data = data;
    memcpy(in[tensor]->stride, stride, sizeof in[tensor]->stride);
  } else {
    out[tensor - TENSOR_O]->data = data;
    memcpy(out[tensor - TENSOR_O]->stride, stride, sizeof out[0]->stride);
  }
}

static inline void problem_allocate(problem *p) {
  int packed = p->layout == LAYOUT_PACKED;
  for (int t = 0; t < TENSORS; t++) {
    if (t == TENSOR_LSE && p->no_lse) continue;
    if (t > TENSOR_LSE && !(p->desc.flags & RAPT_PARTIAL)) continue;
    problem_shape s = problem_shape_of(p, t);
    int64_t stride[3], bytes;
    problem_strides(p, t, &s, stride);
    int64_t first = problem_extent(&s, stride, &bytes);
    char *data;
    if (packed && (t == TENSOR_K || t == TENSOR_V)) {
      data = (char *)p->buffer[TENSOR_Q].data + 4 * (int64_t)p->desc.heads_q * p->desc.head_dim_qk;
      if (t == TENSOR_V) data += 4 * (int64_t)p->desc.heads_kv * p->desc.head_dim_qk;
    } else {
      if (packed && t == TENSOR_Q) bytes = s.n[0] * stride[0];
      p->buffer[t] = guard_alloc((size_t)bytes, p->place, sizeof(float));
      data = (char *)p->buffer[t].data + first;
    }
    int kv = t == TENSOR_K || t == TENSOR_V;
    if (kv && p->kv_shared) stride[0] = 0;
    if (p->wild_strides) {
      int64_t wild = (int64_t)987654321987654323;
      if ((kv ? p->args.kv_offsets : p->args.q_offsets) || p->args.batch == 1) stride[0] = wild;
      if (s.n[1] == 1) stride[1] = -wild;
      if (s.n[2] == 1) stride[2] = wild + 2;
    }
    problem_place(p, t, data, stride);
  }
}

#endif
