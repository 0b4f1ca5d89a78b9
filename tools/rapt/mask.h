/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The file of --mask as the library's rapt_mask. */
#ifndef RAPT_TOOL_MASK_H
#define RAPT_TOOL_MASK_H

#include <rapt/rapt.h>

#include "common/npy.h"
#include "tensors.h"

typedef struct mask_array {
  void *data;
  int32_t kind; /* RAPT_MASK_* */
  int32_t dims; /* of the file */
  int64_t shape[4];
  rapt_mask view;
} mask_array;

/* Loads the file; q and k say which shape it may have. 0, or an exit code with a sentence. */
int mask_load(mask_array *m, const char *path, const tensor *q, const tensor *k, failure *why);

/* The same from an array, whose data the mask takes over or frees. */
int mask_of_array(mask_array *m, npy_array *a, const char *path, const tensor *q, const tensor *k,
                  failure *why);

void mask_free(mask_array *m);

/* "bool", "float32", "float16": what the library gets. */
const char *mask_type(const mask_array *m);

#endif
