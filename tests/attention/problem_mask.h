/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tensor mask of a problem: pattern, broadcast dimensions, layout. What belongs to no query and
 * key of a sequence is bytes of 0xff: NaN, or a permission. */
#ifndef RAPT_TESTS_ATTENTION_PROBLEM_MASK_H
#define RAPT_TESTS_ATTENTION_PROBLEM_MASK_H

#include <float.h>
#include <math.h>

#include "problem_types.h"

static inline int mask_element_size(int mask) {
  return mask == RAPT_MASK_BOOL ? 1 : mask >= RAPT_MASK_F16 ? 2 : 4;
}

/* To the nearest half, ties to even. */
static inline uint16_t mask_half(double x) {
  uint16_t sign = signbit(x) ? 0x8000 : 0;
  x = fabs(x);
  if (isnan(x)) return 0x7e00;
  if (x >= 65520) return sign | 0x7c00;
  int exponent;
  frexp(x, &exponent);
  if (exponent < -13) exponent = -13;                /* subnormal: steps of 2^-24 */
  double steps = nearbyint(ldexp(x, 11 - exponent)); /* 1024 .. 2048, or fewer */
  return (uint16_t)(sign + ((exponent + 13) << 10) + (int)steps);
}

static inline uint16_t mask_bfloat(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint16_t)(bits >> 16);
}

static inline double mask_lowest(int mask) {
  return mask == RAPT_MASK_F16 ? -65504.0 : mask == RAPT_MASK_BF16 ? -0x1.fep127 : -(double)FLT_MAX;
}

/* What the pattern says of (b, h, i, j); -inf: forbidden. `r` gives the same numbers each time. */
static inline double mask_value(const problem *p, rng r, int32_t b, int64_t i, int64_t j) {
  const double never = -(double)INFINITY;
  double normal = rng_normal(&r);
  int32_t dice = rng_below(&r, 16);
  int64_t n = p->args.kv_len;
  switch (p->mask.pattern) {
  case PATTERN_ONES:
    return 0;
  case PATTERN_NOTHING:
    return never;
  case PATTERN_BIAS:
    return normal;
  case PATTERN_CAUSAL:
    return j <= i ? 0 : never;
  case PATTERN_BLOCKS:
    return i * 4 / (p->args.q_len + 1) == j * 4 / (n + 1) ? 0 : never;
  case PATTERN_PADDING:
    return j < n - (b * 7 + 3) % (n + 1) ? 0 : never;
  case PATTERN_SPARSE:
    return dice == 0 ? normal : never;
  case PATTERN_CELLS:
    return j % 3 == i % 3 && j <= i + 3 ? 0 : never;
  case PATTERN_EMPTY_ROWS:
    return i % 2 || dice < 2 ? never : normal;
  case PATTERN_LOWEST:
    return dice < 6 && j > 0 ? mask_lowest(p->desc.mask) : normal;
  case PATTERN_LOWEST_ALL:
    return mask_lowest(p->desc.mask);
  case PATTERN_TINY:
    return normal * 0x1p-14 * (dice < 8 ? 0.125 : 1);
  case PATTERN_INFINITE:
    return i % 4 ? normal : dice == 0 ? (double)INFINITY : dice == 1 ? (double)NAN : normal;
  case PATTERN_FINE:
    return rng_range(&r, -256, 256) * 0x1p-6;
  default:
    return dice < 4 ? never : normal;
  }
}

static inline void mask_put(int mask, char *row, int64_t j, int64_t stride, double value) {
  int permitted = value != -(double)INFINITY;
  if (mask == RAPT_MASK_BITS) {
    uint32_t word, bit = 1u << (j % 32);
    memcpy(&word, row + j / 32 * 4, sizeof word);
    word = permitted ? word | bit : word & ~bit;
    memcpy(row + j / 32 * 4, &word, sizeof word);
    return;
  }
  if (j) row += j * stride;
  float four = (float)value;
  uint16_t two = mask == RAPT_MASK_F16 ? mask_half(value) : mask_bfloat(four);
  if (mask == RAPT_MASK_BOOL)
    *row = (char)(permitted ? 1 << (j % 8) : 0); /* any nonzero byte */
  else if (mask == RAPT_MASK_F32)
    memcpy(row, &four, sizeof four);
  else
    memcpy(row, &two, sizeof two);
}

/* Extents, and how many different elements each dimension has in memory. */
static inline void mask_sizes(const problem *p, int32_t extent[4], int64_t n[4]) {
  int64_t need[] = {p->args.batch, p->desc.heads_q, reference_max_q_len(&p->args), 0};
  for (int32_t b = 0; b < p->args.batch; b++)
    if (reference_kv_len(&p->args, b) > need[3]) need[3] = reference_kv_len(&p->args, b);
  for (int x = 0; x < 4; x++) {
    extent[x] = (int32_t)(p->mask.one >> x & 1 ? 1 : need[x] > 0 ? need[x] + p->mask.more : 1);
    n[x] = p->mask.still >> x & 1 ? 1 : extent[x];
  }
  if (p->desc.mask == RAPT_MASK_BITS) n[3] = extent[3]; /* its keys have no stride */
}

static inline void mask_strides(const problem *p, const int64_t n[4], int64_t stride[4]) {
  static const int orders[MASK_LAYOUTS][4] = {/* innermost first */
                                              {3, 2, 1, 0}, {3, 2, 1, 0}, {3, 2, 1, 0},
                                              {3, 2, 1, 0}, {1, 2, 0, 3}, {3, 1, 0, 2}};
  int64_t size = mask_element_size(p->desc.mask), step = size;
  int bits = p->desc.mask == RAPT_MASK_BITS;
  const int *order = orders[bits && p->mask.layout == MASK_KEY_MAJOR ? 0 : p->mask.layout];
  if (p->mask.layout == MASK_SPACED && !bits) step *= 3;
  for (int y = 0; y < 4; y++) {
    int x = order[y];
    stride[x] = step;
    step *= bits && x == 3 ? (n[3] + 31) / 32 : n[x];
    if (p->mask.layout == MASK_VIEW) step += size * (y + 1);
  }
  if (p->mask.layout == MASK_REVERSED) stride[2] = -stride[2], stride[3] = -stride[3];
  if (bits) stride[3] = 0;
}

static inline void mask_fill(const problem *p, char *first, const int64_t n[4],
                             const int64_t stride[4], uint64_t seed) {
  for (int64_t b = 0; b < n[0] && b < p->args.batch; b++) {
    int own = n[0] > 1 || p->args.batch == 1;
    int64_t rows = own ? reference_q_len(&p->args, (int32_t)b) : n[2];
    int64_t keys = own ? reference_kv_len(&p->args, (int32_t)b) : n[3];
    if (n[2] == 1) rows = 1;
    if (n[3] == 1) keys = 1;
    for (int64_t h = 0; h < n[1] && h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < n[2] && i < rows; i++) {
        char *row = first + b * stride[0] + h * stride[1] + i * stride[2];
        for (int64_t j = 0; j < n[3] && j < keys; j++) {
          rng r = rng_make(seed + (uint64_t)(((b * 31 + h) * 1009 + i) * 100003 + j));
          r.state = rng_u64(&r);
          mask_put(p->desc.mask, row, j, stride[3], mask_value(p, r, (int32_t)b, i, j));
        }
      }
  }
}

static inline void problem_build_mask(problem *p, rng *r) {
  if (p->desc.mask == RAPT_MASK_NONE) return;
  int64_t n[4], stride[4], lo = 0, hi;
  int32_t *extent = p->args.mask.extent;
  int size = mask_element_size(p->desc.mask), bits = p->desc.mask == RAPT_MASK_BITS;
  mask_sizes(p, extent, n);
  mask_strides(p, n, stride);
  hi = bits ? 4 * ((n[3] + 31) / 32) : size;
  for (int x = 0; x < 4; x++) {
    int64_t reach = (n[x] - 1) * stride[x];
    if (reach < 0) lo += reach;
    if (reach > 0) hi += reach;
  }
  p->extra[EXTRA_MASK] = guard_alloc((size_t)(hi - lo), p->place, (size_t)size);
  char *first = (char *)p->extra[EXTRA_MASK].data - lo;
  mask_fill(p, first, n, stride, rng_u64(r));
  p->args.mask.data = first;
  for (int x = 0; x < 4; x++) {
    p->args.mask.stride[x] = n[x] == 1 ? 0 : stride[x];
    if (p->wild_strides && extent[x] == 1)
      p->args.mask.stride[x] = (int64_t)987654321987654320 + 3 * x; /* to be ignored */
    if (p->wild_strides && bits && x == 3) p->args.mask.stride[x] = -7;
  }
  if (!p->mask.factors) return;
  p->extra[EXTRA_FACTORS] = guard_floats((size_t)p->desc.heads_q, p->place);
  float *factor = p->extra[EXTRA_FACTORS].data;
  for (int32_t h = 0; h < p->desc.heads_q; h++) {
    factor[h] = (float)(rng_normal(r) * (p->mask.factors == FACTORS_HUGE ? 0x1p16 : 1));
    if (h % 5 == 3) factor[h] = 0;
  }
  p->args.mask.factors = factor;
}

#endif
