/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Scores and weights of one head of a call, whatever the call itself asks for. */
#ifndef RAPT_TOOL_LOOK_H
#define RAPT_TOOL_LOOK_H

#include "call.h"

/* Rows of query head `head` of `sequence` at a stage (RAPT_STAGE_*), into out[n][c->k.tokens]. Only these
 * rows are computed, and no output. */
int look_at_rows(const call *c, int32_t sequence, int32_t head, int32_t stage, const int32_t *rows,
                 int32_t n, float *out, failure *why);

#endif
