/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensors as address ranges: present, aligned, inside 64 bits, outputs free of overlaps. */
#ifndef RAPT_API_SPANS_H
#define RAPT_API_SPANS_H

#include "api.h"

enum { RAPT_SPAN_DIMS = 4 };

/* Indices touched: first .. last-1 in each dimension. Several tensors may share one. */
typedef struct rapt_region {
  int64_t first[RAPT_SPAN_DIMS], last[RAPT_SPAN_DIMS];
  int32_t dims;    /* strides of the tensor */
  int32_t uniform; /* every combination of the indices is touched */
  int32_t empty;
} rapt_region;

/* A tensor of args. Errors call it args.<name> or, with a member, args.<name>[index].<member>; a stride of
 * one dimension is named without an index. */
typedef struct rapt_operand {
  const char *name, *member;
  int32_t index;
  int32_t element; /* bytes: data and strides are multiples */
  const void *data;
  const int64_t *stride;
  const rapt_region *region;
  int64_t row_bytes;                   /* touched at each index; 0: nothing is */
  const char *data_name, *stride_name; /* NULL, or in place of these names */
} rapt_operand;

/* Bytes an operand touches; begin == end if none. */
typedef struct rapt_span {
  uintptr_t begin, end;
  uintptr_t row, row_end; /* the row of the lowest indices */
  int32_t dense;          /* all bytes between begin and end are touched */
} rapt_span;

/* The address range, and whether it is filled. */
rapt_status rapt_span_measure(const rapt_operand *t, rapt_span *out, rapt_error *error);

/* No two rows share a byte. `t` has been measured: nothing here overflows. */
rapt_status rapt_span_check_output(const rapt_operand *t, rapt_error *error);

/* 1 if the two share bytes for certain. Interleaved views of one buffer (packed QKVO) have crossing
 * ranges and share nothing, so crossing alone proves nothing unless one of them is filled. */
int rapt_spans_share(const rapt_span *a, const rapt_span *b); /* of two whose ranges cross */
static inline int rapt_spans_overlap(const rapt_span *a, const rapt_span *b) {
  return a->begin < b->end && b->begin < a->end && rapt_spans_share(a, b);
}

/* Contiguous bytes, n contiguous elements as a span: memory, arrays. NULL touches nothing. What would leave
 * the address space ends with it. */
static inline rapt_span rapt_span_of_bytes(const void *data, size_t bytes) {
  const uintptr_t begin = (uintptr_t)data;
  uintptr_t end;
  if (!data || bytes == 0) return (rapt_span){0};
  if (__builtin_add_overflow(begin, bytes, &end)) end = UINTPTR_MAX;
  return (rapt_span){.begin = begin, .end = end, .row = begin, .row_end = end, .dense = 1};
}

static inline rapt_span rapt_span_of_array(const void *data, int64_t n, size_t element) {
  size_t bytes;
  if (n <= 0) return (rapt_span){0};
  if (__builtin_mul_overflow((uint64_t)n, element, &bytes)) bytes = SIZE_MAX;
  return rapt_span_of_bytes(data, bytes);
}

/* 1 if both are the same view: equal data and, where it counts, equal strides. */
int rapt_operand_same(const rapt_operand *a, const rapt_operand *b);

/* Reports that the operand's data "is 0x.., <problem><other>". */
RAPT_COLD rapt_status rapt_fail_data(const rapt_operand *t, const char *problem, const char *other,
                                     rapt_error *error);

/* Reports that the operand's stride "is .., <problem> <needed>", the latter unless it is 0. */
RAPT_COLD rapt_status rapt_fail_stride(const rapt_operand *t, int dim, const char *problem,
                                       int64_t needed, rapt_error *error);

#endif
