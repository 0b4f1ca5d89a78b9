/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mask_tile.h"

#include <string.h>

/* ---- One row ---------------------------------------------------------------------------------- */

/* Keys [first, first + keys) of a row of bits. Words are read only where they hold such keys. */
static void bits_of_words(const char *row, int32_t first, int32_t keys, uint32_t *words) {
  const uint32_t *from = (const uint32_t *)(const void *)row + first / 32;
  const int32_t shift = first % 32;
  for (int32_t n = 0, w = 0; n < keys; n += 32, w++) {
    int32_t left = keys - n < 32 ? keys - n : 32;
    uint32_t bits = from[w] >> shift;
    if (shift && shift + left > 32) bits |= from[w + 1] << (32 - shift);
    if (left < 32) bits &= (1u << left) - 1u;
    words[(int64_t)w * RAPT_MAX_LANES] = bits;
  }
}

/* Elements that are not next to each other are put there first. */
static const char *contiguous(const rapt_plan *plan, const char *row, int64_t stride, int32_t keys,
                              char *to) {
  const int32_t element = plan->mask_element;
  if (stride == element) return row;
  for (int32_t n = 0; n < keys; n++)
    memcpy(to + (int64_t)n * element, row + n * stride, (size_t)element);
  return to;
}

/* Keys [first, ..) of row i next to each other. */
static const char *row_at(const rapt_call *call, const rapt_mask_rows *rows, int32_t i,
                          int32_t first, int32_t keys, const rapt_scratch *sc) {
  return contiguous(call->plan, rows->row[i] + first * rows->key_stride, rows->key_stride, keys,
                    sc->mask_row);
}

/* Words of one row; 1 if something in it is neither -inf nor 0. */
static int32_t look_at_row(const rapt_call *call, const rapt_mask_rows *rows, int32_t i,
                           int32_t first, int32_t keys, const rapt_scratch *sc, uint32_t *words) {
  const rapt_mask_ops *ops = &call->plan->prefill->mask;
  const int32_t type = call->plan->desc.mask;
  if (type == RAPT_MASK_BITS) {
    bits_of_words(rows->row[i], first, keys, words);
    return 0;
  }
  const char *at = row_at(call, rows, i, first, keys, sc);
  /* 0 times a factor that is not finite is something, too. */
  const int32_t strange = !(rows->factor[i] - rows->factor[i] == 0.0f);
  switch (type) {
  case RAPT_MASK_F32:
    return ops->look_f32(at, keys, words) | strange;
  case RAPT_MASK_F16:
    return ops->look_f16(at, keys, words) | strange;
  case RAPT_MASK_BF16:
    return ops->look_bf16(at, keys, words) | strange;
  default:
    ops->bools(at, keys, words);
    return 0;
  }
}

/* ---- All rows --------------------------------------------------------------------------------- */

static int32_t rows_of(const rapt_mask_rows *rows) { return rows->uniform ? 1 : rows->lanes; }

int32_t rapt_tile_look(const rapt_call *call, const rapt_mask_rows *rows, const rapt_scratch *sc,
                       int32_t first, int32_t keys) {
  int32_t adds = 0;
  for (int32_t i = 0; i < rows_of(rows); i++) {
    uint32_t *words = sc->mask_words + i;
    if (i > 0 && rapt_mask_rows_equal(rows, i))
      for (int32_t n = 0, w = 0; n < keys; n += 32, w += RAPT_MAX_LANES) words[w] = words[w - 1];
    else
      adds |= look_at_row(call, rows, i, first, keys, sc, words);
  }
  return adds;
}

int32_t rapt_tile_permits_all(const rapt_mask_rows *rows, const rapt_scratch *sc, int32_t keys) {
  uint32_t missing = 0;
  for (int32_t n = 0; n < keys; n += 32) {
    const uint32_t *words = sc->mask_words + (int64_t)n / 32 * RAPT_MAX_LANES;
    const uint32_t full = keys - n < 32 ? (1u << (keys - n)) - 1u : UINT32_MAX;
    for (int32_t i = 0; i < rows_of(rows); i++) missing |= words[i] ^ full;
  }
  return missing == 0;
}

rapt_permits rapt_tile_permit(const rapt_call *call, const rapt_mask_rows *rows,
                              const rapt_scratch *sc, const rapt_block *b) {
  if (rows->uniform) /* the other lanes have the same words */
    for (int64_t w = 0; w * 32 < b->keys; w++)
      for (int32_t i = 1; i < rows->lanes; i++)
        sc->mask_words[w * RAPT_MAX_LANES + i] = sc->mask_words[w * RAPT_MAX_LANES];
  return call->plan->prefill->mask.permit(sc->mask_words, rows->lanes, b->keys, b->permit,
                                          sc->mask_permit);
}

void rapt_tile_bias(const rapt_call *call, const rapt_mask_rows *rows, const rapt_scratch *sc,
                    int32_t first, int32_t keys) {
  const rapt_mask_ops *ops = &call->plan->prefill->mask;
  for (int32_t i = 0; i < rows_of(rows); i++) {
    uint32_t *words = sc->mask_words + i; /* the same bits again */
    float *bias = sc->bias + i * sc->bias_stride;
    if (i > 0 && rapt_mask_rows_equal(rows, i)) {
      memcpy(bias, bias - sc->bias_stride, (size_t)sc->bias_stride * sizeof *bias);
      continue;
    }
    const char *at = row_at(call, rows, i, first, keys, sc);
    switch (call->plan->desc.mask) {
    case RAPT_MASK_F32:
      (void)ops->bias_f32(at, keys, rows->factor[i], bias, words);
      break;
    case RAPT_MASK_F16:
      (void)ops->bias_f16(at, keys, rows->factor[i], bias, words);
      break;
    default:
      (void)ops->bias_bf16(at, keys, rows->factor[i], bias, words);
      break;
    }
  }
}
