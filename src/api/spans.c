/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "spans.h"

#include <inttypes.h>
#include <stdio.h>

/* "args.q.stride", "args.partials[3].o.data" */
static void name_of(const rapt_operand *t, const char *part, const char *given, char *out,
                    size_t size) {
  if (given)
    (void)snprintf(out, size, "%s", given);
  else if (t->member)
    (void)snprintf(out, size, "args.%s[%" PRId32 "].%s.%s", t->name, t->index, t->member, part);
  else
    (void)snprintf(out, size, "args.%s.%s", t->name, part);
}

rapt_status rapt_fail_stride(const rapt_operand *t, int dim, const char *problem, int64_t needed,
                             rapt_error *error) {
  char name[48], limit[24] = "";
  name_of(t, "stride", t->stride_name, name, sizeof name);
  if (needed > 0) (void)snprintf(limit, sizeof limit, " %" PRId64, needed);
  if (t->region->dims == 1) /* the argument is the stride itself */
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, name, "is %" PRId64 ", %s%s",
                     t->stride[dim], problem, limit);
  return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, name, dim, "is %" PRId64 ", %s%s",
                      t->stride[dim], problem, limit);
}

rapt_status rapt_fail_data(const rapt_operand *t, const char *problem, const char *other,
                           rapt_error *error) {
  char field[48];
  name_of(t, "data", t->data_name, field, sizeof field);
  return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field, "is 0x%" PRIxPTR ", %s%s",
                   (uintptr_t)t->data, problem, other);
}

static int is_empty(const rapt_operand *t) { return t->row_bytes == 0 || t->region->empty; }

rapt_status rapt_span_measure(const rapt_operand *t, rapt_span *out, rapt_error *error) {
  const rapt_region *at = t->region;
  int64_t low = 0, high = 0, row = 0, filled = t->row_bytes;
  int32_t dense = at->uniform;
  *out = (rapt_span){0};
  if (is_empty(t)) return RAPT_OK;
  if (!t->data) return rapt_fail_data(t, "but the tensor has elements", "", error);
  if ((uintptr_t)t->data & (uintptr_t)(t->element - 1))
    return rapt_fail_data(
        t, t->element == 4 ? "must be a multiple of 4" : "must be a multiple of 2", "", error);
  for (int i = 0; i < at->dims; i++) {
    int64_t stride = t->stride[i], from, to;
    if (at->last[i] <= 1) continue; /* the only index is 0 */
    if (stride & (t->element - 1))
      return rapt_fail_stride(t, i, "must be a multiple of", t->element, error);
    int wraps = __builtin_mul_overflow(stride, at->first[i], &from);
    wraps |= __builtin_mul_overflow(stride, at->last[i] - 1, &to);
    wraps |= __builtin_add_overflow(row, from, &row);
    wraps |= __builtin_add_overflow(low, from < to ? from : to, &low);
    wraps |= __builtin_add_overflow(high, from < to ? to : from, &high);
    if (wraps) return rapt_fail_stride(t, i, "the tensor's end is beyond 64 bits", 0, error);
    /* Broadcasting touches no further byte. */
    if (stride && __builtin_mul_overflow(filled, at->last[i] - at->first[i], &filled)) dense = 0;
  }
  uintptr_t base = (uintptr_t)t->data;
  int wraps = __builtin_add_overflow(high, t->row_bytes, &high);
  wraps |= __builtin_add_overflow(base, low, &out->begin);
  wraps |= __builtin_add_overflow(base, high, &out->end);
  wraps |= __builtin_add_overflow(base, row, &out->row);
  if (wraps)
    return rapt_fail_data(t, "with these strides the tensor leaves the address space", "", error);
  out->row_end = out->row + (uintptr_t)t->row_bytes;
  out->dense = dense && out->end - out->begin == (uintptr_t)filled;
  return RAPT_OK;
}

/* Strides in ascending order must each be at least the extent of all smaller dimensions. */
rapt_status rapt_span_check_output(const rapt_operand *t, rapt_error *error) {
  const rapt_region *at = t->region;
  int order[RAPT_SPAN_DIMS], used = 0;
  if (is_empty(t)) return RAPT_OK;
  for (int i = 0; i < at->dims; i++) {
    if (at->last[i] <= 1) continue;
    if (t->stride[i] <= 0)
      return rapt_fail_stride(t, i, "strides of an output must be positive", 0, error);
    int place = used++;
    for (; place > 0 && t->stride[order[place - 1]] > t->stride[i]; place--)
      order[place] = order[place - 1];
    order[place] = i;
  }
  int64_t extent = t->row_bytes;
  for (int n = 0; n < used; n++) {
    int i = order[n];
    int64_t count = at->last[i] - at->first[i];
    if (count > 1 && t->stride[i] < extent)
      return rapt_fail_stride(t, i, "so rows of the output overlap: in bytes it must be at least",
                              extent, error);
    extent += (count - 1) * t->stride[i];
  }
  return RAPT_OK;
}

int rapt_spans_share(const rapt_span *a, const rapt_span *b) {
  if (a->row == b->row || (a->dense && b->dense)) return 1;
  return (a->dense && b->row < a->end && a->begin < b->row_end) ||
         (b->dense && a->row < b->end && b->begin < a->row_end);
}

int rapt_operand_same(const rapt_operand *a, const rapt_operand *b) {
  if (a->data != b->data) return 0;
  for (int i = 0; i < a->region->dims; i++)
    if (a->region->last[i] > 1 && a->stride[i] != b->stride[i]) return 0;
  return 1;
}
