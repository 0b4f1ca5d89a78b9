/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensor masks, one key block at a time: from the caller's rows to permit words and bias rows, and away
 * with everything that no row may see.
 *
 * A tile is the mask of one panel against one key block. Before any score is computed it is found to be
 * empty (the block is skipped), full (the mask is forgotten), or mixed. Keys that no row of a mixed tile
 * may see are left out: at its ends by a shorter block, inside by gathering the others when enough are
 * forbidden. Forbidden keys contribute nothing and the others keep their order, so none of it shows in
 * the bits. Where all heads share the mask, what was found is remembered for the next head. */
#ifndef RAPT_ATTENTION_MASKS_H
#define RAPT_ATTENTION_MASKS_H

#include "blocks.h"
#include "ranges.h"

/* The mask of the rows in work. */
typedef struct rapt_mask_rows {
  const char *row[RAPT_MAX_LANES]; /* key 0 */
  float factor[RAPT_MAX_LANES];
  int64_t key_stride;
  int32_t lanes;
  int32_t uniform; /* all rows are one: padding masks */
  int32_t few;     /* the row kernel's: time goes to memory, not to FMAs */
} rapt_mask_rows;

void rapt_mask_rows_get(const rapt_call *call, const rapt_sequence *s, const rapt_row *rows,
                        int32_t count, int32_t lanes, rapt_mask_rows *out);

/* Are rows i and i - 1, i > 0, the same mask? Factors are compared by their bits: NaN is NaN. */
static inline int32_t rapt_mask_rows_equal(const rapt_mask_rows *rows, int32_t i) {
  union {
    float f;
    uint32_t bits;
  } a = {rows->factor[i]}, b = {rows->factor[i - 1]};
  return rows->row[i] == rows->row[i - 1] && a.bits == b.bits;
}

/* A key block in work: what the kernels get. */
typedef struct rapt_key_block {
  rapt_block block;
  int32_t first;       /* key of the sequence that the block begins with */
  rapt_keys_view k, v; /* its rows */
  const float *key;    /* number of each key, from `first`: 0, 1, .. unless some are left out */
  const float *bias;   /* NULL, or rows of the additive mask */
  int64_t bias_stride; /* from row to row; 0: one for all */
  int32_t gathered;    /* k and v are copies of rows that lie apart */
  int32_t direct;      /* the additive mask is read when it is added */
  uint8_t *tile;       /* NULL, or what is known of this mask tile and may be remembered */
} rapt_key_block;

/* Lays the mask over a block as the ranges have it. 0 if no key is left. */
int32_t rapt_mask_block(const rapt_call *call, const rapt_mask_rows *rows, const rapt_scratch *sc,
                        rapt_key_block *kb);

/* 1 if, by a few tiles, most rows see few of the keys that any row sees: sequences that share a cache. Rows
 * are then better taken in small groups, each with its own keys. */
int32_t rapt_mask_is_scattered(const rapt_call *call, const rapt_mask_rows *rows,
                               const rapt_scratch *sc, int32_t lo, int32_t hi);

/* An additive tile that is known or, by a few elements, seems to forbid nothing need not be looked at before
 * it is added: 1, and the block is `direct`. */
int32_t rapt_mask_try(const rapt_call *call, const rapt_mask_rows *rows, rapt_key_block *kb);

/* Adds such a tile to scores. 0 if something was forbidden after all: s is of no meaning then, the block as
 * the ranges have it. */
int32_t rapt_mask_add(const rapt_call *call, const rapt_panel_ops *ops, const rapt_mask_rows *rows,
                      rapt_key_block *kb, float *s);

/* Where tile (row / widest panel, key / key block) of the sequence is remembered, or NULL. */
uint8_t *rapt_mask_tile(const rapt_call *call, const rapt_sequence *s, int64_t row, int64_t key);

/* 1 if the tiles of a call are the same for all heads, so that remembering them pays. */
int32_t rapt_mask_shared(const rapt_call *call);

/* Lists the rows' mask of keys [key, key + keys) as streams of p, unless the tile is known not to be read;
 * tiles: register tiles that will take a step meanwhile. */
void rapt_mask_prefetch(const rapt_mask_rows *rows, int32_t element, const uint8_t *tile,
                        int64_t key, int32_t keys, int64_t tiles, rapt_prefetch *p);

#endif
