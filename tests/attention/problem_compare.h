/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a problem's outputs hold against float64. */
#ifndef RAPT_TESTS_ATTENTION_PROBLEM_COMPARE_H
#define RAPT_TESTS_ATTENTION_PROBLEM_COMPARE_H

#include "problem_gather.h"
#include "support/compare.h"

/* The first element that differs; n counts all of them. */
typedef struct difference {
  size_t n;
  char text[200];
} difference;

static inline void differ(difference *d, const char *what, size_t row, size_t c, float got,
                          double ref) {
  if (d->n++ == 0)
    snprintf(d->text, sizeof d->text, "%s, row %zu, element %zu: %.9g, should be %.9g", what, row,
             c, (double)got, ref);
}

static inline void differ_rows(const problem *p, difference *d, const float *got, size_t rows) {
  size_t dv = (size_t)p->desc.head_dim_v;
  int partial = (p->desc.flags & RAPT_PARTIAL) != 0;
  const float *lse = got + rows * dv, *m = lse + (p->args.lse.data ? rows : 0), *l = m + rows;
  for (size_t r = 0; r < rows; r++) {
    double abs = RAPT_BOUND_ABS * p->row_loose[r], rel = RAPT_BOUND_REL * p->row_loose[r];
    double sum = partial && p->ref_l[r] > 1 ? p->ref_l[r] : 1; /* o is so much larger */
    for (size_t c = 0; c < dv; c++)
      if (!reference_close(got[r * dv + c], p->ref_o[r * dv + c], abs * sum, rel))
        differ(d, "O", r, c, got[r * dv + c], p->ref_o[r * dv + c]);
    if (p->args.lse.data && !reference_close(lse[r], p->ref_lse[r], abs, rel))
      differ(d, "LSE", r, 0, lse[r], p->ref_lse[r]);
    /* l says that a row is NaN; its maximum may be that of its other scores. */
    if (partial && !isnan(p->ref_m[r]) && !reference_close(m[r], p->ref_m[r], abs, rel))
      differ(d, "m", r, 0, m[r], p->ref_m[r]);
    if (partial && !reference_close(l[r], p->ref_l[r], abs * sum, rel))
      differ(d, "l", r, 0, l[r], p->ref_l[r]);
  }
}

static inline void differ_scores(const problem *p, difference *d, const float *got) {
  size_t scores = problem_score_count(p), sums = problem_sum_count(p);
  size_t keys = (size_t)p->args.kv_len;
  double loose = p->loosest < 1e30 ? p->loosest : 1e30; /* 0 of an infinite bound is no bound */
  for (size_t n = 0; n < scores; n++) {
    double each = RAPT_BOUND_ABS * p->score_loose[n];
    if (!reference_close(got[n], p->ref_scores[n], each, each))
      differ(d, "scores", n / keys, n % keys, got[n], p->ref_scores[n]);
  }
  for (size_t n = 0; n < sums; n++)
    if (!reference_close(got[scores + n], p->ref_sums[n], RAPT_BOUND_ABS * loose,
                         4 * RAPT_BOUND_REL * loose))
      differ(d, "key sums", n / keys, n % keys, got[scores + n], p->ref_sums[n]);
}

/* Elements of O that are numbers of their own: with scale 0 all rows that see the same keys are equal, and a
 * handful of means can be near 0 together, where a relative error says nothing. */
static inline size_t problem_independent(const problem *p, size_t rows) {
  const size_t dv = (size_t)p->desc.head_dim_v;
  if (!(p->desc.flags & RAPT_SCALE_LITERAL) || p->desc.scale != 0) return rows * dv;
  return (size_t)p->args.batch * (size_t)p->desc.heads_kv * dv;
}

/* How the outputs differ from float64: each element, and the L2 error of enough elements that it
 * means something. */
static inline difference problem_difference(problem *p) {
  difference d = {0};
  problem_reference(p);
  size_t n, rows = problem_rows(p), dv = (size_t)p->desc.head_dim_v;
  float *got = problem_gather(p, &n);
  double bar = (p->desc.head_dim_qk == 64 && p->args.kv_len <= 4096 ? 5e-7 : 2e-6) * p->loosest;
  double error = reference_rel_l2(got, p->ref_o, rows * dv);
  differ_rows(p, &d, got, rows);
  differ_scores(p, &d, got + n - problem_score_count(p) - problem_sum_count(p));
  if (!d.n && problem_independent(p, rows) >= 64 && !(error <= bar)) {
    d.n = 1;
    snprintf(d.text, sizeof d.text, "O: relative L2 error %.3g > %.3g", error, bar);
  }
  free(got);
  return d;
}

/* Bytes of an output buffer that belong to no valid row are as they were. */
static inline int problem_gaps_untouched(const problem *p, int tensor, const char *what) {
  static const char *const names[] = {"O", "LSE", "m", "l"};
  const guard_buffer *g = &p->buffer[tensor];
  size_t row = tensor == TENSOR_O ? 4 * (size_t)p->desc.head_dim_v : 4, bad = 0;
  unsigned char *copy = problem_memory(g->bytes);
  memcpy(copy, g->data, g->bytes);
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++) {
        float *at = tensor == TENSOR_O     ? reference_o_row(&p->args, b, h, i)
                    : tensor == TENSOR_LSE ? reference_lse_at(&p->args, b, h, i)
                    : tensor == TENSOR_M   ? reference_m_at(&p->args, b, h, i)
                                           : reference_l_at(&p->args, b, h, i);
        if (row) memset(copy + ((char *)at - (char *)g->data), 0xff, row);
      }
  while (bad < g->bytes && copy[bad] == 0xff) bad++;
  int ok = CHECK(bad == g->bytes, "%s: %s written outside of its valid rows, byte %zu of %zu", what,
                 names[tensor - TENSOR_O], bad, g->bytes);
  free(copy);
  return ok;
}

/* The same of scores (rows of kv_len) and key sums. */
static inline int problem_score_gaps_untouched(const problem *p, int sums, const char *what) {
  const guard_buffer *g = &p->extra[sums ? EXTRA_KEY_SUMS : EXTRA_SCORES];
  if (!g->map) return 1;
  size_t bad = 0, row = 4 * (size_t)p->args.kv_len;
  unsigned char *copy = problem_memory(g->bytes);
  memcpy(copy, g->data, g->bytes);
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t x = 0; x < reference_scores_heads(&p->desc, &p->args); x++)
      for (int32_t y = 0; y < (sums ? 1 : reference_scores_rows(&p->args)); y++) {
        float *at = sums ? reference_key_sums_at(&p->args, b, x)
                         : reference_scores_at(&p->args, b, x, y);
        memset(copy + ((char *)at - (char *)g->data), 0xff, row);
      }
  while (bad < g->bytes && copy[bad] == 0xff) bad++;
  int ok = CHECK(bad == g->bytes, "%s: %s written between their rows, byte %zu of %zu", what,
                 sums ? "key sums" : "scores", bad, g->bytes);
  free(copy);
  return ok;
}

/* What was computed against float64, and that nothing else was written. */
static inline int problem_compare(problem *p, const char *isa, const char *what) {
  char text[500];
  snprintf(text, sizeof text, "%s %s", isa, what);
  difference d = problem_difference(p);
  int ok = CHECK(d.n == 0, "%s: %s (%zu elements)", text, d.text, d.n);
  for (int t = TENSOR_O; t < TENSORS; t++)
    if (p->buffer[t].map) ok &= problem_gaps_untouched(p, t, text);
  return ok & problem_score_gaps_untouched(p, 0, text) & problem_score_gaps_untouched(p, 1, text);
}

#endif
