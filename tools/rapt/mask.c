/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mask.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH, HEAD, QUERY, KEY };

static int check_dims(const npy_array *a, const char *path, failure *why) {
  if (a->dims < 2 || a->dims > 4)
    return fail(why, EXIT_WRONG_USE,
                "--mask %s has %d dimensions; needed are 2 (query, key), 3 (head, query, key) or 4 "
                "(batch, head, query, key)%s",
                path, (int)a->dims, a->dims == 1 ? ": save m[None, :] for a mask of keys" : "");
  for (int32_t i = 0; i < a->dims; i++)
    if (a->shape[i] < 1) return fail(why, EXIT_WRONG_USE, "--mask %s has a dimension of 0", path);
  return 0;
}

/* What a wrong shape was probably meant to be, for the end of the sentence. */
static const char *advice(const npy_array *a, const int64_t *have, int32_t at, const tensor *q,
                          const tensor *k) {
  if (a->dims == 3 && at == HEAD && have[HEAD] == q->batch)
    return "; 3 dimensions are head, query, key: save m[:, None] for a mask per sequence";
  if (at >= QUERY && have[QUERY] == k->tokens && have[KEY] == q->tokens)
    return "; queries come before keys: is it transposed?";
  return "";
}

static int check_shape(mask_array *m, const npy_array *a, const char *path, const tensor *q,
                       const tensor *k, failure *why) {
  static const char *const names[] = {"sequences", "heads", "queries", "keys"};
  const int64_t needed[4] = {q->batch, q->heads, q->tokens, k->tokens};
  const tensor *const of[4] = {q, q, q, k};
  for (int i = 0; i < 4; i++) m->shape[i] = 1;
  for (int32_t i = 0; i < a->dims; i++) m->shape[4 - a->dims + i] = a->shape[i];
  for (int i = 0; i < 4; i++)
    if (m->shape[i] != 1 && m->shape[i] != needed[i])
      return fail(why, EXIT_WRONG_USE,
                  "--mask %s has %lld %s, but %s %s has %lld; a dimension is as long as that, or 1 "
                  "for all%s",
                  path, (long long)m->shape[i], names[i], of[i]->option, of[i]->path,
                  (long long)needed[i], advice(a, m->shape, i, q, k));
  m->dims = a->dims;
  return 0;
}

/* Elements as this machine stores them. */
static void to_native(npy_array *a) {
  const int native = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  if (a->big_endian == native || a->item == 1) return;
  for (size_t i = 0; i < a->count; i++) {
    unsigned char *at = (unsigned char *)a->data + i * (size_t)a->item;
    for (int32_t n = 0; n < a->item / 2; n++) {
      unsigned char t = at[n];
      at[n] = at[a->item - 1 - n];
      at[a->item - 1 - n] = t;
    }
  }
  a->big_endian = native;
}

/* float64, which NumPy makes unless told otherwise, becomes float32. */
static int narrow(npy_array *a, const char *path, failure *why) {
  float *out = malloc(a->count * sizeof *out);
  if (!out) return fail(why, EXIT_RUN_FAILED, "--mask %s does not fit in memory as float32", path);
  for (size_t i = 0; i < a->count; i++) {
    double x = npy_at(a, i);
    out[i] = (float)x;
    if (isfinite(x) && !isfinite(out[i])) {
      free(out);
      return fail(why, EXIT_WRONG_USE,
                  "--mask %s holds %g, which is too large for float32; -inf forbids a key", path,
                  x);
    }
  }
  free(a->data);
  a->data = out;
  a->item = sizeof *out;
  return 0;
}

static int take_elements(mask_array *m, npy_array *a, const char *path, failure *why) {
  int status = 0;
  if (strcmp(a->dtype, "b1") == 0 || strcmp(a->dtype, "u1") == 0)
    m->kind = RAPT_MASK_BOOL;
  else if (a->dtype[0] == 'f')
    m->kind = a->item == 2 ? RAPT_MASK_F16 : RAPT_MASK_F32;
  else
    return fail(why, EXIT_WRONG_USE,
                "--mask %s holds numbers of type %s; a mask is bool or uint8 (nonzero: the query "
                "sees the key) or float16 or float32 (added to the scores): save "
                "m.astype(bool) or m.astype(numpy.float32)",
                path, a->dtype);
  if (a->item == 8)
    status = narrow(a, path, why);
  else
    to_native(a);
  return status;
}

static void set_view(mask_array *m, int32_t item) {
  int64_t stride = item;
  m->view.data = m->data;
  for (int i = 3; i >= 0; i--) {
    m->view.extent[i] = (int32_t)m->shape[i];
    m->view.stride[i] = stride;
    stride *= m->shape[i];
  }
}

int mask_of_array(mask_array *m, npy_array *a, const char *path, const tensor *q, const tensor *k,
                  failure *why) {
  memset(m, 0, sizeof *m);
  int status = check_dims(a, path, why);
  if (!status) status = check_shape(m, a, path, q, k, why);
  if (!status) status = take_elements(m, a, path, why);
  if (!status) {
    m->data = a->data;
    a->data = NULL;
    set_view(m, a->item);
  }
  npy_free(a);
  return status;
}

int mask_load(mask_array *m, const char *path, const tensor *q, const tensor *k, failure *why) {
  npy_array a;
  char reason[300];
  memset(m, 0, sizeof *m);
  if (npy_load(path, &a, reason, sizeof reason))
    return fail(why, EXIT_WRONG_USE, "--mask %s %s", path, reason);
  return mask_of_array(m, &a, path, q, k, why);
}

void mask_free(mask_array *m) {
  free(m->data);
  m->data = NULL;
}

const char *mask_type(const mask_array *m) {
  return m->kind == RAPT_MASK_BOOL ? "bool" : m->kind == RAPT_MASK_F16 ? "float16" : "float32";
}
