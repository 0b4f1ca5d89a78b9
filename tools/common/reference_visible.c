/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Who sees whom: lengths, causal, windows, prefix, and tensor masks. */
#include <math.h>
#include <string.h>

#include "reference.h"

int64_t reference_position(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                           int64_t i) {
  if (d->align == RAPT_ALIGN_BOTTOM_RIGHT)
    return reference_kv_len(a, b) - reference_q_len(a, b) + i;
  return d->align == RAPT_ALIGN_OFFSET ? a->q_positions[b] + i : i;
}

static int64_t prefix_of(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b) {
  return d->flags & RAPT_PREFIX ? a->prefix_lens[b] : 0;
}

static int64_t keep_of(const rapt_attention_desc *d) {
  return d->flags & RAPT_WINDOW_LEFT ? d->window_keep : 0;
}

static int position_permits(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                            int64_t i, int64_t j) {
  int64_t p = reference_position(d, a, b, i);
  if (j < 0 || j >= reference_kv_len(a, b)) return 0;
  if ((d->flags & RAPT_CAUSAL) && j > p && j >= prefix_of(d, a, b)) return 0;
  if ((d->flags & RAPT_WINDOW_LEFT) && j < p - d->window_left && j >= keep_of(d)) return 0;
  return !(d->flags & RAPT_WINDOW_RIGHT) || j <= p + d->window_right;
}

void reference_range(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                     int64_t i, int64_t *begin, int64_t *end) {
  int64_t p = reference_position(d, a, b, i), first = 0, last = reference_kv_len(a, b) - 1;
  if ((d->flags & RAPT_WINDOW_LEFT) && keep_of(d) == 0 && first < p - d->window_left)
    first = p - d->window_left;
  if (d->flags & RAPT_CAUSAL) {
    int64_t most = p < prefix_of(d, a, b) - 1 ? prefix_of(d, a, b) - 1 : p;
    if (last > most) last = most;
  }
  if ((d->flags & RAPT_WINDOW_RIGHT) && last > p + d->window_right) last = p + d->window_right;
  *begin = first;
  *end = last + 1;
  if (*end < *begin) *begin = *end = 0;
}

/* IEEE half precision, all of it. */
static double half(uint16_t x) {
  int exponent = x >> 10 & 31, fraction = x & 1023;
  double sign = x >> 15 ? -1 : 1;
  if (exponent == 31) return fraction ? (double)NAN : sign * (double)INFINITY;
  if (exponent == 0) return sign * ldexp(fraction, -24);
  return sign * ldexp(1024 + fraction, exponent - 25);
}

static double bfloat(uint16_t x) {
  uint32_t bits = (uint32_t)x << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

/* The element of the mask: 0 or 1 of the boolean kinds, or what is added. */
static double element(const rapt_attention_desc *d, const rapt_mask *m, int64_t b, int64_t h,
                      int64_t i, int64_t j) {
  const char *at = m->data;
  int64_t index[] = {b, h, i, j};
  for (int x = 0; x < 3; x++) at += m->extent[x] > 1 ? index[x] * m->stride[x] : 0;
  if (m->extent[3] <= 1) j = 0;
  if (d->mask == RAPT_MASK_BITS) {
    uint32_t word;
    memcpy(&word, at + j / 32 * 4, sizeof word);
    return word >> (j % 32) & 1;
  }
  if (j) at += j * m->stride[3];
  uint16_t two;
  float four;
  switch (d->mask) {
  case RAPT_MASK_BOOL:
    return *at != 0;
  case RAPT_MASK_F32:
    memcpy(&four, at, sizeof four);
    return (double)four;
  default:
    memcpy(&two, at, sizeof two);
    return d->mask == RAPT_MASK_F16 ? half(two) : bfloat(two);
  }
}

static int is_additive(const rapt_attention_desc *d) { return d->mask >= RAPT_MASK_F32; }

int reference_visible(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                      int32_t h, int64_t i, int64_t j) {
  if (!position_permits(d, a, b, i, j)) return 0;
  if (d->mask == RAPT_MASK_NONE) return 1;
  double x = element(d, &a->mask, b, h, i, j);
  return is_additive(d) ? x != -(double)INFINITY : x != 0;
}

double reference_mask_bias(const rapt_attention_desc *d, const rapt_attention_args *a, int32_t b,
                           int32_t h, int64_t i, int64_t j) {
  if (!is_additive(d)) return 0;
  double x = element(d, &a->mask, b, h, i, j);
  if (!a->mask.factors || x == -(double)INFINITY) return x;
  return (double)(float)(x * (double)a->mask.factors[h]);
}
