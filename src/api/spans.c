/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "spans.h"

#include <inttypes.h>
#include <stdio.h>

enum { DIMS = 3, ELEMENT = 4 };

RAPT_COLD static rapt_status fail_data(const rapt_span_tensor *t, const char *problem,
                                       rapt_error *error) {
  char field[48];
  (void)snprintf(field, sizeof field, "%s.data", t->name);
  return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field, "is 0x%" PRIxPTR ", %s",
                   (uintptr_t)t->data, problem);
}

RAPT_COLD static rapt_status fail_stride(const rapt_span_tensor *t, int dim, const char *problem,
                                         int64_t needed, rapt_error *error) {
  char name[40], limit[24] = "";
  (void)snprintf(name, sizeof name, "%s.stride", t->name);
  if (needed > 0) (void)snprintf(limit, sizeof limit, " %" PRId64, needed);
  return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, name, dim, "is %" PRId64 ", %s%s",
                      t->stride[dim], problem, limit);
}

rapt_status rapt_span_measure(const rapt_span_tensor *t, rapt_span *out, rapt_error *error) {
  int64_t low = 0, high = 0, filled = t->row_bytes;
  int32_t dense = t->uniform;
  if (!t->data) return fail_data(t, "but the tensor has elements", error);
  if ((uintptr_t)t->data % ELEMENT) return fail_data(t, "must be a multiple of 4", error);
  for (int i = 0; i < DIMS; i++) {
    const int64_t stride = t->stride[i];
    int64_t reach;
    if (t->count[i] <= 1) continue;
    if (stride % ELEMENT) return fail_stride(t, i, "must be a multiple of", ELEMENT, error);
    int wraps = __builtin_mul_overflow(stride, t->count[i] - 1, &reach);
    if (!wraps)
      wraps = __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high);
    if (wraps) return fail_stride(t, i, "the tensor's end is beyond 64 bits", 0, error);
    if (stride && __builtin_mul_overflow(filled, t->count[i], &filled)) dense = 0;
  }
  const uintptr_t base = (uintptr_t)t->data;
  int wraps = __builtin_add_overflow(high, t->row_bytes, &high);
  wraps |= __builtin_add_overflow(base, low, &out->begin);
  wraps |= __builtin_add_overflow(base, high, &out->end);
  if (wraps) return fail_data(t, "with these strides the tensor leaves the address space", error);
  out->row = base;
  out->row_bytes = t->row_bytes;
  out->dense = dense && out->end - out->begin == (uintptr_t)filled;
  return RAPT_OK;
}

rapt_status rapt_span_check_output(const rapt_span_tensor *t, rapt_error *error) {
  int order[DIMS], used = 0;
  for (int i = 0; i < DIMS; i++) {
    if (t->count[i] <= 1) continue;
    if (t->stride[i] <= 0)
      return fail_stride(t, i, "strides of an output must be positive", 0, error);
    int place = used++;
    for (; place > 0 && t->stride[order[place - 1]] > t->stride[i]; place--)
      order[place] = order[place - 1];
    order[place] = i;
  }
  int64_t extent = t->row_bytes;
  for (int n = 0; n < used; n++) {
    const int i = order[n];
    if (t->stride[i] < extent)
      return fail_stride(t, i, "so rows of the output overlap: in bytes it must be at least",
                         extent, error);
    extent += (t->count[i] - 1) * t->stride[i];
  }
  return RAPT_OK;
}

int32_t rapt_span_overlap(const rapt_span *a, const rapt_span *b) {
  if (a->begin >= b->end || b->begin >= a->end) return 0;
  if (a->row == b->row || (a->dense && b->dense)) return 1;
  return (a->dense && b->row < a->end && a->begin < b->row + (uintptr_t)b->row_bytes) ||
         (b->dense && a->row < b->end && b->begin < a->row + (uintptr_t)a->row_bytes);
}
