/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rules.h"

#include <math.h>
#include <string.h>

#define SOFTCAP 30.0f

/* ---- Masks: the value of a pair, -inf where forbidden ---- */

static double noise(const bench_shape *s, int32_t i, int32_t j) {
  return rint(8.0 * (double)bench_normal(9, (uint64_t)((int64_t)i * s->kv_len + j))) /
         8; /* exact in 16 bits */
}

static double permit(int32_t visible) { return visible ? 0 : -INFINITY; }

static double half(const bench_shape *s, int32_t i, int32_t j) {
  return permit(bench_normal(10, (uint64_t)((int64_t)i * s->kv_len + j)) < 0);
}

static double tail(const bench_shape *s, int32_t i, int32_t j) {
  (void)i;
  return permit(j < s->kv_len - s->kv_len / 8);
}

static double eighth(const bench_shape *s, int32_t i, int32_t j) {
  (void)s, (void)i;
  return permit(bench_normal(11, (uint64_t)j) > -1.15f);
}

static double half_of_keys(const bench_shape *s, int32_t i, int32_t j) {
  (void)s, (void)i;
  return permit(bench_normal(12, (uint64_t)j) > 0);
}

static double document(const bench_shape *s, int32_t i, int32_t j) {
  const int32_t length = s->kv_len / BENCH_SEQUENCES;
  return permit(i / length == j / length);
}

static double causal(const bench_shape *s, int32_t i, int32_t j) {
  return permit(j <= i + s->kv_len - s->q_len);
}

/* Cell j holds position j / n of sequence j % n; new tokens are the last ones of their sequences. */
static double cell(const bench_shape *s, int32_t sequence, int32_t token, int32_t j) {
  const int32_t n = BENCH_SEQUENCES, position = token + (s->kv_len - s->q_len) / n;
  return permit(j % n == sequence && j / n <= position);
}

static double grouped(const bench_shape *s, int32_t i, int32_t j) {
  const int32_t length = s->q_len / BENCH_SEQUENCES;
  return cell(s, i / length, i % length, j);
}

static double interleaved(const bench_shape *s, int32_t i, int32_t j) {
  return cell(s, i % BENCH_SEQUENCES, i / BENCH_SEQUENCES, j);
}

static const struct {
  const char *name;
  int32_t mask, one_row;
  double (*value)(const bench_shape *s, int32_t i, int32_t j);
} kinds[BENCH_RULES] = {
    [BENCH_RULE_NONE] = {"none", 0, 0, NULL},
    [BENCH_ADDITIVE_F32] = {"additive_f32", RAPT_MASK_F32, 0, noise},
    [BENCH_ADDITIVE_F16] = {"additive_f16", RAPT_MASK_F16, 0, noise},
    [BENCH_ADDITIVE_BF16] = {"additive_bf16", RAPT_MASK_BF16, 0, noise},
    [BENCH_ADDITIVE_FACTORS] = {"additive_factors", RAPT_MASK_F32, 0, noise},
    [BENCH_BOOLEAN] = {"boolean", RAPT_MASK_BOOL, 0, half},
    [BENCH_BITS] = {"bits", RAPT_MASK_BITS, 0, half},
    [BENCH_PADDING] = {"padding", RAPT_MASK_BOOL, 1, tail},
    [BENCH_PADDING_EIGHTH] = {"padding_eighth", RAPT_MASK_BOOL, 1, eighth},
    [BENCH_PADDING_HALF] = {"padding_half", RAPT_MASK_BOOL, 1, half_of_keys},
    [BENCH_SOFTCAP] = {"softcap", 0, 0, NULL},
    [BENCH_ALIBI] = {"alibi", 0, 0, NULL},
    [BENCH_SINKS] = {"sinks", 0, 0, NULL},
    [BENCH_PARTIAL] = {"partial", 0, 0, NULL},
    [BENCH_WEIGHTS] = {"weights", 0, 0, NULL},
    [BENCH_WINDOW] = {"window", 0, 0, NULL},
    [BENCH_DOCUMENTS] = {"documents", RAPT_MASK_BOOL, 0, document},
    [BENCH_CAUSAL_F16] = {"causal_f16", RAPT_MASK_F16, 0, causal},
    [BENCH_UNIFIED] = {"unified", RAPT_MASK_F16, 0, grouped},
    [BENCH_UNIFIED_INTERLEAVED] = {"unified_interleaved", RAPT_MASK_F16, 0, interleaved},
    [BENCH_CAUSAL_END] = {"causal_end", 0, 0, NULL},
};

const char *bench_rule_name(bench_rule rule) { return kinds[rule].name; }

double bench_rule_pairs(bench_rule rule, const bench_shape *s) {
  double pairs = 0;
  for (int32_t i = 0; rule == BENCH_WINDOW && i < s->q_len; i++)
    pairs += i < BENCH_WINDOW_KEYS ? i + 1 : BENCH_WINDOW_KEYS;
  for (int32_t j = 0; kinds[rule].one_row && j < s->kv_len; j++)
    pairs += kinds[rule].value(s, 0, j) == 0 ? s->q_len : 0;
  return pairs > 0 ? pairs : (double)s->q_len * s->kv_len;
}

/* ---- The data ---- */

static int64_t row_bytes(const bench_rules *r) {
  const int64_t keys = r->shape.kv_len;
  switch (kinds[r->rule].mask) {
  case RAPT_MASK_BITS:
    return (keys + 31) / 32 * (int64_t)sizeof(uint32_t);
  case RAPT_MASK_F32:
    return keys * (int64_t)sizeof(float);
  case RAPT_MASK_BOOL:
    return keys;
  default:
    return keys * (int64_t)sizeof(uint16_t);
  }
}

/* Values that are exact in half precision, and not so small that it has them denormal. */
static uint16_t half_of(uint32_t bits) {
  if ((bits & 0x7fffffffu) == 0) return (uint16_t)(bits >> 16);
  if ((bits & 0x7fffffffu) == 0x7f800000u) return (uint16_t)(bits >> 16 & 0x8000u) | 0x7c00u;
  return (uint16_t)((bits >> 16 & 0x8000u) | (((bits >> 13) & 0x3ffffu) - (112u << 10)));
}

static void put(char *row, int32_t mask, int32_t j, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  switch (mask) {
  case RAPT_MASK_BOOL:
    row[j] = value == 0;
    break;
  case RAPT_MASK_BITS:
    ((uint32_t *)(void *)row)[j / 32] |= (uint32_t)(value == 0) << j % 32;
    break;
  case RAPT_MASK_F32:
    ((float *)(void *)row)[j] = value;
    break;
  case RAPT_MASK_F16:
    ((uint16_t *)(void *)row)[j] = half_of(bits);
    break;
  default:
    ((uint16_t *)(void *)row)[j] = (uint16_t)(bits >> 16);
  }
}

static int open_mask(bench_rules *r) {
  const int32_t mask = kinds[r->rule].mask, queries = kinds[r->rule].one_row ? 1 : r->shape.q_len;
  if (!mask) return 0;
  const int64_t bytes = row_bytes(r);
  if (bench_buffer_open(&r->mask, (size_t)(queries * bytes), r->shape.pages) != 0) return -1;
  for (int32_t i = 0; i < queries; i++)
    for (int32_t j = 0; j < r->shape.kv_len; j++)
      put((char *)r->mask.data + i * bytes, mask, j, (float)kinds[r->rule].value(&r->shape, i, j));
  return 0;
}

/* Slopes, factors (2^(-8 (h + 1) / heads)) or sinks. */
static int open_per_head(bench_rules *r) {
  const int32_t heads = r->shape.heads_q;
  if (bench_buffer_open(&r->per_head, (size_t)heads * sizeof(float), BENCH_PAGES_4K) != 0)
    return -1;
  float *value = r->per_head.data;
  for (int32_t h = 0; h < heads; h++)
    value[h] = r->rule == BENCH_SINKS ? 4 * bench_normal(13, (uint64_t)h)
                                      : exp2f(-8.0f * (float)(h + 1) / (float)heads);
  return 0;
}

static int open_weights(bench_rules *r) {
  const bench_shape *s = &r->shape;
  const int64_t row = s->kv_len * (int64_t)sizeof(float);
  const int64_t head = BENCH_WEIGHT_ROWS * row, batch = s->heads_q * head;
  if (bench_buffer_open(&r->weights, (size_t)(s->batch * batch), s->pages) != 0) return -1;
  memset(r->weights.data, 0, r->weights.bytes); /* touched */
  for (int32_t k = 0; k < BENCH_WEIGHT_ROWS; k++)
    r->rows[k] = (int32_t)((int64_t)k * (s->q_len - 1) / (BENCH_WEIGHT_ROWS - 1));
  r->scores = (rapt_scores_out){.size = sizeof r->scores,
                                .stage = RAPT_STAGE_WEIGHTS,
                                .n_rows = BENCH_WEIGHT_ROWS,
                                .rows = r->rows,
                                .data = r->weights.data,
                                .stride = {batch, head, row}};
  return 0;
}

int bench_rules_open(bench_rules *r, bench_rule rule, const bench_shape *shape) {
  memset(r, 0, sizeof *r);
  r->rule = rule;
  r->shape = *shape;
  const size_t rows = (size_t)shape->batch * (size_t)shape->heads_q * (size_t)shape->q_len;
  if (rule == BENCH_PARTIAL &&
      bench_buffer_open(&r->sums, 2 * rows * sizeof(float), shape->pages) != 0)
    return -1;
  if (rule == BENCH_WEIGHTS && open_weights(r) != 0) return -1;
  if (open_per_head(r) != 0) return -1;
  return open_mask(r);
}

void bench_rules_close(bench_rules *r) {
  bench_buffer_close(&r->mask);
  bench_buffer_close(&r->per_head);
  bench_buffer_close(&r->sums);
  bench_buffer_close(&r->weights);
}

/* ---- What it adds to a call ---- */

void bench_rules_describe(const bench_rules *r, rapt_attention_desc *desc) {
  desc->mask = kinds[r->rule].mask;
  if (r->rule == BENCH_SOFTCAP) desc->softcap = SOFTCAP;
  if (r->rule == BENCH_ALIBI) desc->flags |= RAPT_ALIBI;
  if (r->rule == BENCH_PARTIAL) desc->flags |= RAPT_PARTIAL;
  if (r->rule == BENCH_CAUSAL_END) desc->flags |= RAPT_CAUSAL;
  if (r->rule == BENCH_WINDOW) {
    desc->flags |= RAPT_WINDOW_LEFT;
    desc->window_left = BENCH_WINDOW_KEYS - 1;
  }
  if (r->rule == BENCH_ALIBI || r->rule == BENCH_CAUSAL_END) desc->align = RAPT_ALIGN_BOTTOM_RIGHT;
}

void bench_rules_apply(bench_rules *r, rapt_attention_args *args) {
  const bench_shape *s = &r->shape;
  if (kinds[r->rule].mask)
    args->mask = (rapt_mask){
        .data = r->mask.data,
        .stride = {0, 0, row_bytes(r),
                   kinds[r->rule].mask == RAPT_MASK_BITS ? 0 : row_bytes(r) / s->kv_len},
        .extent = {1, 1, kinds[r->rule].one_row ? 1 : s->q_len, s->kv_len},
        .factors = r->rule == BENCH_ADDITIVE_FACTORS ? r->per_head.data : NULL,
    };
  if (r->rule == BENCH_ALIBI) args->alibi_slopes = r->per_head.data;
  if (r->rule == BENCH_SINKS) args->sinks = r->per_head.data;
  if (r->rule == BENCH_WEIGHTS) args->scores = &r->scores;
  if (r->rule == BENCH_PARTIAL) {
    const int64_t token = sizeof(float), head = s->q_len * token, batch = s->heads_q * head;
    args->m = (rapt_tensor){.data = r->sums.data, .stride = {batch, head, token}};
    args->l = args->m;
    args->l.data = (char *)r->sums.data + r->sums.bytes / 2;
  }
}

/* ---- What it makes of a score ---- */

double bench_rules_score(const bench_rules *r, int32_t head, int32_t query, int32_t key,
                         double raw) {
  const float *per_head = r->per_head.data;
  const int32_t distance = key - (query + r->shape.kv_len - r->shape.q_len);
  switch (r->rule) {
  case BENCH_SOFTCAP:
    return SOFTCAP * tanh(raw / SOFTCAP);
  case BENCH_ALIBI:
    return raw + (double)per_head[head] * distance;
  case BENCH_CAUSAL_END:
    return distance <= 0 ? raw : -INFINITY;
  case BENCH_WINDOW:
    return distance > -BENCH_WINDOW_KEYS ? raw : -INFINITY;
  case BENCH_ADDITIVE_FACTORS:
    return raw + (double)per_head[head] * kinds[r->rule].value(&r->shape, query, key);
  default:
    return kinds[r->rule].mask ? raw + kinds[r->rule].value(&r->shape, query, key) : raw;
  }
}

double bench_rules_sink(const bench_rules *r, int32_t head) {
  return r->rule == BENCH_SINKS ? (double)((const float *)r->per_head.data)[head] : -INFINITY;
}

double bench_rules_divisor(const bench_rules *r, int32_t b, int32_t head, int32_t query) {
  if (r->rule != BENCH_PARTIAL) return 1;
  const float *l = (const float *)r->sums.data + r->sums.bytes / 2 / sizeof(float);
  return l[((int64_t)b * r->shape.heads_q + head) * r->shape.q_len + query];
}

const float *bench_rules_weights(const bench_rules *r, int32_t b, int32_t head, int32_t query) {
  if (r->rule != BENCH_WEIGHTS) return NULL;
  for (int32_t k = 0; k < BENCH_WEIGHT_ROWS; k++)
    if (r->rows[k] == query)
      return (const float *)r->weights.data +
             (((int64_t)b * r->shape.heads_q + head) * BENCH_WEIGHT_ROWS + k) * r->shape.kv_len;
  return NULL;
}
