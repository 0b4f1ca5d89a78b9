/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt_softmax: arguments checked, a kernel set chosen, rows handed out. */
#include "../attention/softmax.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "choose_set.h"
#include "rows.h"
#include "spans.h"

enum { DIMS = 4, ELEMENT = 4 };

static const uint32_t known_flags = RAPT_SOFTMAX_LITERAL | RAPT_SOFTMAX_LOG;

static void extents_of(const rapt_softmax_args *args, int32_t *extent) {
  for (int i = 0; i < 3; i++) extent[i] = args->extent[i];
  extent[3] = args->length;
}

static rapt_status check_scalars(const rapt_softmax_args *args, rapt_error *error) {
  static const char *const names[3] = {"args.extent[0]", "args.extent[1]", "args.extent[2]"};
  rapt_status status = RAPT_OK;
  if (args->flags & ~known_flags)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.flags",
                     "is 0x%" PRIx32 ", known are 0x%" PRIx32, args->flags, known_flags);
  for (int i = 0; i < 3 && !status; i++)
    status = rapt_check_range(args->extent[i], 0, INT32_MAX, names[i], error);
  if (!status) status = rapt_check_range(args->length, 0, INT32_MAX, "args.length", error);
  if (!status)
    status = rapt_check_range(args->mask_kind, RAPT_MASK_NONE, RAPT_MASK_BF16, "args.mask_kind",
                              error);
  if (!status) status = rapt_check_range(args->reserved, 0, 0, "args.reserved", error);
  return status;
}

static rapt_status check_scale(const rapt_softmax_args *args, float *scale, rapt_error *error) {
  const double most = (double)FLT_MAX / 1.4426950408889634, t = (double)args->temperature;
  double s = (double)args->scale;
  if (!isfinite(s))
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.scale", "is %g, must be finite", s);
  if (!(t >= 0) || !isfinite(t))
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.temperature",
                     "is %g, must be finite and not negative (0 means 1)", t);
  if (s == 0 && !(args->flags & RAPT_SOFTMAX_LITERAL)) s = 1;
  if (t != 0) s /= t;
  if (fabs(s) > most)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, t != 0 ? "args.temperature" : "args.scale",
                     "is %g, which makes scale / temperature %g: at most %g is allowed",
                     t != 0 ? t : (double)args->scale, s, most);
  *scale = (float)s;
  return RAPT_OK;
}

/* Presence, extents, factors. */
static rapt_status check_mask(const rapt_softmax_args *args, const int32_t *extent,
                              rapt_error *error) {
  const rapt_mask *mask = &args->mask;
  if (args->mask_kind == RAPT_MASK_NONE) {
    if (!mask->data && !mask->factors) return RAPT_OK;
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT,
                     mask->data ? "args.mask.data" : "args.mask.factors",
                     "must be NULL: mask_kind is RAPT_MASK_NONE (0)");
  }
  for (int i = 0; i < DIMS; i++) {
    /* One bit is no broadcast: the words of a row hold what its extent says. */
    const int bits = i == 3 && args->mask_kind == RAPT_MASK_BITS;
    const int32_t given = mask->extent[i];
    if (given < 0 || (given < extent[i] && (given != 1 || bits)))
      return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, "args.mask.extent", i,
                          "is %" PRId32 ", must be %sat least %" PRId32, given, bits ? "" : "1 or ",
                          extent[i]);
  }
  if (mask->factors && args->mask_kind <= RAPT_MASK_BITS)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.mask.factors",
                     "must be NULL: mask_kind is %" PRId32 ", not an additive mask",
                     args->mask_kind);
  if ((uintptr_t)mask->factors % ELEMENT != 0)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.mask.factors",
                     "is 0x%" PRIxPTR ", must be a multiple of 4", (uintptr_t)mask->factors);
  return RAPT_OK;
}

/* Bytes of the mask's element; bits come in words. */
static int32_t mask_element(int32_t kind) {
  return kind == RAPT_MASK_BOOL ? 1 : kind == RAPT_MASK_BITS || kind == RAPT_MASK_F32 ? 4 : 2;
}

static rapt_status check_tensors(const rapt_softmax_args *args, const int32_t *extent,
                                 rapt_error *error) {
  enum { X, MASK, Y, OPERANDS };
  const int masked = args->mask_kind != RAPT_MASK_NONE;
  const int bits = args->mask_kind == RAPT_MASK_BITS;
  rapt_region region = {.dims = DIMS, .uniform = 1}, mask_region;
  for (int i = 0; i < DIMS; i++) region.last[i] = extent[i];
  for (int i = 0; i < DIMS; i++) region.empty |= !extent[i];
  mask_region = region;
  for (int i = 0; i < DIMS; i++)
    if (args->mask.extent[i] == 1) mask_region.last[i] = 1;
  const int32_t element = mask_element(args->mask_kind);
  int64_t mask_bytes = masked ? element : 0;
  if (bits) { /* a row of words is contiguous */
    mask_bytes *= (mask_region.last[3] + 31) / 32;
    mask_region.dims = 3;
  }
  const rapt_operand operands[OPERANDS] = {
      {"x", NULL, 0, ELEMENT, args->x.data, args->x.stride, &region, ELEMENT, NULL, NULL},
      {"mask", NULL, 0, element, args->mask.data, args->mask.stride, &mask_region, mask_bytes, NULL,
       NULL},
      {"y", NULL, 0, ELEMENT, args->y.data, args->y.stride, &region, ELEMENT, NULL, NULL},
  };
  rapt_span spans[OPERANDS];
  rapt_status status = RAPT_OK;
  for (int i = 0; i < OPERANDS && !status; i++)
    status = rapt_span_measure(&operands[i], &spans[i], error);
  if (!status) status = rapt_span_check_output(&operands[Y], error);
  if (status || region.empty) return status;
  if (!rapt_operand_same(&operands[X], &operands[Y]) && rapt_spans_overlap(&spans[Y], &spans[X]))
    return rapt_fail_data(&operands[Y], "so it overlaps args.", "x", error);
  if (rapt_spans_overlap(&spans[Y], &spans[MASK]))
    return rapt_fail_data(&operands[Y], "so it overlaps args.", "mask", error);
  const rapt_span factors = rapt_span_of_array(args->mask.factors, args->extent[1], ELEMENT);
  if (rapt_spans_overlap(&spans[Y], &factors))
    return rapt_fail_data(&operands[Y], "so it overlaps args.", "mask.factors", error);
  return RAPT_OK;
}

rapt_status rapt_softmax(const rapt_softmax_args *args, const rapt_executor *executor,
                         rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_softmax_args, "args", y);
  rapt_softmax_call call;
  rapt_executor with;
  int32_t extent[DIMS];
  float scale = 1;
  rapt_status status = rapt_load_struct(&type, args, &call.args, error);
  if (status) return status;
  extents_of(&call.args, extent);
  status = check_scalars(&call.args, error);
  if (!status) status = check_scale(&call.args, &scale, error);
  if (!status) status = check_mask(&call.args, extent, error);
  if (!status) status = check_tensors(&call.args, extent, error);
  if (!status)
    status = rapt_choose_set(call.args.isa, "args.isa", RAPT_PATH_DECODE, 1, 0, &call.set, error);
  if (!status) status = rapt_load_executor(executor, &with, error);
  if (status || extent[3] == 0) return status;
  rapt_softmax_plan(&call, scale);
  const rapt_rows rows = {.work = rapt_softmax_rows,
                          .call = &call,
                          /* an output of distinct elements lies within 64 bits: no overflow */
                          .rows = (int64_t)extent[0] * extent[1] * extent[2],
                          .row_bytes = (int64_t)extent[3] * 2 * ELEMENT};
  return rapt_rows_run(&rows, &with, error);
}
