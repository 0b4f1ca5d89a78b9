/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lengths, and where rows lie in the caller's tensors. */
#include "reference.h"

static int64_t length(const int32_t *offsets, const int32_t *lens, int32_t common, int32_t b) {
  if (offsets) return (int64_t)offsets[b + 1] - offsets[b];
  return lens ? lens[b] : common;
}

int64_t reference_q_len(const rapt_attention_args *a, int32_t b) {
  return length(a->q_offsets, a->q_lens, a->q_len, b);
}

int64_t reference_kv_len(const rapt_attention_args *a, int32_t b) {
  /* Packed capacity and a length within it may both be given. */
  if (a->kv_offsets && a->kv_lens) return a->kv_lens[b];
  return length(a->kv_offsets, a->kv_lens, a->kv_len, b);
}

int64_t reference_max_q_len(const rapt_attention_args *a) {
  int64_t most = 0;
  for (int32_t b = 0; b < a->batch; b++) {
    int64_t n = reference_q_len(a, b);
    if (n > most) most = n;
  }
  return most;
}

static int64_t byte_offset(const int64_t stride[3], const int32_t *offsets, int32_t b, int32_t h,
                           int64_t token) {
  int64_t batch = offsets ? 0 : b * stride[0];
  if (offsets) token += offsets[b];
  return batch + h * stride[1] + token * stride[2];
}

static const float *row_at(const rapt_const_tensor *t, const int32_t *offsets, int32_t b, int32_t h,
                           int64_t token) {
  if (!t->data) return NULL; /* no channels */
  return (const float *)(const void *)((const char *)t->data +
                                       byte_offset(t->stride, offsets, b, h, token));
}

static float *out_at(const rapt_tensor *t, const int32_t *offsets, int32_t b, int32_t h,
                     int64_t token) {
  if (!t->data) return NULL;
  return (float *)(void *)((char *)t->data + byte_offset(t->stride, offsets, b, h, token));
}

const float *reference_q_row(const rapt_attention_args *a, int32_t b, int32_t h, int64_t i) {
  return row_at(&a->q, a->q_offsets, b, h, i);
}

const float *reference_k_row(const rapt_attention_args *a, int32_t b, int32_t h, int64_t j) {
  return row_at(&a->k, a->kv_offsets, b, h, j);
}

const float *reference_v_row(const rapt_attention_args *a, int32_t b, int32_t h, int64_t j) {
  return row_at(&a->v, a->kv_offsets, b, h, j);
}

float *reference_o_row(const rapt_attention_args *a, int32_t b, int32_t h, int64_t i) {
  return out_at(&a->o, a->q_offsets, b, h, i);
}

float *reference_lse_at(const rapt_attention_args *a, int32_t b, int32_t h, int64_t i) {
  return out_at(&a->lse, a->q_offsets, b, h, i);
}

float *reference_m_at(const rapt_attention_args *a, int32_t b, int32_t h, int64_t i) {
  return out_at(&a->m, a->q_offsets, b, h, i);
}

float *reference_l_at(const rapt_attention_args *a, int32_t b, int32_t h, int64_t i) {
  return out_at(&a->l, a->q_offsets, b, h, i);
}

int32_t reference_scores_heads(const rapt_attention_desc *d, const rapt_attention_args *a) {
  return a->scores->heads ? a->scores->n_heads : d->heads_q;
}

int32_t reference_scores_rows(const rapt_attention_args *a) {
  return a->scores->rows ? a->scores->n_rows : a->q_len;
}

int32_t reference_scores_head(const rapt_attention_args *a, int32_t x) {
  return a->scores->heads ? a->scores->heads[x] : x;
}

int64_t reference_scores_query(const rapt_attention_args *a, int32_t b, int32_t y) {
  int64_t n = reference_q_len(a, b), i = a->scores->rows ? a->scores->rows[y] : y;
  if (i < 0) i += n;
  return i >= 0 && i < n ? i : -1;
}

float *reference_scores_at(const rapt_attention_args *a, int32_t b, int32_t x, int32_t y) {
  const rapt_scores_out *s = a->scores;
  if (!s->data) return NULL;
  return (float *)(void *)((char *)s->data + b * s->stride[0] + x * s->stride[1] +
                           y * s->stride[2]);
}

float *reference_key_sums_at(const rapt_attention_args *a, int32_t b, int32_t x) {
  const rapt_scores_out *s = a->scores;
  if (!s->key_sums) return NULL;
  return (float *)(void *)((char *)s->key_sums + b * s->key_sums_stride[0] +
                           x * s->key_sums_stride[1]);
}
