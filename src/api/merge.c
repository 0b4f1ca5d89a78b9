/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt_attention_merge: every tensor of every partial is looked at before any work. */
#include "../attention/merge.h"

#include <inttypes.h>
#include <stdio.h>

#include "rows.h"
#include "spans.h"

enum { MAX_HEAD_DIM = 1024, ELEMENT = 4 };
enum { O, LSE, M, L, TENSORS };

static const char *const names[TENSORS] = {"o", "lse", "m", "l"};

static rapt_status check_scalars(const rapt_merge_args *args, rapt_error *error) {
  rapt_status status = rapt_check_range(args->flags, 0, 0, "args.flags", error);
  if (!status) status = rapt_check_range(args->batch, 0, INT32_MAX, "args.batch", error);
  if (!status) status = rapt_check_range(args->heads, 0, INT32_MAX, "args.heads", error);
  if (!status) status = rapt_check_range(args->q_len, 0, INT32_MAX, "args.q_len", error);
  if (!status) status = rapt_check_range(args->head_dim, 0, INT32_MAX, "args.head_dim", error);
  if (status) return status;
  if (args->head_dim > MAX_HEAD_DIM)
    return rapt_fail(error, RAPT_ERROR_UNSUPPORTED, "args.head_dim",
                     "is %" PRId32 ", allowed is 0 to %d", args->head_dim, MAX_HEAD_DIM);
  status = rapt_check_range(args->n, 0, INT32_MAX, "args.n", error);
  if (!status) status = rapt_check_range(args->reserved, 0, 0, "args.reserved", error);
  if (!status && args->n > 0 && !args->partials)
    status = rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.partials",
                       "is NULL, but n is %" PRId32, args->n);
  return status;
}

/* Which outputs there are. */
static rapt_status check_form(const rapt_merge_args *args, rapt_error *error) {
  if (!args->m.data != !args->l.data)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT,
                     args->m.data ? "args.l.data" : "args.m.data",
                     "is NULL: m and l are given both, for a partial, or not at all");
  if (!args->m.data) return RAPT_OK;
  if (args->lse.data)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.lse.data",
                     "must be NULL when m and l are given");
  if (args->sinks)
    return rapt_fail(
        error, RAPT_ERROR_INVALID_ARGUMENT, "args.sinks",
        "must be NULL when m and l are given: sinks are applied once, by the last merge");
  return RAPT_OK;
}

RAPT_COLD static rapt_status fail_partial(int32_t i, const char *member, const char *problem,
                                          rapt_error *error) {
  char field[48];
  (void)snprintf(field, sizeof field, "args.partials[%" PRId32 "].%s.data", i, member);
  return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field, "%s", problem);
}

static rapt_status check_partial_form(const rapt_merge_part *p, int32_t i, rapt_error *error) {
  if (p->lse.data) {
    if (p->m.data || p->l.data)
      return fail_partial(i, p->m.data ? "m" : "l",
                          "must be NULL when lse is given: a partial has lse, or m and l", error);
    return RAPT_OK;
  }
  if (p->m.data && p->l.data) return RAPT_OK;
  if (!p->m.data && !p->l.data)
    return fail_partial(i, "lse", "is NULL, and so are m and l: a partial needs lse, or m and l",
                        error);
  return fail_partial(i, p->m.data ? "l" : "m", "is NULL: without lse, m and l are needed", error);
}

static void operands_of(const rapt_merge_args *args, const rapt_region *region,
                        rapt_operand *operands) {
  const rapt_tensor *const tensors[TENSORS] = {&args->o, &args->lse, &args->m, &args->l};
  for (int k = 0; k < TENSORS; k++) {
    const rapt_tensor *t = tensors[k];
    const int32_t bytes = k == O ? args->head_dim * ELEMENT : t->data ? ELEMENT : 0;
    operands[k] = (rapt_operand){names[k],  NULL,   0,     ELEMENT, t->data,
                                 t->stride, region, bytes, NULL,    NULL};
  }
}

static rapt_status check_partial(const rapt_merge_args *args, int32_t i,
                                 const rapt_operand *outputs, const rapt_span *out_spans,
                                 rapt_error *error) {
  const rapt_merge_part *p = &args->partials[i];
  const rapt_const_tensor *const tensors[TENSORS] = {&p->o, &p->lse, &p->m, &p->l};
  rapt_status status = check_partial_form(p, i, error);
  for (int k = 0; k < TENSORS && !status; k++) {
    const rapt_const_tensor *t = tensors[k];
    const int32_t bytes = k == O ? args->head_dim * ELEMENT : t->data ? ELEMENT : 0;
    const rapt_operand in = {"partials", names[k],          i,     ELEMENT, t->data,
                             t->stride,  outputs[O].region, bytes, NULL,    NULL};
    rapt_span span;
    status = rapt_span_measure(&in, &span, error);
    for (int out = 0; out < TENSORS && !status; out++) {
      if (i == 0 && out == k && rapt_operand_same(&in, &outputs[out])) continue;
      if (!rapt_spans_overlap(&span, &out_spans[out])) continue;
      char other[40];
      (void)snprintf(other, sizeof other, "partials[%" PRId32 "].%s", i, names[k]);
      status = rapt_fail_data(&outputs[out], "so it overlaps args.", other, error);
    }
  }
  return status;
}

static rapt_status check_sinks(const rapt_merge_args *args, const rapt_operand *outputs,
                               const rapt_span *spans, rapt_error *error) {
  if ((uintptr_t)args->sinks % ELEMENT != 0)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.sinks",
                     "is 0x%" PRIxPTR ", must be a multiple of 4", (uintptr_t)args->sinks);
  const rapt_span sinks = rapt_span_of_array(args->sinks, args->heads, ELEMENT);
  for (int k = 0; k < TENSORS; k++)
    if (rapt_spans_overlap(&spans[k], &sinks))
      return rapt_fail_data(&outputs[k], "so it overlaps args.", "sinks", error);
  return RAPT_OK;
}

static rapt_status check_tensors(const rapt_merge_args *args, rapt_error *error) {
  const rapt_region region = {.dims = 3,
                              .last = {args->batch, args->heads, args->q_len},
                              .uniform = 1,
                              .empty = !args->batch || !args->heads || !args->q_len};
  if (region.empty) return RAPT_OK;
  rapt_operand outputs[TENSORS];
  rapt_span spans[TENSORS];
  rapt_status status = RAPT_OK;
  operands_of(args, &region, outputs);
  for (int k = 0; k < TENSORS && !status; k++) {
    status = rapt_span_measure(&outputs[k], &spans[k], error);
    if (!status) status = rapt_span_check_output(&outputs[k], error);
    for (int other = 0; other < k && !status; other++)
      if (rapt_spans_overlap(&spans[k], &spans[other]))
        status = rapt_fail_data(&outputs[k], "so it overlaps args.", names[other], error);
  }
  if (!status) status = check_sinks(args, outputs, spans, error);
  for (int32_t i = 0; i < args->n && !status; i++)
    status = check_partial(args, i, outputs, spans, error);
  return status;
}

rapt_status rapt_attention_merge(const rapt_merge_args *in, const rapt_executor *executor,
                                 rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_merge_args, "args", o);
  rapt_merge_args args;
  rapt_executor with;
  rapt_status status = rapt_load_struct(&type, in, &args, error);
  if (!status) status = check_scalars(&args, error);
  if (!status) status = check_form(&args, error);
  if (!status) status = check_tensors(&args, error);
  if (!status) status = rapt_load_executor(executor, &with, error);
  if (status) return status;
  if (!args.head_dim && !args.lse.data && !args.m.data) return RAPT_OK; /* nothing to write */
  const rapt_rows rows = {
      .work = rapt_merge_rows,
      .call = &args,
      /* an output of distinct rows lies within 64 bits, and so does their number */
      .rows = (int64_t)args.batch * args.heads * args.q_len,
      .row_bytes = ((int64_t)args.n + 1) * (args.head_dim + 2) * ELEMENT};
  return rapt_rows_run(&rows, &with, error);
}
