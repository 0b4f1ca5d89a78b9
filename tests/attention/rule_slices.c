/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A call over all keys as calls over slices of the keys, whose partial results are joined in float64. */
#include "rule_case.h"

void rule_join(double *m, double *l, double *o, double m2, double l2, const double *o2, int32_t dv,
               void *ctx) {
  (void)ctx;
  double most = *m > m2 || isnan(*m) ? *m : m2;
  if (most == -(double)INFINITY) return; /* neither has seen a key */
  double w1 = exp(*m - most), w2 = exp(m2 - most);
  *l = *l * w1 + l2 * w2;
  for (int32_t c = 0; c < dv; c++) o[c] = o[c] * w1 + o2[c] * w2;
  *m = most;
}

/* Keys first..first+n of a problem whose sequences are of equal length. The mask begins at key
 * `first`, too: at a word's border of bits. */
static problem slice_of(const problem *whole, int32_t first, int32_t n) {
  problem p = *whole;
  rapt_mask *mask = &p.args.mask;
  memset(p.extra, 0, sizeof p.extra);
  memset(p.buffer, 0, sizeof p.buffer);
  p.ref_o = NULL;
  p.desc.flags |= RAPT_PARTIAL;
  p.args.kv_len = n;
  p.args.k.data = (const char *)p.args.k.data + first * p.args.k.stride[2];
  p.args.v.data = (const char *)p.args.v.data + first * p.args.v.stride[2];
  if (p.desc.mask != RAPT_MASK_NONE && mask->extent[3] > 1) {
    int64_t step = p.desc.mask == RAPT_MASK_BITS ? 4 * (first / 32) : first * mask->stride[3];
    mask->data = (const char *)mask->data + step;
    mask->extent[3] = n;
  }
  for (int t = TENSOR_O; t < TENSORS; t++) {
    problem_shape s = problem_shape_of(&p, t);
    int64_t stride[3], bytes;
    problem_strides(&p, t, &s, stride);
    int64_t at = problem_extent(&s, stride, &bytes);
    p.buffer[t] = guard_alloc((size_t)bytes, p.place, sizeof(float));
    problem_place(&p, t, (char *)p.buffer[t].data + at, stride);
  }
  return p;
}

typedef struct sums {
  double *m, *l, *o;
} sums;

static void add_slice(const problem *p, const rule_engine *engine, sums *s) {
  int32_t dv = p->desc.head_dim_v;
  double *o = problem_memory((size_t)dv * sizeof *o);
  size_t r = 0;
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++, r++) {
        const float *row = reference_o_row(&p->args, b, h, i);
        for (int32_t c = 0; c < dv; c++) o[c] = (double)row[c];
        engine->join(&s->m[r], &s->l[r], s->o + r * (size_t)dv,
                     (double)*reference_m_at(&p->args, b, h, i),
                     (double)*reference_l_at(&p->args, b, h, i), o, dv, engine->ctx);
      }
  free(o);
}

static void write_joined(problem *p, const sums *s) {
  int32_t dv = p->desc.head_dim_v;
  size_t r = 0;
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++, r++) {
        for (int32_t c = 0; c < dv; c++)
          reference_o_row(&p->args, b, h, i)[c] =
              (float)(s->l[r] == 0 ? 0 : s->o[r * (size_t)dv + (size_t)c] / s->l[r]);
        float *lse = reference_lse_at(&p->args, b, h, i);
        if (lse) *lse = (float)(s->m[r] + log(s->l[r]));
      }
}

int rule_run(const rule_case *c, problem *p, const rule_engine *engine) {
  if (c->slices < 2) return engine->run(p, engine->ctx);
  size_t rows = problem_rows(p), dv = (size_t)p->desc.head_dim_v;
  sums s = {problem_memory(rows * sizeof(double)), problem_memory(rows * sizeof(double)),
            problem_memory(rows * dv * sizeof(double))};
  for (size_t r = 0; r < rows; r++) s.m[r] = -(double)INFINITY;
  int32_t step = (p->args.kv_len / c->slices + 31) / 32 * 32, ok = 1;
  for (int32_t first = 0; ok && first < p->args.kv_len; first += step) {
    int32_t n = p->args.kv_len - first < step ? p->args.kv_len - first : step;
    problem part = slice_of(p, first, n);
    ok = engine->run(&part, engine->ctx);
    if (ok) add_slice(&part, engine, &s);
    for (int t = TENSOR_O; t < TENSORS; t++)
      ok &= CHECK(guard_free(&part.buffer[t]), "canary of tensor %d is broken", t);
  }
  if (ok) write_joined(p, &s);
  free(s.m);
  free(s.l);
  free(s.o);
  return ok;
}
