/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "model.h"

static model_row row_make(const model *m) {
  size_t n = (size_t)m->a->kv_len * sizeof(double);
  return (model_row){.raw = problem_memory(n),
                     .capped = problem_memory(n),
                     .biased = problem_memory(n),
                     .weight = problem_memory(n),
                     .seen = problem_memory(n),
                     .o = problem_memory((size_t)m->d->head_dim_v * sizeof(double))};
}

static void row_free(model_row *row) {
  void *all[] = {row->raw, row->capped, row->biased, row->weight, row->seen, row->o};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void rows(const model *m, model_row *row) {
  for (int32_t b = 0; b < m->a->batch; b++)
    for (int32_t h = 0; h < m->d->heads_q; h++)
      for (int32_t i = 0; i < model_q_len(m, b); i++) {
        model_make_row(m, b, h, i, row);
        float *o = reference_o_row(m->a, b, h, i), *lse = reference_lse_at(m->a, b, h, i);
        for (int32_t c = 0; c < m->d->head_dim_v; c++) o[c] = (float)row->o[c];
        if (lse) *lse = (float)row->lse;
        if (m->a->m.data) *reference_m_at(m->a, b, h, i) = (float)row->m;
        if (m->a->l.data) *reference_l_at(m->a, b, h, i) = (float)row->l;
      }
}

/* The query of the y-th row shown, -1 for none. */
static int32_t query_of(const model *m, int32_t b, int32_t y) {
  int32_t n = model_q_len(m, b), i = m->a->scores->rows ? m->a->scores->rows[y] : y;
  if (i < 0 && WRONG(ROWS_NEGATIVE_IS_FIRST))
    i = 0;
  else if (i < 0)
    i += WRONG(ROWS_FROM_LONGEST) ? m->a->q_len : n;
  if (i >= 0 && i < n) return i;
  return WRONG(ROWS_MISSING_IS_LAST) ? n - 1 : -1;
}

static int32_t head_of(const model *m, int32_t x) {
  return m->a->scores->heads && !WRONG(HEADS_IGNORED) ? m->a->scores->heads[x] : x;
}

static void show(const model *m, int32_t b, int32_t x, int32_t y, model_row *row) {
  float *out = reference_scores_at(m->a, b, x, y);
  int32_t i = query_of(m, b, y), n = i < 0 ? 0 : model_kv_len(m, b), stage = m->a->scores->stage;
  double none = stage == RAPT_STAGE_WEIGHTS || WRONG(SCORES_BEYOND_ZERO) ? 0 : -(double)INFINITY;
  if (WRONG(STAGE_EARLIER) && stage > 0) stage--;
  if (WRONG(STAGE_LATER) && stage < RAPT_STAGE_WEIGHTS) stage++;
  if (i >= 0) model_make_row(m, b, head_of(m, x), i, row);
  const double *stages[] = {row->raw, row->capped, row->biased, row->weight};
  for (int32_t j = 0; j < m->a->kv_len; j++) out[j] = (float)(j < n ? stages[stage][j] : none);
}

static void add_up(const model *m, int32_t b, int32_t x, double *sum, model_row *row) {
  int32_t shown = reference_scores_rows(m->a),
          n = WRONG(SUMS_OF_ALL_ROWS) ? model_q_len(m, b) : shown;
  for (int32_t y = WRONG(SUMS_OF_LAST_ROW) && n ? n - 1 : 0; y < n; y++) {
    int32_t i = WRONG(SUMS_OF_ALL_ROWS) ? y : query_of(m, b, y);
    if (i < 0) continue;
    model_make_row(m, b, head_of(m, x), i, row);
    for (int32_t j = 0; j < model_kv_len(m, b); j++)
      sum[j] += row->weight[j] / (WRONG(SUMS_DIVIDED) ? shown : 1);
  }
}

static void look(const model *m, model_row *row) {
  int32_t heads = reference_scores_heads(m->d, m->a);
  double *sum = problem_memory((size_t)m->a->kv_len * sizeof *sum);
  for (int32_t b = 0; b < m->a->batch; b++)
    for (int32_t x = 0; x < heads; x++) {
      for (int32_t y = 0; m->a->scores->data && y < reference_scores_rows(m->a); y++)
        show(m, b, x, y, row);
      if (!m->a->scores->key_sums) continue;
      memset(sum, 0, (size_t)m->a->kv_len * sizeof *sum);
      add_up(m, b, x, sum, row);
      for (int32_t other = 0; WRONG(SUMS_OVER_HEADS) && other < heads; other++)
        if (other != x) add_up(m, b, other, sum, row);
      for (int32_t j = 0; j < m->a->kv_len; j++)
        reference_key_sums_at(m->a, b, x)[j] = (float)sum[j];
    }
  free(sum);
}

int model_run(problem *p, void *ctx) {
  model m = {&p->desc, &p->args, *(const model_fault *)ctx};
  model_row row = row_make(&m);
  rows(&m, &row);
  if (p->args.scores) look(&m, &row);
  row_free(&row);
  return 1;
}

void model_join(double *m1, double *l, double *o, double m2, double l2, const double *o2,
                int32_t dv, void *ctx) {
  model made = {.fault = *(const model_fault *)ctx}, *m = &made;
  double ninf = -(double)INFINITY, most = isnan(m2) || m2 > *m1 ? m2 : *m1;
  if (WRONG(JOIN_EMPTY_COUNTS) && most < 0 && (m2 == ninf || *m1 == ninf)) most = 0;
  if (most == ninf && !WRONG(JOIN_EMPTY_NAN)) return;
  double w1 = WRONG(JOIN_WITHOUT_MAXIMUM) ? 1 : exp(*m1 - most);
  double w2 = WRONG(JOIN_WITHOUT_MAXIMUM) ? 1 : exp(m2 - most);
  if (WRONG(JOIN_EMPTY_COUNTS)) { /* e^0 for what has seen nothing */
    if (*m1 == ninf) *l += 1, w1 = 1;
    if (m2 == ninf) *l += 1;
  }
  *l = w1 * *l + w2 * l2;
  for (int32_t c = 0; c < dv; c++) o[c] = w1 * o[c] + w2 * o2[c];
  *m1 = most;
}
