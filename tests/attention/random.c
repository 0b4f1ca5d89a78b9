/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random calls against float64: every option at once. A failure prints the case's own number; the
 * run's seed (printed by the harness) brings it back. */
#include "problem.h"

enum { MAX_BATCH = 6 };

typedef struct arrays {
  int32_t q_lens[MAX_BATCH], kv_lens[MAX_BATCH], positions[MAX_BATCH];
  int32_t q_offsets[MAX_BATCH + 1], kv_offsets[MAX_BATCH + 1];
} arrays;

static int32_t draw_dim(rng *r) {
  static const int32_t common[] = {8, 16, 32, 64, 80, 128};
  int32_t kind = rng_below(r, 4);
  if (kind == 0) return common[rng_below(r, 6)];
  return kind == 1 ? rng_range(r, 1, 150) : rng_range(r, 1, 40);
}

static int32_t draw_len(rng *r, int32_t most) {
  int32_t kind = rng_below(r, 4);
  if (kind == 0) return rng_range(r, 1, 4);
  if (kind == 1) return rng_range(r, 1, 40);
  return rng_range(r, 1, most);
}

static void draw_mask(rng *r, problem *p) {
  if (rng_below(r, 3) == 0) return;
  p->desc.flags |= (uint32_t)rng_range(r, 1, 7);
  p->desc.align = rng_range(r, RAPT_ALIGN_TOP_LEFT, RAPT_ALIGN_OFFSET);
  p->desc.window_left = rng_below(r, 2) ? rng_below(r, 20) : rng_below(r, 300);
  p->desc.window_right = rng_below(r, 2) ? rng_below(r, 20) : rng_below(r, 300);
}

/* Lengths of one side: all alike, lens, or offsets. Sets the maximum. */
static void draw_lengths(rng *r, int32_t batch, int32_t most, int32_t *len, int32_t *lens,
                         int32_t *offsets, const int32_t **lens_out, const int32_t **offsets_out) {
  int32_t kind = rng_below(r, 3);
  *len = draw_len(r, most);
  offsets[0] = 0;
  for (int32_t b = 0; b < batch; b++) {
    lens[b] = rng_below(r, 6) ? rng_range(r, 0, *len) : 0;
    offsets[b + 1] = offsets[b] + lens[b];
  }
  if (kind == 1) *lens_out = lens;
  if (kind == 2) *offsets_out = offsets;
}

static void random_case(rng *r, int index) {
  int32_t heads_kv = rng_range(r, 1, 3);
  int32_t group = rng_below(r, 2) ? 1 : rng_range(r, 1, 9), batch = rng_range(r, 1, MAX_BATCH);
  problem p = problem_make(heads_kv * group, heads_kv, draw_dim(r), draw_dim(r), batch, 0, 0);
  arrays a;
  p.layout = (problem_layout)rng_below(r, LAYOUTS);
  p.place = rng_below(r, 2) ? GUARD_START : GUARD_END;
  p.wild_strides = rng_below(r, 2);
  p.no_lse = rng_below(r, 4) == 0;
  p.workers = rng_below(r, 3) ? 0 : rng_range(r, 1, 5);
  if (rng_below(r, 4) == 0) p.desc.flags |= RAPT_FORCE_LANES;
  draw_mask(r, &p);
  if (rng_below(r, 5) == 0) {
    p.desc.flags |= RAPT_SCALE_LITERAL;
    p.desc.scale = (float)(rng_normal(r) / sqrt((double)p.desc.head_dim_qk));
    p.loose = 4;
  }
  draw_lengths(r, batch, smaller(120, 30), &p.args.q_len, a.q_lens, a.q_offsets, &p.args.q_lens,
               &p.args.q_offsets);
  draw_lengths(r, batch, smaller(400, 60), &p.args.kv_len, a.kv_lens, a.kv_offsets, &p.args.kv_lens,
               &p.args.kv_offsets);
  if (p.layout == LAYOUT_PACKED) {
    p.args.kv_len = p.args.q_len;
    p.args.kv_lens = p.args.q_lens;
    p.args.kv_offsets = p.args.q_offsets;
  } else if (!p.args.kv_offsets && rng_below(r, 5) == 0) {
    p.kv_shared = 1;
  }
  if (p.desc.align == RAPT_ALIGN_OFFSET) {
    for (int32_t b = 0; b < batch; b++) a.positions[b] = rng_below(r, p.args.kv_len + 20);
    p.args.q_positions = a.positions;
  }
  problem_build(&p, r);
  char what[160];
  snprintf(
      what, sizeof what,
      "case %d: heads %d/%d dims %d/%d batch %d lens %d/%d flags 0x%x align %d windows %d %d %s",
      index, p.desc.heads_q, heads_kv, p.desc.head_dim_qk, p.desc.head_dim_v, batch, p.args.q_len,
      p.args.kv_len, (unsigned)p.desc.flags, p.desc.align, p.desc.window_left, p.desc.window_right,
      problem_layout_names[p.layout]);
  problem_verify_all(&p, what);
  problem_free(&p);
}

static void random_cases(int n) {
  uint64_t seed = rapt_test_seed();
  for (int i = 0; i < n && !rapt_test_failed(); i++) {
    rng r = rng_make(seed + (uint64_t)i * 0x9e3779b97f4a7c15u);
    random_case(&r, i);
  }
}

RAPT_TEST(random_small_smoke) { random_cases(8); }
RAPT_TEST(random_shapes) { random_cases(smaller(500, 20)); }
RAPT_TEST(slow_random_shapes) { random_cases(3000); }
