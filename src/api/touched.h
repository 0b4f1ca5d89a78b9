/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The memory of a run's arguments, known once they have been checked: what no workspace may share. */
#ifndef RAPT_API_TOUCHED_H
#define RAPT_API_TOUCHED_H

#include "check_arrays.h"

/* Outputs from RAPT_AT_O on. */
enum {
  RAPT_AT_Q,
  RAPT_AT_K,
  RAPT_AT_V,
  RAPT_AT_MASK,
  RAPT_AT_O,
  RAPT_AT_LSE,
  RAPT_AT_M,
  RAPT_AT_L,
  RAPT_AT_SCORES,
  RAPT_AT_KEY_SUMS,
  RAPT_AT_TENSORS
};

typedef struct rapt_touched {
  rapt_span tensor[RAPT_AT_TENSORS];
  rapt_array array[RAPT_ARRAYS];
  int32_t arrays;
} rapt_touched;

/* "args.q" */
const char *rapt_touched_name(int tensor);

/* Refuses a workspace that shares bytes with any of it, all of `bytes` counted. */
rapt_status rapt_check_workspace(const rapt_touched *touched, const void *workspace, size_t bytes,
                                 rapt_error *error);

/* Reports that the workspace overlaps `other`. */
RAPT_COLD rapt_status rapt_fail_workspace(const void *workspace, size_t bytes, const char *other,
                                          rapt_error *error);

#endif
