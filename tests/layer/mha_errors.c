/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each argument of the layer refused with its name before any work: out and cache stay as they were. And a
 * forward asks nobody for memory. */
#include "layer/mha.h"
#include "mha_case.h"
#include "support/counting_alloc.h"

#define INVALID RAPT_ERROR_INVALID_ARGUMENT

enum { BATCH = 2, N = 3, EMBED = 8, CAPACITY = 6, ROW = EMBED * 4 };

/* ---- Descriptions ------------------------------------------------------------------------------------ */

static float numbers[4 * EMBED * EMBED];
static rapt_attention_desc attention;

static rapt_mha_desc good_desc(void) {
  const rapt_weights w = {.data = numbers};
  attention = (rapt_attention_desc){
      .size = sizeof attention, .heads_q = 2, .heads_kv = 2, .head_dim_qk = 4, .head_dim_v = 4};
  return (rapt_mha_desc){.size = sizeof(rapt_mha_desc),
                         .embed_in = EMBED,
                         .wq = w,
                         .wk = w,
                         .wv = w,
                         .wo = w,
                         .attention = &attention};
}

static void refused(const rapt_mha_desc *d, rapt_status want, const char *field) {
  rapt_error error = {.size = sizeof error};
  rapt_mha *mha = NULL;
  rapt_status status = rapt_mha_create(d, &mha, &error);
  CHECK(status == want && !strcmp(error.field, field) && !mha, "status %d, field %s (%s), not %s",
        status, error.field, error.message, field);
  CHECK(error.code == want && strlen(error.message) > 5, "%s: \"%s\"", field, error.message);
}

#define REFUSED(change, status, field) \
  do {                                 \
    rapt_mha_desc d = good_desc();     \
    change;                            \
    refused(&d, status, field);        \
  } while (0)

RAPT_TEST(mha_desc_refusals) {
  static float odd[2];
  const float *askew = (const float *)(const void *)((const char *)odd + 1);
  const rapt_allocator half = {.size = sizeof half};
  struct {
    rapt_attention_desc known;
    uint64_t unknown;
  } newer = {.unknown = 1};
  newer.known.size = sizeof newer;
  REFUSED(d.size = 4, INVALID, "desc.size");
  REFUSED(d.flags = 2, INVALID, "desc.flags");
  REFUSED(d.layout = 2, INVALID, "desc.layout");
  REFUSED(d.embed_in = 0, INVALID, "desc.embed_in");
  REFUSED(d.embed_in = 1 << 21, INVALID, "desc.embed_in");
  REFUSED(d.embed_source = -1, INVALID, "desc.embed_source");
  REFUSED(d.embed_out = -1, INVALID, "desc.embed_out");
  REFUSED((d.wo.data = NULL, d.embed_out = 8), INVALID, "desc.embed_out");
  REFUSED(d.attention = NULL, INVALID, "desc.attention");
  REFUSED(attention.heads_q = 3, INVALID, "desc.attention.heads_q");
  REFUSED(attention.flags = RAPT_PARTIAL, RAPT_ERROR_UNSUPPORTED, "desc.attention.flags");
  REFUSED(attention.heads_q = attention.heads_kv = 0, INVALID, "desc.attention.heads_q");
  REFUSED(attention.head_dim_v = 0, INVALID, "desc.attention.head_dim_v");
  REFUSED(attention.isa = "nonsense", INVALID, "desc.attention.isa");
  REFUSED(attention.size = 4, INVALID, "desc.attention.size");
  REFUSED(attention.align = 2, INVALID, "desc.attention.align");
  REFUSED(d.attention = (const rapt_attention_desc *)(const void *)&newer, RAPT_ERROR_VERSION,
          "desc.attention");
  REFUSED(attention.allocator = &half, INVALID, "desc.attention.allocator.allocate");
  REFUSED(d.wq.data = NULL, INVALID, "desc.wq.data");
  REFUSED(d.wv.data = NULL, INVALID, "desc.wv.data");
  REFUSED(d.wk.data = askew, INVALID, "desc.wk.data");
  REFUSED(d.wo.bias = askew, INVALID, "desc.wo.bias");
  REFUSED(d.wk.stride = 8 * 4 - 4, INVALID, "desc.wk.stride");
  REFUSED(d.wk.stride = 8 * 4 + 2, INVALID, "desc.wk.stride");
  REFUSED(d.wk.stride = INT64_C(1) << 40, INVALID, "desc.wk.stride");
  REFUSED(d.wqkv.data = numbers, INVALID, "desc.wqkv.data");
  REFUSED((d.wqkv = d.wq, d.wq.data = d.wk.data = d.wv.data = NULL, d.embed_source = 9), INVALID,
          "desc.embed_source");
  /* Biases of matrices that are not there. */
  REFUSED((d.wqkv = d.wq, d.wq.data = d.wk.data = d.wv.data = NULL, d.wq.bias = numbers), INVALID,
          "desc.wq.bias");
  REFUSED((d.wqkv = d.wq, d.wq.data = d.wk.data = d.wv.data = NULL, d.wk.bias = numbers), INVALID,
          "desc.wk.bias");
  REFUSED((d.wqkv = d.wq, d.wq.data = d.wk.data = d.wv.data = NULL, d.wv.bias = numbers), INVALID,
          "desc.wv.bias");
  REFUSED(d.wqkv.bias = numbers, INVALID, "desc.wqkv.bias");
  REFUSED((d.wo.data = NULL, d.wo.bias = numbers), INVALID, "desc.wo.bias");
  rapt_rope_desc rope_desc = {.size = sizeof rope_desc, .head_dim = 8};
  rapt_rope *rope = NULL;
  REQUIRE(rapt_rope_create(&rope_desc, &rope, NULL) == RAPT_OK, "rope");
  REFUSED(d.rope = rope, INVALID, "desc.rope");
  rapt_rope_destroy(rope);
  rapt_mha_desc d = good_desc();
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_mha_create(&d, NULL, &error) == INVALID && !strcmp(error.field, "mha"), "mha NULL");
}

RAPT_TEST(mha_out_of_memory) {
  for (long fail_at = 1; fail_at <= 2; fail_at++) {
    counting_alloc counting;
    counting_alloc_init(&counting);
    rapt_mha_desc d = good_desc();
    attention.allocator = &counting.allocator;
    counting.fail_at = fail_at;
    rapt_mha *mha = NULL;
    rapt_status status = rapt_mha_create(&d, &mha, NULL);
    CHECK(status == RAPT_ERROR_OUT_OF_MEMORY && !mha && counting.live == 0, "status %d, %ld live",
          status, counting.live);
    counting.fail_at = 0;
    CHECK(rapt_mha_create(&d, &mha, NULL) == RAPT_OK, "works later");
    rapt_mha_destroy(mha);
    CHECK(counting.live == 0 && counting.bad_releases == 0, "%ld live", counting.live);
  }
}

/* ---- Calls ---------------------------------------------------------------------------------------------- */

static float x[BATCH][N][EMBED], out[BATCH][N][EMBED];
static float k[BATCH][CAPACITY][EMBED], v[BATCH][CAPACITY][EMBED];
static int32_t lengths[BATCH];
static rapt_mha_cache cache;
static _Alignas(64) char workspace[1 << 20];
static size_t workspace_bytes;

static rapt_mha_args good_args(void) {
  rapt_tensor t = {k, {sizeof k[0], 16, ROW}};
  cache = (rapt_mha_cache){
      .size = sizeof cache, .capacity = CAPACITY, .k = t, .v = t, .lengths = lengths};
  cache.v.data = v;
  lengths[0] = 3;
  lengths[1] = 0;
  workspace_bytes = sizeof workspace;
  return (rapt_mha_args){.size = sizeof(rapt_mha_args),
                         .batch = BATCH,
                         .q_len = N,
                         .x = &x[0][0][0],
                         .out = &out[0][0][0],
                         .x_stride = {N * ROW, ROW},
                         .out_stride = {N * ROW, ROW},
                         .cache = &cache};
}

static void refused_call(const rapt_mha *mha, const rapt_mha_args *a, rapt_status want,
                         const char *field) {
  rapt_error error = {.size = sizeof error};
  memset(out, 0xff, sizeof out);
  memset(k, 0xff, sizeof k);
  memset(v, 0xff, sizeof v);
  rapt_status status = rapt_mha_forward(mha, a, workspace, workspace_bytes, NULL, &error);
  CHECK(status == want && !strcmp(error.field, field), "status %d, field %s (%s), not %s", status,
        error.field, error.message, field);
  CHECK_UNTOUCHED(out, sizeof out, "%s: out", field);
  CHECK_UNTOUCHED(k, sizeof k, "%s: k", field);
  CHECK_UNTOUCHED(v, sizeof v, "%s: v", field);
}

#define CALL_REFUSED(change, status, field) \
  do {                                      \
    rapt_mha_args a = good_args();          \
    change;                                 \
    refused_call(mha, &a, status, field);   \
  } while (0)

static void refuse_cache(const rapt_mha *mha) {
  static int32_t odd[BATCH] = {0, 7};
  CALL_REFUSED(cache.size = 8, INVALID, "args.cache.size");
  CALL_REFUSED(cache.kind = 1, RAPT_ERROR_UNSUPPORTED, "args.cache.kind");
  CALL_REFUSED(cache.capacity = -1, INVALID, "args.cache.capacity");
  CALL_REFUSED(cache.reserved = 1, INVALID, "args.cache.reserved");
  CALL_REFUSED(lengths[0] = 4, INVALID, "args.cache.lengths[0]"); /* 3 more do not fit */
  CALL_REFUSED(cache.lengths = odd, INVALID, "args.cache.lengths[1]");
  CALL_REFUSED(lengths[1] = -1, INVALID, "args.cache.lengths[1]");
  CALL_REFUSED(cache.k.data = NULL, INVALID, "args.cache.k.data");
  CALL_REFUSED(cache.v.data = (char *)v + 2, INVALID, "args.cache.v.data");
  CALL_REFUSED(cache.k.stride[2] = 12, INVALID, "args.cache.k.stride[2]");
  CALL_REFUSED(cache.k.stride[2] = 16, INVALID, "args.cache.k.stride[2]");
  CALL_REFUSED(cache.v.stride[1] = -16, INVALID, "args.cache.v.stride[1]");
  CALL_REFUSED(cache.v.stride[0] = 0, INVALID, "args.cache.v.stride[0]");
  CALL_REFUSED((a.flags = RAPT_MHA_KEEP_KV, a.cache = NULL), INVALID, "args.cache");
}

RAPT_TEST(mha_call_refusals) {
  static const int32_t lens[BATCH] = {3, 4}, offsets[BATCH + 1] = {0, 3, 2};
  static const float slopes[2] = {1, 1};
  rapt_attention_args rules = {.size = sizeof rules, .alibi_slopes = slopes};
  rapt_rope_table table = {.size = sizeof table};
  rapt_mha_desc desc = good_desc();
  rapt_mha *mha = NULL;
  REQUIRE(rapt_mha_create(&desc, &mha, NULL) == RAPT_OK, "create");
  rapt_mha_args good = good_args();
  CHECK(rapt_mha_forward(mha, &good, workspace, sizeof workspace, NULL, NULL) == RAPT_OK, "good");
  refused_call(NULL, &good, INVALID, "mha");
  CALL_REFUSED(a.size = 12, INVALID, "args.size");
  CALL_REFUSED(a.flags = 2, INVALID, "args.flags");
  CALL_REFUSED(a.batch = -1, INVALID, "args.batch");
  CALL_REFUSED(a.q_len = -1, INVALID, "args.q_len");
  CALL_REFUSED(a.source_len = -1, INVALID, "args.source_len");
  CALL_REFUSED(a.reserved = 1, INVALID, "args.reserved");
  CALL_REFUSED(a.q_lens = lens, INVALID, "args.q_lens[1]");
  CALL_REFUSED(a.q_offsets = offsets, INVALID, "args.q_offsets[2]");
  CALL_REFUSED((a.q_offsets = offsets, a.q_lens = lens), INVALID, "args.q_lens");
  CALL_REFUSED((a.source_len = 3, a.source_lens = lens), INVALID, "args.source_lens[1]");
  CALL_REFUSED(a.source_len = 2, INVALID, "args.source");
  CALL_REFUSED(a.x = NULL, INVALID, "args.x");
  CALL_REFUSED(a.out = NULL, INVALID, "args.out");
  CALL_REFUSED(a.x = (const float *)(const void *)((const char *)x + 1), INVALID, "args.x");
  CALL_REFUSED(a.x_stride[1] = ROW - 4, INVALID, "args.x_stride[1]");
  CALL_REFUSED(a.x_stride[1] = -ROW, INVALID, "args.x_stride[1]");
  CALL_REFUSED(a.x_stride[0] = 2, INVALID, "args.x_stride[0]");
  CALL_REFUSED(a.out_stride[0] = 2 * ROW, INVALID, "args.out_stride[0]");
  CALL_REFUSED(a.out_stride[1] = INT64_C(1) << 40, INVALID, "args.out_stride[1]");
  CALL_REFUSED(a.attention = &rules, INVALID, "args.attention.alibi_slopes");
  CALL_REFUSED(a.rope_table = &table, INVALID, "args.rope_table");
  rules.alibi_slopes = NULL;
  rules.mask.data = slopes;
  CALL_REFUSED(a.attention = &rules, INVALID, "args.attention.mask.data");
  rules.mask.data = NULL;
  rules.prefix_lens = lens;
  CALL_REFUSED(a.attention = &rules, INVALID, "args.attention.prefix_lens");
  rules.prefix_lens = NULL;
  rules.q_positions = lens;
  CALL_REFUSED(a.attention = &rules, INVALID, "args.attention.q_positions");
  rules.q_positions = NULL;
  rules.sinks = (const float *)(const void *)((const char *)slopes + 2);
  CALL_REFUSED(a.attention = &rules, INVALID, "args.attention.sinks");
  rules.sinks = NULL;
  rules.lse.data = (char *)(uintptr_t)lens + 1;
  CALL_REFUSED(a.attention = &rules, INVALID, "args.attention.lse.data");
  rules.lse.data = NULL;
  rapt_scores_out look = {.size = sizeof look, .stage = 4};
  rules.scores = &look;
  CALL_REFUSED(a.attention = &rules, INVALID, "args.attention.scores.stage");
  CALL_REFUSED(workspace_bytes = 100, RAPT_ERROR_WORKSPACE, "workspace_bytes");
  refuse_cache(mha);
  rapt_mha_args a = good_args();
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_mha_forward(mha, &a, workspace + 4, 1 << 19, NULL, &error) == RAPT_ERROR_WORKSPACE,
        "misaligned workspace");
  a.cache = NULL;
  CHECK(rapt_mha_project_kv(mha, &a, NULL, &error) == INVALID && !strcmp(error.field, "args.cache"),
        "project_kv without a cache: %s", error.field);
  rapt_mha_destroy(mha);
}

/* What an array says is not read before it is known to be aligned. */
RAPT_TEST(mha_misaligned_arrays) {
  static int32_t zeros[BATCH + 2];
  const int32_t *askew = (const int32_t *)(const void *)((const char *)zeros + 1);
  rapt_mha_desc desc = good_desc();
  rapt_mha *mha = NULL;
  REQUIRE(rapt_mha_create(&desc, &mha, NULL) == RAPT_OK, "create");
  CALL_REFUSED(a.q_lens = askew, INVALID, "args.q_lens");
  CALL_REFUSED(a.q_offsets = askew, INVALID, "args.q_offsets");
  CALL_REFUSED(a.source_lens = askew, INVALID, "args.source_lens");
  CALL_REFUSED(a.positions = askew, INVALID, "args.positions");
  CALL_REFUSED(cache.lengths = askew, INVALID, "args.cache.lengths");
  rapt_mha_destroy(mha);
}

/* Sequences without tokens need no tensors, whatever the most would be. */
RAPT_TEST(mha_no_tokens_at_all) {
  static const int32_t zeros[BATCH];
  rapt_error error = {.size = sizeof error};
  rapt_mha_desc desc = good_desc();
  rapt_mha *mha = NULL;
  REQUIRE(rapt_mha_create(&desc, &mha, NULL) == RAPT_OK, "create");
  rapt_mha_args a = good_args();
  a.q_lens = zeros;
  a.x = NULL;
  a.out = NULL;
  CHECK(rapt_mha_forward(mha, &a, workspace, sizeof workspace, NULL, &error) == RAPT_OK, "%s: %s",
        error.field, error.message);
  a = good_args();
  a.source_len = N;
  a.source_lens = zeros;
  CHECK(rapt_mha_forward(mha, &a, workspace, sizeof workspace, NULL, &error) == RAPT_OK, "%s: %s",
        error.field, error.message);
  rapt_mha_destroy(mha);
}

/* The caller's own words stay as they are when an error gets the layer's names. */
RAPT_TEST(mha_errors_quote_the_caller) {
  rapt_error error = {.size = sizeof error};
  rapt_mha_desc desc = good_desc();
  rapt_mha *mha = NULL;
  attention.isa = "desc";
  CHECK(rapt_mha_create(&desc, &mha, &error) != RAPT_OK, "no such level");
  CHECK(!strcmp(error.field, "desc.attention.isa") && strstr(error.message, "\"desc\""), "%s: %s",
        error.field, error.message);
}

/* A matrix as tall as create lets it be: the cut of its single row is sound. */
RAPT_TEST(mha_tallest_matrix_is_cut) {
  static const rapt_gemv_ops none;
  for (int32_t in = 1; in > 0 && in <= 1 << 30; in *= 2) {
    const rapt_matrix matrix = {.ld = 1, .in = in, .out = 100};
    const rapt_projection item = {.matrix = &matrix, .heads = 1, .dim = 100, .len = 1};
    rapt_projections p = {.batch = 1, .workers = 4, .gemv = &none};
    rapt_projections_add(&p, &item);
    CHECK(p.total >= 1 && p.item[0].row_columns * p.item[0].tasks >= 100, "%d inner: %d tasks", in,
          (int)p.total);
    if (in == 1 << 30) break;
  }
}

/* A forward holds its table to what rapt_rope_rotate does. */
RAPT_TEST(mha_table_refusals) {
  static float angles[64];
  rapt_rope *rope = NULL;
  rapt_mha *mha = NULL;
  rapt_mha_desc desc = good_desc();
  const rapt_rope_desc turns = {.size = sizeof turns, .head_dim = desc.attention->head_dim_qk};
  REQUIRE(rapt_rope_create(&turns, &rope, NULL) == RAPT_OK, "rope");
  desc.rope = rope;
  REQUIRE(rapt_mha_create(&desc, &mha, NULL) == RAPT_OK, "create");
#define TABLE_REFUSED(spoil, field)                                                     \
  do {                                                                                  \
    rapt_rope_table t = {                                                               \
        .size = sizeof t, .count = 8, .cos = angles, .sin = angles + 32, .stride = 16}; \
    rapt_mha_args a = good_args();                                                      \
    a.rope_table = &t;                                                                  \
    spoil;                                                                              \
    refused_call(mha, &a, INVALID, field);                                              \
  } while (0)
  TABLE_REFUSED(t.first = -5, "args.rope_table.first");
  TABLE_REFUSED((t.first = INT32_MAX - 1, t.count = 10), "args.rope_table.count");
  TABLE_REFUSED(t.reserved = 1, "args.rope_table.reserved");
  TABLE_REFUSED(t.cos = NULL, "args.rope_table.cos");
  TABLE_REFUSED(t.sin = (const float *)(const void *)((const char *)angles + 1),
                "args.rope_table.sin");
  TABLE_REFUSED(t.stride = 3, "args.rope_table.stride");
  TABLE_REFUSED(t.stride = INT64_MAX - 3, "args.rope_table.stride");
  TABLE_REFUSED(t.stride = INT64_MIN, "args.rope_table.stride");
#undef TABLE_REFUSED
  rapt_mha_destroy(mha);
  rapt_rope_destroy(rope);
}

/* The workspace for one worker serves any executor; for more it grows. */
RAPT_TEST(mha_workspace_sizes) {
  rapt_mha_desc desc = good_desc();
  rapt_mha *mha = NULL;
  REQUIRE(rapt_mha_create(&desc, &mha, NULL) == RAPT_OK, "create");
  rapt_mha_args a = good_args();
  uint64_t before = 0;
  for (int32_t workers = 1; workers <= 8; workers++) {
    rapt_workspace_info info = {.size = sizeof info};
    CHECK(rapt_mha_workspace(mha, &a, workers, &info, NULL) == RAPT_OK && info.bytes % 64 == 0 &&
              info.bytes > before,
          "%d workers: %llu bytes", workers, (unsigned long long)info.bytes);
    if (workers == 1)
      CHECK(rapt_mha_forward(mha, &a, workspace, (size_t)info.bytes, NULL, NULL) == RAPT_OK,
            "a workspace for one");
    before = info.bytes;
  }
  rapt_mha_destroy(mha);
}
