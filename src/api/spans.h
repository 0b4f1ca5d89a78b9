/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Float tensors of the layer's functions as address ranges. */
#ifndef RAPT_API_SPANS_H
#define RAPT_API_SPANS_H

#include "api.h"

typedef struct rapt_span_tensor {
  const char *name; /* "args.x" */
  const void *data;
  const int64_t *stride; /* in bytes */
  int64_t count[3];      /* indices of each dimension; all at least 1 */
  int64_t row_bytes;     /* of the innermost, dense dimension; at least 1 */
  int32_t uniform;       /* every combination of the indices is touched */
} rapt_span_tensor;

typedef struct rapt_span {
  uintptr_t begin, end;
  uintptr_t row;     /* the row of the lowest indices */
  int64_t row_bytes; /* its length */
  int32_t dense;     /* all bytes between begin and end are touched */
} rapt_span;

/* Data present and aligned to 4 bytes, strides multiples of 4, no end beyond 64 bits. */
rapt_status rapt_span_measure(const rapt_span_tensor *t, rapt_span *out, rapt_error *error);

/* Of a measured output: positive strides, no two rows share a byte. */
rapt_status rapt_span_check_output(const rapt_span_tensor *t, rapt_error *error);

/* 1 if the two share bytes for certain. Interleaved views of one buffer have crossing ranges and share
 * nothing, so crossing alone proves nothing unless one of them is filled. */
int32_t rapt_span_overlap(const rapt_span *a, const rapt_span *b);

#endif
