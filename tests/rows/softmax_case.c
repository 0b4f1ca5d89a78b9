/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "softmax_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/compare.h"

int64_t softmax_rows(const softmax_case *c) {
  const int32_t *e = c->args.extent;
  return (int64_t)e[0] * e[1] * e[2];
}

static int64_t offset(const softmax_case *c, const int64_t *stride, int64_t row, int64_t i) {
  const int32_t *e = c->args.extent;
  return row / e[2] / e[1] * stride[0] + row / e[2] % e[1] * stride[1] + row % e[2] * stride[2] +
         i * stride[3];
}

float *softmax_x(const softmax_case *c, int64_t row, int32_t i) {
  char *at = (char *)(uintptr_t)c->args.x.data + offset(c, c->args.x.stride, row, i);
  return (float *)(void *)at;
}

float *softmax_y(const softmax_case *c, int64_t row, int32_t i) {
  char *at = (char *)c->args.y.data + offset(c, c->args.y.stride, row, i);
  return (float *)(void *)at;
}

/* Strides of n dimensions in a random order, now and then with gaps of whole elements. Answers bytes. */
static int64_t draw_strides(rng *r, const int32_t *extent, int n, int64_t element, int contiguous,
                            int64_t *stride) {
  int order[4] = {3, 2, 1, 0}, first = 4 - n;
  for (int i = n - 1; i > 0; i--) { /* a shuffle; the last dimension may stay the innermost */
    int k = contiguous ? (i > 0 ? rng_range(r, 1, i) : 0) : rng_range(r, 0, i), t = order[i];
    order[i] = order[k];
    order[k] = t;
  }
  (void)first;
  int64_t step = element, end = element;
  for (int i = 0; i < n; i++) {
    int d = order[i];
    if (!(contiguous && i == 0) && rng_below(r, 3) == 0) step += element * rng_range(r, 1, 3);
    stride[d] = step;
    end += (extent[d] > 0 ? extent[d] - 1 : 0) * step;
    step *= extent[d] > 0 ? extent[d] : 1;
  }
  return end;
}

static void *buffer(softmax_case *c, int64_t bytes, size_t alignment) {
  c->buffer[c->buffers] = guard_alloc((size_t)bytes, c->place, alignment);
  return c->buffer[c->buffers++].data;
}

static void draw_x(softmax_case *c, rng *r, double sigma) {
  rapt_softmax_args *a = &c->args;
  const int32_t extent[4] = {a->extent[0], a->extent[1], a->extent[2], a->length};
  int64_t bytes = draw_strides(r, extent, 4, 4, rng_below(r, 2), a->x.stride);
  char *data = buffer(c, bytes, 4);
  a->x.data = (float *)(void *)data;
  for (int64_t row = 0; row < softmax_rows(c); row++)
    for (int32_t i = 0; i < a->length; i++) rng_fill_normal(r, softmax_x(c, row, i), 1, sigma);
  if (c->in_place) {
    a->y.data = (float *)(void *)data;
    memcpy(a->y.stride, a->x.stride, sizeof a->y.stride);
    return;
  }
  for (int d = 0; d < 4 && softmax_rows(c) * a->length > 0; d++)
    if (rng_below(r, 5) == 0) { /* the same memory, read backwards or again and again */
      data += a->x.stride[d] * (extent[d] - 1);
      a->x.data = (const float *)(const void *)data;
      a->x.stride[d] = rng_below(r, 2) ? 0 : -a->x.stride[d];
    }
  bytes = draw_strides(r, extent, 4, 4, rng_below(r, 2), a->y.stride);
  a->y.data = buffer(c, bytes, 4);
}

static int64_t element_of(int32_t kind) {
  return kind == RAPT_MASK_BOOL ? 1 : kind == RAPT_MASK_BITS || kind == RAPT_MASK_F32 ? 4 : 2;
}

/* One mask element: half forbidden now and then, -inf in floats. */
static void draw_element(rng *r, int32_t kind, char *at) {
  static const uint16_t halves[] = {0xfc00, 0x0000, 0x3c00, 0xc000, 0x8001, 0x34cd, 0xfbff};
  float value = rng_below(r, 3) ? (float)rng_normal(r) : -INFINITY;
  uint32_t bits = 0;
  memcpy(&bits, &value, 4);
  uint16_t half = halves[rng_below(r, 7)], brain = (uint16_t)(bits >> 16);
  uint32_t word = (uint32_t)rng_u64(r);
  if (kind == RAPT_MASK_BOOL) *at = (char)(rng_below(r, 3) ? 1 << rng_below(r, 7) : 0);
  if (kind == RAPT_MASK_BITS) memcpy(at, &word, 4);
  if (kind == RAPT_MASK_F32) memcpy(at, &value, 4);
  if (kind == RAPT_MASK_F16) memcpy(at, &half, 2);
  if (kind == RAPT_MASK_BF16) memcpy(at, &brain, 2);
}

static void draw_mask(softmax_case *c, rng *r) {
  rapt_softmax_args *a = &c->args;
  const int64_t element = element_of(a->mask_kind);
  const int bits = a->mask_kind == RAPT_MASK_BITS;
  for (int d = 0; d < 4; d++) {
    int32_t needed = d < 3 ? a->extent[d] : a->length;
    const int whole = bits && d == 3; /* one bit is no broadcast */
    a->mask.extent[d] = (!whole && rng_below(r, 3) == 0) || needed < 1
                            ? 1
                            : needed + rng_range(r, 0, 2);
  }
  int32_t extent[4];
  memcpy(extent, a->mask.extent, sizeof extent);
  if (bits) extent[3] = (extent[3] + 31) / 32;
  int64_t bytes = draw_strides(r, extent, 4, element, bits || rng_below(r, 2), a->mask.stride);
  char *data = buffer(c, bytes, (size_t)element);
  a->mask.data = data;
  for (int64_t i0 = 0; i0 < extent[0]; i0++)
    for (int64_t i1 = 0; i1 < extent[1]; i1++)
      for (int64_t i2 = 0; i2 < extent[2]; i2++)
        for (int64_t i3 = 0; i3 < extent[3]; i3++)
          draw_element(r, a->mask_kind,
                       data + i0 * a->mask.stride[0] + i1 * a->mask.stride[1] +
                           i2 * a->mask.stride[2] + i3 * a->mask.stride[3]);
  for (int d = 0; d < 4; d++)
    if (a->mask.extent[d] == 1 || (bits && d == 3)) a->mask.stride[d] = -12345; /* ignored */
  if (a->mask_kind > RAPT_MASK_BITS && rng_below(r, 2)) {
    float *factors = buffer(c, (int64_t)a->extent[1] * 4, 4);
    rng_fill_uniform(r, factors, (size_t)a->extent[1], 0, 2);
    a->mask.factors = factors;
  }
}

static double half_value(uint16_t h) {
  int exponent = h >> 10 & 31, fraction = h & 1023;
  double value = exponent == 0    ? ldexp(fraction, -24)
                 : exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                                  : ldexp(1024 + fraction, exponent - 25);
  return h & 0x8000 ? -value : value;
}

/* What the mask adds to an element; -inf forbids. */
static double mask_at(const softmax_case *c, int64_t row, int32_t i) {
  const rapt_softmax_args *a = &c->args;
  const rapt_mask *m = &a->mask;
  if (a->mask_kind == RAPT_MASK_NONE) return 0;
  int64_t index[4] = {row / a->extent[2] / a->extent[1], row / a->extent[2] % a->extent[1],
                      row % a->extent[2], i};
  int64_t head = index[1];
  const char *at = m->data;
  for (int d = 0; d < 4; d++) {
    if (m->extent[d] == 1) index[d] = 0;
    if (d < 3) at += index[d] ? index[d] * m->stride[d] : 0;
  }
  uint32_t word;
  uint16_t half;
  float value;
  if (a->mask_kind == RAPT_MASK_BITS) {
    memcpy(&word, at + index[3] / 32 * 4, 4);
    return word >> (index[3] % 32) & 1 ? 0 : -(double)INFINITY;
  }
  at += index[3] ? index[3] * m->stride[3] : 0;
  if (a->mask_kind == RAPT_MASK_BOOL) return *at ? 0 : -(double)INFINITY;
  memcpy(&half, at, 2);
  if (a->mask_kind == RAPT_MASK_F32)
    memcpy(&value, at, 4);
  else if (a->mask_kind == RAPT_MASK_F16)
    value = (float)half_value(half);
  else
    word = (uint32_t)half << 16, memcpy(&value, &word, 4);
  if (value == -INFINITY || !m->factors) return (double)value;
  return (double)value * (double)m->factors[head];
}

/* Adding a mask rounds to float32: what two roundings of scores this large make of a weight. */
static double coarseness(const softmax_case *c, const double *score) {
  double largest = 0;
  for (int32_t i = 0; i < c->args.length && c->args.mask_kind > RAPT_MASK_BITS; i++)
    if (isfinite(score[i])) largest = fmax(largest, fabs(score[i]));
  return 2 * 0x1p-24 * largest;
}

static void answer_row(softmax_case *c, int64_t row) {
  const rapt_softmax_args *a = &c->args;
  double *w = c->want + row * a->length, top = -(double)INFINITY, sum = 0;
  double scale = (double)a->scale;
  if (scale == 0 && !(a->flags & RAPT_SOFTMAX_LITERAL)) scale = 1;
  if (a->temperature != 0) scale /= (double)a->temperature;
  int broken = 0;
  for (int32_t i = 0; i < a->length; i++) {
    double mask = mask_at(c, row, i);
    w[i] = mask == -(double)INFINITY ? mask : (double)*softmax_x(c, row, i) * scale + mask;
    broken |= !(w[i] < (double)INFINITY);
    if (w[i] > top) top = w[i];
  }
  c->coarse[row] = coarseness(c, w);
  for (int32_t i = 0; i < a->length && !broken; i++)
    sum += w[i] == -(double)INFINITY ? 0 : exp(w[i] - top);
  for (int32_t i = 0; i < a->length; i++) {
    const int none = w[i] == -(double)INFINITY;
    if (broken)
      w[i] = (double)NAN;
    else if (a->flags & RAPT_SOFTMAX_LOG)
      w[i] = none ? -(double)INFINITY : w[i] - top - log(sum);
    else
      w[i] = none ? 0 : exp(w[i] - top) / sum;
  }
}

void softmax_answer(softmax_case *c) {
  for (int64_t row = 0; row < softmax_rows(c); row++) answer_row(c, row);
}

void softmax_build(softmax_case *c, rng *r, double sigma) {
  c->args.size = sizeof c->args;
  c->buffers = 0;
  draw_x(c, r, sigma);
  if (c->args.mask_kind != RAPT_MASK_NONE) draw_mask(c, r);
  c->want = malloc((size_t)(softmax_rows(c) * c->args.length + 1) * sizeof *c->want);
  c->coarse = malloc((size_t)(softmax_rows(c) + 1) * sizeof *c->coarse);
  if (!c->want || !c->coarse) exit(2);
  softmax_answer(c);
}

void softmax_free(softmax_case *c) {
  for (int32_t i = 0; i < c->buffers; i++)
    CHECK(guard_free(&c->buffer[i]), "bytes beside buffer %d were written", i);
  free(c->want);
  free(c->coarse);
}

int softmax_verify(softmax_case *c, const char *isa, const char *what) {
  rapt_error error = {.size = sizeof error};
  c->args.isa = isa;
  rapt_status status = rapt_softmax(&c->args, NULL, &error);
  if (!CHECK(status == RAPT_OK, "%s: %s: %s", what, error.field, error.message)) return 0;
  for (int64_t row = 0; row < softmax_rows(c); row++) {
    const double coarse = c->coarse[row];
    const double abs = 2e-6 + (c->args.flags & RAPT_SOFTMAX_LOG ? coarse : 0);
    double sum = 0, wanted = 0;
    for (int32_t i = 0; i < c->args.length; i++) {
      const double *want = c->want + row * c->args.length + i;
      const float *got = softmax_y(c, row, i);
      if (!CHECK_CLOSE(got, want, 1, abs, 2e-6 + coarse, "%s %s: row %lld, element %d", isa, what,
                       (long long)row, i))
        return 0;
      sum += (double)*got;
      wanted += *want;
    }
    if (!(c->args.flags & RAPT_SOFTMAX_LOG) && wanted > 0)
      if (!CHECK(fabs(sum - 1) <= 1e-6, "%s %s: row %lld sums to 1 + %g", isa, what, (long long)row,
                 sum - 1))
        return 0;
  }
  return 1;
}
