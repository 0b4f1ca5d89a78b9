/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A forward of the layer allocates nothing and reads no environment: prompts, decoding and cross
 * attention. Neither does BLAS, nor OpenMP, once they know the thread. */
#include "interpose.h"
#include "layer/rotary.h"

enum { EMBED = 96, HEADS = 6, DIM = 16, N = 70, CAPACITY = 80 };

static float weights[EMBED * EMBED], x[N][EMBED], out[N][EMBED];
static float k[CAPACITY][EMBED], v[CAPACITY][EMBED];
static int32_t held;

static void watch(const rapt_mha *mha, const rapt_mha_args *args, const char *what) {
  static _Alignas(64) char workspace[4 << 20];
  rapt_executor executor = serial_executor;
  rapt_workspace_info info = {.size = sizeof info};
  executor.max_workers = 3;
  REQUIRE(rapt_mha_workspace(mha, args, 3, &info, NULL) == RAPT_OK, "workspace");
  REQUIRE(info.bytes <= sizeof workspace, "%llu bytes", (unsigned long long)info.bytes);
  for (int warm = 0; warm < 2; warm++) {
    interpose_begin();
    const rapt_status status = rapt_mha_forward(mha, args, workspace, sizeof workspace, &executor,
                                                NULL);
    const forbidden_calls calls = interpose_end();
    CHECK(status == RAPT_OK, "%s: status %d", what, status);
    CHECK(!warm || (!calls.allocate && !calls.release && !calls.environment),
          "%s: %ld allocations, %ld releases, %ld getenv", what, calls.allocate, calls.release,
          calls.environment);
  }
}

RAPT_TEST(mha_is_pure) {
  rapt_blas_info blas = {.size = sizeof blas};
  if (!interpose_works()) SKIP("malloc belongs to a sanitizer here");
  REQUIRE(rapt_get_blas_info(&blas, NULL) == RAPT_OK, "info");
  if (blas.parallel == RAPT_BLAS_NONE) SKIP("built without BLAS: there is no layer");
  rapt_rope *rope = rotary_create((rapt_rope_desc){.head_dim = DIM}, NULL);
  const rapt_weights w = {.data = weights};
  rapt_attention_desc attention = {.size = sizeof attention,
                                   .flags = RAPT_CAUSAL,
                                   .heads_q = HEADS,
                                   .heads_kv = HEADS,
                                   .head_dim_qk = DIM,
                                   .head_dim_v = DIM,
                                   .align = RAPT_ALIGN_BOTTOM_RIGHT};
  const rapt_mha_desc desc = {.size = sizeof desc,
                              .embed_in = EMBED,
                              .wq = w,
                              .wk = w,
                              .wv = w,
                              .wo = w,
                              .attention = &attention,
                              .rope = rope};
  rapt_mha *mha = NULL;
  if (CHECK(rapt_mha_create(&desc, &mha, NULL) == RAPT_OK, "create")) {
    const rapt_tensor t = {k, {0, 4 * DIM, sizeof k[0]}};
    rapt_mha_cache cache = {
        .size = sizeof cache, .capacity = CAPACITY, .k = t, .v = t, .lengths = &held};
    cache.v.data = v;
    rapt_mha_args args = {.size = sizeof args,
                          .batch = 1,
                          .q_len = N,
                          .x = &x[0][0],
                          .out = &out[0][0],
                          .x_stride = {0, sizeof x[0]},
                          .out_stride = {0, sizeof out[0]}};
    watch(mha, &args, "without a cache");
    args.cache = &cache;
    watch(mha, &args, "prompt");
    held = N;
    args.q_len = 1;
    watch(mha, &args, "decode");
    args.source = &x[0][0];
    args.source_len = 5;
    args.source_stride[1] = sizeof x[0];
    watch(mha, &args, "cross");
  }
  rapt_mha_destroy(mha);
  rapt_rope_destroy(rope);
}
