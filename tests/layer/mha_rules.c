/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the layer hands through to attention: masks, sinks and slopes in, log-sum-exps and weights out. And
 * tensors that lie where others do. */
#include "mha_case.h"

enum { BATCH = 2, N = 9, EMBED = 24, HEADS = 4, DIM = 6 };

static float x[BATCH][N][EMBED], out[BATCH][N][EMBED], lse[BATCH][HEADS][N];
static float weights[BATCH][HEADS][N][N], bias[BATCH][HEADS][N][N];

static rapt_mha_args whole(void) {
  return (rapt_mha_args){.size = sizeof(rapt_mha_args),
                         .batch = BATCH,
                         .q_len = N,
                         .x = &x[0][0][0],
                         .out = &out[0][0][0],
                         .x_stride = {sizeof x[0], sizeof x[0][0]},
                         .out_stride = {sizeof out[0], sizeof out[0][0]}};
}

static void compare(mha_case *c, const rapt_attention_args *rules, const char *what) {
  static double ref[N * EMBED], ref_lse[HEADS * N], ref_weights[HEADS * N * N];
  rapt_attention_args mine = *rules;
  c->rules = &mine;
  c->lse = ref_lse;
  c->weights = ref_weights;
  for (int32_t b = 0; b < BATCH; b++) {
    if (rules->mask.data) mine.mask.data = &bias[b][0][0][0];
    mha_case_reference(c, &x[b][0][0], EMBED, N, &x[b][0][0], EMBED, N, ref);
    mha_case_compare(c, &out[b][0][0], EMBED, N, ref, what);
    CHECK_CLOSE(&lse[b][0][0], ref_lse, HEADS * N, MHA_BOUND, MHA_BOUND, "%s: lse %d", what, b);
    CHECK_CLOSE(&weights[b][0][0][0], ref_weights, HEADS * N * N, MHA_BOUND, MHA_BOUND,
                "%s: weights %d", what, b);
  }
}

RAPT_TEST(mha_rules_go_through) {
  static const float sinks[HEADS] = {0.5f, -1, 2, 0};
  float slopes[HEADS];
  rng r = rng_make(rapt_test_seed());
  rng_fill_normal(&r, &x[0][0][0], sizeof x / sizeof(float), 1);
  rng_fill_normal(&r, &bias[0][0][0][0], sizeof bias / sizeof(float), 2);
  REQUIRE(rapt_alibi_slopes(HEADS, 0, HEADS, slopes, NULL) == RAPT_OK, "slopes");
  for (int form = 0; form < 16 && !rapt_test_failed(); form++) {
    const int masked = form & 1, alibi = form & 2, sunk = form & 4, cut = form & 8;
    mha_case c = {.embed_in = EMBED,
                  .heads_q = HEADS,
                  .heads_kv = HEADS / 2,
                  .dqk = DIM,
                  .dv = DIM,
                  .bias = 1,
                  .no_output = cut != 0,
                  .mask = masked ? RAPT_MASK_F32 : RAPT_MASK_NONE,
                  .attention_flags = RAPT_CAUSAL | (alibi ? (uint32_t)RAPT_ALIBI : 0),
                  .align = RAPT_ALIGN_BOTTOM_RIGHT};
    const rapt_scores_out look = {
        .size = sizeof look,
        .stage = RAPT_STAGE_WEIGHTS,
        .data = &weights[0][0][0][0],
        .stride = {sizeof weights[0], sizeof weights[0][0], sizeof weights[0][0][0]}};
    rapt_attention_args rules = {.size = sizeof rules,
                                 .sinks = sunk ? sinks : NULL,
                                 .alibi_slopes = alibi ? slopes : NULL,
                                 .lse = {lse, {sizeof lse[0], sizeof lse[0][0], sizeof(float)}},
                                 .scores = &look};
    if (masked)
      rules.mask = (rapt_mask){
          .data = bias,
          .stride = {sizeof bias[0], sizeof bias[0][0], sizeof bias[0][0][0], sizeof(float)},
          .extent = {BATCH, HEADS, N, N}};
    char what[60];
    snprintf(what, sizeof what, "mask %d, ALiBi %d, sinks %d, output %d", masked, alibi, sunk,
             !cut);
    if (mha_case_create(&c, &r)) {
      rapt_error error = {.size = sizeof error};
      rapt_mha_args args = whole();
      args.attention = &rules;
      memset(lse, 0xff, sizeof lse);
      memset(weights, 0xff, sizeof weights);
      CHECK(mha_case_run(&c, &args, NULL, &error) == RAPT_OK, "%s: %s %s", what, error.field,
            error.message);
      compare(&c, &rules, what);
    }
    mha_case_destroy(&c);
  }
}

/* ---- Overlaps ---------------------------------------------------------------------------------- */

enum { CAPACITY = 2 * N, ROW = HEADS / 2 * DIM };

static float pool[4 * BATCH * CAPACITY * EMBED];

static void refused(const mha_case *c, const rapt_mha_args *args, const char *field,
                    const char *other) {
  rapt_error error = {.size = sizeof error};
  memset(pool, 0xff, sizeof pool);
  CHECK(mha_case_run(c, args, NULL, &error) == RAPT_ERROR_INVALID_ARGUMENT &&
            !strcmp(error.field, field) && strstr(error.message, other),
        "%s, %s: not %s over %s", error.field, error.message, field, other);
  CHECK_UNTOUCHED(pool, sizeof pool, "%s", field);
}

RAPT_TEST(mha_overlaps) {
  rng r = rng_make(rapt_test_seed());
  mha_case c = {.embed_in = EMBED, .heads_q = HEADS, .heads_kv = HEADS / 2, .dqk = DIM, .dv = DIM};
  const int64_t f = (int64_t)sizeof(float), half = (int64_t)BATCH * CAPACITY * ROW;
  if (mha_case_create(&c, &r)) {
    const rapt_tensor at = {pool, {CAPACITY * ROW * f, DIM * f, ROW * f}};
    rapt_mha_cache cache = {.size = sizeof cache, .capacity = CAPACITY, .k = at, .v = at};
    cache.v.data = pool + half;
    rapt_attention_args rules = {.size = sizeof rules};
    rapt_mha_args args = whole();
    args.cache = &cache;
    args.attention = &rules;
    CHECK(mha_case_run(&c, &args, NULL, NULL) == RAPT_OK, "side by side");
    args.out = pool + half - 1;
    refused(&c, &args, "args.out", "cache.k");
    args.out = pool + 2 * half - 1;
    refused(&c, &args, "args.out", "cache.v");
    args = whole();
    args.cache = &cache;
    args.x = pool + half - EMBED;
    refused(&c, &args, "args.cache.k.data", "args.x");
    args.x = pool + 2 * half - EMBED;
    refused(&c, &args, "args.cache.v.data", "args.x");
    args = whole();
    args.cache = &cache;
    args.source = pool;
    args.source_len = N;
    args.source_stride[0] = N * EMBED * f;
    args.source_stride[1] = EMBED * f;
    refused(&c, &args, "args.cache.k.data", "args.source");
    cache.v.data = pool + half - 1;
    args = whole();
    args.cache = &cache;
    refused(&c, &args, "args.cache.v.data", "cache.k");
    /* Keys and values interleaved in one buffer share nothing. */
    cache.k.stride[2] = cache.v.stride[2] = 2 * ROW * f;
    cache.k.stride[0] = cache.v.stride[0] = 2 * CAPACITY * ROW * f;
    cache.v.data = pool + ROW;
    CHECK(mha_case_run(&c, &args, NULL, NULL) == RAPT_OK, "interleaved");
    args.cache = NULL;
    args.attention = &rules;
    args.out = pool;
    rules.lse = (rapt_tensor){pool + EMBED, {HEADS * N * f, N * f, f}};
    refused(&c, &args, "args.out", "lse");
    rules.lse.data = NULL;
    rapt_scores_out look = {.size = sizeof look, .data = pool + EMBED};
    look.stride[0] = HEADS * N * N * f, look.stride[1] = N * N * f, look.stride[2] = N * f;
    rules.scores = &look;
    refused(&c, &args, "args.attention.scores.data", "args.out");
    look.data = NULL;
    look.key_sums = pool + EMBED;
    look.key_sums_stride[0] = HEADS * N * f, look.key_sums_stride[1] = N * f;
    refused(&c, &args, "args.attention.scores.key_sums", "args.out");
  }
  mha_case_destroy(&c);
}
