/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Positions that are added to the input: sinusoidal tables, and the addition. */
#include <inttypes.h>

#include "../dispatch/dispatch.h"
#include "../layer/sinusoidal.h"
#include "check_arrays.h"
#include "share.h"

enum { ELEMENT = 4 };

static int64_t tasks_for(int32_t tokens) {
  return ((int64_t)tokens + RAPT_POSITION_ROWS - 1) / RAPT_POSITION_ROWS;
}

rapt_status rapt_sinusoidal_table(int32_t tokens, int32_t first, int32_t dim, uint32_t flags,
                                  float *out, int64_t stride, const rapt_executor *executor,
                                  rapt_error *error) {
  rapt_executor with;
  rapt_status status = rapt_check_range(first, 0, INT32_MAX, "first", error);
  if (!status) status = rapt_check_range(tokens, 0, rapt_most_positions(first), "tokens", error);
  if (!status) status = rapt_check_range(dim, 0, INT32_MAX, "dim", error);
  if (!status)
    status = rapt_check_range(flags &
                                  ~(uint32_t)(RAPT_SINUSOIDAL_HALVES | RAPT_SINUSOIDAL_INCLUSIVE),
                              0, 0, "flags", error);
  if (!status) status = rapt_load_executor(executor, &with, error);
  if (status || tokens == 0 || dim == 0) return status;
  const rapt_region region = {.last = {tokens}, .dims = 1};
  const rapt_operand t = {"out", NULL,    0, ELEMENT, out, &stride, &region, (int64_t)dim * ELEMENT,
                          "out", "stride"};
  rapt_span span;
  status = rapt_span_measure(&t, &span, error);
  if (!status) status = rapt_span_check_output(&t, error);
  if (status) return status;
  rapt_sinusoidal_job job = {
      .tokens = tokens, .first = first, .dim = dim, .flags = flags, .out = out, .stride = stride};
  return rapt_share(&with, tasks_for(tokens), 15.0 * tokens * dim, rapt_sinusoidal_task, &job,
                    error);
}

/* Any set does: an addition has the same bits in all of them, and no environment is asked. */
static const rapt_kernel_set *best_set(void) {
  const rapt_kernel_set *set = rapt_kernel_sets_get(rapt_kernel_sets_count() - 1);
  (void)rapt_choose(rapt_features_here(), NULL, RAPT_PATH_PREFILL, 1, 1, &set);
  return set;
}

static rapt_status check_rows(const rapt_add_positions_args *a, rapt_error *error) {
  if (a->positions) {
    rapt_status status = rapt_check_range(a->first, 0, 0, "args.first", error);
    for (int32_t t = 0; t < a->tokens && !status; t++)
      if (a->positions[t] < 0 || a->positions[t] >= a->table_rows)
        status = rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, "args.positions", t,
                              "is %" PRId32 ", the table has rows 0 to %" PRId64, a->positions[t],
                              (int64_t)a->table_rows - 1);
    return status;
  }
  if ((int64_t)a->first + a->tokens <= a->table_rows || a->tokens == 0) return RAPT_OK;
  return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.first",
                   "is %" PRId32 ", so the last token would take row %" PRId64
                   " of a table of %" PRId32,
                   a->first, (int64_t)a->first + a->tokens - 1, a->table_rows);
}

static rapt_status check_tensors(const rapt_add_positions_args *a, rapt_error *error) {
  const rapt_region rows = {.last = {a->table_rows}, .dims = 1, .uniform = 1},
                    tokens = {.last = {a->tokens}, .dims = 1, .uniform = 1};
  const int64_t row_bytes = (int64_t)a->dim * ELEMENT;
  const rapt_operand table =
                         {"table",          NULL,  0,         ELEMENT,      a->table,
                          &a->table_stride, &rows, row_bytes, "args.table", "args.table_stride"},
                     x = {"x",          NULL,    0,         ELEMENT,  a->x,
                          &a->x_stride, &tokens, row_bytes, "args.x", "args.x_stride"};
  rapt_span table_span = {0}, x_span = {0};
  rapt_status status = rapt_span_measure(&table, &table_span, error);
  if (!status) status = rapt_span_measure(&x, &x_span, error);
  if (!status) status = rapt_span_check_output(&x, error);
  if (!status && rapt_spans_overlap(&table_span, &x_span))
    status = rapt_fail_data(&x, "so it overlaps args.", "table", error);
  const rapt_array positions = {"args.positions", a->positions, a->tokens};
  if (!status) status = rapt_check_beside_arrays(&x, &x_span, &positions, 1, error);
  return status;
}

rapt_status rapt_add_positions(const rapt_add_positions_args *args, const rapt_executor *executor,
                               rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_add_positions_args, "args", x_stride);
  rapt_add_positions_args a;
  rapt_executor with;
  rapt_status status = rapt_load_struct(&type, args, &a, error);
  if (!status) status = rapt_check_range(a.flags, 0, 0, "args.flags", error);
  if (!status) status = rapt_check_range(a.tokens, 0, INT32_MAX, "args.tokens", error);
  if (!status) status = rapt_check_range(a.dim, 0, INT32_MAX, "args.dim", error);
  if (!status) status = rapt_check_range(a.table_rows, 0, INT32_MAX, "args.table_rows", error);
  if (!status) status = rapt_check_range(a.first, 0, INT32_MAX, "args.first", error);
  if (!status) status = check_rows(&a, error);
  if (!status && a.tokens > 0 && a.dim > 0) status = check_tensors(&a, error);
  if (!status) status = rapt_load_executor(executor, &with, error);
  if (status || a.dim == 0) return status;
  rapt_add_job job = {.set = best_set(), .args = &a};
  return rapt_share(&with, tasks_for(a.tokens), (double)a.tokens * a.dim / 8, rapt_add_task, &job,
                    error);
}
