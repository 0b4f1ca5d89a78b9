/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

void reference_range(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                     int64_t i, int64_t *begin, int64_t *end) {
  int64_t n = reference_kv_len(a, b), offset = 0;
  if (d->align == RAPT_ALIGN_BOTTOM_RIGHT) offset = n - reference_q_len(a, b);
  if (d->align == RAPT_ALIGN_OFFSET) offset = a->q_positions[b];
  int64_t p = offset + i, first = 0, last = n - 1;
  if ((d->flags & RAPT_WINDOW_LEFT) && first < p - d->window_left) first = p - d->window_left;
  if ((d->flags & RAPT_CAUSAL) && last > p) last = p;
  if ((d->flags & RAPT_WINDOW_RIGHT) && last > p + d->window_right) last = p + d->window_right;
  *begin = first;
  *end = last + 1;
  if (*end < *begin) *begin = *end = 0;
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
  return (float *)(void *)((char *)a->o.data + byte_offset(a->o.stride, a->q_offsets, b, h, i));
}

float *reference_lse_at(const rapt_attention_args *a, int32_t b, int32_t h, int64_t i) {
  if (!a->lse.data) return NULL;
  return (float *)(void *)((char *)a->lse.data + byte_offset(a->lse.stride, a->q_offsets, b, h, i));
}

static double scale_of(const rapt_attention_desc *d) {
  if ((d->flags & RAPT_SCALE_LITERAL) || d->scale != 0) return (double)d->scale;
  return 1.0 / sqrt((double)d->head_dim_qk);
}

static int32_t kv_head(const rapt_attention_desc *d, int32_t h) {
  return (int32_t)((int64_t)h * d->heads_kv / d->heads_q);
}

void reference_scores(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                      int32_t h, int64_t i, double *score) {
  int64_t begin, end;
  reference_range(d, a, b, i, &begin, &end);
  const float *q = reference_q_row(a, b, h, i);
  double scale = scale_of(d);
  for (int64_t j = begin; j < end; j++) {
    const float *k = reference_k_row(a, b, kv_head(d, h), j);
    double dot = 0;
    for (int32_t c = 0; c < d->head_dim_qk; c++) dot += (double)q[c] * (double)k[c];
    score[j - begin] = scale * dot;
  }
}

void reference_row_of_scores(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                             int32_t h, int64_t i, double *score, double *o, double *lse) {
  int64_t begin, end;
  reference_range(d, a, b, i, &begin, &end);
  double most = -(double)INFINITY, sum = 0;
  int poisoned = 0;
  for (int64_t j = begin; j < end; j++) {
    double s = score[j - begin];
    poisoned |= isnan(s) || s == (double)INFINITY;
    if (s > most) most = s;
  }
  int empty = !poisoned && most == -(double)INFINITY;
  for (int32_t c = 0; c < d->head_dim_v; c++) o[c] = poisoned ? (double)NAN : 0.0;
  *lse = poisoned ? (double)NAN : -(double)INFINITY;
  if (poisoned || empty) return;
  for (int64_t j = begin; j < end; j++) sum += score[j - begin] = exp(score[j - begin] - most);
  *lse = most + log(sum);
  for (int64_t j = begin; j < end; j++) {
    const float *v = reference_v_row(a, b, kv_head(d, h), j);
    for (int32_t c = 0; c < d->head_dim_v; c++)
      o[c] += isfinite(v[c]) ? score[j - begin] / sum * (double)v[c] : (double)INFINITY;
  }
}

void reference_row(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b, int32_t h,
                   int64_t i, double *o, double *lse) {
  int64_t begin, end;
  reference_range(d, a, b, i, &begin, &end);
  double *score = malloc((size_t)(end - begin + 1) * sizeof *score);
  if (!score) {
    perror("reference_row");
    exit(2);
  }
  reference_scores(d, a, b, h, i, score);
  reference_row_of_scores(d, a, b, h, i, score, o, lse);
  free(score);
}

void reference_attention(const rapt_attention_desc *d, const rapt_attention_args *a, double *o,
                         double *lse) {
  int64_t rows = reference_max_q_len(a);
  for (int32_t b = 0; b < a->batch; b++)
    for (int32_t h = 0; h < d->heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(a, b); i++) {
        int64_t row = ((int64_t)b * d->heads_q + h) * rows + i;
        double ignored;
        reference_row(d, a, b, h, i, o + row * d->head_dim_v, lse ? lse + row : &ignored);
      }
}

int reference_close(float got, double ref, double abs, double rel) {
  if (isnan(ref)) return isnan(got);
  if (isinf(ref)) return ref > 0 ? !isfinite(got) : (double)got == ref;
  return fabs((double)got - ref) <= abs + rel * fabs(ref);
}

double reference_rel_l2(const float *got, const double *ref, size_t n) {
  double error = 0, norm = 0;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(ref[i])) continue;
    double e = (double)got[i] - ref[i];
    error += e * e;
    norm += ref[i] * ref[i];
  }
  if (norm == 0) return error == 0 ? 0 : (double)INFINITY;
  return sqrt(error / norm);
}
