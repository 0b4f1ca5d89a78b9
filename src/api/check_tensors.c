/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tensors of a run as address ranges (spans.h). */
#include "touched.h"

enum { DIMS = RAPT_SPAN_DIMS }; /* batch, head, token and, of masks, key */

static rapt_region region_of(const rapt_token_range *tokens, int32_t heads) {
  return (rapt_region){.dims = 3,
                       .first = {0, 0, tokens->first},
                       .last = {tokens->batch, heads, tokens->last, 1},
                       .uniform = tokens->uniform,
                       .empty = !tokens->batch || !heads || tokens->first >= tokens->last};
}

static rapt_region region_of_scores(const rapt_attention_args *args, int32_t heads, int32_t rows) {
  return (rapt_region){.dims = 3,
                       .last = {args->batch, heads, rows, 1},
                       .uniform = 1,
                       .empty = !args->batch || !heads || !rows};
}

/* Bytes of a mask's element, of a word for bits; 0 for none. */
static int32_t mask_element(const rapt_attention_desc *desc) {
  static const int32_t bytes[] = {0, 1, 4, 4, 2, 2}; /* of RAPT_MASK_* */
  return bytes[desc->mask];
}

/* What may be read of a mask: a broadcast dimension has one index. */
static rapt_region region_of_mask(const rapt_attention_desc *desc,
                                  const rapt_attention_args *args) {
  rapt_region r = {.dims = DIMS, .empty = 1};
  if (desc->mask == RAPT_MASK_NONE) return r;
  const int32_t needed[DIMS] = {args->batch, desc->heads_q, rapt_longest_q(args),
                                desc->mask == RAPT_MASK_BITS ? 1 : rapt_longest_kv(args)};
  r.empty = rapt_longest_kv(args) == 0;
  for (int i = 0; i < DIMS; i++) {
    r.last[i] = args->mask.extent[i] == 1 && needed[i] > 1 ? 1 : needed[i];
    if (needed[i] == 0) r.empty = 1;
  }
  return r;
}

rapt_status rapt_check_tensors(const rapt_attention_desc *desc, const rapt_attention_args *args,
                               const rapt_token_range *queries, const rapt_token_range *keys,
                               const rapt_scores_out *scores, rapt_touched *touched,
                               rapt_error *error) {
  enum { FIRST_OUTPUT = RAPT_AT_O, OPERANDS = RAPT_AT_TENSORS };
  const int32_t f32 = sizeof(float);
  const int64_t qk_bytes = (int64_t)desc->head_dim_qk * f32,
                v_bytes = (int64_t)desc->head_dim_v * f32;
  const int32_t partial = desc->flags & RAPT_PARTIAL ? f32 : 0;
  const rapt_region q_side = region_of(queries, desc->heads_q),
                    kv_side = region_of(keys, desc->heads_kv);
  const int64_t keys_bytes = (int64_t)args->kv_len * f32,
                sums_stride[DIMS - 1] = {scores->key_sums_stride[0], scores->key_sums_stride[1], 0};
  const int32_t heads = scores->heads ? scores->n_heads : desc->heads_q;
  const rapt_region looks = region_of_scores(args, heads,
                                             scores->rows ? scores->n_rows : args->q_len),
                    sums = region_of_scores(args, heads, 1), mask = region_of_mask(desc, args);
  const int64_t mask_row = desc->mask != RAPT_MASK_BITS
                               ? mask_element(desc)
                               : ((int64_t)rapt_longest_kv(args) + 31) / 32 * mask_element(desc);
  const rapt_operand operands[OPERANDS] = {
      {"q", NULL, 0, f32, args->q.data, args->q.stride, &q_side, qk_bytes, NULL, NULL},
      {"k", NULL, 0, f32, args->k.data, args->k.stride, &kv_side, qk_bytes, NULL, NULL},
      {"v", NULL, 0, f32, args->v.data, args->v.stride, &kv_side, v_bytes, NULL, NULL},
      {"mask", NULL, 0, mask_element(desc), args->mask.data, args->mask.stride, &mask, mask_row,
       NULL, NULL},
      {"o", NULL, 0, f32, args->o.data, args->o.stride, &q_side, v_bytes, NULL, NULL},
      {"lse", NULL, 0, f32, args->lse.data, args->lse.stride, &q_side, args->lse.data ? f32 : 0,
       NULL, NULL},
      {"m", NULL, 0, f32, args->m.data, args->m.stride, &q_side, partial, NULL, NULL},
      {"l", NULL, 0, f32, args->l.data, args->l.stride, &q_side, partial, NULL, NULL},
      {"scores", NULL, 0, f32, scores->data, scores->stride, &looks, scores->data ? keys_bytes : 0,
       NULL, NULL},
      {"scores.key_sums", NULL, 0, f32, scores->key_sums, sums_stride, &sums,
       scores->key_sums ? keys_bytes : 0, "args.scores.key_sums", "args.scores.key_sums_stride"},
  };
  if (!partial && (args->m.data || args->l.data))
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT,
                     args->m.data ? "args.m.data" : "args.l.data",
                     "must be NULL without RAPT_PARTIAL");
  rapt_span *spans = touched->tensor;
  rapt_status status = RAPT_OK;
  for (int i = 0; i < OPERANDS && !status; i++)
    status = rapt_span_measure(&operands[i], &spans[i], error);
  for (int i = FIRST_OUTPUT; i < OPERANDS && !status; i++)
    status = rapt_span_check_output(&operands[i], error);
  for (int i = FIRST_OUTPUT; i < OPERANDS && !status; i++)
    for (int other = 0; other < i && !status && spans[i].begin < spans[i].end; other++)
      if (rapt_spans_overlap(&spans[i], &spans[other]))
        status = rapt_fail_data(&operands[i], "so it overlaps args.", operands[other].name, error);
  touched->arrays = rapt_arrays_of(desc, args, scores, touched->array);
  for (int i = FIRST_OUTPUT; i < OPERANDS && !status; i++)
    if (spans[i].begin < spans[i].end)
      status = rapt_check_beside_arrays(&operands[i], &spans[i], touched->array, touched->arrays,
                                        error);
  return status;
}
