/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "merge_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/compare.h"

int64_t merge_rows(const merge_case *c) { return (int64_t)c->batch * c->heads * c->q_len; }

static void *must(size_t bytes) {
  void *memory = calloc(1, bytes + 8);
  if (!memory) exit(2);
  return memory;
}

/* A tensor with `width` floats per row in the case's layout. */
static rapt_tensor tensor(merge_case *c, int32_t width) {
  int64_t row = (int64_t)width * 4, pad = c->layout == MERGE_PADDED ? 12 : 0;
  int64_t inner = row + pad, b = (int64_t)c->heads * c->q_len * inner;
  rapt_tensor t = {NULL, {b, c->q_len * inner, inner}};
  if (c->layout == MERGE_BSHD) t.stride[1] = inner, t.stride[2] = c->heads * inner;
  int64_t bytes = merge_rows(c) > 0 ? (merge_rows(c) - 1) * inner + row : 0;
  c->buffer[c->buffers] = guard_alloc((size_t)bytes, c->place, 4);
  t.data = c->buffer[c->buffers++].data;
  return t;
}

static rapt_const_tensor as_input(rapt_tensor t) {
  return (rapt_const_tensor){t.data, {t.stride[0], t.stride[1], t.stride[2]}};
}

float *merge_at(const merge_case *c, const void *data, const int64_t *stride, int64_t row) {
  int64_t t = row % c->q_len, h = row / c->q_len % c->heads, b = row / c->q_len / c->heads;
  char *at = (char *)(uintptr_t)data;
  return (float *)(void *)(at + b * stride[0] + h * stride[1] + t * stride[2]);
}

/* A sum of e^score * v relative to m, in float64. */
typedef struct state {
  double m, l, *o;
} state;

static void add_key(state *s, double score, const double *v, int32_t n) {
  double m = score > s->m ? score : s->m, a = s->m == (double)-INFINITY ? 0 : exp(s->m - m);
  double w = exp(score - m);
  s->l = s->l * a + w;
  for (int32_t d = 0; d < n; d++) s->o[d] = s->o[d] * a + w * v[d];
  s->m = m;
}

/* One row of partial i, relative to a maximum that is a float. */
static void store(merge_case *c, int32_t i, int64_t row, const state *s) {
  const rapt_merge_part *p = &c->part[i];
  const int empty = s->l == 0;
  float *o = merge_at(c, p->o.data, p->o.stride, row), m = empty ? -INFINITY : (float)s->m;
  double scale = empty ? 0 : exp(s->m - (double)m);
  if (p->lse.data)
    *merge_at(c, p->lse.data, p->lse.stride, row) = empty ? -INFINITY : (float)(s->m + log(s->l));
  if (p->m.data) *merge_at(c, p->m.data, p->m.stride, row) = m;
  if (p->l.data) *merge_at(c, p->l.data, p->l.stride, row) = (float)(s->l * scale);
  if (empty) return; /* o stays NaN: nobody may look */
  for (int32_t d = 0; d < c->head_dim; d++)
    o[d] = (float)(p->lse.data ? s->o[d] / s->l : s->o[d] * scale);
}

static void draw_row(merge_case *c, int64_t row, rng *r) {
  state whole = {-(double)INFINITY, 0, must((size_t)c->head_dim * 8)}, part = whole;
  double *v = must((size_t)c->head_dim * 8);
  part.o = must((size_t)c->head_dim * 8);
  for (int32_t i = 0; i < c->n; i++) {
    part.m = -(double)INFINITY, part.l = 0;
    int32_t keys = rng_range(r, 0, c->most_keys);
    for (int32_t k = 0; k < keys; k++) {
      double score = c->base + c->sigma * rng_normal(r);
      for (int32_t d = 0; d < c->head_dim; d++) v[d] = rng_normal(r);
      add_key(&part, score, v, c->head_dim);
      add_key(&whole, score, v, c->head_dim);
    }
    store(c, i, row, &part);
  }
  double sink = c->args.sinks ? (double)c->args.sinks[row / c->q_len % c->heads] : 0;
  if (c->args.sinks && sink > (double)-INFINITY) {
    memset(v, 0, (size_t)c->head_dim * 8);
    add_key(&whole, sink, v, c->head_dim);
  }
  for (int32_t d = 0; d < c->head_dim; d++)
    c->o[row * c->head_dim + d] = whole.l == 0 ? 0 : whole.o[d] / whole.l;
  c->lse[row] = whole.l == 0 ? -(double)INFINITY : whole.m + log(whole.l);
  free(v);
  free(part.o);
  free(whole.o);
}

void merge_build(merge_case *c, rng *r) {
  c->part = must((size_t)c->n * sizeof *c->part);
  c->buffer = must(((size_t)c->n * 4 + 8) * sizeof *c->buffer);
  c->buffers = 0;
  c->o = must((size_t)merge_rows(c) * (size_t)c->head_dim * 8);
  c->lse = must((size_t)merge_rows(c) * 8);
  rapt_merge_args *a = &c->args;
  *a = (rapt_merge_args){.size = sizeof *a,
                         .batch = c->batch,
                         .heads = c->heads,
                         .q_len = c->q_len,
                         .head_dim = c->head_dim,
                         .n = c->n,
                         .partials = c->part};
  for (int32_t i = 0; i < c->n; i++) {
    int lse = c->form == MERGE_LSE || (c->form == MERGE_MIXED && rng_below(r, 2));
    c->part[i].o = as_input(tensor(c, c->head_dim));
    if (lse) c->part[i].lse = as_input(tensor(c, 1));
    if (!lse) c->part[i].m = as_input(tensor(c, 1)), c->part[i].l = as_input(tensor(c, 1));
  }
  a->o = tensor(c, c->head_dim);
  if (c->partial)
    a->m = tensor(c, 1), a->l = tensor(c, 1);
  else
    a->lse = tensor(c, 1);
  if (c->sinks) {
    c->buffer[c->buffers] = guard_floats((size_t)c->heads, c->place);
    float *sinks = c->buffer[c->buffers++].data;
    for (int32_t h = 0; h < c->heads; h++)
      sinks[h] = h % 3 == 2 ? -INFINITY : (float)(c->base + c->sigma * rng_normal(r));
    a->sinks = sinks;
  }
  for (int64_t row = 0; row < merge_rows(c); row++) draw_row(c, row, r);
}

void merge_free(merge_case *c) {
  for (int32_t i = 0; i < c->buffers; i++)
    CHECK(guard_free(&c->buffer[i]), "bytes beside buffer %d were written", i);
  free(c->part);
  free(c->buffer);
  free(c->o);
  free(c->lse);
}

int merge_run(merge_case *c, const rapt_executor *executor) {
  rapt_error error = {.size = sizeof error};
  rapt_status status = rapt_attention_merge(&c->args, executor, &error);
  return CHECK(status == RAPT_OK, "%s: %s", error.field, error.message);
}

static int verify_row(const merge_case *c, int64_t row, const char *what) {
  const rapt_merge_args *a = &c->args;
  const double *want = c->o + row * c->head_dim, lse = c->lse[row];
  const float *o = merge_at(c, a->o.data, a->o.stride, row);
  int ok = 1;
  if (a->lse.data) {
    const float *got = merge_at(c, a->lse.data, a->lse.stride, row);
    ok &= CHECK_CLOSE(got, &lse, 1, 2e-6, 2e-6, "%s: lse of row %lld", what, (long long)row);
    return ok & CHECK_CLOSE(o, want, (size_t)c->head_dim, 2e-6, 2e-6, "%s: row %lld", what,
                            (long long)row);
  }
  double m = (double)*merge_at(c, a->m.data, a->m.stride, row);
  double l = (double)*merge_at(c, a->l.data, a->l.stride, row);
  if (lse == (double)-INFINITY)
    ok &= CHECK(m == lse && l == 0, "%s: row %lld is empty: m = %g, l = %g", what, (long long)row,
                m, l);
  else
    ok &= CHECK(fabs(m + log(l) - lse) <= 2e-6 + 2e-6 * fabs(lse), "%s: row %lld: m = %g, l = %g",
                what, (long long)row, m, l);
  for (int32_t d = 0; d < c->head_dim && ok; d++) {
    double got = l == 0 ? (double)o[d] : (double)o[d] / l;
    ok &= CHECK(fabs(got - want[d]) <= 2e-6 + 2e-6 * fabs(want[d]),
                "%s: row %lld channel %d is %.9g, should be %.9g", what, (long long)row, d, got,
                want[d]);
  }
  return ok;
}

int merge_verify(const merge_case *c, const char *what) {
  int ok = 1;
  for (int64_t row = 0; row < merge_rows(c) && ok; row++) ok = verify_row(c, row, what);
  for (int32_t i = 0; i < c->buffers; i++)
    ok &= CHECK(guard_intact(&c->buffer[i]), "%s: bytes beside buffer %d", what, i);
  /* Between padded rows nothing was written. */
  const rapt_tensor *t = &c->args.o;
  if (c->layout == MERGE_PADDED)
    for (int64_t row = 0; row + 1 < merge_rows(c); row++)
      ok &= CHECK_UNTOUCHED(merge_at(c, t->data, t->stride, row) + c->head_dim, 12,
                            "%s: behind row %lld", what, (long long)row);
  return ok;
}

float *merge_outputs(const merge_case *c, size_t *n) {
  const rapt_tensor *const t[4] = {&c->args.o, &c->args.lse, &c->args.m, &c->args.l};
  float *out = must((size_t)merge_rows(c) * (size_t)(c->head_dim + 3) * 4);
  *n = 0;
  for (int i = 0; i < 4; i++)
    for (int64_t row = 0; t[i]->data && row < merge_rows(c); row++) {
      size_t width = i ? 1 : (size_t)c->head_dim;
      memcpy(out + *n, merge_at(c, t[i]->data, t[i]->stride, row), width * 4);
      *n += width;
    }
  return out;
}
