/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the entry points of the layer share. */
#ifndef RAPT_API_MHA_H
#define RAPT_API_MHA_H

#include "../layer/mha.h"
#include "rope_table.h"
#include "touched.h"

/* A call with everything of its own checked. */
typedef struct rapt_mha_call {
  const rapt_mha *mha;
  rapt_mha_args args;
  rapt_mha_cache cache;      /* with has_cache */
  rapt_attention_args rules; /* all zero, or loaded from args.attention */
  rapt_rope_table table;     /* with args.rope_table */
  rapt_rope_table_spans table_spans;
  const void *workspace; /* NULL without, as in a projection of keys and values alone */
  size_t workspace_bytes;
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

/* Its first part: arrays may be read (mha_tensors.c). */
rapt_status rapt_mha_check_arrays(const rapt_mha_call *call, rapt_error *error);

/* Its last part: data, strides and overlaps (mha_tensors.c). */
rapt_status rapt_mha_check_tensors(const rapt_mha_call *call, int kv_only, rapt_error *error);

/* What attention has found right in call->rules is not where the layer writes besides, nor the other way
 * round. Names are those of attention's own arguments. */
rapt_status rapt_mha_check_touched(const rapt_mha_call *call, const rapt_touched *touched,
                                   const rapt_scores_out *scores, rapt_error *error);

/* What errors call the table. */
extern const rapt_rope_table_names rapt_mha_table_names;

/* Tokens of sequence b that bring new keys, whether or not they are projected. */
static inline int32_t rapt_mha_new_len(const rapt_mha_call *call, int32_t b) {
  const rapt_mha_args *a = &call->args;
  if (!call->new_keys) return 0;
  if (call->cross) return a->source_lens ? a->source_lens[b] : a->source_len;
  if (a->q_offsets) return a->q_offsets[b + 1] - a->q_offsets[b];
  return a->q_lens ? a->q_lens[b] : a->q_len;
}

#endif
