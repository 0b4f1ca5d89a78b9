/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decoding as an engine does it: one plan and one workspace for good, a cache that grows by a token a
 * step. Eight query heads share two KV heads. */
#include <rapt/rapt.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEADS_Q = 8, HEADS_KV = 2, DIM = 64, CAPACITY = 256 };

/* The cache of one layer, [token][head][channel], and the query and output of the token in work. */
static float k[CAPACITY][HEADS_KV][DIM], v[CAPACITY][HEADS_KV][DIM];
static float q[HEADS_Q][DIM], o[HEADS_Q][DIM];

static float noise(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return (float)(state >> 8) * 0x1p-23f - 1.0f;
}

/* Stands for the model: a new query, and a key and a value appended to the cache. The last channel of
 * each value is 1: as weights sum to 1, the last channel of each output must be 1 as well. */
static void next_token(int32_t token) {
  for (int h = 0; h < HEADS_Q; h++)
    for (int c = 0; c < DIM; c++) q[h][c] = noise();
  for (int h = 0; h < HEADS_KV; h++)
    for (int c = 0; c < DIM; c++) {
      k[token][h][c] = noise();
      v[token][h][c] = c == DIM - 1 ? 1.0f : noise();
    }
}

/* Stands for what the model does with o. */
static int wrong;
static void use_output(void) {
  for (int h = 0; h < HEADS_Q; h++) {
    float off = o[h][DIM - 1] - 1.0f;
    if (!(off > -1e-6f && off < 1e-6f)) wrong++;
  }
}

static int failed(const rapt_error *error) {
  fprintf(stderr, "%s %s\n", error->field, error->message);
  return 1;
}

int main(void) {
  rapt_attention_desc desc = {.size = sizeof desc,
                              .heads_q = HEADS_Q,
                              .heads_kv = HEADS_KV,
                              .head_dim_qk = DIM,
                              .head_dim_v = DIM};
  rapt_attention_args args = {.size = sizeof args,
                              .batch = 1,
                              .q_len = 1,
                              .kv_len = CAPACITY,
                              .q = {q, {sizeof q, sizeof q[0], sizeof q}},
                              .k = {k, {sizeof k, sizeof k[0][0], sizeof k[0]}},
                              .v = {v, {sizeof v, sizeof v[0][0], sizeof v[0]}},
                              .o = {o, {sizeof o, sizeof o[0], sizeof o}}};
  rapt_error error = {.size = sizeof error};

  rapt_plan *plan = NULL;
  if (rapt_plan_create(&desc, &plan, &error)) return failed(&error);
  rapt_workspace_info need = {.size = sizeof need}; /* for the longest call, kv_len = CAPACITY */
  if (rapt_plan_workspace(plan, &args, rapt_default_workers(), &need, &error))
    return failed(&error);
  void *workspace = aligned_alloc(64, need.bytes);
  for (int32_t token = 0; token < CAPACITY; token++) {
    next_token(token); /* q, and a key and a value appended to the cache */
    args.kv_len = token + 1;
    if (rapt_attention_run(plan, &args, workspace, need.bytes, NULL, &error)) return failed(&error);
    use_output();
  }
  free(workspace);
  rapt_plan_destroy(plan);

  printf("%d tokens, %llu bytes of scratch\n", CAPACITY, (unsigned long long)need.bytes);
  return wrong != 0;
}
