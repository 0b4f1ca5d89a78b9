/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensors as address ranges: present, aligned, inside 64 bits, outputs free of overlaps. */
#include <inttypes.h>

#include "api.h"

enum { DIMS = 4 }; /* batch, head, token and, of masks, key */

/* Indices touched, the same for all tensors of a side: first .. last-1 in each dimension. */
typedef struct region {
  int64_t first[DIMS], last[DIMS];
  int32_t uniform; /* every combination of the indices is touched */
  int32_t empty;
} region;

typedef struct operand {
  const char *name, *data_name, *stride_name;
  const void *data;
  const int64_t *stride;
  const region *region;
  int32_t element;   /* bytes: what data and strides are multiples of */
  int64_t row_bytes; /* 0: nothing is touched */
} operand;

/* Bytes an operand touches; begin == end if none. */
typedef struct span {
  uintptr_t begin, end;
  uintptr_t row, row_end; /* the row of the lowest indices */
  int32_t dense;          /* all bytes between begin and end are touched */
} span;

RAPT_COLD static rapt_status fail_stride(const operand *t, int dim, const char *problem,
                                         int64_t needed, rapt_error *error) {
  if (needed > 0)
    return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, t->stride_name, dim,
                        "is %" PRId64 ", %s %" PRId64, t->stride[dim], problem, needed);
  return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, t->stride_name, dim, "is %" PRId64 ", %s",
                      t->stride[dim], problem);
}

RAPT_COLD static rapt_status fail_data(const operand *t, const char *problem, const char *other,
                                       rapt_error *error) {
  return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, t->data_name, "is 0x%" PRIxPTR ", %s%s",
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
  if ((uintptr_t)t->data & (uintptr_t)(t->element - 1))
    return fail_data(t, t->element == 2 ? "must be a multiple of 2" : "must be a multiple of 4", "",
                     error);
  for (int i = 0; i < DIMS; i++) {
    if (at->last[i] <= 1) continue; /* the only index is 0 */
    int64_t stride = t->stride[i], from, to;
    if (stride & (t->element - 1))
      return fail_stride(t, i, "must be a multiple of", t->element, error);
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
                  .last = {tokens->batch, heads, tokens->last, 1},
                  .uniform = tokens->uniform,
                  .empty = !tokens->batch || !heads || tokens->first >= tokens->last};
}

static region region_of_scores(const rapt_attention_args *args, int32_t heads, int32_t rows) {
  return (region){.last = {args->batch, heads, rows, 1},
                  .uniform = 1,
                  .empty = !args->batch || !heads || !rows};
}

/* Bytes of a mask's element, of a word for bits; 0 for none. */
static int32_t mask_element(const rapt_attention_desc *desc) {
  static const int32_t bytes[] = {0, 1, 4, 4, 2, 2}; /* of RAPT_MASK_* */
  return bytes[desc->mask];
}

/* What may be read of a mask: a broadcast dimension has one index. */
static region region_of_mask(const rapt_attention_desc *desc, const rapt_attention_args *args) {
  region r = {.empty = 1};
  if (desc->mask == RAPT_MASK_NONE) return r;
  const int32_t needed[DIMS] = {args->batch, desc->heads_q, rapt_longest_q(args),
                                desc->mask == RAPT_MASK_BITS ? 1 : rapt_longest_kv(args)};
  r.empty = rapt_longest_kv(args) == 0;
  for (int i = 0; i < DIMS; i++) {
    r.last[i] = args->mask.extent[i] == 1 && needed[i] > 1 ? 1 : needed[i];
    if (needed[i] == 0) r.empty = 1;
  }
  return r;
}

#define TENSOR(name) name, "args." name ".data", "args." name ".stride"

rapt_status rapt_check_tensors(const rapt_attention_desc *desc, const rapt_attention_args *args,
                               const rapt_token_range *queries, const rapt_token_range *keys,
                               const rapt_scores_out *scores, rapt_error *error) {
  enum { Q, K, V, MASK, O, LSE, M, L, SCORES, SUMS, OPERANDS };
  const int32_t f32 = sizeof(float);
  const int64_t qk_bytes = (int64_t)desc->head_dim_qk * f32,
                v_bytes = (int64_t)desc->head_dim_v * f32;
  const int32_t partial = desc->flags & RAPT_PARTIAL ? f32 : 0;
  const region q_side = region_of(queries, desc->heads_q),
               kv_side = region_of(keys, desc->heads_kv);
  const int64_t keys_bytes = (int64_t)args->kv_len * f32,
                sums_stride[DIMS - 1] = {scores->key_sums_stride[0], scores->key_sums_stride[1], 0};
  const int32_t heads = scores->heads ? scores->n_heads : desc->heads_q;
  const region looks = region_of_scores(args, heads, scores->rows ? scores->n_rows : args->q_len),
               sums = region_of_scores(args, heads, 1), mask = region_of_mask(desc, args);
  const int64_t mask_row = desc->mask != RAPT_MASK_BITS
                               ? mask_element(desc)
                               : ((int64_t)rapt_longest_kv(args) + 31) / 32 * mask_element(desc);
  const operand operands[OPERANDS] = {
      {TENSOR("q"), args->q.data, args->q.stride, &q_side, f32, qk_bytes},
      {TENSOR("k"), args->k.data, args->k.stride, &kv_side, f32, qk_bytes},
      {TENSOR("v"), args->v.data, args->v.stride, &kv_side, f32, v_bytes},
      {TENSOR("mask"), args->mask.data, args->mask.stride, &mask, mask_element(desc), mask_row},
      {TENSOR("o"), args->o.data, args->o.stride, &q_side, f32, v_bytes},
      {TENSOR("lse"), args->lse.data, args->lse.stride, &q_side, f32, args->lse.data ? f32 : 0},
      {TENSOR("m"), args->m.data, args->m.stride, &q_side, f32, partial},
      {TENSOR("l"), args->l.data, args->l.stride, &q_side, f32, partial},
      {TENSOR("scores"), scores->data, scores->stride, &looks, f32, scores->data ? keys_bytes : 0},
      {"scores.key_sums", "args.scores.key_sums", "args.scores.key_sums_stride", scores->key_sums,
       sums_stride, &sums, f32, scores->key_sums ? keys_bytes : 0},
  };
  if (!partial && (args->m.data || args->l.data))
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT,
                     args->m.data ? "args.m.data" : "args.l.data",
                     "must be NULL without RAPT_PARTIAL");
  span spans[OPERANDS];
  rapt_status status = RAPT_OK;
  for (int i = 0; i < OPERANDS && !status; i++) status = measure(&operands[i], &spans[i], error);
  for (int i = O; i < OPERANDS && !status; i++) status = check_output(&operands[i], error);
  for (int i = O; i < OPERANDS && !status; i++)
    for (int other = Q; other < i && !status && spans[i].begin < spans[i].end; other++)
      if (overlap(&spans[i], &spans[other]))
        status = fail_data(&operands[i], "so it overlaps args.", operands[other].name, error);
  return status;
}
