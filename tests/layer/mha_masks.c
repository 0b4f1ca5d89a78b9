/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rules in random company through the layer: masks of all kinds, causal, windows, prefixes, alignments,
 * softcap, sinks; self and cross attention, with and without a cache. */
#include "mha_case.h"

enum { BATCH = 2, N = 9, M = 14, EMBED = 24, HEADS = 4, DIM = 6, WORDS = 1, ROW = HEADS / 2 * DIM };

static float x[BATCH][N][EMBED], source[BATCH][M][EMBED], out[BATCH][N][EMBED];
static float lse[BATCH][HEADS][N], cache_memory[2][BATCH][M][ROW];
/* One mask in each form. */
static uint8_t visible[BATCH][HEADS][N][M];
static uint32_t bits[BATCH][HEADS][N][WORDS];
static float bias[BATCH][HEADS][N][M];

typedef struct rules_case {
  mha_case c;
  int32_t cross, cached, n_keys;
  int32_t prefix_lens[BATCH], positions[BATCH];
  float sinks[HEADS], factors[HEADS];
  int32_t has_sinks, has_factors;
  char what[160];
} rules_case;

static void fill_masks(rng *r) {
  rng_fill_normal(r, &bias[0][0][0][0], sizeof bias / sizeof(float), 2);
  memset(bits, 0, sizeof bits);
  for (int32_t b = 0; b < BATCH; b++)
    for (int32_t h = 0; h < HEADS; h++)
      for (int32_t i = 0; i < N; i++)
        for (int32_t j = 0; j < M; j++) {
          visible[b][h][i][j] = rng_below(r, 3) > 0 ? (uint8_t)(1 + rng_below(r, 255)) : 0;
          if (visible[b][h][i][j]) bits[b][h][i][0] |= UINT32_C(1) << j;
          if (rng_below(r, 5) == 0) bias[b][h][i][j] = -INFINITY;
        }
}

/* The mask of one kind, from sequence b on. */
static rapt_mask mask_of(const rules_case *t, int32_t b) {
  rapt_mask m = {.extent = {BATCH, HEADS, N, M}};
  if (t->c.mask == RAPT_MASK_BOOL) {
    m.data = &visible[b][0][0][0];
    m.stride[0] = sizeof visible[0], m.stride[1] = sizeof visible[0][0];
    m.stride[2] = sizeof visible[0][0][0], m.stride[3] = 1;
  } else if (t->c.mask == RAPT_MASK_BITS) {
    m.data = &bits[b][0][0][0];
    m.stride[0] = sizeof bits[0], m.stride[1] = sizeof bits[0][0];
    m.stride[2] = sizeof bits[0][0][0];
  } else if (t->c.mask == RAPT_MASK_F32) {
    m.data = &bias[b][0][0][0];
    m.stride[0] = sizeof bias[0], m.stride[1] = sizeof bias[0][0];
    m.stride[2] = sizeof bias[0][0][0], m.stride[3] = sizeof(float);
    if (t->has_factors) m.factors = t->factors;
  }
  return m;
}

static rules_case make(rng *r, int32_t number) {
  rules_case t = {.cross = rng_below(r, 2), .cached = rng_below(r, 2)};
  mha_case *c = &t.c;
  *c = (mha_case){.embed_in = EMBED,
                  .heads_q = HEADS,
                  .heads_kv = HEADS / 2,
                  .dqk = DIM,
                  .dv = DIM,
                  .bias = 1,
                  .no_output = rng_below(r, 2),
                  .mask = number % 4}; /* none, bool, bits, float */
  t.n_keys = t.cross ? M : N;
  if (rng_below(r, 2)) c->attention_flags |= RAPT_CAUSAL;
  if (rng_below(r, 3) == 0) c->attention_flags |= RAPT_WINDOW_LEFT;
  if (rng_below(r, 3) == 0) c->attention_flags |= RAPT_WINDOW_RIGHT;
  if (c->attention_flags) c->align = rng_range(r, RAPT_ALIGN_TOP_LEFT, RAPT_ALIGN_OFFSET);
  if (c->attention_flags & RAPT_CAUSAL && rng_below(r, 2)) c->attention_flags |= RAPT_PREFIX;
  c->window_left = rng_below(r, 5);
  c->window_right = rng_below(r, 5);
  c->window_keep = rng_below(r, 3);
  c->softcap = rng_below(r, 2) ? 1.5f : 0;
  t.has_sinks = rng_below(r, 2);
  t.has_factors = rng_below(r, 2);
  rng_fill_normal(r, t.sinks, HEADS, 1);
  rng_fill_normal(r, t.factors, HEADS, 1);
  for (int32_t h = 0; h < HEADS; h++) t.factors[h] = fabsf(t.factors[h]) + 0.1f;
  for (int32_t b = 0; b < BATCH; b++) {
    t.prefix_lens[b] = rng_below(r, t.n_keys + 1);
    t.positions[b] = rng_below(r, t.n_keys);
  }
  snprintf(t.what, sizeof t.what,
           "case %d: mask %d, flags 0x%x, align %d, window %d %d keep %d, softcap %g, sinks %d, "
           "cross %d, cached %d, output %d",
           number, c->mask, c->attention_flags, c->align, c->window_left, c->window_right,
           c->window_keep, (double)c->softcap, t.has_sinks, t.cross, t.cached, !c->no_output);
  return t;
}

static rapt_attention_args rules_of(const rules_case *t, int32_t b) {
  return (rapt_attention_args){
      .size = sizeof(rapt_attention_args),
      .mask = mask_of(t, b),
      .sinks = t->has_sinks ? t->sinks : NULL,
      .prefix_lens = t->c.attention_flags & RAPT_PREFIX ? &t->prefix_lens[b] : NULL,
      .q_positions = t->c.align == RAPT_ALIGN_OFFSET ? &t->positions[b] : NULL,
      .lse = {lse, {sizeof lse[0], sizeof lse[0][0], sizeof(float)}}};
}

static void compare(rules_case *t) {
  static double ref[N * EMBED], ref_lse[HEADS * N];
  t->c.lse = ref_lse;
  for (int32_t b = 0; b < BATCH; b++) {
    const rapt_attention_args rules = rules_of(t, b);
    t->c.rules = &rules;
    mha_case_reference(&t->c, &x[b][0][0], EMBED, N, t->cross ? &source[b][0][0] : &x[b][0][0],
                       EMBED, t->n_keys, ref);
    mha_case_compare(&t->c, &out[b][0][0], EMBED, N, ref, t->what);
    CHECK_CLOSE(&lse[b][0][0], ref_lse, HEADS * N, MHA_BOUND, MHA_BOUND, "%s: lse %d", t->what, b);
  }
  t->c.rules = NULL;
}

static void run(rules_case *t, rng *r) {
  const int64_t row = sizeof cache_memory[0][0][0];
  const rapt_tensor at = {cache_memory[0], {M * row, DIM * (int64_t)sizeof(float), row}};
  rapt_mha_cache cache = {.size = sizeof cache, .capacity = M, .k = at, .v = at};
  cache.v.data = cache_memory[1];
  const rapt_attention_args rules = rules_of(t, 0);
  rapt_mha_args args = {.size = sizeof args,
                        .batch = BATCH,
                        .q_len = N,
                        .x = &x[0][0][0],
                        .out = &out[0][0][0],
                        .x_stride = {sizeof x[0], sizeof x[0][0]},
                        .source_stride = {sizeof source[0], sizeof source[0][0]},
                        .out_stride = {sizeof out[0], sizeof out[0][0]},
                        .cache = t->cached ? &cache : NULL,
                        .attention = &rules};
  if (t->cross) args.source = &source[0][0][0], args.source_len = M;
  if (mha_case_create(&t->c, r)) {
    rapt_error error = {.size = sizeof error};
    memset(out, 0xff, sizeof out);
    memset(lse, 0xff, sizeof lse);
    if (CHECK(mha_case_run(&t->c, &args, NULL, &error) == RAPT_OK, "%s: %s %s", t->what,
              error.field, error.message))
      compare(t);
  }
  mha_case_destroy(&t->c);
}

RAPT_TEST(mha_rules_in_random_company) {
  rng r = rng_make(rapt_test_seed());
  rng_fill_normal(&r, &x[0][0][0], sizeof x / sizeof(float), 1);
  rng_fill_normal(&r, &source[0][0][0], sizeof source / sizeof(float), 1);
  for (int32_t number = 0; number < 200 && !rapt_test_failed(); number++) {
    fill_masks(&r);
    rules_case t = make(&r, number);
    run(&t, &r);
  }
}
