/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Causal alignments and windows, with empty rows, against float64. Forbidden keys hold NaN wherever
 * no row of the sequence may see them. */
#include "problem.h"

typedef struct rule {
  uint32_t flags;
  int32_t align, left, right;
} rule;

static const rule rules[] = {
    {RAPT_CAUSAL, RAPT_ALIGN_TOP_LEFT, 0, 0},
    {RAPT_CAUSAL, RAPT_ALIGN_BOTTOM_RIGHT, 0, 0},
    {RAPT_CAUSAL, RAPT_ALIGN_OFFSET, 0, 0},
    {RAPT_CAUSAL | RAPT_WINDOW_LEFT, RAPT_ALIGN_TOP_LEFT, 0, 0},
    {RAPT_CAUSAL | RAPT_WINDOW_LEFT, RAPT_ALIGN_BOTTOM_RIGHT, 5, 0},
    {RAPT_CAUSAL | RAPT_WINDOW_LEFT, RAPT_ALIGN_OFFSET, 40, 0},
    {RAPT_WINDOW_LEFT, RAPT_ALIGN_TOP_LEFT, 3, 0},
    {RAPT_WINDOW_LEFT, RAPT_ALIGN_BOTTOM_RIGHT, 30, 0},
    {RAPT_WINDOW_RIGHT, RAPT_ALIGN_TOP_LEFT, 0, 0},
    {RAPT_WINDOW_RIGHT, RAPT_ALIGN_BOTTOM_RIGHT, 0, 17},
    {RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT, RAPT_ALIGN_TOP_LEFT, 0, 0},
    {RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT, RAPT_ALIGN_BOTTOM_RIGHT, 9, 4},
    {RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT, RAPT_ALIGN_OFFSET, 64, 33},
    {RAPT_CAUSAL | RAPT_WINDOW_RIGHT, RAPT_ALIGN_TOP_LEFT, 0, 12},
    {RAPT_CAUSAL | RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT, RAPT_ALIGN_OFFSET, 150, 2},
    {RAPT_CAUSAL | RAPT_WINDOW_LEFT, RAPT_ALIGN_TOP_LEFT, INT32_MAX, 0},
    {RAPT_WINDOW_RIGHT | RAPT_WINDOW_LEFT, RAPT_ALIGN_BOTTOM_RIGHT, INT32_MAX, INT32_MAX},
};

enum { RULES = sizeof rules / sizeof *rules };

static problem with_rule(const rule *m, int32_t heads_q, int32_t heads_kv, int32_t d, int32_t batch,
                         int32_t q_len, int32_t kv_len) {
  problem p = problem_make(heads_q, heads_kv, d, d, batch, q_len, kv_len);
  p.desc.flags = m->flags;
  p.desc.align = m->align;
  p.desc.window_left = m->left;
  p.desc.window_right = m->right;
  return p;
}

/* NaN in K and V of keys that no query of the sequence sees. */
static void poison_unseen(problem *p) {
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int64_t j = 0; j < reference_kv_len(&p->args, b); j++) {
      int seen = 0;
      for (int64_t i = 0; i < reference_q_len(&p->args, b) && !seen; i++) {
        int64_t begin, end;
        reference_range(&p->desc, &p->args, b, i, &begin, &end);
        seen = begin <= j && j < end;
      }
      for (int32_t h = 0; h < p->desc.heads_kv && !seen; h++) {
        memset(problem_writable(reference_k_row(&p->args, b, h, j)), 0xff,
               4 * (size_t)p->desc.head_dim_qk);
        memset(problem_writable(reference_v_row(&p->args, b, h, j)), 0xff,
               4 * (size_t)p->desc.head_dim_v);
      }
    }
}

static void check_rule(problem *p, int index, rng *r) {
  problem_build(p, r);
  poison_unseen(p);
  char what[100];
  snprintf(what, sizeof what, "rule %d, heads %d/%d, batch %d, %d x %d", index, p->desc.heads_q,
           p->desc.heads_kv, p->args.batch, p->args.q_len, p->args.kv_len);
  problem_verify_all(p, what);
  problem_free(p);
}

RAPT_TEST(mask_shapes) {
  static const int32_t shapes[][2] = {{1, 1},   {1, 150}, {4, 4},    {4, 150},   {5, 1},
                                      {13, 7},  {33, 33}, {150, 20}, {100, 290}, {97, 97},
                                      {2, 300}, {48, 48}, {31, 145}};
  rng r = rng_make(rapt_test_seed());
  for (int m = 0; m < RULES; m++)
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
      if (test_small() && shapes[i][0] * shapes[i][1] > 2000) continue;
      int32_t positions[] = {shapes[i][1] / 2, 0};
      problem p = with_rule(&rules[m], 2, 1, 8, 2, shapes[i][0], shapes[i][1]);
      if (p.desc.align == RAPT_ALIGN_OFFSET) p.args.q_positions = positions;
      check_rule(&p, m, &r);
    }
}

/* Query offsets from before the first key's reach to far behind the last key. */
RAPT_TEST(mask_offsets) {
  rng r = rng_make(rapt_test_seed());
  for (int m = 0; m < RULES; m++) {
    if (rules[m].align != RAPT_ALIGN_OFFSET) continue;
    for (int32_t q = 1; q <= 61; q += 12) {
      int32_t positions[] = {0, 1, 90, 143, 144, 160, 1000, 2000000000};
      problem p = with_rule(&rules[m], 2, 1, 8, 8, q, 160);
      p.args.q_positions = positions;
      check_rule(&p, m, &r);
    }
  }
}

/* Every window width around the sizes of vectors, tiles and blocks. */
RAPT_TEST(mask_window_widths) {
  rng r = rng_make(rapt_test_seed());
  for (int32_t w = 0; w < 160; w = w < 40 ? w + 1 : w + 13) {
    rule m = {RAPT_CAUSAL | RAPT_WINDOW_LEFT, RAPT_ALIGN_TOP_LEFT, w, 0};
    problem p = with_rule(&m, 1, 1, 4, 1, smaller(180, 40), smaller(180, 40));
    check_rule(&p, 1000 + w, &r);
  }
}

/* A window whose row sees keys of one split only, far into a long cache. */
RAPT_TEST(mask_window_in_long_cache) {
  static const int32_t left[] = {0, 3, 100, 2015, 2016, 2017};
  rng r = rng_make(rapt_test_seed());
  for (size_t i = 0; i < sizeof left / sizeof *left; i++)
    for (int32_t q = 1; q <= 7; q += 3) {
      rule m = {RAPT_CAUSAL | RAPT_WINDOW_LEFT, RAPT_ALIGN_BOTTOM_RIGHT, left[i], 0};
      problem p = with_rule(&m, 2, 1, 8, 1, q, smaller(6100, 4100));
      check_rule(&p, 2000 + left[i], &r);
    }
}
