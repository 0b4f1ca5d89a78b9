/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All outputs of a problem as one array, and the float64 values in the same order. */
#ifndef RAPT_TESTS_ATTENTION_PROBLEM_GATHER_H
#define RAPT_TESTS_ATTENTION_PROBLEM_GATHER_H

#include <math.h>

#include "problem_types.h"

/* Valid rows of the batch: sum of query lengths times heads. */
static inline size_t problem_rows(const problem *p) {
  size_t rows = 0;
  for (int32_t b = 0; b < p->args.batch; b++)
    rows += (size_t)reference_q_len(&p->args, b) * (size_t)p->desc.heads_q;
  return rows;
}

/* Floats of scores_out's data and key_sums. */
static inline size_t problem_sum_count(const problem *p) {
  if (!p->args.scores || !p->args.scores->key_sums) return 0;
  return (size_t)p->args.batch * (size_t)reference_scores_heads(&p->desc, &p->args) *
         (size_t)p->args.kv_len;
}

static inline size_t problem_score_count(const problem *p) {
  if (!p->args.scores || !p->args.scores->data) return 0;
  return (size_t)p->args.batch * (size_t)reference_scores_heads(&p->desc, &p->args) *
         (size_t)reference_scores_rows(&p->args) * (size_t)p->args.kv_len;
}

/* Row r counts (b, h, i), i innermost, valid rows only: O rows, then all LSE, all m, all l, scores,
 * key sums, as far as the call has them. Caller frees. */
static inline float *problem_gather(const problem *p, size_t *n) {
  size_t rows = problem_rows(p), dv = (size_t)p->desc.head_dim_v, r = 0,
         keys = 4 * (size_t)p->args.kv_len;
  int lse = p->args.lse.data != NULL, partial = (p->desc.flags & RAPT_PARTIAL) != 0;
  size_t scores = problem_score_count(p), sums = problem_sum_count(p);
  *n = rows * (dv + (size_t)lse + 2 * (size_t)partial) + scores + sums;
  float *x = problem_memory(*n * sizeof *x);
  float *ml = x + rows * (dv + (size_t)lse), *more = ml + 2 * rows * (size_t)partial;
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++, r++) {
        if (dv) memcpy(x + r * dv, reference_o_row(&p->args, b, h, i), dv * sizeof *x);
        if (lse) x[rows * dv + r] = *reference_lse_at(&p->args, b, h, i);
        if (partial) ml[r] = *reference_m_at(&p->args, b, h, i);
        if (partial) ml[rows + r] = *reference_l_at(&p->args, b, h, i);
      }
  for (int what = 0; what < 2; what++)
    for (int32_t b = 0; (what ? sums : scores) && b < p->args.batch; b++)
      for (int32_t c = 0; c < reference_scores_heads(&p->desc, &p->args); c++)
        for (int32_t y = 0; y < (what ? 1 : reference_scores_rows(&p->args)); y++) {
          memcpy(more,
                 what ? reference_key_sums_at(&p->args, b, c)
                      : reference_scores_at(&p->args, b, c, y),
                 keys);
          more += p->args.kv_len;
        }
  return x;
}

/* Sum of the terms of scale * q.k: what its rounding errors follow. */
static inline double problem_score_terms(const problem *p, int32_t b, int32_t h, int64_t i,
                                         int64_t j) {
  const float *q = reference_q_row(&p->args, b, h, i);
  const float *k = reference_k_row(&p->args, b, h * p->desc.heads_kv / p->desc.heads_q, j);
  int literal = p->desc.scale != 0 || p->desc.flags & RAPT_SCALE_LITERAL;
  double sum = 0, scale = literal ? (double)p->desc.scale : 1 / sqrt(p->desc.head_dim_qk);
  for (int32_t c = 0; c < p->desc.head_dim_qk; c++) sum += fabs((double)q[c] * (double)k[c]);
  return sum * fabs(scale);
}

/* Rounding errors follow the size of the scores that matter, those within 20 of the largest, and of
 * their terms. Unit normal ones stay below 6. */
static inline double problem_row_looseness(const problem *p, int32_t b, int32_t h, int64_t i) {
  double most = -(double)INFINITY, size = 6;
  int64_t begin, end;
  reference_range(&p->desc, &p->args, b, i, &begin, &end);
  for (int pass = 0; pass < 2; pass++)
    for (int64_t j = begin; j < end; j++) {
      double s = reference_score(&p->desc, &p->args, b, h, i, j, RAPT_STAGE_BIAS);
      if (!isfinite(s)) continue;
      if (pass == 0) most = fmax(most, s);
      if (pass == 0 || s < most - 20) continue;
      double raw = reference_score(&p->desc, &p->args, b, h, i, j, RAPT_STAGE_SOFTCAP);
      size = fmax(size, fmax(fabs(s), fabs(s - raw)));
      double terms = problem_score_terms(p, b, h, i, j); /* infinite, and a softcap made s finite */
      if (isfinite(terms)) size = fmax(size, terms);
    }
  return size / 6;
}

static inline void problem_reference_scores(problem *p) {
  size_t keys = (size_t)p->args.kv_len;
  p->ref_scores = problem_memory(problem_score_count(p) * sizeof(double));
  p->ref_sums = problem_memory(problem_sum_count(p) * sizeof(double));
  p->score_loose = problem_memory(problem_score_count(p) * sizeof(double));
  double *score = p->ref_scores, *sum = p->ref_sums;
  if (!p->args.scores) return;
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t x = 0; x < reference_scores_heads(&p->desc, &p->args); x++) {
      for (int32_t y = 0; p->args.scores->data && y < reference_scores_rows(&p->args); y++) {
        int64_t i = reference_scores_query(&p->args, b, y);
        int32_t h = reference_scores_head(&p->args, x);
        double *loose = p->score_loose + (score - p->ref_scores);
        reference_stage_row(&p->desc, &p->args, b, h, i, p->args.scores->stage, score);
        for (int64_t j = 0; j < p->args.kv_len; j++) {
          loose[j] = p->loosest;
          if (!p->by_score || i < 0 || j >= reference_kv_len(&p->args, b)) continue;
          double terms = problem_score_terms(p, b, h, i, j);
          if (isfinite(terms)) loose[j] = fmax(loose[j], terms / 6);
        }
        score += keys;
      }
      if (!p->args.scores->key_sums) continue;
      reference_key_sums(&p->desc, &p->args, b, x, sum);
      sum += keys;
    }
}

static inline void problem_reference(problem *p) {
  if (p->ref_o) return;
  size_t rows = problem_rows(p), dv = (size_t)p->desc.head_dim_v, r = 0;
  double *ignored = problem_memory(dv * sizeof *ignored);
  p->ref_o = problem_memory(rows * dv * sizeof(double));
  p->ref_lse = problem_memory(rows * sizeof(double));
  p->ref_m = problem_memory(rows * sizeof(double));
  p->ref_l = problem_memory(rows * sizeof(double));
  p->row_loose = problem_memory(rows * sizeof(double));
  p->loosest = p->loose;
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++, r++) {
        const rapt_attention_desc *d = &p->desc;
        reference_row(d, &p->args, b, h, i, p->ref_o + r * dv, &p->ref_lse[r]);
        if (d->flags & RAPT_PARTIAL)
          reference_partial_row(d, &p->args, b, h, i, ignored, &p->ref_m[r], &p->ref_l[r]);
        p->row_loose[r] = p->loose * (p->by_score ? problem_row_looseness(p, b, h, i) : 1);
        p->loosest = fmax(p->loosest, p->row_loose[r]);
      }
  free(ignored);
  problem_reference_scores(p);
}

#endif
