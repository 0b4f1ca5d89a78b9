/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What happens to scores between q.k and softmax, per key block: softcap, the additive mask, ALiBi. Their
 * order is here and nowhere else. */
#ifndef RAPT_ATTENTION_RULES_H
#define RAPT_ATTENTION_RULES_H

#include "masks.h"

/* The rows in work as the rules need them. */
typedef struct rapt_rules {
  rapt_mask_rows mask;
  int32_t lanes;
  int64_t position[RAPT_MAX_LANES]; /* of the query */
  _Alignas(64) float slope[RAPT_MAX_LANES];
  _Alignas(64) float distance[RAPT_MAX_LANES]; /* of the block's first key */
} rapt_rules;

/* Any rule that needs to know the rows? */
static inline int32_t rapt_has_rules(const rapt_plan *plan) {
  return plan->desc.mask || plan->desc.flags & RAPT_ALIBI;
}

void rapt_rules_begin(const rapt_call *call, const rapt_sequence *s, const rapt_row *rows,
                      int32_t count, int32_t lanes, rapt_rules *rules);

/* A block as the ranges have it; 0 if nothing is left. */
int32_t rapt_key_block_ranges(const rapt_rows_view *view, const rapt_scratch *sc, int32_t from,
                              int32_t to, rapt_keys_view k, rapt_keys_view v, rapt_key_block *kb);

/* The same, with the rules' mask laid over it; 0 if nothing is left. */
int32_t rapt_key_block_begin(const rapt_call *call, const rapt_rows_view *view, rapt_rules *rules,
                             const rapt_scratch *sc, uint8_t *tile, int32_t from, int32_t to,
                             rapt_keys_view k, rapt_keys_view v, rapt_key_block *kb);

/* Scores of a panel's block, rules applied and forbidden ones -inf, and the new maximum. `natural` and q
 * must agree. */
void rapt_panel_scores(const rapt_call *call, const rapt_panel_ops *ops, int32_t natural,
                       const float *q, rapt_rules *rules, const rapt_key_block *kb,
                       const rapt_scratch *sc, rapt_prefetch *prefetch);

/* Scores of the row kernel's block, rules applied; its softmax takes the forbidden ones out. */
void rapt_row_scores(const rapt_call *call, const rapt_row_ops *ops, int32_t rows,
                     rapt_rules *rules, const rapt_key_block *kb, const rapt_scratch *sc,
                     rapt_prefetch *prefetch);

/* Is a score changed between q.k and softmax in this block? */
int32_t rapt_block_has_rules(const rapt_plan *plan, const rapt_key_block *kb);

#endif
