/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Keys and values in the caller's cache: token by token, in chunks, prepared from a second input. */
#include "mha_case.h"

enum { BATCH = 3, LONG = 21, EMBED = 40, CAPACITY = 24, HEADS_KV = 2, DQK = 10, DV = 6 };

static float x[BATCH][LONG][EMBED], out[BATCH][LONG][EMBED];

/* NaN wherever no token is. */
typedef struct cache {
  guard_buffer k, v;
  rapt_mha_cache view;
  int32_t lengths[BATCH];
} cache;

/* Heads outside of tokens, or inside with gaps. */
static void cache_make(cache *to, int32_t heads_outside) {
  const int64_t f = (int64_t)sizeof(float);
  size_t rows = (size_t)BATCH * HEADS_KV * CAPACITY;
  memset(to->lengths, 0, sizeof to->lengths);
  to->k = guard_floats(rows * (DQK + 2), GUARD_END);
  to->v = guard_floats(rows * DV, GUARD_END);
  to->view = (rapt_mha_cache){.size = sizeof to->view,
                              .capacity = CAPACITY,
                              .k = {.data = to->k.data},
                              .v = {.data = to->v.data},
                              .lengths = to->lengths};
  rapt_tensor *tensors[] = {&to->view.k, &to->view.v};
  for (int i = 0; i < 2; i++) {
    int64_t row = (i ? DV : DQK + 2) * f;
    tensors[i]->stride[0] = HEADS_KV * CAPACITY * row;
    tensors[i]->stride[1] = heads_outside ? CAPACITY * row : row;
    tensors[i]->stride[2] = heads_outside ? row : HEADS_KV * row;
  }
}

static void cache_free(cache *c) {
  CHECK(guard_free(&c->k) & guard_free(&c->v), "wrote beside the cache");
}

static rapt_mha_args args_of(const cache *c, int32_t first, int32_t n) {
  return (rapt_mha_args){.size = sizeof(rapt_mha_args),
                         .batch = BATCH,
                         .q_len = n,
                         .x = &x[0][first][0],
                         .out = &out[0][first][0],
                         .x_stride = {sizeof x[0], sizeof x[0][0]},
                         .out_stride = {sizeof out[0], sizeof out[0][0]},
                         .cache = c ? &c->view : NULL};
}

static mha_case causal(int32_t borrow) {
  return (mha_case){.embed_in = EMBED,
                    .heads_q = 4,
                    .heads_kv = HEADS_KV,
                    .dqk = DQK,
                    .dv = DV,
                    .bias = 1,
                    .borrow = borrow,
                    .layout = borrow,
                    .attention_flags = RAPT_CAUSAL,
                    .align = RAPT_ALIGN_BOTTOM_RIGHT};
}

static void expect(const mha_case *c, const rapt_mha_args *args, const char *what) {
  rapt_error error = {.size = sizeof error};
  CHECK(mha_case_run(c, args, NULL, &error) == RAPT_OK, "%s: %s %s", what, error.field,
        error.message);
}

/* All of `out` against one prompt in float64. */
static void compare(const mha_case *c, const char *what) {
  static double ref[LONG * EMBED];
  for (int b = 0; b < BATCH; b++) {
    mha_case_reference(c, &x[b][0][0], EMBED, LONG, &x[b][0][0], EMBED, LONG, ref);
    mha_case_compare(c, &out[b][0][0], EMBED, LONG, ref, what);
  }
}

/* Chunks of 1 (decode), of some, and of all tokens are the same prompt. */
RAPT_TEST(mha_chunks_equal_prompt) {
  static const int32_t chunks[] = {1, 2, 5, 20, LONG};
  rng r = rng_make(rapt_test_seed());
  rng_fill_normal(&r, &x[0][0][0], sizeof x / sizeof(float), 1);
  for (int form = 0; form < 4; form++) {
    mha_case c = causal(form & 1);
    if (mha_case_create(&c, &r))
      for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        cache kv;
        cache_make(&kv, form >> 1);
        memset(out, 0, sizeof out);
        for (int32_t t = 0; t < LONG; t += chunks[i]) {
          int32_t n = LONG - t < chunks[i] ? LONG - t : chunks[i];
          rapt_mha_args args = args_of(&kv, t, n);
          expect(&c, &args, "chunk");
          for (int b = 0; b < BATCH; b++) kv.lengths[b] += n;
        }
        char what[60];
        snprintf(what, sizeof what, "form %d, chunks of %d", form, chunks[i]);
        compare(&c, what);
        cache_free(&kv);
      }
    mha_case_destroy(&c);
  }
}

/* Each sequence at a place of its own; what the cache held stays, what lies behind is not touched. */
RAPT_TEST(mha_ragged_cache) {
  static const int32_t held[BATCH] = {0, 7, 20}, more[BATCH] = {3, 1, 0};
  static float before[CAPACITY * HEADS_KV * (DQK + 2)];
  rng r = rng_make(rapt_test_seed());
  rng_fill_normal(&r, &x[0][0][0], sizeof x / sizeof(float), 1);
  mha_case c = causal(0);
  cache kv;
  cache_make(&kv, 0);
  if (mha_case_create(&c, &r)) {
    rapt_mha_args args = args_of(&kv, 0, 20);
    args.q_lens = held;
    expect(&c, &args, "first");
    memcpy(kv.lengths, held, sizeof held);
    static float next[BATCH][3][EMBED], got[BATCH][3][EMBED];
    for (int b = 0; b < BATCH; b++)
      memcpy(next[b], x[b][held[b]], (size_t)more[b] * sizeof next[0][0]);
    args = args_of(&kv, 0, 3);
    args.q_lens = more;
    args.x = &next[0][0][0];
    args.out = &got[0][0][0];
    args.x_stride[0] = args.out_stride[0] = sizeof next[0];
    size_t row = HEADS_KV * (DQK + 2);
    float *k = kv.k.data;
    memcpy(before, k + 1 * CAPACITY * row, sizeof before);
    expect(&c, &args, "second");
    CHECK_BITS(k + CAPACITY * row, before, 7 * row, "old keys");
    CHECK_UNTOUCHED(k + (CAPACITY + 8) * row, (CAPACITY - 8) * row * sizeof(float), "free room");
    for (int b = 0; b < BATCH; b++) {
      double ref[3 * EMBED];
      mha_case_reference(&c, &next[b][0][0], EMBED, more[b], &x[b][0][0], EMBED, held[b] + more[b],
                         ref);
      mha_case_compare(&c, &got[b][0][0], EMBED, more[b], ref, "second");
    }
  }
  cache_free(&kv);
  mha_case_destroy(&c);
}

/* Keys of a second input once, then queries step by step; the same in one call without a cache. */
RAPT_TEST(mha_cross_once) {
  enum { SOURCE = 17, EMBED_SOURCE = 23 };
  static float source[BATCH][SOURCE][EMBED_SOURCE];
  static const int32_t lens[BATCH] = {SOURCE, 1, 0};
  static double ref[LONG * EMBED];
  rng r = rng_make(rapt_test_seed());
  rng_fill_normal(&r, &x[0][0][0], sizeof x / sizeof(float), 1);
  rng_fill_normal(&r, &source[0][0][0], sizeof source / sizeof(float), 1);
  mha_case c = causal(0);
  c.embed_source = EMBED_SOURCE;
  c.attention_flags = 0;
  c.align = 0;
  cache kv;
  cache_make(&kv, 1);
  if (mha_case_create(&c, &r)) {
    rapt_mha_args args = args_of(&kv, 0, 0);
    args.x = NULL;
    args.out = NULL;
    args.source = &source[0][0][0];
    args.source_len = SOURCE;
    args.source_lens = lens;
    args.source_stride[0] = sizeof source[0];
    args.source_stride[1] = sizeof source[0][0];
    /* What only queries and outputs have is not looked at. */
    const int32_t *nowhere = (const int32_t *)(uintptr_t)16; /* NOLINT(performance-no-int-to-ptr) */
    args.q_len = -1;
    args.q_lens = args.q_offsets = args.positions = nowhere;
    args.attention = (const void *)nowhere;
    args.x_stride[0] = args.out_stride[1] = 1;
    CHECK(rapt_mha_project_kv(c.mha, &args, NULL, NULL) == RAPT_OK, "keys and values");
    memcpy(kv.lengths, lens, sizeof lens);
    for (int32_t t = 0; t < LONG; t += 7) {
      args = args_of(&kv, t, 7);
      args.flags = RAPT_MHA_KEEP_KV;
      expect(&c, &args, "step");
    }
    for (int b = 0; b < BATCH; b++) {
      mha_case_reference(&c, &x[b][0][0], EMBED, LONG, &source[b][0][0], EMBED_SOURCE, lens[b],
                         ref);
      mha_case_compare(&c, &out[b][0][0], EMBED, LONG, ref, "cross");
    }
  }
  cache_free(&kv);
  mha_case_destroy(&c);
}

/* With rotary positions only distance counts: a shift of all positions changes nothing but the last bits,
 * chunks find their places by the cache, a table gives the bits of none. */
RAPT_TEST(mha_rotary) {
  static float once[BATCH][LONG][EMBED];
  static float memory[200 * DQK];
  static double ref[BATCH * LONG * EMBED];
  rapt_rope_desc rope_desc = {.size = sizeof rope_desc, .head_dim = DQK};
  rapt_rope *rope = NULL;
  REQUIRE(rapt_rope_create(&rope_desc, &rope, NULL) == RAPT_OK, "rope");
  rng r = rng_make(rapt_test_seed());
  rng_fill_normal(&r, &x[0][0][0], sizeof x / sizeof(float), 1);
  mha_case c = causal(0);
  c.rope = rope;
  cache kv;
  cache_make(&kv, 0);
  if (mha_case_create(&c, &r)) {
    rapt_mha_args args = args_of(NULL, 0, LONG);
    expect(&c, &args, "prompt");
    memcpy(once, out, sizeof out);
    for (size_t i = 0; i < sizeof ref / sizeof *ref; i++) ref[i] = (double)(&once[0][0][0])[i];

    static const int32_t shifted[BATCH] = {100, 3, 150};
    rapt_rope_table table = {.size = sizeof table};
    CHECK(rapt_rope_table_fill(rope, 0, 200, memory, sizeof memory, NULL, &table, NULL) == RAPT_OK,
          "table");
    args.positions = shifted;
    expect(&c, &args, "shifted");
    CHECK_CLOSE(&out[0][0][0], ref, sizeof ref / sizeof *ref, 1e-5, 1e-5, "shifted");
    memcpy(once, out, sizeof out);
    args.rope_table = &table;
    expect(&c, &args, "table");
    CHECK_BITS(&out[0][0][0], &once[0][0][0], sizeof out / sizeof(float), "table");
    for (int32_t t = 0; t < LONG; t += 3) {
      args = args_of(&kv, t, 3);
      expect(&c, &args, "chunk");
      for (int b = 0; b < BATCH; b++) kv.lengths[b] += 3;
    }
    CHECK_CLOSE(&out[0][0][0], ref, sizeof ref / sizeof *ref, 1e-5, 1e-5, "chunks");
  }
  cache_free(&kv);
  mha_case_destroy(&c);
  rapt_rope_destroy(rope);
}

/* Without positions a layer does not see the order of its input. */
RAPT_TEST(mha_permuted_tokens_permute_outputs) {
  static float turned[LONG][EMBED];
  static double ref[LONG * EMBED];
  rng r = rng_make(rapt_test_seed());
  rng_fill_normal(&r, &x[0][0][0], sizeof x / sizeof(float), 1);
  mha_case c = causal(0);
  c.attention_flags = 0;
  c.align = 0;
  if (mha_case_create(&c, &r)) {
    rapt_mha_args args = args_of(NULL, 0, LONG);
    args.batch = 1;
    expect(&c, &args, "in order");
    for (int t = 0; t < LONG; t++) {
      int from = t * 8 % LONG;
      memcpy(turned[t], x[0][from], sizeof turned[t]);
      for (int e = 0; e < EMBED; e++) ref[t * EMBED + e] = (double)out[0][from][e];
    }
    args.x = &turned[0][0];
    expect(&c, &args, "permuted");
    CHECK_CLOSE(&out[0][0][0], ref, LONG * EMBED, 2e-6, 2e-6, "permuted");
  }
  mha_case_destroy(&c);
}
