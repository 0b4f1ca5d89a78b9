/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Scratch is written from the first step on: inputs in it would be lost, outputs spoiled. */
#include <inttypes.h>

#include "touched.h"

rapt_status rapt_fail_workspace(const void *workspace, size_t bytes, const char *other,
                                rapt_error *error) {
  return rapt_fail(error, RAPT_ERROR_WORKSPACE, "workspace",
                   "is 0x%" PRIxPTR ", its %zu bytes overlap %s", (uintptr_t)workspace, bytes,
                   other);
}

const char *rapt_touched_name(int tensor) {
  static const char *const names[RAPT_AT_TENSORS] = {
      [RAPT_AT_Q] = "args.q",           [RAPT_AT_K] = "args.k",
      [RAPT_AT_V] = "args.v",           [RAPT_AT_MASK] = "args.mask",
      [RAPT_AT_O] = "args.o",           [RAPT_AT_LSE] = "args.lse",
      [RAPT_AT_M] = "args.m",           [RAPT_AT_L] = "args.l",
      [RAPT_AT_SCORES] = "args.scores", [RAPT_AT_KEY_SUMS] = "args.scores.key_sums",
  };
  return names[tensor];
}

rapt_status rapt_check_workspace(const rapt_touched *touched, const void *workspace, size_t bytes,
                                 rapt_error *error) {
  const rapt_span scratch = rapt_span_of_bytes(workspace, bytes);
  for (int i = 0; i < RAPT_AT_TENSORS; i++)
    if (rapt_spans_overlap(&touched->tensor[i], &scratch))
      return rapt_fail_workspace(workspace, bytes, rapt_touched_name(i), error);
  for (int32_t i = 0; i < touched->arrays; i++) {
    const rapt_array *a = &touched->array[i];
    const rapt_span span = rapt_span_of_array(a->data, a->n, 4);
    if (rapt_spans_overlap(&span, &scratch))
      return rapt_fail_workspace(workspace, bytes, a->name, error);
  }
  return RAPT_OK;
}
