/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt_rope_rotate: everything is checked, then the tasks are shared out. */
#include <inttypes.h>

#include "check_arrays.h"
#include "rope_table.h"
#include "share.h"

enum { ELEMENT = 4 };

static const rapt_rope_table_names table_names = RAPT_ROPE_TABLE_NAMES("args.table");

static rapt_status check_scalars(const rapt_rope_args *a, rapt_error *error) {
  rapt_status status = rapt_check_range(a->flags & ~(uint32_t)(RAPT_ROPE_INVERSE | RAPT_ROPE_SHIFT),
                                        0, 0, "args.flags", error);
  if (!status) status = rapt_check_range(a->batch, 0, INT32_MAX, "args.batch", error);
  if (!status) status = rapt_check_range(a->heads, 0, INT32_MAX, "args.heads", error);
  if (!status) status = rapt_check_range(a->tokens, 0, INT32_MAX, "args.tokens", error);
  if (!status) status = rapt_check_range(a->reserved, 0, 0, "args.reserved", error);
  if (!status && a->positions && a->offsets)
    status = rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.offsets",
                       "must be NULL when args.positions are given");
  return status;
}

/* Positions a token may have. */
typedef struct limits {
  int64_t low, high;
  int32_t table; /* they are those of the table */
} limits;

RAPT_COLD static rapt_status fail_position(const limits *l, const char *name, int32_t index,
                                           int64_t position, rapt_error *error) {
  return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, name, index,
                      "leads to position %" PRId64 ", %s %" PRId64 " to %" PRId64, position,
                      l->table ? "the table holds" : "allowed is", l->low, l->high);
}

static rapt_status check_positions(const rapt_rope_args *a, const limits *l, int32_t *longest,
                                   int32_t *uniform, rapt_error *error) {
  *longest = 0;
  *uniform = 1;
  for (int32_t b = 0; b < a->batch; b++) {
    const int32_t len = a->lens ? a->lens[b] : a->tokens;
    if (len < 0 || len > a->tokens)
      return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, "args.lens", b,
                          "is %" PRId32 ", allowed is 0 to %" PRId32, len, a->tokens);
    if (b > 0 && len != *longest) *uniform = 0;
    if (len > *longest) *longest = len;
    if (len == 0) continue;
    if (a->positions) {
      const int64_t from = (int64_t)b * a->tokens;
      for (int32_t t = 0; t < len; t++) {
        const int32_t p = a->positions[from + t];
        if (p < l->low || p > l->high)
          return fail_position(l, "args.positions", (int32_t)(from + t), p, error);
      }
      continue;
    }
    const int64_t first = a->offsets ? a->offsets[b] : 0;
    const int64_t last = a->flags & RAPT_ROPE_SHIFT ? first : first + len - 1;
    if (first < l->low || last > l->high)
      return fail_position(l, a->offsets ? "args.offsets" : "args.tokens", b,
                           first < l->low ? first : last, error);
  }
  return RAPT_OK;
}

static rapt_status check_tensors(const rapt_rope *rope, const rapt_rope_args *a,
                                 const rapt_rope_table_spans *table, int32_t longest,
                                 int32_t uniform, rapt_error *error) {
  if (a->batch == 0 || a->heads == 0 || longest == 0) return RAPT_OK;
  const rapt_region region = {.last = {a->batch, a->heads, longest}, .dims = 3, .uniform = uniform};
  const int64_t row_bytes = (int64_t)rope->head_dim * ELEMENT;
  const rapt_operand x = {"x",         NULL,    0,         ELEMENT, a->x.data,
                          a->x.stride, &region, row_bytes, NULL,    NULL},
                     y = {"y",         NULL,    0,         ELEMENT, a->y.data,
                          a->y.stride, &region, row_bytes, NULL,    NULL};
  rapt_span x_span = {0}, y_span = {0};
  rapt_status status = rapt_span_measure(&x, &x_span, error);
  if (!status) status = rapt_span_measure(&y, &y_span, error);
  if (!status) status = rapt_span_check_output(&y, error);
  if (!status && !rapt_operand_same(&x, &y) && rapt_spans_overlap(&x_span, &y_span))
    status = rapt_fail_data(&y, "so it overlaps args.x without being ", "the same tensor", error);
  const rapt_array arrays[] = {{"args.lens", a->lens, a->batch},
                               {"args.offsets", a->offsets, a->batch},
                               {"args.positions", a->positions, (int64_t)a->batch * a->tokens}};
  const int32_t n = sizeof arrays / sizeof *arrays;
  if (!status) status = rapt_check_beside_arrays(&y, &y_span, arrays, n, error);
  if (!status && a->table)
    status = rapt_check_beside_rope_table(&table_names, table, &y, &y_span, error);
  return status;
}

rapt_status rapt_rope_rotate(const rapt_rope *rope, const rapt_rope_args *args,
                             const rapt_executor *executor, rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_rope_args, "args", y);
  rapt_rope_args a;
  rapt_rope_table table;
  rapt_rope_table_spans table_spans;
  rapt_executor with;
  int32_t longest = 0, uniform = 1;
  limits allowed = {.high = INT32_MAX};
  if (!rope) return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "rope", "is NULL");
  rapt_status status = rapt_load_struct(&type, args, &a, error);
  if (!status) status = check_scalars(&a, error);
  if (!status && a.table) {
    status = rapt_load_rope_table(&table_names, rope, a.table, &table, &table_spans, error);
    if (!status)
      allowed = (limits){
          .low = table.first, .high = (int64_t)table.first + table.count - 1, .table = 1};
  }
  if (!status) status = check_positions(&a, &allowed, &longest, &uniform, error);
  if (!status) status = check_tensors(rope, &a, &table_spans, longest, uniform, error);
  if (!status) status = rapt_load_executor(executor, &with, error);
  if (status || a.heads == 0) return status;
  rapt_rope_job job = rapt_rope_job_for(rope, &a, a.table ? &table : NULL);
  return rapt_share(&with, job.total, job.cost, rapt_rope_task, &job, error);
}
