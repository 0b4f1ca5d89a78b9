/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The small input arrays of a run: aligned, and not where an output will be written while they are read. */
#include "check_arrays.h"

#include <inttypes.h>

int32_t rapt_arrays_of(const rapt_attention_desc *desc, const rapt_attention_args *a,
                       const rapt_scores_out *scores, rapt_array out[RAPT_ARRAYS]) {
  const int64_t batch = a->batch, heads = desc->heads_q;
  const rapt_array all[RAPT_ARRAYS] = {
      {"args.q_lens", a->q_lens, batch},
      {"args.kv_lens", a->kv_lens, batch},
      {"args.q_offsets", a->q_offsets, batch + 1},
      {"args.kv_offsets", a->kv_offsets, batch + 1},
      {"args.q_positions", a->q_positions, batch},
      {"args.cancel", a->cancel, 1},
      {"args.mask.factors", a->mask.factors, heads},
      {"args.alibi_slopes", a->alibi_slopes, heads},
      {"args.sinks", a->sinks, heads},
      {"args.prefix_lens", a->prefix_lens, batch},
      {"args.scores.rows", scores->rows, scores->n_rows},
      {"args.scores.heads", scores->heads, scores->n_heads},
  };
  int32_t n = 0;
  for (int i = 0; i < RAPT_ARRAYS; i++)
    if (all[i].data) out[n++] = all[i];
  return n;
}

rapt_status rapt_check_arrays(const rapt_attention_desc *desc, const rapt_attention_args *args,
                              rapt_error *error) {
  static const rapt_scores_out none = {.size = sizeof none}; /* its lists are checked with it */
  rapt_array arrays[RAPT_ARRAYS];
  const int32_t n = rapt_arrays_of(desc, args, &none, arrays);
  for (int32_t i = 0; i < n; i++)
    if ((uintptr_t)arrays[i].data % 4 != 0)
      return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, arrays[i].name,
                       "is 0x%" PRIxPTR ", must be a multiple of 4", (uintptr_t)arrays[i].data);
  return RAPT_OK;
}

rapt_status rapt_check_beside_arrays(const rapt_operand *t, const rapt_span *span,
                                     const rapt_array *arrays, int32_t n, rapt_error *error) {
  if (span->begin >= span->end) return RAPT_OK;
  for (int32_t i = 0; i < n; i++) {
    const rapt_span array = rapt_span_of_array(arrays[i].data, arrays[i].n, 4);
    if (rapt_spans_overlap(span, &array))
      return rapt_fail_data(t, "so it overlaps ", arrays[i].name, error);
  }
  return RAPT_OK;
}
