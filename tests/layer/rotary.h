/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensors at guard pages for rotary tests, and the rotation in float64. */
#ifndef RAPT_TESTS_LAYER_ROTARY_H
#define RAPT_TESTS_LAYER_ROTARY_H

#include <math.h>

#include "attention/problem.h" /* FOR_EACH_ISA */
#include "common/rng.h"
#include "support/compare.h"
#include "support/guard.h"

typedef enum rotary_layout {
  ROTARY_BHSD,
  ROTARY_BSHD,
  ROTARY_GAPS, /* BHSD with unused floats after rows and heads */
  ROTARY_LAYOUTS
} rotary_layout;

typedef struct rotary_tensor {
  guard_buffer buffer;
  int32_t count[3], dim; /* batch, heads, tokens; channels */
  int64_t stride[3];     /* in bytes */
} rotary_tensor;

/* Filled with NaN. */
static inline rotary_tensor rotary_make(int32_t batch, int32_t heads, int32_t tokens, int32_t dim,
                                        rotary_layout layout, guard_place place) {
  const int64_t gap = layout == ROTARY_GAPS ? 12 : 0, row = 4 * (int64_t)dim + gap;
  rotary_tensor t = {.count = {batch, heads, tokens}, .dim = dim};
  int64_t *s = t.stride;
  s[2] = layout == ROTARY_BSHD ? row * heads : row;
  s[1] = layout == ROTARY_BSHD ? row : row * tokens + gap;
  s[0] = layout == ROTARY_BSHD ? row * heads * tokens : s[1] * heads + gap;
  const int64_t last = (batch - 1) * s[0] + (heads - 1) * s[1] + (tokens - 1) * s[2] + 4 * dim;
  t.buffer = guard_alloc((size_t)last, place, 4);
  return t;
}

static inline float *rotary_row(const rotary_tensor *t, int32_t b, int32_t h, int32_t i) {
  return (float *)(void *)((char *)t->buffer.data + b * t->stride[0] + h * t->stride[1] +
                           i * t->stride[2]);
}

#define ROTARY_EACH_ROW(t, b, h, i)             \
  for (int32_t b = 0; b < (t)->count[0]; b++)   \
    for (int32_t h = 0; h < (t)->count[1]; h++) \
      for (int32_t i = 0; i < (t)->count[2]; i++)

static inline void rotary_fill(const rotary_tensor *t, rng *r) {
  ROTARY_EACH_ROW(t, b, h, i) rng_fill_normal(r, rotary_row(t, b, h, i), (size_t)t->dim, 1);
}

static inline void rotary_copy(const rotary_tensor *to, const rotary_tensor *from) {
  ROTARY_EACH_ROW(to, b, h, i)
  memcpy(rotary_row(to, b, h, i), rotary_row(from, b, h, i), 4 * (size_t)to->dim);
}

static inline int rotary_same(const rotary_tensor *a, const rotary_tensor *b_, const char *what) {
  int ok = 1;
  ROTARY_EACH_ROW(a, b, h, i)
  if (ok)
    ok = CHECK_BITS(rotary_row(a, b, h, i), rotary_row(b_, b, h, i), (size_t)a->dim,
                    "%s: sequence %d, head %d, token %d", what, b, h, i);
  return ok;
}

/* One row by the formula of rapt.h. */
static inline void rotary_reference(const double *f, int32_t rotary, int32_t dim, int interleaved,
                                    double position, double factor, const float *x, double *y) {
  for (int32_t c = 0; c < dim; c++) y[c] = (double)x[c];
  for (int32_t i = 0; i < rotary / 2; i++) {
    const int32_t first = interleaved ? 2 * i : i,
                  second = interleaved ? 2 * i + 1 : rotary / 2 + i;
    const double t = position * f[i], a = (double)x[first], b = (double)x[second];
    y[first] = factor * (a * cos(t) - b * sin(t));
    y[second] = factor * (b * cos(t) + a * sin(t));
  }
}

static inline rapt_rope *rotary_create(rapt_rope_desc desc, const char *isa) {
  rapt_rope *rope = NULL;
  rapt_error error = {.size = sizeof error};
  desc.size = sizeof desc;
  desc.isa = isa;
  rapt_status status = rapt_rope_create(&desc, &rope, &error);
  CHECK(status == RAPT_OK, "%s: %s: %s", isa ? isa : "", error.field, error.message);
  return rope;
}

static inline rapt_rope_args rotary_args(const rotary_tensor *x, const rotary_tensor *y) {
  rapt_rope_args args = {.size = sizeof args,
                         .batch = x->count[0],
                         .heads = x->count[1],
                         .tokens = x->count[2],
                         .x.data = x->buffer.data,
                         .y.data = y->buffer.data};
  memcpy(args.x.stride, x->stride, sizeof x->stride);
  memcpy(args.y.stride, y->stride, sizeof y->stride);
  return args;
}

static inline int rotary_run(const rapt_rope *rope, const rapt_rope_args *args) {
  rapt_error error = {.size = sizeof error};
  rapt_status status = rapt_rope_rotate(rope, args, NULL, &error);
  return CHECK(status == RAPT_OK, "%s: %s", error.field, error.message);
}

#endif
