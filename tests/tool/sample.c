/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/npy.h"
#include "common/reference.h"
#include "support/compare.h"
#include "common/rng.h"
#include "tool.h"

static float *floats(size_t n) {
  float *x = calloc(n + 1, sizeof *x);
  if (!x) exit(2);
  return x;
}

static float *normal(rng *r, int32_t batch, int32_t heads, int32_t tokens, int32_t dim) {
  size_t n = (size_t)batch * (size_t)heads * (size_t)tokens * (size_t)dim;
  float *x = floats(n);
  rng_fill_normal(r, x, n, 1);
  return x;
}

#define STRIDES(heads, tokens, dim)                                                                \
  {(int64_t)sizeof(float) * (heads) * (tokens) * (dim), (int64_t)sizeof(float) * (tokens) * (dim), \
   (int64_t)sizeof(float) * (dim)}

sample sample_make(int32_t batch, int32_t heads_q, int32_t heads_kv, int32_t q_len, int32_t kv_len,
                   int32_t dim_qk, int32_t dim_v) {
  rng r = rng_make(rapt_test_seed());
  sample s = {.batch = batch,
              .heads_q = heads_q,
              .heads_kv = heads_kv,
              .q_len = q_len,
              .kv_len = kv_len,
              .dim_qk = dim_qk,
              .dim_v = dim_v};
  s.q = normal(&r, batch, heads_q, q_len, dim_qk);
  s.k = normal(&r, batch, heads_kv, kv_len, dim_qk);
  s.v = normal(&r, batch, heads_kv, kv_len, dim_v);
  s.o = normal(&r, batch, heads_q, q_len, dim_v);
  s.desc = (rapt_attention_desc){.size = sizeof s.desc,
                                 .heads_q = heads_q,
                                 .heads_kv = heads_kv,
                                 .head_dim_qk = dim_qk,
                                 .head_dim_v = dim_v};
  s.args = (rapt_attention_args){.size = sizeof s.args,
                                 .batch = batch,
                                 .q_len = q_len,
                                 .kv_len = kv_len,
                                 .q = {s.q, STRIDES(heads_q, q_len, dim_qk)},
                                 .k = {s.k, STRIDES(heads_kv, kv_len, dim_qk)},
                                 .v = {s.v, STRIDES(heads_kv, kv_len, dim_v)},
                                 .o = {s.o, STRIDES(heads_q, q_len, dim_v)}};
  return s;
}

void sample_free(sample *s) {
  free(s->q);
  free(s->k);
  free(s->v);
  free(s->o);
}

/* Place of a BHSD element in BSHD. */
static size_t swapped(size_t at, int32_t heads, int32_t tokens, int32_t dim) {
  size_t c = at % (size_t)dim, row = at / (size_t)dim;
  size_t i = row % (size_t)tokens, h = row / (size_t)tokens % (size_t)heads;
  size_t b = row / (size_t)tokens / (size_t)heads;
  return ((b * (size_t)tokens + i) * (size_t)heads + h) * (size_t)dim + c;
}

static void save(const char *name, const float *x, int tokens_first, int32_t dims, int32_t batch,
                 int32_t heads, int32_t tokens, int32_t dim) {
  char why[300];
  size_t n = (size_t)batch * (size_t)heads * (size_t)tokens * (size_t)dim;
  float *stored = floats(n);
  int64_t shape[4] = {batch, tokens_first ? tokens : heads, tokens_first ? heads : tokens, dim};
  if (dims == 2) shape[2] = tokens;
  for (size_t i = 0; i < n; i++) stored[tokens_first ? swapped(i, heads, tokens, dim) : i] = x[i];
  CHECK(npy_save(scratch(name), stored, shape + 4 - dims, dims, why, sizeof why) == 0, "%s %s",
        name, why);
  free(stored);
}

void sample_save(const sample *s, int tokens_first, int32_t dims) {
  save("q.npy", s->q, tokens_first, dims, s->batch, s->heads_q, s->q_len, s->dim_qk);
  save("k.npy", s->k, tokens_first, dims, s->batch, s->heads_kv, s->kv_len, s->dim_qk);
  save("v.npy", s->v, tokens_first, dims, s->batch, s->heads_kv, s->kv_len, s->dim_v);
}

static int check_shape(const npy_array *a, const int64_t *want, int32_t dims, const char *what) {
  int same = a->dims == dims;
  for (int32_t i = 0; same && i < dims; i++) same = a->shape[i] == want[i];
  return CHECK(same && strcmp(a->dtype, "f4") == 0, "%s: shape or type of the output", what);
}

/* Loads a result as BHSD; NULL if its shape is wrong. */
static float *load(const char *name, int tokens_first, int32_t dims, const sample *s, int32_t dim,
                   const char *what) {
  npy_array a;
  char why[300] = "";
  const int64_t full[4] = {s->batch, tokens_first ? s->q_len : s->heads_q,
                           tokens_first ? s->heads_q : s->q_len, dim};
  const int64_t flat[2] = {s->q_len, dim};
  if (!CHECK(npy_load(scratch(name), &a, why, sizeof why) == 0, "%s: %s %s", what, name, why))
    return NULL;
  float *x = NULL;
  if (check_shape(&a, dims == 2 ? flat : full + 4 - dims, dims, what)) {
    x = floats(a.count);
    for (size_t i = 0; i < a.count; i++)
      x[i] = (float)npy_at(&a, tokens_first ? swapped(i, s->heads_q, s->q_len, dim) : i);
  }
  npy_free(&a);
  return x;
}

static int check_lse(const sample *s, const char *name, int32_t dims, const double *ref,
                     const char *what) {
  npy_array a;
  char why[300] = "";
  const int64_t full[3] = {s->batch, s->heads_q, s->q_len};
  if (!CHECK(npy_load(scratch(name), &a, why, sizeof why) == 0, "%s: %s %s", what, name, why))
    return 0;
  int ok = check_shape(&a, full + 4 - dims, dims - 1, what);
  if (ok) ok = CHECK_CLOSE(a.data, ref, a.count, RAPT_BOUND_ABS, RAPT_BOUND_REL, "%s: LSE", what);
  npy_free(&a);
  return ok;
}

int sample_check(const sample *s, const char *name, int tokens_first, int32_t dims, const char *lse,
                 const char *what) {
  size_t rows = (size_t)s->batch * (size_t)s->heads_q * (size_t)s->q_len;
  size_t n = rows * (size_t)s->dim_v;
  double *ref = calloc(n + 1, sizeof *ref), *ref_lse = calloc(rows + 1, sizeof *ref_lse);
  if (!ref || !ref_lse) exit(2);
  float *o = load(name, tokens_first, dims, s, s->dim_v, what);
  for (int32_t b = 0; o && b < s->batch; b++) /* rows that do not exist stay 0 */
    for (int32_t h = 0; h < s->heads_q; h++)
      for (int32_t i = 0; i < reference_q_len(&s->args, b); i++) {
        size_t row = ((size_t)b * (size_t)s->heads_q + (size_t)h) * (size_t)s->q_len + (size_t)i;
        reference_row(&s->desc, &s->args, b, h, i, ref + row * (size_t)s->dim_v, &ref_lse[row]);
      }
  int ok = o && CHECK_CLOSE(o, ref, n, RAPT_BOUND_ABS, RAPT_BOUND_REL, "%s: O", what);
  if (ok && lse) ok = check_lse(s, lse, dims, ref_lse, what);
  free(o);
  free(ref);
  free(ref_lse);
  return ok;
}

int sample_run(const sample *s, int tokens_first, int32_t dims, const char *options) {
  const outcome *o = tool(
      "run --q {}/q.npy --k {}/k.npy --v {}/v.npy -o {}/o.npy --lse {}/lse.npy%s%s",
      *options ? " " : "", options);
  int ok = CHECK(o->code == 0, "%s: exit code %d: %s", options, o->code, o->err);
  ok &= CHECK(!o->out[0] || strstr(options, "--check"), "%s: with -o it printed %s", options,
              o->out);
  return ok && sample_check(s, "o.npy", tokens_first, dims, "lse.npy", options);
}
