/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "growth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attend.h"
#include "common/rng.h"
#include "executor.h"

const growth_model growth_models[GROWTH_MODELS] = {
    {"llama", "Llama 3 8B, one new token against a cache", 32, 8, 128, 1, 256, 16384, 4096},
    {"whisper", "Whisper base, encoder", 8, 8, 64, 0, 375, 6000, 1500},
    {"bert", "BERT base", 12, 12, 64, 0, 64, 4096, 512},
};

static int32_t queries(const growth_model *m, int32_t length) { return m->decode ? 1 : length; }

double growth_flops(const growth_model *m, int32_t length) {
  return 4.0 * m->heads_q * queries(m, length) * length * m->head_dim;
}

double growth_bytes(const growth_model *m, int32_t length) {
  return 2.0 * m->heads_kv * length * m->head_dim * (double)sizeof(float);
}

int growth_open(growth *g, const growth_model *m, int32_t threads, int32_t longest, failure *why) {
  const size_t q = (size_t)m->heads_q * (size_t)queries(m, longest) * (size_t)m->head_dim;
  const size_t kv = (size_t)m->heads_kv * (size_t)longest * (size_t)m->head_dim;
  memset(g, 0, sizeof *g);
  g->model = m;
  g->threads = threads;
  g->longest = longest;
  g->q = malloc(2 * (q + kv) * sizeof *g->q);
  if (!g->q)
    return fail(why, EXIT_RUN_FAILED, "out of memory: length %d needs %zu bytes", (int)longest,
                2 * (q + kv) * sizeof *g->q);
  g->k = g->q + q;
  g->v = g->k + kv;
  g->o = g->v + kv;
  rng r = rng_make(1);
  /* Uniform, of variance 1. */
  rng_fill_uniform(&r, g->q, q + 2 * kv, -1.7320508, 1.7320508);
  return 0;
}

void growth_close(growth *g) {
  free(g->q);
  memset(g, 0, sizeof *g);
}

static rapt_attention_desc describe(const growth_model *m) {
  return (rapt_attention_desc){.size = sizeof(rapt_attention_desc),
                               .heads_q = m->heads_q,
                               .heads_kv = m->heads_kv,
                               .head_dim_qk = m->head_dim,
                               .head_dim_v = m->head_dim};
}

int growth_measure(const growth *g, int32_t length, double seconds, growth_point *point,
                   failure *why) {
  const growth_model *m = g->model;
  const rapt_attention_desc desc = describe(m);
  /* [head][token][channel], packed for this length. */
  const int64_t token = (int64_t)m->head_dim * (int64_t)sizeof(float);
  const int64_t q_head = token * queries(m, length), kv_head = token * length;
  const int64_t q_batch = q_head * m->heads_q, kv_batch = kv_head * m->heads_kv;
  rapt_attention_args args = {.size = sizeof args,
                              .batch = 1,
                              .q_len = queries(m, length),
                              .kv_len = length,
                              .q = {g->q, {q_batch, q_head, token}},
                              .k = {g->k, {kv_batch, kv_head, token}},
                              .v = {g->v, {kv_batch, kv_head, token}},
                              .o = {g->o, {q_batch, q_head, token}}};
  const rapt_executor executor = executor_of_threads(g->threads);
  int status = attend(&desc, &args, &executor, 1, 0, NULL, NULL, why); /* touches all memory */
  if (status) return status;
  point->length = length;
  return attend(&desc, &args, &executor, INT32_MAX, seconds, &point->seconds, &point->runs, why);
}

int growth_kernel_set(const growth *g, char name[32], failure *why) {
  const rapt_attention_desc desc = describe(g->model);
  rapt_plan_info info = {.size = sizeof info};
  rapt_error error = {.size = sizeof error};
  if (rapt_plan_check(&desc, &info, &error)) return attend_refused(&error, why);
  snprintf(name, 32, "%s", g->model->decode ? info.decode_set : info.prefill_set);
  return 0;
}
