/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Scores at every stage: scale, softcap, bias, permission, softmax. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reference.h"

static double scale_of(const rapt_attention_desc *d) {
  if ((d->flags & RAPT_SCALE_LITERAL) || d->scale != 0) return (double)d->scale;
  return 1.0 / sqrt((double)d->head_dim_qk);
}

double reference_score(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                       int32_t h, int64_t i, int64_t j, int stage) {
  if (stage >= RAPT_STAGE_BIAS && !reference_visible(d, a, b, h, i, j)) return -(double)INFINITY;
  const float *q = reference_q_row(a, b, h, i);
  const float *k = reference_k_row(a, b, (int32_t)((int64_t)h * d->heads_kv / d->heads_q), j);
  double dot = 0;
  for (int32_t c = 0; c < d->head_dim_qk; c++) dot += (double)q[c] * (double)k[c];
  double s = scale_of(d) * dot;
  if (stage >= RAPT_STAGE_SOFTCAP && d->softcap > 0)
    s = (double)d->softcap * tanh(s / (double)d->softcap);
  if (stage < RAPT_STAGE_BIAS) return s;
  s += reference_mask_bias(d, a, b, h, i, j);
  if (d->flags & RAPT_ALIBI)
    s += (double)a->alibi_slopes[h] * (double)(j - reference_position(d, a, b, i));
  return s;
}

void reference_scores(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                      int32_t h, int64_t i, double *score) {
  int64_t begin, end;
  reference_range(d, a, b, i, &begin, &end);
  for (int64_t j = begin; j < end; j++)
    score[j - begin] = reference_score(d, a, b, h, i, j, RAPT_STAGE_BIAS);
}

/* Weights of a row from its scores: the sink joins the sum. */
static void weights(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                    int32_t h, int64_t i, double *w) {
  int64_t n = reference_kv_len(a, b);
  double most = a->sinks ? (double)a->sinks[h] : -(double)INFINITY, sum = 0;
  int poisoned = 0;
  for (int64_t j = 0; j < n; j++) {
    poisoned |= isnan(w[j]) || w[j] == (double)INFINITY;
    if (w[j] > most) most = w[j];
  }
  if (a->sinks && !poisoned && most > -(double)INFINITY) sum = exp((double)a->sinks[h] - most);
  for (int64_t j = 0; j < n; j++) {
    int visible = reference_visible(d, a, b, h, i, j);
    if (poisoned)
      w[j] = visible ? (double)NAN : 0;
    else
      w[j] = visible && most > -(double)INFINITY ? exp(w[j] - most) : 0;
    sum += w[j];
  }
  if (poisoned || sum == 0) return;
  for (int64_t j = 0; j < n; j++) w[j] /= sum;
}

void reference_stage_row(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                         int32_t h, int64_t i, int stage, double *out) {
  int64_t n = i < 0 ? 0 : reference_kv_len(a, b);
  for (int64_t j = 0; j < n; j++)
    out[j] = reference_score(d, a, b, h, i, j, stage < RAPT_STAGE_BIAS ? stage : RAPT_STAGE_BIAS);
  if (stage == RAPT_STAGE_WEIGHTS) weights(d, a, b, h, i, out);
  for (int64_t j = n; j < a->kv_len; j++)
    out[j] = stage == RAPT_STAGE_WEIGHTS ? 0 : -(double)INFINITY;
}

void reference_key_sums(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                        int32_t x, double *out) {
  double *w = malloc(((size_t)a->kv_len + 1) * sizeof *w);
  if (!w) {
    perror("reference_key_sums");
    exit(2);
  }
  for (int64_t j = 0; j < a->kv_len; j++) out[j] = 0;
  for (int32_t y = 0; y < reference_scores_rows(a); y++) {
    int64_t i = reference_scores_query(a, b, y);
    reference_stage_row(d, a, b, reference_scores_head(a, x), i, RAPT_STAGE_WEIGHTS, w);
    for (int64_t j = 0; j < a->kv_len; j++) out[j] += w[j];
  }
  free(w);
}
