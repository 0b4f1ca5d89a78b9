/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef RAPT_API_CHECK_ARRAYS_H
#define RAPT_API_CHECK_ARRAYS_H

#include "api.h"

enum { RAPT_ARRAYS = 11 };

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

#endif
