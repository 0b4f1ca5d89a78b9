/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The small input arrays of a run: aligned, and not where an output will be written while they are read. */
#include "check_arrays.h"

#include <inttypes.h>

static int32_t add(rapt_array *out, int32_t used, const char *name, const void *data, int64_t n) {
  if (!data) return used;
  out[used] = (rapt_array){name, data, n};
  return used + 1;
}

int32_t rapt_arrays_of(const rapt_attention_desc *desc, const rapt_attention_args *a,
                       const rapt_scores_out *scores, rapt_array out[RAPT_ARRAYS]) {
  const int64_t batch = a->batch, heads = desc->heads_q;
  int32_t n = add(out, 0, "args.q_lens", a->q_lens, batch);
  n = add(out, n, "args.kv_lens", a->kv_lens, batch);
  n = add(out, n, "args.q_offsets", a->q_offsets, batch + 1);
  n = add(out, n, "args.kv_offsets", a->kv_offsets, batch + 1);
  n = add(out, n, "args.q_positions", a->q_positions, batch);
  n = add(out, n, "args.cancel", a->cancel, 1);
  n = add(out, n, "args.mask.factors", a->mask.factors, heads);
  n = add(out, n, "args.alibi_slopes", a->alibi_slopes, heads);
  n = add(out, n, "args.sinks", a->sinks, heads);
  n = add(out, n, "args.prefix_lens", a->prefix_lens, batch);
  n = add(out, n, "args.scores.rows", scores->rows, scores->n_rows);
  return add(out, n, "args.scores.heads", scores->heads, scores->n_heads);
}

rapt_status rapt_check_arrays(const rapt_attention_desc *desc, const rapt_attention_args *args,
                              rapt_error *error) {
  static const rapt_scores_out none = {.size = sizeof none}; /* its lists are checked with it */
  rapt_array arrays[RAPT_ARRAYS];
  const int32_t n = rapt_arrays_of(desc, args, &none, arrays);
  return rapt_check_aligned(arrays, n, error);
}

rapt_status rapt_check_aligned(const rapt_array *arrays, int32_t n, rapt_error *error) {
  for (int32_t i = 0; i < n; i++)
    if ((uintptr_t)arrays[i].data % 4 != 0)
      return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, arrays[i].name,
                       "is 0x%" PRIxPTR ", must be a multiple of 4", (uintptr_t)arrays[i].data);
  return RAPT_OK;
}

rapt_status rapt_check_beside_arrays(const rapt_operand *t, const rapt_span *span,
                                     const rapt_array *arrays, int32_t n, rapt_error *error) {
  for (int32_t i = 0; i < n; i++) {
    const rapt_span array = rapt_span_of_array(arrays[i].data, arrays[i].n, 4);
    if (rapt_spans_overlap(span, &array))
      return rapt_fail_data(t, "so it overlaps ", arrays[i].name, error);
  }
  return RAPT_OK;
}
