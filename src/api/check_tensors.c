/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tensors of a run as address ranges (spans.h). */
#include "spans.h"

enum { ELEMENT = 4 };

static rapt_region region_of(const rapt_token_range *tokens, int32_t heads) {
  return (rapt_region){.dims = 3,
                       .first = {0, 0, tokens->first},
                       .last = {tokens->batch, heads, tokens->last},
                       .uniform = tokens->uniform,
                       .empty = !tokens->batch || !heads || tokens->first >= tokens->last};
}

rapt_status rapt_check_tensors(const rapt_attention_desc *desc, const rapt_attention_args *args,
                               const rapt_token_range *queries, const rapt_token_range *keys,
                               rapt_error *error) {
  enum { Q, K, V, O, LSE, OPERANDS };
  const int32_t qk_bytes = desc->head_dim_qk * ELEMENT, v_bytes = desc->head_dim_v * ELEMENT;
  const rapt_region q_side = region_of(queries, desc->heads_q),
                    kv_side = region_of(keys, desc->heads_kv);
  const rapt_operand operands[OPERANDS] = {
      {"q", NULL, 0, ELEMENT, args->q.data, args->q.stride, &q_side, qk_bytes},
      {"k", NULL, 0, ELEMENT, args->k.data, args->k.stride, &kv_side, qk_bytes},
      {"v", NULL, 0, ELEMENT, args->v.data, args->v.stride, &kv_side, v_bytes},
      {"o", NULL, 0, ELEMENT, args->o.data, args->o.stride, &q_side, v_bytes},
      {"lse", NULL, 0, ELEMENT, args->lse.data, args->lse.stride, &q_side,
       args->lse.data ? ELEMENT : 0},
  };
  rapt_span spans[OPERANDS];
  rapt_status status = RAPT_OK;
  for (int i = 0; i < OPERANDS && !status; i++)
    status = rapt_span_measure(&operands[i], &spans[i], error);
  for (int i = O; i < OPERANDS && !status; i++)
    status = rapt_span_check_output(&operands[i], error);
  for (int i = O; i < OPERANDS && !status; i++)
    for (int other = Q; other < i && !status; other++)
      if (rapt_spans_overlap(&spans[i], &spans[other]))
        status = rapt_fail_data(&operands[i], "so it overlaps args.", operands[other].name, error);
  return status;
}
