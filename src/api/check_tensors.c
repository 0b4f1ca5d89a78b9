/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensors as address ranges: present, aligned, inside 64 bits, outputs free of overlaps. */
#include <inttypes.h>
#include <stdio.h>

#include "api.h"

enum { DIMS = 3, ELEMENT = 4 };

/* Indices touched, the same for all tensors of a side: first .. last-1 in each dimension. */
typedef struct region {
  int64_t first[DIMS], last[DIMS];
  int32_t uniform; /* every combination of the indices is touched */
  int32_t empty;
} region;

typedef struct operand {
  const char *name; /* "q" */
  const void *data;
  const int64_t *stride;
  const region *region;
  int32_t row_bytes; /* 0: nothing is touched */
} operand;

/* Bytes an operand touches; begin == end if none. */
typedef struct span {
  uintptr_t begin, end;
  uintptr_t row, row_end; /* the row of the lowest indices */
  int32_t dense;          /* all bytes between begin and end are touched */
} span;

RAPT_COLD static rapt_status fail_stride(const operand *t, int dim, const char *problem,
                                         int64_t needed, rapt_error *error) {
  char name[32];
  (void)snprintf(name, sizeof name, "args.%s.stride", t->name);
  if (needed > 0)
    return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, name, dim,
                        "is %" PRId64 ", %s %" PRId64, t->stride[dim], problem, needed);
  return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, name, dim, "is %" PRId64 ", %s",
                      t->stride[dim], problem);
}

RAPT_COLD static rapt_status fail_data(const operand *t, const char *problem, const char *other,
                                       rapt_error *error) {
  char field[32];
  (void)snprintf(field, sizeof field, "args.%s.data", t->name);
  return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field, "is 0x%" PRIxPTR ", %s%s",
                   (uintptr_t)t->data, problem, other);
}

static int is_empty(const operand *t) { return t->row_bytes == 0 || t->region->empty; }

/* The address range, and whether it is filled. */
static rapt_status measure(const operand *t, span *out, rapt_error *error) {
  const region *at = t->region;
  int64_t low = 0, high = 0, row = 0, filled = t->row_bytes;
  int32_t dense = at->uniform;
  *out = (span){0};
  if (is_empty(t)) return RAPT_OK;
  if (!t->data) return fail_data(t, "but the tensor has elements", "", error);
  if ((uintptr_t)t->data & (ELEMENT - 1)) return fail_data(t, "must be a multiple of 4", "", error);
  for (int i = 0; i < DIMS; i++) {
    int64_t stride = t->stride[i], from, to;
    if (at->last[i] <= 1) continue; /* the only index is 0 */
    if (stride & (ELEMENT - 1)) return fail_stride(t, i, "must be a multiple of", ELEMENT, error);
    int wraps = __builtin_mul_overflow(stride, at->first[i], &from);
    wraps |= __builtin_mul_overflow(stride, at->last[i] - 1, &to);
    wraps |= __builtin_add_overflow(row, from, &row);
    wraps |= __builtin_add_overflow(low, from < to ? from : to, &low);
    wraps |= __builtin_add_overflow(high, from < to ? to : from, &high);
    if (wraps) return fail_stride(t, i, "the tensor's end is beyond 64 bits", 0, error);
    /* Broadcasting touches no further byte. */
    if (stride && __builtin_mul_overflow(filled, at->last[i] - at->first[i], &filled)) dense = 0;
  }
  uintptr_t base = (uintptr_t)t->data;
  int wraps = __builtin_add_overflow(high, t->row_bytes, &high);
  wraps |= __builtin_add_overflow(base, low, &out->begin);
  wraps |= __builtin_add_overflow(base, high, &out->end);
  wraps |= __builtin_add_overflow(base, row, &out->row);
  if (wraps)
    return fail_data(t, "with these strides the tensor leaves the address space", "", error);
  out->row_end = out->row + (uintptr_t)t->row_bytes;
  out->dense = dense && out->end - out->begin == (uintptr_t)filled;
  return RAPT_OK;
}

/* Strides in ascending order must each be at least the extent of all smaller dimensions: then no two
 * rows share a byte. `t` has been measured: nothing here overflows. */
static rapt_status check_output(const operand *t, rapt_error *error) {
  const region *at = t->region;
  int order[DIMS], used = 0;
  if (is_empty(t)) return RAPT_OK;
  for (int i = 0; i < DIMS; i++) {
    if (at->last[i] <= 1) continue;
    if (t->stride[i] <= 0)
      return fail_stride(t, i, "strides of an output must be positive", 0, error);
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
      return fail_stride(t, i, "so rows of the output overlap: in bytes it must be at least",
                         extent, error);
    extent += (count - 1) * t->stride[i];
  }
  return RAPT_OK;
}

/* 1 if the two share bytes for certain. Interleaved views of one buffer (packed QKVO) have crossing
 * ranges and share nothing, so crossing alone proves nothing unless one of them is filled. */
static int overlap(const span *a, const span *b) {
  if (a->begin >= b->end || b->begin >= a->end) return 0;
  if (a->row == b->row || (a->dense && b->dense)) return 1;
  return (a->dense && b->row < a->end && a->begin < b->row_end) ||
         (b->dense && a->row < b->end && b->begin < a->row_end);
}

static region region_of(const rapt_token_range *tokens, int32_t heads) {
  return (region){.first = {0, 0, tokens->first},
                  .last = {tokens->batch, heads, tokens->last},
                  .uniform = tokens->uniform,
                  .empty = !tokens->batch || !heads || tokens->first >= tokens->last};
}

rapt_status rapt_check_tensors(const rapt_attention_desc *desc, const rapt_attention_args *args,
                               const rapt_token_range *queries, const rapt_token_range *keys,
                               rapt_error *error) {
  enum { Q, K, V, O, LSE, OPERANDS };
  const int32_t qk_bytes = desc->head_dim_qk * ELEMENT, v_bytes = desc->head_dim_v * ELEMENT;
  const region q_side = region_of(queries, desc->heads_q),
               kv_side = region_of(keys, desc->heads_kv);
  const operand operands[OPERANDS] = {
      {"q", args->q.data, args->q.stride, &q_side, qk_bytes},
      {"k", args->k.data, args->k.stride, &kv_side, qk_bytes},
      {"v", args->v.data, args->v.stride, &kv_side, v_bytes},
      {"o", args->o.data, args->o.stride, &q_side, v_bytes},
      {"lse", args->lse.data, args->lse.stride, &q_side, args->lse.data ? ELEMENT : 0},
  };
  span spans[OPERANDS];
  rapt_status status = RAPT_OK;
  for (int i = 0; i < OPERANDS && !status; i++) status = measure(&operands[i], &spans[i], error);
  for (int i = O; i < OPERANDS && !status; i++) status = check_output(&operands[i], error);
  for (int i = O; i < OPERANDS && !status; i++)
    for (int other = Q; other < i && !status; other++)
      if (overlap(&spans[i], &spans[other]))
        status = fail_data(&operands[i], "so it overlaps args.", operands[other].name, error);
  return status;
}
