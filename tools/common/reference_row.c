/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rows of the output, whole and partial. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reference.h"

void reference_partial_of_scores(const rapt_attention_desc *d, const rapt_attention_args *a,
                                 int32_t b, int32_t h, int64_t i, double *score, double *o,
                                 double *m, double *l) {
  int64_t begin, end;
  reference_range(d, a, b, i, &begin, &end);
  double most = -(double)INFINITY;
  int poisoned = 0;
  for (int64_t j = begin; j < end; j++) {
    double s = score[j - begin];
    poisoned |= isnan(s) || s == (double)INFINITY;
    if (s > most) most = s;
  }
  for (int32_t c = 0; c < d->head_dim_v; c++) o[c] = poisoned ? (double)NAN : 0.0;
  *m = poisoned ? (double)NAN : most;
  *l = poisoned ? (double)NAN : 0;
  if (poisoned || most == -(double)INFINITY) return;
  for (int64_t j = begin; j < end; j++) {
    if (!reference_visible(d, a, b, h, i, j)) {
      score[j - begin] = 0;
      continue;
    }
    const float *v = reference_v_row(a, b, (int32_t)((int64_t)h * d->heads_kv / d->heads_q), j);
    *l += score[j - begin] = exp(score[j - begin] - most);
    for (int32_t c = 0; c < d->head_dim_v; c++)
      o[c] += isfinite(v[c]) ? score[j - begin] * (double)v[c] : (double)INFINITY;
  }
}

void reference_row_of_scores(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                             int32_t h, int64_t i, double *score, double *o, double *lse) {
  double m, l, own = 1;
  reference_partial_of_scores(d, a, b, h, i, score, o, &m, &l);
  if (a->sinks && !isnan(m) && a->sinks[h] > -INFINITY) {
    double sink = (double)a->sinks[h], most = m > sink ? m : sink;
    own = exp(m - most);
    l = l * own + exp(sink - most);
    m = most;
  }
  *lse = m + log(l);
  if ((d->flags & RAPT_PARTIAL) || l == 0) return;
  for (int32_t c = 0; c < d->head_dim_v; c++)
    if (isfinite(o[c])) o[c] *= own / l;
}

static double *scores_of_row(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                             int32_t h, int64_t i) {
  int64_t begin, end;
  reference_range(d, a, b, i, &begin, &end);
  double *score = malloc((size_t)(end - begin + 1) * sizeof *score);
  if (!score) {
    perror("reference_row");
    exit(2);
  }
  reference_scores(d, a, b, h, i, score);
  return score;
}

void reference_row(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b, int32_t h,
                   int64_t i, double *o, double *lse) {
  double *score = scores_of_row(d, a, b, h, i);
  reference_row_of_scores(d, a, b, h, i, score, o, lse);
  free(score);
}

void reference_partial_row(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                           int32_t h, int64_t i, double *o, double *m, double *l) {
  double *score = scores_of_row(d, a, b, h, i);
  reference_partial_of_scores(d, a, b, h, i, score, o, m, l);
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
