/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/npy.h"

static void set_strides(tensor *t, int tokens_first) {
  int64_t token = (int64_t)sizeof(float) * t->channels;
  int64_t all = token * t->heads * t->tokens;
  t->stride[0] = all;
  t->stride[1] = tokens_first ? token : token * t->tokens;
  t->stride[2] = tokens_first ? token * t->heads : token;
}

/* The missing first dimensions are 1. */
static int set_shape(tensor *t, const npy_array *a, int tokens_first, failure *why) {
  int64_t full[4] = {1, 1, 1, 1};
  if (a->dims < 2 || a->dims > 4)
    return fail(why, EXIT_WRONG_USE, "%s %s has %d dimensions; 2, 3 or 4 are needed", t->option,
                t->path, (int)a->dims);
  for (int32_t i = 0; i < a->dims; i++) {
    if (a->shape[i] < 1 || a->shape[i] > INT32_MAX)
      return fail(why, EXIT_WRONG_USE, "%s %s has a dimension of %lld; 1..%d are possible",
                  t->option, t->path, (long long)a->shape[i], INT32_MAX);
    full[4 - a->dims + i] = a->shape[i];
  }
  if (tokens_first && a->dims == 2) { /* one head: its dimension stands between token and channel */
    full[1] = full[2];
    full[2] = 1;
  }
  t->dims = a->dims;
  t->batch = (int32_t)full[0];
  t->heads = (int32_t)full[tokens_first ? 2 : 1];
  t->tokens = (int32_t)full[tokens_first ? 1 : 2];
  t->channels = (int32_t)full[3];
  set_strides(t, tokens_first);
  return 0;
}

static int convert(tensor *t, const npy_array *a, failure *why) {
  if (a->dtype[0] != 'f')
    return fail(why, EXIT_WRONG_USE,
                "%s %s holds numbers of type %s; f2, f4 and f8 are read here: "
                "save x.astype(numpy.float32) instead",
                t->option, t->path, a->dtype);
  t->data = malloc(a->count * sizeof *t->data);
  if (!t->data)
    return fail(why, EXIT_RUN_FAILED, "%s %s does not fit in memory as float32", t->option,
                t->path);
  for (size_t i = 0; i < a->count; i++) {
    double x = npy_at(a, i);
    t->data[i] = (float)x;
    if (isfinite(x) && !isfinite(t->data[i]))
      return fail(why, EXIT_WRONG_USE, "%s %s holds %g, which is too large for float32", t->option,
                  t->path, x);
  }
  return 0;
}

int tensor_load(tensor *t, const char *option, const char *path, int tokens_first, failure *why) {
  npy_array a;
  char reason[300];
  *t = (tensor){.option = option, .path = path};
  if (npy_load(path, &a, reason, sizeof reason))
    return fail(why, EXIT_WRONG_USE, "%s %s %s", option, path, reason);
  int status = set_shape(t, &a, tokens_first, why);
  if (!status) status = convert(t, &a, why);
  npy_free(&a);
  return status;
}

int tensor_of(tensor *t, const char *option, const char *path, const float *data, int32_t tokens,
              int32_t channels, failure *why) {
  *t = (tensor){.option = option,
                .path = path,
                .dims = 2,
                .batch = 1,
                .heads = 1,
                .tokens = tokens,
                .channels = channels};
  set_strides(t, 0);
  if (!data) return 0;
  t->data = malloc((size_t)t->stride[0]);
  if (!t->data) return fail(why, EXIT_RUN_FAILED, "out of memory");
  memcpy(t->data, data, (size_t)t->stride[0]);
  return 0;
}

int tensor_make_like(tensor *t, const tensor *like, int32_t channels, int tokens_first,
                     failure *why) {
  *t = *like;
  t->channels = channels;
  set_strides(t, tokens_first);
  t->data = calloc((size_t)t->batch * (size_t)t->stride[0], 1);
  if (t->data) return 0;
  return fail(why, EXIT_RUN_FAILED, "out of memory: the output has %lld bytes",
              (long long)(t->batch * t->stride[0]));
}

void tensor_free(tensor *t) {
  free(t->data);
  t->data = NULL;
}

int32_t tensor_shape(const tensor *t, int tokens_first, int64_t shape[4]) {
  const int64_t full[4] = {t->batch, tokens_first ? t->tokens : t->heads,
                           tokens_first ? t->heads : t->tokens, t->channels};
  if (t->dims == 2) {
    shape[0] = t->tokens;
    shape[1] = t->channels;
  } else {
    memcpy(shape, full + 4 - t->dims, (size_t)t->dims * sizeof *shape);
  }
  return t->dims;
}

const char *tensor_shape_text(const tensor *t, int tokens_first, char *out, int size) {
  int64_t shape[4];
  int used = 0;
  int32_t dims = tensor_shape(t, tokens_first, shape);
  for (int32_t i = 0; i < dims && used < size; i++)
    used += snprintf(out + used, (size_t)(size - used), "%s%lld%s", i ? ", " : "[",
                     (long long)shape[i], i + 1 == dims ? "]" : "");
  return out;
}
