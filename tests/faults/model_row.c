/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <float.h>

#include "model.h"

static int32_t kv_head(const model *m, int32_t h) {
  if (WRONG(GQA_MODULO)) return h % m->d->heads_kv;
  return WRONG(GQA_FIRST) ? 0 : h / (m->d->heads_q / m->d->heads_kv);
}

static double scale(const model *m) {
  double given = (double)m->d->scale;
  int literal = (m->d->flags & RAPT_SCALE_LITERAL) != 0 && !WRONG(SCALE_LITERAL_ZERO);
  if ((literal || given != 0) && !WRONG(SCALE_IGNORED))
    return WRONG(SCALE_SIGN) ? fabs(given) : given;
  if (WRONG(SCALE_DEFAULT_ONE)) return 1;
  return pow(WRONG(SCALE_OF_VALUES) ? m->d->head_dim_v : m->d->head_dim_qk, -0.5);
}

static double softcap(const model *m, double s) {
  double cap = (double)m->d->softcap;
  if (cap == 0 || WRONG(SOFTCAP_IGNORED)) return s;
  if (WRONG(SOFTCAP_CLAMPS)) return fmax(-cap, fmin(cap, s));
  if (WRONG(SOFTCAP_OVERFLOWS)) {
    float up = expf((float)(s / cap)), down = expf((float)(-s / cap));
    return cap * (double)((up - down) / (up + down));
  }
  return cap * tanh(s / cap);
}

static double alibi(const model *m, int32_t b, int32_t h, int32_t i, int32_t j) {
  if (!(m->d->flags & RAPT_ALIBI) || WRONG(ALIBI_IGNORED)) return 0;
  int32_t head = WRONG(SLOPE_OF_FIRST_HEAD) ? 0 : WRONG(SLOPE_OF_KV_HEAD) ? kv_head(m, h) : h;
  double distance = (double)(j - (WRONG(ALIBI_WITHOUT_OFFSET) ? i : model_position(m, b, i)));
  if (WRONG(ALIBI_SIGN)) distance = -distance;
  if (WRONG(ALIBI_SYMMETRIC)) distance = -fabs(distance);
  return (double)m->a->alibi_slopes[head] * distance * (WRONG(ALIBI_SCALED) ? scale(m) : 1);
}

static void scores(const model *m, int32_t b, int32_t h, int32_t i, model_row *row) {
  const float *q = reference_q_row(m->a, b, h, i);
  for (int32_t j = 0; j < model_kv_len(m, b); j++) {
    const float *k = reference_k_row(m->a, b, kv_head(m, h), j);
    double s = 0, bias;
    for (int32_t c = m->d->head_dim_qk; c-- > 0;) s += (double)q[c] * (double)k[c];
    int masked = model_mask(m, b, h, i, j, &bias), placed = model_positions_permit(m, b, i, j);
    double slope = alibi(m, b, h, i, j);
    row->seen[j] = (unsigned char)(WRONG(MASK_OR) ? masked || placed : masked && placed);
    row->raw[j] = s * scale(m);
    if (WRONG(SOFTCAP_BEFORE_SCALE))
      row->capped[j] = softcap(m, s) * scale(m);
    else if (WRONG(ALIBI_BEFORE_SOFTCAP))
      row->capped[j] = softcap(m, row->raw[j] + slope);
    else
      row->capped[j] = softcap(m, row->raw[j]);
    row->biased[j] = row->capped[j] + bias + (WRONG(ALIBI_BEFORE_SOFTCAP) ? 0 : slope);
    if (WRONG(SOFTCAP_AFTER_BIAS)) row->biased[j] = softcap(m, row->raw[j] + bias + slope);
    if (WRONG(LOWEST_OVERFLOWS) && row->biased[j] < -1e38) row->biased[j] = -(double)INFINITY;
    if (WRONG(NAN_KEY_SKIPPED) && isnan(row->biased[j])) row->biased[j] = -(double)INFINITY;
    if (row->seen[j]) continue;
    if (WRONG(SOFTCAP_AFTER_MASK) && m->d->softcap > 0) {
      row->biased[j] = -(double)m->d->softcap;
      row->seen[j] = 1;
    } else if (WRONG(FILL_1E4) || WRONG(FILL_5E4) || WRONG(FILL_LOWEST)) {
      row->biased[j] = WRONG(FILL_1E4) ? -1e4 : WRONG(FILL_5E4) ? -5e4 : -(double)FLT_MAX;
      row->seen[j] = 2;
    } else if (!(WRONG(FORBIDDEN_K_TOUCHED) && isnan(row->raw[j])) &&
               !WRONG(SCORES_FORBIDDEN_SHOWN)) {
      row->biased[j] = -(double)INFINITY;
    }
  }
}

/* Weights before the division, into row->weight; maximum and sum of the keys alone. */
static int softmax(const model *m, int32_t n, model_row *row) {
  double most = -(double)INFINITY, sum = 0;
  int spoilt = 0;
  for (int32_t j = 0; j < n; j++) {
    double s = row->biased[j];
    int counts = row->seen[j] || (WRONG(FORBIDDEN_K_TOUCHED) && isnan(s));
    if (counts && (isnan(s) || s == (double)INFINITY)) spoilt = 1;
    if (counts && s > most) most = s;
  }
  double base = WRONG(NO_MAXIMUM) ? 0 : most > -(double)INFINITY ? most : 0;
  for (int32_t j = 0; j < n; j++) {
    double w = row->seen[j] ? exp(row->biased[j] - base) : 0;
    if (WRONG(NO_MAXIMUM)) w = (double)(float)w;
    if (spoilt && row->seen[j]) w = (double)NAN;
    row->weight[j] = w;
    sum += w;
  }
  row->m = WRONG(NO_MAXIMUM) && sum > 0 ? 0 : most;
  row->l = sum;
  if (spoilt) row->m = row->l = (double)NAN;
  if (spoilt && WRONG(NAN_ROW_ZERO)) row->m = -(double)INFINITY, row->l = 0;
  return spoilt && !WRONG(NAN_ROW_ZERO);
}

static void values(const model *m, int32_t b, int32_t h, model_row *row) {
  for (int32_t c = 0; c < m->d->head_dim_v; c++) row->o[c] = 0;
  if (row->l == 0) return;
  for (int32_t j = 0; j < model_kv_len(m, b); j++) {
    const float *v = reference_v_row(m->a, b, kv_head(m, h), j);
    if (row->seen[j] != 1 && row->weight[j] == 0 && !WRONG(FORBIDDEN_V_TOUCHED)) continue;
    for (int32_t c = 0; c < m->d->head_dim_v; c++) row->o[c] += row->weight[j] * (double)v[c];
  }
}

/* The sink, the division, LSE. */
static void finish(const model *m, int32_t b, int32_t h, model_row *row, int spoilt) {
  int32_t n = model_kv_len(m, b), dv = m->d->head_dim_v, head = WRONG(SINK_OF_FIRST_HEAD) ? 0 : h;
  double sink = m->a->sinks && !WRONG(SINK_IGNORED) ? (double)m->a->sinks[head] : -(double)INFINITY;
  if (WRONG(SINK_SCALED)) sink *= scale(m);
  double most = fmax(row->m, sink), shrink = most > -(double)INFINITY ? exp(row->m - most) : 1;
  if (WRONG(SINK_NOT_IN_MAXIMUM) && row->l > 0) most = row->m, shrink = 1;
  double extra = sink > -(double)INFINITY ? exp(sink - most) : 0;
  if (WRONG(SINK_NOT_IN_MAXIMUM)) extra = (double)(float)extra;
  double sum = row->l * shrink + extra, keys = row->l * shrink;
  if (spoilt) sum = keys = shrink = (double)NAN;
  row->lse = (WRONG(SINK_NOT_IN_LSE) ? row->m + log(row->l) : most + log(sum));
  if (row->l == 0 && WRONG(SINK_NOT_IN_EMPTY_ROW)) row->lse = -(double)INFINITY;
  if (WRONG(LSE_WITHOUT_MAXIMUM)) row->lse = log(sum);
  if (WRONG(LSE_BASE_2)) row->lse /= log(2);
  if (sum == 0 && WRONG(LSE_EMPTY_ZERO)) row->lse = 0;
  double by = WRONG(SINK_NOT_IN_SUM) ? keys : sum;
  for (int32_t j = 0; j < n; j++)
    row->weight[j] = row->seen[j] && sum > 0
                         ? row->weight[j] * shrink / (WRONG(WEIGHTS_WITHOUT_SINK) ? keys : sum)
                     : row->seen[j] && spoilt ? (double)NAN
                                              : 0;
  for (int32_t j = 0; j < n && sum == 0 && WRONG(WEIGHTS_EMPTY_UNIFORM); j++)
    row->weight[j] = 1.0 / n;
  if (m->d->flags & RAPT_PARTIAL && !WRONG(PARTIAL_DIVIDED)) return;
  for (int32_t c = 0; c < dv; c++) {
    row->o[c] = by > 0 || spoilt ? row->o[c] * shrink / by : row->o[c];
    if (WRONG(SINK_IN_OUTPUT) && extra > 0 && n > 0)
      row->o[c] += extra / sum * (double)reference_v_row(m->a, b, kv_head(m, h), 0)[c];
    if (row->l == 0 && WRONG(EMPTY_NAN)) row->o[c] = (double)NAN;
    for (int32_t j = 0; row->l == 0 && WRONG(EMPTY_UNIFORM) && j < n; j++)
      row->o[c] += (double)reference_v_row(m->a, b, kv_head(m, h), j)[c] / n;
  }
}

void model_make_row(const model *m, int32_t b, int32_t h, int32_t i, model_row *row) {
  scores(m, b, h, i, row);
  int spoilt = softmax(m, model_kv_len(m, b), row);
  values(m, b, h, row);
  finish(m, b, h, row, spoilt);
  if (row->l == 0 && WRONG(PARTIAL_EMPTY_M_ZERO)) row->m = 0;
  if (WRONG(PARTIAL_BASE_2)) row->m /= log(2);
}
