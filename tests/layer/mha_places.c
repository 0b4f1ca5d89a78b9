/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whatever the layer reads placed inside what it writes, and everything placed inside its workspace: refused
 * before a byte of any of it changes. */
#include "mha_case.h"

enum { BATCH = 2, N = 3, EMBED = 8, CAPACITY = 6, HEADS = 2, DIM = 4, ROW = EMBED * 4 };
enum { COUNT = 8, PAIRS = DIM / 2, SCRATCH = 1 << 18 };

/* All memory of a call in one piece, so that one comparison sees every change. Zeros are valid lengths and
 * positions. */
typedef struct memory {
  _Alignas(64) char workspace[SCRATCH];
  float x[BATCH][N][EMBED], source[BATCH][N][EMBED];
  float before[(COUNT - 1) * DIM]; /* of a table whose last row begins out */
  float out[BATCH][N][EMBED];
  float k[BATCH][CAPACITY][EMBED], v[BATCH][CAPACITY][EMBED];
  float lse[BATCH][HEADS][N], scores[BATCH][HEADS][N][CAPACITY], sums[BATCH][HEADS][CAPACITY];
  float mask[1], sinks[HEADS];
  int32_t lengths[BATCH], positions[BATCH];
} memory;

static memory m;
static unsigned char saved[sizeof(memory)];
static rapt_mha_cache cache;
static rapt_attention_args rules;
static rapt_scores_out look;
static rapt_rope_table table;
static rapt_rope *rope;
static rapt_mha *mha;

static void create(void) {
  static const float numbers[EMBED * EMBED] = {0};
  const rapt_weights w = {.data = numbers};
  const rapt_rope_desc turns = {.size = sizeof turns, .head_dim = DIM};
  const rapt_attention_desc attention = {.size = sizeof attention,
                                         .heads_q = HEADS,
                                         .heads_kv = HEADS,
                                         .head_dim_qk = DIM,
                                         .head_dim_v = DIM,
                                         .mask = RAPT_MASK_F32,
                                         .isa = "generic"};
  rapt_mha_desc desc = {.size = sizeof desc,
                        .embed_in = EMBED,
                        .wq = w,
                        .wk = w,
                        .wv = w,
                        .wo = w,
                        .attention = &attention};
  rope = NULL;
  mha = NULL;
  REQUIRE(rapt_rope_create(&turns, &rope, NULL) == RAPT_OK, "rope");
  desc.rope = rope;
  REQUIRE(rapt_mha_create(&desc, &mha, NULL) == RAPT_OK, "create");
}

static void destroy(void) {
  rapt_mha_destroy(mha);
  rapt_rope_destroy(rope);
}

static rapt_mha_args good(void) {
  memset(&m, 0, sizeof m);
  cache = (rapt_mha_cache){.size = sizeof cache,
                           .capacity = CAPACITY,
                           .k = {m.k, {sizeof m.k[0], DIM * 4, ROW}},
                           .v = {m.v, {sizeof m.v[0], DIM * 4, ROW}},
                           .lengths = m.lengths};
  look = (rapt_scores_out){
      .size = sizeof look,
      .data = &m.scores[0][0][0][0],
      .stride = {sizeof m.scores[0], sizeof m.scores[0][0], sizeof m.scores[0][0][0]},
      .key_sums = &m.sums[0][0][0],
      .key_sums_stride = {sizeof m.sums[0], sizeof m.sums[0][0]}};
  rules = (rapt_attention_args){.size = sizeof rules,
                                .mask = {.data = m.mask, .extent = {1, 1, 1, 1}},
                                .sinks = m.sinks,
                                .lse = {m.lse, {sizeof m.lse[0], sizeof m.lse[0][0], 4}},
                                .scores = &look};
  table = (rapt_rope_table){.size = sizeof table, .count = COUNT, .stride = DIM * 4};
  return (rapt_mha_args){.size = sizeof(rapt_mha_args),
                         .batch = BATCH,
                         .q_len = N,
                         .x = &m.x[0][0][0],
                         .out = &m.out[0][0][0],
                         .x_stride = {N * ROW, ROW},
                         .source_stride = {N * ROW, ROW},
                         .out_stride = {N * ROW, ROW},
                         .cache = &cache,
                         .attention = &rules,
                         .positions = m.positions};
}

static rapt_status run(const rapt_mha_args *a, rapt_error *error) {
  return rapt_mha_forward(mha, a, m.workspace, sizeof m.workspace, NULL, error);
}

static void refused(const rapt_mha_args *a, rapt_status want, const char *field,
                    const char *other) {
  rapt_error error = {.size = sizeof error};
  const void *bytes = &m;
  memcpy(saved, bytes, sizeof m);
  const rapt_status status = run(a, &error);
  CHECK(status == want && !strcmp(error.field, field) && strstr(error.message, other),
        "status %d, field %s (%s), not %s over %s", status, error.field, error.message, field,
        other);
  CHECK(!memcmp(saved, bytes, sizeof m), "%s over %s: memory was written", field, other);
}

/* Numbers in the middle of floats. */
static int32_t *ints(void *at, int32_t a, int32_t b, int32_t c) {
  int32_t *to = at;
  to[0] = a, to[1] = b, to[2] = c;
  return to;
}

static void angles(const void *at) {
  table.cos = at;
  table.sin = table.cos + PAIRS;
}

#define REFUSED(field, other, ...)                          \
  do {                                                      \
    rapt_mha_args a = good();                               \
    __VA_ARGS__;                                            \
    refused(&a, RAPT_ERROR_INVALID_ARGUMENT, field, other); \
  } while (0)
#define IN_SCRATCH(other, ...)                             \
  do {                                                     \
    rapt_mha_args a = good();                              \
    __VA_ARGS__;                                           \
    refused(&a, RAPT_ERROR_WORKSPACE, "workspace", other); \
  } while (0)
#define SOURCE (a.source = &m.source[0][0][0], a.source_len = N)
#define OUT "args.out"
#define KEYS "args.cache.k.data"
#define VALUES "args.cache.v.data"

RAPT_TEST(mha_arrays_inside_outputs) {
  create();
  rapt_mha_args all = good();
  rapt_error error = {.size = sizeof error};
  CHECK(run(&all, &error) == RAPT_OK, "apart: %s %s", error.field, error.message);
  REFUSED(KEYS, "args.cache.lengths", cache.lengths = ints(&m.k[1][5][5], 0, 0, 0));
  REFUSED(KEYS, "args.cache.lengths", cache.lengths = ints(&m.k[0][0][0], 0, 0, 0));
  REFUSED(VALUES, "args.cache.lengths", cache.lengths = ints(&m.v[1][2][0], 0, 0, 0));
  REFUSED(OUT, "args.cache.lengths", cache.lengths = ints(&m.out[1][2][5], 0, 0, 0));
  REFUSED(OUT, "args.q_lens", a.q_lens = ints(&m.out[0][0][0], N, N, 0));
  REFUSED(OUT, "args.q_lens", a.q_lens = ints(&m.out[1][1][0], N, 2, 0));
  REFUSED(KEYS, "args.q_lens", a.q_lens = ints(&m.k[1][3][0], N, 2, 0));
  REFUSED(OUT, "args.q_offsets", a.q_offsets = ints(&m.out[1][0][0], 0, N, N + 2));
  REFUSED(VALUES, "args.q_offsets", a.q_offsets = ints(&m.v[1][0][0], 0, N, N + 2));
  REFUSED(OUT, "args.positions", a.positions = ints(&m.out[1][2][0], 0, 0, 0));
  REFUSED(KEYS, "args.positions", a.positions = ints(&m.k[1][2][0], 0, 0, 0));
  REFUSED(OUT, "args.source_lens", SOURCE, a.source_lens = ints(&m.out[0][2][0], N, N, 0));
  REFUSED(VALUES, "args.source_lens", SOURCE, a.source_lens = ints(&m.v[0][2][0], N, N, 0));
  destroy();
}

RAPT_TEST(mha_tables_and_rules_inside_outputs) {
  create();
  REFUSED(OUT, "args.rope_table.cos", a.rope_table = &table, angles(m.before));
  REFUSED(KEYS, "args.rope_table.cos", a.rope_table = &table, angles(&m.k[0][5][0]));
  REFUSED(VALUES, "args.rope_table.sin", a.rope_table = &table, table.cos = &m.source[0][0][0],
          table.sin = &m.v[0][1][2]);
  REFUSED(KEYS, "args.attention.mask", rules.mask.data = &m.k[0][4][0]);
  REFUSED(VALUES, "args.attention.sinks", rules.sinks = &m.v[0][4][0]);
  REFUSED(KEYS, "args.attention.scores.rows", look.n_rows = 2,
          look.rows = ints(&m.k[1][0][0], 0, 1, 0));
  REFUSED("args.attention.lse.data", "args.cache.lengths",
          cache.lengths = ints(&m.lse[0][1][0], 0, 0, 0));
  REFUSED("args.attention.lse.data", "args.positions",
          a.positions = ints(&m.lse[0][1][0], 0, 0, 0));
  REFUSED("args.attention.scores.data", "args.positions",
          a.positions = ints(&m.scores[0][0][0][0], 0, 0, 0));
  REFUSED("args.attention.scores.key_sums", "args.cache.lengths",
          cache.lengths = ints(&m.sums[0][0][0], 0, 0, 0));
  REFUSED("args.attention.lse.data", "args.attention.cancel",
          rules.cancel = ints(&m.lse[1][1][0], 0, 0, 0));
  /* Kept keys are only read: numbers may lie among them. */
  rapt_mha_args a = good();
  a.flags = RAPT_MHA_KEEP_KV;
  cache.lengths = ints(&m.k[1][5][5], 1, 1, 0);
  CHECK(run(&a, NULL) == RAPT_OK, "a cache that nobody writes");
  destroy();
}

RAPT_TEST(mha_everything_inside_the_workspace) {
  create();
  float *const at = (float *)(void *)(m.workspace + 4096);
  float *const last = (float *)(void *)(m.workspace + sizeof m.workspace - 64);
  IN_SCRATCH("args.x", a.x = at);
  IN_SCRATCH("args.x", a.x = last);
  IN_SCRATCH("args.x", a.x = (float *)(void *)m.workspace);
  IN_SCRATCH("args.x", a.x = last + 16 - N * EMBED - 1, a.q_lens = ints(m.lengths, 1, 1, 0));
  IN_SCRATCH("args.source", SOURCE, a.source = at);
  IN_SCRATCH("args.out", a.out = at);
  IN_SCRATCH("args.cache.k", cache.k.data = at);
  IN_SCRATCH("args.cache.v", cache.v.data = at);
  IN_SCRATCH("args.cache.lengths", cache.lengths = ints(at, 0, 0, 0));
  IN_SCRATCH("args.cache.lengths", cache.lengths = ints(m.workspace, 0, 0, 0));
  IN_SCRATCH("args.q_lens", a.q_lens = ints(at, N, N, 0));
  IN_SCRATCH("args.q_offsets", a.q_offsets = ints(at, 0, N, 2 * N));
  IN_SCRATCH("args.source_lens", SOURCE, a.source_lens = ints(at, N, N, 0));
  IN_SCRATCH("args.positions", a.positions = ints(at, 0, 0, 0));
  IN_SCRATCH("args.rope_table.cos", a.rope_table = &table, angles(at));
  IN_SCRATCH("args.attention.lse", rules.lse.data = m.workspace);
  IN_SCRATCH("args.attention.scores", look.data = (float *)(void *)m.workspace);
  IN_SCRATCH("args.attention.scores.key_sums", look.key_sums = (float *)(void *)m.workspace);
  IN_SCRATCH("args.attention.mask", rules.mask.data = m.workspace);
  IN_SCRATCH("args.attention.sinks", rules.sinks = (float *)(void *)m.workspace);
  IN_SCRATCH("args.attention.scores.heads", look.n_heads = 2, look.heads = ints(at, 0, 1, 0));
  IN_SCRATCH("args.attention.cancel", rules.cancel = ints(at, 0, 0, 0));
  /* Side by side is fine. */
  rapt_mha_args a = good();
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_mha_forward(mha, &a, m.workspace, sizeof m.workspace, NULL, &error) == RAPT_OK &&
            (char *)m.x == m.workspace + sizeof m.workspace,
        "%s: %s", error.field, error.message);
  a = good();
  a.out = (float *)(void *)m.workspace;
  CHECK(rapt_mha_forward(mha, &a, m.workspace + 256, sizeof m.workspace - 256, NULL, &error) ==
            RAPT_OK,
        "%s: %s", error.field, error.message);
  destroy();
}
