/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The Softmax cases of the sets: any axis is the last one by its stride. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention/problem.h"
#include "data.h"
#include "softmax.h"

/* The axis becomes the row, what is outside of it the first dimension, what is inside the second. */
static rapt_softmax_args args_of(const npy_array *x, int32_t axis, const float *in, float *out) {
  int64_t outer = 1, inner = 1, length = x->shape[axis];
  for (int32_t d = 0; d < axis; d++) outer *= x->shape[d];
  for (int32_t d = axis + 1; d < x->dims; d++) inner *= x->shape[d];
  return (rapt_softmax_args){.size = sizeof(rapt_softmax_args),
                             .extent = {(int32_t)outer, (int32_t)inner, 1},
                             .length = (int32_t)length,
                             .x = {in, {4 * inner * length, 4, 0, 4 * inner}},
                             .y = {out, {4 * inner * length, 4, 0, 4 * inner}}};
}

int softmax_case(const data_case *c) {
  npy_array x, y;
  if (!CHECK(data_array(c, "inputs", "X", &x), "%s has no X", c->name)) return 0;
  if (!CHECK(data_array(c, "outputs", "Y", &y), "%s has no Y", c->name)) return npy_free(&x), 0;
  int32_t axis = (int32_t)data_number(c, "axis", -1);
  if (axis < 0) axis += x.dims;
  float *in = malloc(x.count * sizeof *in + 4), *out = malloc(x.count * sizeof *out + 4);
  double *want = malloc(x.count * sizeof *want + 8);
  if (!in || !out || !want) exit(2);
  for (size_t i = 0; i < x.count; i++) in[i] = (float)npy_at(&x, i), want[i] = npy_at(&y, i);
  int ok = CHECK(y.count == x.count, "%s: shapes", c->name);
  FOR_EACH_ISA(isa)
  for (int in_place = 0; in_place < 2 && ok; in_place++) {
    rapt_error error = {.size = sizeof error};
    if (in_place) memcpy(out, in, x.count * sizeof *in);
    rapt_softmax_args args = args_of(&x, axis, in_place ? out : in, out);
    args.isa = isa;
    ok &= CHECK(rapt_softmax(&args, NULL, &error) == RAPT_OK, "%s: %s: %s", c->name, error.field,
                error.message);
    /* What is stored are float32 results of another implementation. */
    ok &= CHECK_CLOSE(out, want, x.count, 1e-6, 1e-6, "%s %s", c->name, isa);
  }
  free(in);
  free(out);
  free(want);
  npy_free(&x);
  npy_free(&y);
  return ok;
}
