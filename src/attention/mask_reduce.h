/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is left of a key block under a mask that forbids something. */
#ifndef RAPT_ATTENTION_MASK_REDUCE_H
#define RAPT_ATTENTION_MASK_REDUCE_H

#include "masks.h"

/* Takes sc->mask_permit, of which `said` is true, for the block's own, and leaves out keys that no lane may
 * see: at the ends by a shorter block, inside by gathering the others if it pays. */
void rapt_block_reduce(const rapt_call *call, const rapt_mask_rows *rows, const rapt_scratch *sc,
                       const rapt_permits *said, rapt_key_block *kb);

#endif
