/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the entry points of the layer share. */
#ifndef RAPT_API_MHA_H
#define RAPT_API_MHA_H

#include "../layer/mha.h"
#include "api.h"

/* A call with everything of its own checked. */
typedef struct rapt_mha_call {
  const rapt_mha *mha;
  rapt_mha_args args;
  rapt_mha_cache cache;      /* with has_cache */
  rapt_attention_args rules; /* all zero, or loaded from args.attention */
  rapt_rope_table table;     /* with args.rope_table */
  int32_t has_cache;
  int32_t cross;    /* keys come from source */
  int32_t new_keys; /* 0 with RAPT_MHA_KEEP_KV */
  rapt_mha_extent extent;
  rapt_mha_layout layout;
} rapt_mha_call;

/* Structs and counts: what a workspace query needs. extent and layout are those of the largest call.
 * kv_only: fields of queries and outputs are not read. */
rapt_status rapt_mha_load(const rapt_mha *mha, const rapt_mha_args *in, int kv_only,
                          rapt_mha_call *call, rapt_error *error);

/* Then lengths and tensors. kv_only: queries and outputs are left alone. */
rapt_status rapt_mha_check(rapt_mha_call *call, int kv_only, rapt_error *error);

/* Its last part: data, strides and overlaps (mha_tensors.c). */
rapt_status rapt_mha_check_tensors(const rapt_mha_call *call, int kv_only, rapt_error *error);

/* Scores that attention has found right (of keys up to kv_len) are not where the output projection will
 * write. */
rapt_status rapt_mha_check_scores(const rapt_mha_call *call, const rapt_scores_out *scores,
                                  int32_t kv_len, rapt_error *error);

/* Tokens of sequence b that bring new keys, whether or not they are projected. */
static inline int32_t rapt_mha_new_len(const rapt_mha_call *call, int32_t b) {
  const rapt_mha_args *a = &call->args;
  if (!call->new_keys) return 0;
  if (call->cross) return a->source_lens ? a->source_lens[b] : a->source_len;
  if (a->q_offsets) return a->q_offsets[b + 1] - a->q_offsets[b];
  return a->q_lens ? a->q_lens[b] : a->q_len;
}

#endif
