/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a rule case to a problem. */
#include "rule_case.h"

static int32_t or_else(int32_t given, int32_t usual) { return given ? given : usual; }

/* Lengths that differ, with 0 among them; each sequence has at least one where all are equal. */
static void draw_lengths(rng *r, int kind, int32_t batch, int32_t most, int32_t *lens,
                         int32_t *offsets, const int32_t **lens_out, const int32_t **offsets_out) {
  offsets[0] = 0;
  for (int32_t b = 0; b < batch; b++) {
    lens[b] = b == 0 ? most : b == 3 ? 0 : rng_range(r, (most + 1) / 2, most);
    if (b > 0 && rng_below(r, 6) == 0) lens[b] = rng_range(r, 0, most);
    offsets[b + 1] = offsets[b] + lens[b];
  }
  if (kind != LENGTHS_EQUAL && batch > 1) { /* the first is not always the longest */
    int32_t other = 1 + rng_below(r, batch - 1), keep = lens[0];
    lens[0] = lens[other], lens[other] = keep;
    for (int32_t b = 0; b < batch; b++) offsets[b + 1] = offsets[b] + lens[b];
  }
  if (kind == LENGTHS_LIST) *lens_out = lens;
  if (kind == LENGTHS_PACKED) *offsets_out = offsets;
}

static void set_rules(const rule_case *c, problem *p) {
  p->desc.flags = c->flags;
  p->desc.align = c->align;
  p->desc.window_left = c->left;
  p->desc.window_right = c->right;
  p->desc.window_keep = c->keep;
  p->desc.scale = c->scale;
  p->desc.softcap = c->softcap;
  p->desc.mask = c->mask;
  p->mask = c->of_mask;
  p->sinks = c->sinks;
  p->scores = c->scores;
  p->layout = (problem_layout)c->layout;
  p->place = c->place ? GUARD_START : GUARD_END;
  p->wild_strides = c->wild;
  p->kv_shared = c->kv_shared;
  p->no_lse = c->no_lse;
  p->workers = c->workers;
  p->by_score = c->inputs != INPUTS_PEAKED;
  p->sigma = c->inputs == INPUTS_ZERO ? 0 : c->inputs == INPUTS_LARGE ? 10 : 1;
}

static void set_lengths(const rule_case *c, problem *p, rule_arrays *a, rng *r) {
  rapt_attention_args *args = &p->args;
  draw_lengths(r, c->q_lengths, args->batch, args->q_len, a->q_lens, a->q_offsets, &args->q_lens,
               &args->q_offsets);
  draw_lengths(r, c->kv_lengths, args->batch, args->kv_len, a->kv_lens, a->kv_offsets,
               &args->kv_lens, &args->kv_offsets);
  if (p->layout == LAYOUT_PACKED) {
    args->kv_len = args->q_len;
    args->kv_lens = args->q_lens;
    args->kv_offsets = args->q_offsets;
  }
  if (p->desc.align != RAPT_ALIGN_OFFSET) return;
  for (int32_t b = 0; b < args->batch; b++) {
    int32_t most = (int32_t)(args->kv_len - args->q_len + 3);
    if (c->positions) most = args->kv_len + 20;
    a->positions[b] = rng_range(r, 0, most > 0 ? most : 0);
  }
  args->q_positions = a->positions;
}

static void fill_row(const float *row, int32_t n, float value) {
  for (int32_t x = 0; x < n; x++) problem_writable(row)[x] = value;
}

/* NaN in K and V of every key that no query of its KV head sees. */
static void poison_unseen(problem *p) {
  int32_t group = p->desc.heads_q / p->desc.heads_kv;
  int raw = p->scores.wanted && p->scores.stage < RAPT_STAGE_BIAS;
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t g = 0; g < p->desc.heads_kv; g++)
      for (int64_t j = 0; j < reference_kv_len(&p->args, b); j++) {
        int seen = 0;
        for (int32_t h = g * group; h < (g + 1) * group && !seen; h++)
          for (int64_t i = 0; i < reference_q_len(&p->args, b) && !seen; i++)
            seen = reference_visible(&p->desc, &p->args, b, h, i, j);
        if (seen) continue;
        if (!raw) fill_row(reference_k_row(&p->args, b, g, j), p->desc.head_dim_qk, NAN);
        fill_row(reference_v_row(&p->args, b, g, j), p->desc.head_dim_v, NAN);
      }
}

static void peak(problem *p, rng *r) {
  int falling = rng_below(r, 2);
  for (int32_t b = 0; b < p->args.batch; b++) {
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++) {
        const float *row = reference_q_row(&p->args, b, h, i);
        fill_row(row, p->desc.head_dim_qk, 0);
        fill_row(row, 1, 1);
      }
    int64_t n = reference_kv_len(&p->args, b);
    for (int32_t h = 0; h < p->desc.heads_kv; h++)
      for (int64_t j = 0; j < n; j++)
        fill_row(reference_k_row(&p->args, b, h, j), 1, (float)(falling ? -1 - j : j + 1));
  }
}

/* One element of the chosen tensor, at some valid row. */
static void spoil(const rule_case *c, problem *p, rng *r) {
  int query = c->inputs == INPUTS_NAN_Q;
  int32_t heads = query ? p->desc.heads_q : p->desc.heads_kv, b = rng_below(r, p->args.batch);
  int64_t n = query ? reference_q_len(&p->args, b) : reference_kv_len(&p->args, b);
  int32_t h = rng_below(r, heads), t = rng_below(r, (int32_t)n);
  if (n == 0) return;
  const float *row = query                       ? reference_q_row(&p->args, b, h, t)
                     : c->inputs == INPUTS_INF_V ? reference_v_row(&p->args, b, h, t)
                                                 : reference_k_row(&p->args, b, h, t);
  int32_t d = c->inputs == INPUTS_INF_V ? p->desc.head_dim_v : p->desc.head_dim_qk;
  if (d > 0)
    problem_writable(row)[rng_below(r, d)] = c->inputs == INPUTS_NAN_K || query ? NAN
                                             : rng_below(r, 2)                  ? INFINITY
                                                                                : -INFINITY;
}

problem rule_build(const rule_case *c, rule_arrays *arrays) {
  rng r = rng_make(c->seed * 0x9e3779b97f4a7c15u + 1);
  int32_t heads_kv = or_else(c->heads_kv, 2);
  problem p = problem_make(or_else(c->heads_q, 2 * heads_kv), heads_kv, or_else(c->dqk, 8),
                           or_else(c->dv, 8), or_else(c->batch, 2), or_else(c->q_len, 13),
                           or_else(c->kv_len, 37));
  set_rules(c, &p);
  set_lengths(c, &p, arrays, &r);
  problem_build(&p, &r);
  if (c->inputs == INPUTS_PEAKED) peak(&p, &r);
  if (c->inputs >= INPUTS_NAN_K) spoil(c, &p, &r);
  if (!p.kv_shared) poison_unseen(&p);
  return p;
}

void rule_print(const rule_case *c, char *text, size_t size) {
  snprintf(text, size,
           "%s: {.heads_q=%d, .heads_kv=%d, .dqk=%d, .dv=%d, .batch=%d, .q_len=%d, .kv_len=%d, "
           ".flags=0x%x, .align=%d, .left=%d, .right=%d, .keep=%d, .scale=%a, .softcap=%a, "
           ".mask=%d, .of_mask={%d, %d, %u, %u, %d, %d}, .sinks=%d, .q_lengths=%d, "
           ".kv_lengths=%d, .positions=%d, .inputs=%d, .scores={%d, %d, %d, %d, %d, %d, %d}, "
           ".layout=%d, .place=%d, .wild=%d, .kv_shared=%d, .no_lse=%d, .slices=%d, .workers=%d, "
           ".seed=%llu}",
           c->name, c->heads_q, c->heads_kv, c->dqk, c->dv, c->batch, c->q_len, c->kv_len,
           (unsigned)c->flags, c->align, c->left, c->right, c->keep, (double)c->scale,
           (double)c->softcap, c->mask, (int)c->of_mask.pattern, (int)c->of_mask.layout,
           (unsigned)c->of_mask.one, (unsigned)c->of_mask.still, c->of_mask.more,
           c->of_mask.factors, c->sinks, c->q_lengths, c->kv_lengths, c->positions, (int)c->inputs,
           c->scores.wanted, c->scores.stage, c->scores.rows, c->scores.heads, c->scores.no_data,
           c->scores.sums, c->scores.gap, c->layout, c->place, c->wild, c->kv_shared, c->no_lse,
           c->slices, c->workers, (unsigned long long)c->seed);
}
