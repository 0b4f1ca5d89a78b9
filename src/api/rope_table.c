/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rope_table.h"

static rapt_status measure(const char *name, const float *data, int32_t floats,
                           const rapt_rope_table *t, const char *stride, rapt_span *span,
                           rapt_error *error) {
  const rapt_region region = {.last = {t->count}, .dims = 1, .uniform = 1};
  const rapt_operand operand = {.name = name,
                                .element = sizeof(float),
                                .data = data,
                                .stride = &t->stride,
                                .region = &region,
                                .row_bytes = floats * (int64_t)sizeof(float),
                                .data_name = name,
                                .stride_name = stride};
  return rapt_span_measure(&operand, span, error);
}

rapt_status rapt_load_rope_table(const rapt_rope_table_names *names, const rapt_rope *rope,
                                 const rapt_rope_table *in, rapt_rope_table *out,
                                 rapt_rope_table_spans *spans, rapt_error *error) {
  *spans = (rapt_rope_table_spans){{0}, {0}};
  rapt_status status = rapt_load_struct(&names->type, in, out, error);
  if (!status) status = rapt_check_range(out->first, 0, INT32_MAX, names->first, error);
  if (!status)
    status = rapt_check_range(out->count, 0, rapt_most_positions(out->first), names->count, error);
  if (!status) status = rapt_check_range(out->reserved, 0, 0, names->reserved, error);
  if (status || out->count == 0) return status;
  status = measure(names->cos, out->cos, rope->pairs, out, names->stride, &spans->cos, error);
  if (!status)
    status = measure(names->sin, out->sin, rope->pairs, out, names->stride, &spans->sin, error);
  /* Side by side, as rapt_rope_table_fill puts them, they fill the gaps of each other. */
  if (!status && (uintptr_t)out->sin == spans->cos.row_end)
    status = measure(names->cos, out->cos, 2 * rope->pairs, out, names->stride, &spans->cos, error);
  return status;
}

rapt_status rapt_check_beside_rope_table(const rapt_rope_table_names *names,
                                         const rapt_rope_table_spans *table, const rapt_operand *t,
                                         const rapt_span *span, rapt_error *error) {
  if (rapt_spans_overlap(span, &table->cos))
    return rapt_fail_data(t, "so it overlaps ", names->cos, error);
  if (rapt_spans_overlap(span, &table->sin))
    return rapt_fail_data(t, "so it overlaps ", names->sin, error);
  return RAPT_OK;
}
