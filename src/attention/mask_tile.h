/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reading a mask tile: the caller's rows become words per row, words per key, and bias rows, all in the
 * worker's scratch. */
#ifndef RAPT_ATTENTION_MASK_TILE_H
#define RAPT_ATTENTION_MASK_TILE_H

#include "masks.h"

/* sc->mask_words of keys [first, first + keys); heads of a group that share a mask row read it once. 1: some
 * row adds something to a permitted key. */
int32_t rapt_tile_look(const rapt_call *call, const rapt_mask_rows *rows, const rapt_scratch *sc,
                       int32_t first, int32_t keys);

/* 1 if the words forbid nothing. */
int32_t rapt_tile_permits_all(const rapt_mask_rows *rows, const rapt_scratch *sc, int32_t keys);

/* sc->mask_permit, of the words and the block's ranges together. */
rapt_permits rapt_tile_permit(const rapt_call *call, const rapt_mask_rows *rows,
                              const rapt_scratch *sc, const rapt_block *b);

/* sc->bias. */
void rapt_tile_bias(const rapt_call *call, const rapt_mask_rows *rows, const rapt_scratch *sc,
                    int32_t first, int32_t keys);

#endif
