/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a problem has besides tensors and mask: slopes, sinks, prefixes, a look at the scores. */
#ifndef RAPT_TESTS_ATTENTION_PROBLEM_EXTRAS_H
#define RAPT_TESTS_ATTENTION_PROBLEM_EXTRAS_H

#include <math.h>

#include "problem_types.h"

static inline void *extra_make(problem *p, int extra, size_t n) {
  p->extra[extra] = guard_alloc(4 * n, p->place, 4);
  return p->extra[extra].data;
}

static inline float sink_of(int kind, int32_t h, rng *r) {
  float normal = (float)rng_normal(r);
  if (kind == SINKS_MIXED) kind = SINKS_NORMAL + h % 4;
  if (kind == SINKS_HIGH) return 1e4f;
  if (kind == SINKS_LOW) return -1e4f;
  return kind == SINKS_OFF ? -INFINITY : normal;
}

static inline void problem_build_scores(problem *p, rng *r) {
  if (!p->scores.wanted) return;
  p->extra[EXTRA_SCORES_OUT] = guard_alloc(sizeof(rapt_scores_out), p->place, 8);
  rapt_scores_out *s = p->extra[EXTRA_SCORES_OUT].data;
  memset(s, 0, sizeof *s);
  p->args.scores = s;
  s->size = sizeof *s;
  s->stage = p->scores.stage;
  if (p->scores.rows != ROWS_ALL) {
    s->n_rows = p->scores.rows == ROWS_LAST ? 1 : 4;
    int32_t *rows = extra_make(p, EXTRA_ROWS, (size_t)s->n_rows), most = p->args.q_len;
    for (int32_t y = 0; y < s->n_rows; y++)
      rows[y] = y == 0 ? -1 : y == 1 ? -most : rng_range(r, -most, most - 1);
    s->rows = rows;
  }
  if (p->scores.heads) {
    s->n_heads = (p->desc.heads_q + 1) / 2;
    int32_t *heads = extra_make(p, EXTRA_HEADS, (size_t)s->n_heads);
    for (int32_t x = 0; x < s->n_heads; x++) heads[x] = p->desc.heads_q - 1 - 2 * x;
    for (int32_t x = 0; x < s->n_heads; x++)
      if (heads[x] < 0) heads[x] = 0;
    s->heads = heads;
  }
  int64_t heads = reference_scores_heads(&p->desc, &p->args),
          rows = reference_scores_rows(&p->args);
  int64_t keys = p->args.kv_len, row = 4 * ((keys > 0 ? keys : 1) + p->scores.gap);
  int64_t batch = p->args.batch;
  if (!p->scores.no_data) {
    s->stride[2] = row, s->stride[1] = rows * row + 4 * p->scores.gap;
    s->stride[0] = heads * s->stride[1];
    size_t floats = batch && heads && rows
                        ? (size_t)((batch - 1) * s->stride[0] / 4 + (heads - 1) * s->stride[1] / 4 +
                                   (rows - 1) * row / 4 + keys)
                        : 0;
    s->data = extra_make(p, EXTRA_SCORES, floats);
  }
  if (p->scores.sums || p->scores.no_data) {
    s->key_sums_stride[1] = row;
    s->key_sums_stride[0] = heads * row;
    size_t floats = batch && heads ? (size_t)((batch * heads - 1) * (row / 4) + keys) : 0;
    s->key_sums = extra_make(p, EXTRA_KEY_SUMS, floats);
  }
}

static inline void problem_build_extras(problem *p, rng *r) {
  size_t heads = (size_t)p->desc.heads_q;
  if (p->desc.flags & RAPT_ALIBI) {
    float *slope = extra_make(p, EXTRA_SLOPES, heads);
    for (int32_t h = 0; h < p->desc.heads_q; h++) slope[h] = exp2f(-1.5f * (float)(h % 6 + 1));
    p->args.alibi_slopes = slope;
  }
  if (p->sinks) {
    float *sink = extra_make(p, EXTRA_SINKS, heads);
    for (int32_t h = 0; h < p->desc.heads_q; h++) sink[h] = sink_of(p->sinks, h, r);
    p->args.sinks = sink;
  }
  if (p->desc.flags & RAPT_PREFIX) {
    int32_t *prefix = extra_make(p, EXTRA_PREFIX, (size_t)p->args.batch);
    for (int32_t b = 0; b < p->args.batch; b++) {
      int32_t n = (int32_t)reference_kv_len(&p->args, b);
      prefix[b] = b % 4 == 3 ? n : rng_range(r, 0, n);
    }
    p->args.prefix_lens = prefix;
  }
  problem_build_scores(p, r);
}

#endif
