/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "example_attend.h"

#include <rapt/rapt.h>
#include <stdlib.h>

#include "attend.h"

static int run(const rapt_attention_desc *desc, const rapt_attention_args *args, failure *why) {
  rapt_error error = {.size = sizeof error};
  return rapt_attention(desc, args, NULL, &error) ? attend_refused(&error, why) : 0;
}

/* Bytes of a row of floats. */
static int64_t row_bytes(int32_t floats) { return (int64_t)floats * (int64_t)sizeof(float); }

static rapt_attention_desc describe(const example_head *head, int32_t value_dim) {
  return (rapt_attention_desc){.size = sizeof(rapt_attention_desc),
                               .flags = head->causal ? RAPT_CAUSAL : 0,
                               .align = head->causal ? RAPT_ALIGN_TOP_LEFT : RAPT_ALIGN_NONE,
                               .heads_q = 1,
                               .heads_kv = 1,
                               .head_dim_qk = head->head_dim,
                               .head_dim_v = value_dim,
                               .scale = head->scale};
}

int example_output(const example_head *head, const float *v, int32_t value_dim, float *output,
                   float *lse, failure *why) {
  rapt_attention_desc desc = describe(head, value_dim);
  /* One batch, one head: their strides are ignored, zero for inputs and any positive for outputs. */
  const int64_t qk = row_bytes(head->head_dim), value = row_bytes(value_dim), one = row_bytes(1);
  rapt_attention_args args = {.size = sizeof args,
                              .batch = 1,
                              .q_len = head->queries,
                              .kv_len = head->keys,
                              .q = {head->q, {0, 0, qk}},
                              .k = {head->k, {0, 0, qk}},
                              .v = {v, {0, 0, value}},
                              .o = {output, {value, value, value}},
                              .lse = {lse, {one, one, one}}};
  return run(&desc, &args, why);
}

int example_weights(const example_head *head, float *weights, failure *why) {
  float *identity = calloc((size_t)head->keys * (size_t)head->keys, sizeof *identity);
  if (!identity)
    return fail(why, EXIT_RUN_FAILED, "there is no memory for %d x %d values", (int)head->keys,
                (int)head->keys);
  for (int64_t j = 0; j < head->keys; j++) identity[j * head->keys + j] = 1;
  int result = example_output(head, identity, head->keys, weights, NULL, why);
  free(identity);
  return result;
}

int example_scores(const example_head *head, float *scores, failure *why) {
  example_head all = *head;
  all.causal = 0;
  rapt_attention_desc desc = describe(&all, 0);
  const int64_t qk = row_bytes(head->head_dim), one = row_bytes(1), row = row_bytes(head->keys);
  rapt_attention_args args = {.size = sizeof args,
                              .batch = head->keys,
                              .q_len = head->queries,
                              .kv_len = 1,
                              .q = {head->q, {0, 0, qk}},
                              .k = {head->k, {qk, 0, qk}},
                              .v = {head->k, {0, 0, 0}}, /* values of no channels: never read */
                              .o = {scores, {one, one, one}},
                              .lse = {scores, {one, row, row}}};
  return run(&desc, &args, why);
}
