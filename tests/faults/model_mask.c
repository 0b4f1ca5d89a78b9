/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <float.h>

#include "model.h"

static double half_of(const model *m, unsigned x) {
  if (WRONG(F16_AS_BF16)) {
    union {
      uint32_t bits;
      float value;
    } as = {.bits = x << 16};
    return (double)as.value;
  }
  double sign = x & 0x8000 ? -1 : 1, fraction = x & 0x3ff;
  unsigned power = x >> 10 & 0x1f;
  if (power == 0x1f) return fraction > 0 ? (double)NAN : sign * (double)INFINITY;
  if (power == 0) return WRONG(F16_SUBNORMAL_FLUSHED) ? 0 : sign * fraction * 0x1p-24;
  return sign * (1 + fraction / 1024) * exp2((double)power - 15);
}

static double bfloat_of(const model *m, unsigned x) {
  union {
    uint32_t bits;
    float value;
  } as = {.bits = x << 16};
  if (WRONG(BF16_ROUNDED) && isfinite(as.value)) as.bits &= 0xfff00000u;
  return (double)as.value;
}

static int bit_of(const model *m, const char *row, int32_t j) {
  int32_t word = WRONG(BITS_WRAP) ? 0 : j >> 5, bit = j & 31;
  if (WRONG(BITS_REVERSED)) bit = 31 - bit;
  if (WRONG(BITS_BY_BYTES)) bit = (3 - bit / 8) * 8 + bit % 8;
  uint32_t x;
  memcpy(&x, row + 4 * word, sizeof x);
  return x >> bit & 1;
}

static int64_t clip(int64_t index, int32_t extent) { return extent <= 1 ? 0 : index % extent; }

/* The mask's row of keys. */
static const char *row_of(const model *m, int32_t b, int32_t h, int32_t i) {
  const rapt_mask *mask = &m->a->mask;
  int64_t head = h, query = i, sequence = b;
  if (WRONG(MASK_OF_FIRST_SEQUENCE)) sequence = 0;
  if (WRONG(MASK_OF_FIRST_HEAD)) head = 0;
  if (WRONG(MASK_OF_FIRST_QUERY)) query = 0;
  if (WRONG(MASK_OF_KV_HEAD)) head = (int64_t)h * m->d->heads_kv / m->d->heads_q;
  if (WRONG(MASK_RANK)) head = i, query = h;
  const char *at = mask->data;
  int64_t index[] = {sequence, head, query};
  for (int x = 0; x < 3; x++) {
    int64_t n = clip(index[x], mask->extent[x]);
    if (n) at += n * mask->stride[x];
  }
  return at;
}

static int boolean(const model *m, int permitted) { return permitted != WRONG(MASK_INVERTED); }

int model_mask(const model *m, int32_t b, int32_t h, int32_t i, int32_t j, double *bias) {
  *bias = 0;
  if (m->d->mask == RAPT_MASK_NONE || WRONG(MASK_IGNORED)) return 1;
  const rapt_mask *mask = &m->a->mask;
  int32_t n = model_kv_len(m, b);
  const char *at = row_of(m, b, h, i);
  if (j >= n / 8 * 8 && WRONG(TAIL_PERMITTED)) return 1;
  if (j >= n / 8 * 8 && WRONG(TAIL_FORBIDDEN)) return 0;
  if (WRONG(MASK_OF_FIRST_KEY) || mask->extent[3] <= 1) j = 0;
  if (WRONG(MASK_SHIFTED) && j + 1 < mask->extent[3]) j++;
  if (m->d->mask == RAPT_MASK_BITS) return boolean(m, bit_of(m, at, j));
  if (j) at += j * mask->stride[3];
  if (m->d->mask == RAPT_MASK_BOOL) return boolean(m, WRONG(BOOL_ONE_ONLY) ? *at == 1 : *at != 0);
  float four = 0;
  uint16_t two = 0;
  if (m->d->mask == RAPT_MASK_F32)
    memcpy(&four, at, 4);
  else
    memcpy(&two, at, 2);
  double x = m->d->mask == RAPT_MASK_F32   ? (double)four
             : m->d->mask == RAPT_MASK_F16 ? half_of(m, two)
                                           : bfloat_of(m, two);
  if (j >= n / 8 * 8 && WRONG(TAIL_ZERO)) x = 0;
  if (isnan(x) && WRONG(NAN_FORBIDS)) return 0;
  if (x == (double)INFINITY && WRONG(INFINITY_CLIPPED)) x = (double)FLT_MAX;
  if (x <= -1e38 && WRONG(LOWEST_FORBIDS)) return 0;
  *bias = x;
  if (mask->factors && WRONG(FACTOR_TIMES_INFINITY)) *bias = x * (double)mask->factors[h];
  if (x == -(double)INFINITY) return mask->factors && WRONG(FACTOR_TIMES_INFINITY);
  if (mask->factors && !WRONG(FACTOR_IGNORED))
    *bias = (double)((float)x * mask->factors[WRONG(FACTOR_OF_FIRST_HEAD) ? 0 : h]);
  return 1;
}
