/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef RAPT_API_CHECK_ARRAYS_H
#define RAPT_API_CHECK_ARRAYS_H

#include "api.h"
#include "spans.h"

enum { RAPT_ARRAYS = 12 };

/* An input array of 4-byte elements. */
typedef struct rapt_array {
  const char *name;
  const void *data;
  int64_t n;
} rapt_array;

/* Those that are given; returns their number. */
int32_t rapt_arrays_of(const rapt_attention_desc *desc, const rapt_attention_args *args,
                       const rapt_scores_out *scores, rapt_array out[RAPT_ARRAYS]);

/* Alignment, before anything is read of them. */
rapt_status rapt_check_arrays(const rapt_attention_desc *desc, const rapt_attention_args *args,
                              rapt_error *error);

/* The same for n arrays; those that are NULL are aligned. */
rapt_status rapt_check_aligned(const rapt_array *arrays, int32_t n, rapt_error *error);

/* Refuses operand `t` at `span` if it shares bytes with one of the n arrays: they are read while `t` is
 * written, and one over the other would make results a matter of order. */
rapt_status rapt_check_beside_arrays(const rapt_operand *t, const rapt_span *span,
                                     const rapt_array *arrays, int32_t n, rapt_error *error);

#endif
