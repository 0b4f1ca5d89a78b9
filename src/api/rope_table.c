/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rope_table.h"

#include "spans.h"

static rapt_status check_memory(const char *name, const float *data, const rapt_rope_table *t,
                                const char *stride, const rapt_rope *rope, rapt_error *error) {
  const rapt_region region = {.last = {t->count}, .dims = 1};
  const rapt_operand operand = {.name = name,
                                .element = sizeof(float),
                                .data = data,
                                .stride = &t->stride,
                                .region = &region,
                                .row_bytes = rope->pairs * (int64_t)sizeof(float),
                                .data_name = name,
                                .stride_name = stride};
  rapt_span span;
  return rapt_span_measure(&operand, &span, error);
}

rapt_status rapt_load_rope_table(const rapt_rope_table_names *names, const rapt_rope *rope,
                                 const rapt_rope_table *in, rapt_rope_table *out,
                                 rapt_error *error) {
  rapt_status status = rapt_load_struct(&names->type, in, out, error);
  if (!status) status = rapt_check_range(out->first, 0, INT32_MAX, names->first, error);
  if (!status)
    status = rapt_check_range(out->count, 0, INT64_C(0x80000000) - out->first, names->count, error);
  if (!status) status = rapt_check_range(out->reserved, 0, 0, names->reserved, error);
  if (status || out->count == 0) return status;
  status = check_memory(names->cos, out->cos, out, names->stride, rope, error);
  return status ? status : check_memory(names->sin, out->sin, out, names->stride, rope, error);
}
