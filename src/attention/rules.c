/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rules.h"

/* 0, 1, .. : the numbers of the keys of a block of which none is left out. */
#define TEN(n) n##0, n##1, n##2, n##3, n##4, n##5, n##6, n##7, n##8, n##9
static const _Alignas(64) float key_numbers[] = {
    0,      1,       2,       3,       4,       5,       6,      7,      8,
    9,      TEN(1),  TEN(2),  TEN(3),  TEN(4),  TEN(5),  TEN(6), TEN(7), TEN(8),
    TEN(9), TEN(10), TEN(11), TEN(12), TEN(13), TEN(14), TEN(15)};
#undef TEN
_Static_assert(sizeof key_numbers / sizeof *key_numbers >= RAPT_MOST_KEY_BLOCK,
               "a number for every key of a block");

void rapt_rules_begin(const rapt_call *call, const rapt_sequence *s, const rapt_row *rows,
                      int32_t count, int32_t lanes, rapt_rules *rules) {
  rules->lanes = lanes;
  rules->direct = 0;
  if (call->plan->desc.mask) rapt_mask_rows_get(call, s, rows, count, lanes, &rules->mask);
  if (!(call->plan->desc.flags & RAPT_ALIBI)) return;
  for (int32_t i = 0; i < lanes; i++) {
    const rapt_row *r = &rows[i < count ? i : count - 1];
    rules->slope[i] = call->args.alibi_slopes[r->head];
    rules->position[i] = s->position + r->token;
  }
}

int32_t rapt_key_block_ranges(const rapt_rows_view *view, const rapt_scratch *sc, int32_t from,
                              int32_t to, rapt_keys_view k, rapt_keys_view v, rapt_key_block *kb) {
  if (!rapt_view_block(view, from, to, sc->permit, &kb->block, &kb->first)) return 0;
  kb->k = rapt_keys_from(k, kb->first - from);
  kb->v = rapt_keys_from(v, kb->first - from);
  kb->key = key_numbers;
  kb->bias = 0;
  kb->bias_stride = 0;
  kb->gathered = 0;
  kb->direct = 0;
  kb->tile = 0;
  return 1;
}

int32_t rapt_key_block_begin(const rapt_call *call, const rapt_rows_view *view, rapt_rules *rules,
                             const rapt_scratch *sc, uint8_t *tile, int32_t from, int32_t to,
                             rapt_keys_view k, rapt_keys_view v, rapt_key_block *kb) {
  if (!rapt_key_block_ranges(view, sc, from, to, k, v, kb)) return 0;
  if (!call->plan->desc.mask) return 1;
  kb->tile = tile;
  return (rules->direct && rapt_mask_try(call, &rules->mask, kb)) ||
         rapt_mask_block(call, &rules->mask, sc, kb);
}

int32_t rapt_block_has_rules(const rapt_plan *plan, const rapt_key_block *kb) {
  return plan->desc.softcap != 0 || kb->bias || kb->direct || plan->desc.flags & RAPT_ALIBI;
}

/* Positions are subtracted as integers: exact at any distance that a float can hold. */
static const rapt_alibi *alibi_of(const rapt_plan *plan, rapt_rules *rules,
                                  const rapt_key_block *kb, rapt_alibi *alibi) {
  if (!(plan->desc.flags & RAPT_ALIBI)) return 0;
  for (int32_t i = 0; i < rules->lanes; i++)
    rules->distance[i] = (float)(kb->first - rules->position[i]);
  *alibi = (rapt_alibi){rules->slope, rules->distance, kb->key};
  return alibi;
}

int32_t rapt_panel_scores(const rapt_call *call, const rapt_panel_ops *ops, int32_t natural,
                          const float *q, rapt_rules *rules, rapt_key_block *kb,
                          const rapt_scratch *sc, rapt_prefetch *prefetch) {
  const rapt_plan *plan = call->plan;
  const int32_t dim = plan->desc.head_dim_qk;
  const rapt_block *b = &kb->block;
  if (!natural || !rapt_block_has_rules(plan, kb)) {
    ops->scores(q, dim, kb->k.at, kb->k.stride, b, sc->s, sc->m_new, prefetch);
    return 1;
  }
  rapt_block raw = *b;
  rapt_alibi alibi;
  raw.full_begin = 0;
  raw.full_end = raw.stop[0];
  raw.permit = 0;
  ops->scores(q, dim, kb->k.at, kb->k.stride, &raw, sc->s, sc->m_raw, prefetch);
  if (plan->desc.softcap != 0)
    plan->prefill->softcap(sc->s, b->keys * ops->lanes, plan->desc.softcap);
  if (kb->direct && !rapt_mask_add(call, ops, &rules->mask, kb, sc->s)) {
    rules->direct = 0; /* it will probably not be the last one */
    return rapt_mask_block(call, &rules->mask, sc, kb) &&
           rapt_panel_scores(call, ops, natural, q, rules, kb, sc, prefetch);
  }
  if (kb->bias) ops->add_bias(b, kb->bias, kb->bias_stride, sc->s);
  ops->adjust(b, alibi_of(plan, rules, kb, &alibi), sc->s, sc->m_new);
  return 1;
}

void rapt_row_scores(const rapt_call *call, const rapt_row_ops *ops, int32_t rows,
                     rapt_rules *rules, const rapt_key_block *kb, const rapt_scratch *sc,
                     rapt_prefetch *prefetch) {
  const rapt_plan *plan = call->plan;
  const rapt_block *b = &kb->block;
  ops->scores(sc->q[0], rows, plan->desc.head_dim_qk, kb->k.at, kb->k.stride, b, sc->s, prefetch);
  if (!plan->natural || !rapt_block_has_rules(plan, kb)) return;
  rapt_alibi space;
  const rapt_alibi *alibi = alibi_of(plan, rules, kb, &space);
  if (plan->desc.softcap != 0)
    for (int32_t r = 0; r < rows; r++)
      plan->decode->softcap(sc->s + (int64_t)r * ops->row_block, b->keys, plan->desc.softcap);
  if (kb->bias) ops->add_bias(b, rows, kb->bias, kb->bias_stride, sc->s);
  if (alibi) ops->add_alibi(b, rows, alibi, sc->s);
}
