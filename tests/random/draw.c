/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "draw.h"

static int one_in(rng *r, int32_t n) { return rng_below(r, n) == 0; }

static int32_t draw_size(rng *r, int32_t most) {
  if (one_in(r, 3)) return rng_range(r, 1, most < 4 ? most : 4);
  return rng_range(r, 1, most);
}

static void draw_shape(rng *r, rule_case *c, int32_t most_queries, int32_t most_keys) {
  int32_t large = one_in(r, 40) ? 4 : 1;
  c->heads_kv = rng_range(r, 1, 2);
  c->heads_q = c->heads_kv * (one_in(r, 2) ? 1 : rng_range(r, 1, 5));
  c->batch = rng_range(r, 1, one_in(r, 3) ? 5 : 2);
  c->dqk = one_in(r, 3) ? 1 << rng_below(r, 6) : rng_range(r, 1, 20);
  c->dv = one_in(r, 3) ? 1 << rng_below(r, 6) : rng_range(r, 1, 20);
  c->q_len = one_in(r, 3) ? 1 : draw_size(r, most_queries * large);
  c->kv_len = draw_size(r, most_keys * large);
  c->q_lengths = one_in(r, 2) ? LENGTHS_EQUAL : rng_below(r, LENGTHS_KINDS);
  c->kv_lengths = one_in(r, 2) ? LENGTHS_EQUAL : rng_below(r, LENGTHS_KINDS);
  c->layout = one_in(r, 2) ? LAYOUT_BHSD : rng_below(r, LAYOUTS);
  c->place = rng_below(r, 2);
  c->wild = rng_below(r, 2);
  c->no_lse = one_in(r, 4);
  c->workers = one_in(r, 3) ? rng_range(r, 1, 4) : 0;
  c->kv_shared = c->layout != LAYOUT_PACKED && c->kv_lengths != LENGTHS_PACKED && one_in(r, 8);
}

static void draw_positions(rng *r, rule_case *c) {
  if (one_in(r, 8)) c->flags |= RAPT_FORCE_LANES;
  if (one_in(r, 3)) return;
  c->align = rng_range(r, RAPT_ALIGN_TOP_LEFT, RAPT_ALIGN_OFFSET);
  c->positions = one_in(r, 4);
  if (!one_in(r, 3)) c->flags |= RAPT_CAUSAL;
  if (one_in(r, 3)) c->flags |= RAPT_WINDOW_LEFT;
  if (one_in(r, 4)) c->flags |= RAPT_WINDOW_RIGHT;
  if (one_in(r, 4)) c->flags |= RAPT_ALIBI;
  if (c->flags & RAPT_CAUSAL && one_in(r, 3)) c->flags |= RAPT_PREFIX;
  c->left = one_in(r, 2) ? rng_below(r, 5) : rng_below(r, 60);
  c->right = one_in(r, 2) ? rng_below(r, 5) : rng_below(r, 60);
  if (c->flags & RAPT_WINDOW_LEFT && one_in(r, 2)) c->keep = rng_below(r, 12);
  if (!(c->flags & ~(uint32_t)RAPT_FORCE_LANES)) c->align = RAPT_ALIGN_NONE;
}

static void draw_mask(rng *r, rule_case *c) {
  if (one_in(r, 3)) return;
  problem_mask *m = &c->of_mask;
  c->mask = rng_range(r, RAPT_MASK_BOOL, RAPT_MASK_BF16);
  m->pattern = one_in(r, 2) ? PATTERN_RANDOM : (mask_pattern)rng_below(r, PATTERNS);
  /* f16's lowest number is not so low that scores vanish beside it. */
  if (m->pattern == PATTERN_LOWEST_ALL && c->mask == RAPT_MASK_F16) m->pattern = PATTERN_NOTHING;
  m->layout = one_in(r, 2) ? MASK_DENSE : (mask_layout)rng_below(r, MASK_LAYOUTS);
  if (one_in(r, 2)) m->one = (uint32_t)rng_below(r, 16);
  if (one_in(r, 4)) m->still = (uint32_t)rng_below(r, 16);
  m->more = one_in(r, 4) ? rng_range(r, 1, 40) : 0;
  if (c->mask < RAPT_MASK_F32) return;
  if (one_in(r, 3)) m->factors = FACTORS_NORMAL;
  if (m->pattern == PATTERN_TINY) m->factors = FACTORS_HUGE;
  /* A row whose largest is a finite -65504 * factor: scores of unit size are rounded to 2^-8 there. */
  if (m->pattern == PATTERN_LOWEST && c->mask == RAPT_MASK_F16) m->pattern = PATTERN_BIAS;
}

static void draw_scores(rng *r, rule_case *c) {
  if (!one_in(r, 4)) return;
  c->scores = (problem_scores){.wanted = 1,
                               .stage = rng_below(r, 4),
                               .rows = rng_below(r, ROWS_KINDS),
                               .heads = rng_below(r, 2),
                               .no_data = one_in(r, 5),
                               .sums = rng_below(r, 2),
                               .gap = one_in(r, 3) ? rng_range(r, 1, 5) : 0};
}

rule_case draw_case(rng *r, int32_t most_queries, int32_t most_keys) {
  rule_case c = {.name = "random", .seed = rng_u64(r) >> 1};
  draw_shape(r, &c, most_queries, most_keys);
  draw_positions(r, &c);
  draw_mask(r, &c);
  draw_scores(r, &c);
  if (one_in(r, 4)) c.softcap = (float)exp2(rng_range(r, -4, 6));
  if (one_in(r, 40)) c.softcap = one_in(r, 2) ? 1e-20f : 1e20f;
  if (one_in(r, 6)) {
    c.flags |= RAPT_SCALE_LITERAL;
    c.scale = one_in(r, 4) ? 0 : (float)(rng_normal(r) / sqrt((double)c.dqk));
  }
  if (one_in(r, 8))
    c.flags |= RAPT_PARTIAL;
  else if (one_in(r, 5))
    c.sinks = rng_range(r, SINKS_NORMAL, SINKS_MIXED);
  if (one_in(r, 12)) c.inputs = (rule_inputs)rng_below(r, INPUTS_KINDS);
  if (c.inputs == INPUTS_PEAKED) {
    /* Scores are whole multiples of the scale: any softcap below them would make ties of them. */
    c.flags |= RAPT_SCALE_LITERAL;
    c.scale = (float)exp2(rng_range(r, 30, 100)) * (one_in(r, 2) ? -1 : 1);
    c.softcap = 0;
    /* Beside the lowest number such scores neither vanish nor count: rounding alone would decide. */
    if (c.of_mask.pattern == PATTERN_LOWEST || c.of_mask.pattern == PATTERN_LOWEST_ALL)
      c.of_mask.pattern = PATTERN_RANDOM;
  }
  return c;
}
