/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arrays of files as the library sees them. */
#ifndef RAPT_TOOL_TENSORS_H
#define RAPT_TOOL_TENSORS_H

#include <stdint.h>

#include "failure.h"

typedef struct tensor {
  float *data;
  const char *option, *path; /* for sentences: "--q q.npy" */
  int32_t dims;              /* of the file: 2, 3 or 4 */
  int32_t batch, heads, tokens, channels;
  int64_t stride[3]; /* bytes: batch, head, token */
} tensor;

/* Loads the file of an option and converts it to float32. */
int tensor_load(tensor *t, const char *option, const char *path, int tokens_first, failure *why);

/* One head of numbers in memory, copied; data NULL: none, for no channels. */
int tensor_of(tensor *t, const char *option, const char *path, const float *data, int32_t tokens,
              int32_t channels, failure *why);

/* A tensor of zeros, laid out as `like` but with its own number of channels. */
int tensor_make_like(tensor *t, const tensor *like, int32_t channels, int tokens_first,
                     failure *why);

void tensor_free(tensor *t);

/* The dimensions as the file has (or gets) them; returns their number. */
int32_t tensor_shape(const tensor *t, int tokens_first, int64_t shape[4]);

/* "[1, 8, 160, 15]" */
const char *tensor_shape_text(const tensor *t, int tokens_first, char *out, int size);

#endif
