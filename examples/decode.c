/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decoding as an engine does it: one plan and one workspace for good, a cache that grows by a token a
 * step. Eight query heads share two KV heads. At the end the same tokens go through one causal call,
 * as a prompt: RAPT_FORCE_LANES asks for the same arithmetic at every length, so the bits are equal.
 * (Without it single tokens take the faster row kernel, and the last bits may differ.) */
#include "example.h"

enum { HEADS_Q = 8, HEADS_KV = 2, DIM = 64, TOKENS = 300 };

/* [token][head][channel], as projections write them. k and v are the cache of one layer. */
static float q[TOKENS][HEADS_Q][DIM];
static float k[TOKENS][HEADS_KV][DIM], v[TOKENS][HEADS_KV][DIM];
static float decoded[TOKENS][HEADS_Q][DIM], prompt[TOKENS][HEADS_Q][DIM];

/* Stands for the model: a query, and a key and a value appended to the cache. */
static void next_token(int32_t token) {
  fill_noise(q[token][0], sizeof q[0] / sizeof(float));
  fill_noise(k[token][0], sizeof k[0] / sizeof(float));
  fill_noise(v[token][0], sizeof v[0] / sizeof(float));
}

int main(void) {
  rapt_attention_desc desc = {.size = sizeof desc,
                              .flags = RAPT_CAUSAL | RAPT_FORCE_LANES,
                              .align = RAPT_ALIGN_BOTTOM_RIGHT, /* the last query at the last key */
                              .heads_q = HEADS_Q,
                              .heads_kv = HEADS_KV,
                              .head_dim_qk = DIM,
                              .head_dim_v = DIM};
  /* The longest call comes first here: it tells how much scratch is needed. */
  rapt_attention_args args = {
      .size = sizeof args,
      .batch = 1,
      .q_len = TOKENS,
      .kv_len = TOKENS,
      .q = {q, {sizeof q, sizeof q[0][0], sizeof q[0]}},
      .k = {k, {sizeof k, sizeof k[0][0], sizeof k[0]}},
      .v = {v, {sizeof v, sizeof v[0][0], sizeof v[0]}},
      .o = {prompt, {sizeof prompt, sizeof prompt[0][0], sizeof prompt[0]}}};
  rapt_error error = {.size = sizeof error};
  rapt_plan *plan = NULL;
  if (rapt_plan_create(&desc, &plan, &error)) return failed(&error);
  rapt_workspace_info need = {.size = sizeof need};
  if (rapt_plan_workspace(plan, &args, rapt_default_workers(), &need, &error))
    return failed(&error);
  void *workspace = aligned_alloc(64, need.bytes);

  rapt_attention_args step = args;
  step.q_len = 1;
  for (int32_t token = 0; token < TOKENS; token++) {
    next_token(token);
    step.kv_len = token + 1;
    step.q.data = q[token];
    step.o.data = decoded[token];
    if (rapt_attention_run(plan, &step, workspace, need.bytes, NULL, &error)) return failed(&error);
  }

  if (rapt_attention_run(plan, &args, workspace, need.bytes, NULL, &error)) return failed(&error);
  int equal = equal_bits(decoded, prompt, sizeof decoded);
  printf("%d tokens one by one and as a prompt: %s\n", TOKENS, equal ? "equal bits" : "different");
  free(workspace);
  rapt_plan_destroy(plan);
  return !equal;
}
