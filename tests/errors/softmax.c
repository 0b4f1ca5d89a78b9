/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every argument of rapt_softmax, wrong in turn: the field's name, a sentence, nothing written. */
#include <math.h>
#include <string.h>

#include <rapt/rapt.h>

#include "common/rng.h"
#include "refusal.h"
#include "support/rapt_test.h"

enum { A = 2, B = 3, C = 4, N = 40, COUNT = A * B * C * N, FILL = 0xa5 };

static float x[COUNT], y[COUNT], bias[COUNT], factors[B];
static rapt_softmax_args args;
static rapt_executor executor;

static int32_t serial(void *ctx, int32_t n, void (*fn)(void *arg, int32_t index), void *arg) {
  (void)ctx;
  for (int32_t i = 0; i < n; i++) fn(arg, i);
  return 0;
}

#define STRIDES {B * C * N * 4, C * N * 4, N * 4, 4}

static void good(void) {
  args = (rapt_softmax_args){.size = sizeof args,
                             .extent = {A, B, C},
                             .length = N,
                             .x = {x, STRIDES},
                             .y = {y, STRIDES},
                             .mask_kind = RAPT_MASK_F32,
                             .mask = {bias, STRIDES, {A, B, C, N}, factors},
                             .isa = "generic"};
  executor = (rapt_executor){.size = sizeof executor, .max_workers = 2, .parallel = serial};
  memset(y, FILL, sizeof y);
}

static void refused(rapt_status status, const char *field, const char *value) {
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_softmax(&args, &executor, NULL) == status, "without an error struct");
  rapt_status got = rapt_softmax(&args, &executor, &error);
  expect_refusal(got, &error, status, field, value, y, sizeof y, FILL);
}

#define INVALID RAPT_ERROR_INVALID_ARGUMENT
#define BAD(name, field, value, ...) \
  RAPT_TEST(softmax_##name) {        \
    good();                          \
    __VA_ARGS__;                     \
    refused(INVALID, field, value);  \
  }
#define GOOD(name, ...)                                                             \
  RAPT_TEST(softmax_good_##name) {                                                  \
    rapt_error error = {.size = sizeof error};                                      \
    good();                                                                         \
    __VA_ARGS__;                                                                    \
    CHECK(rapt_softmax(&args, &executor, &error) == RAPT_OK, "%s: %s", error.field, \
          error.message);                                                           \
  }
#define SHIFTED(data, bytes) ((void *)((char *)(uintptr_t)(data) + (bytes)))
#define KIND(k, element) \
  args.mask_kind = (k), args.mask.factors = NULL, args.mask.stride[3] = (element)

BAD(size, "args.size", "4", args.size = 4)
BAD(flags, "args.flags", "0x4", args.flags = 4)
BAD(extent_0, "args.extent[0]", "-1", args.extent[0] = -1)
BAD(extent_1, "args.extent[1]", "-2", args.extent[1] = -2)
BAD(extent_2, "args.extent[2]", "-3", args.extent[2] = -3)
BAD(length, "args.length", "-40", args.length = -40)
BAD(scale_nan, "args.scale", "finite", args.scale = NAN)
BAD(scale_inf, "args.scale", "finite", args.scale = -INFINITY)
BAD(scale_large, "args.scale", "3e+38", args.scale = -3e38f)
BAD(temperature_nan, "args.temperature", "finite", args.temperature = NAN)
BAD(temperature_inf, "args.temperature", "finite", args.temperature = INFINITY)
BAD(temperature_negative, "args.temperature", "-1", args.temperature = -1)
BAD(temperature_tiny, "args.temperature", "1e+40", args.temperature = 1e-40f)
BAD(kind_negative, "args.mask_kind", "-1", args.mask_kind = -1)
BAD(kind_unknown, "args.mask_kind", "6", args.mask_kind = 6)
BAD(reserved, "args.reserved", "1", args.reserved = 1)
BAD(mask_unasked, "args.mask.data", "must be NULL", args.mask_kind = RAPT_MASK_NONE)
BAD(mask_null, "args.mask.data", "elements", args.mask.data = NULL)
BAD(mask_misaligned, "args.mask.data", "multiple of 4", args.mask.data = SHIFTED(bias, 2))
BAD(mask_misaligned_half, "args.mask.data", "multiple of 2", KIND(RAPT_MASK_F16, 2),
    args.mask.data = SHIFTED(bias, 1))
BAD(mask_extent_zero, "args.mask.extent[1]", "0", args.mask.extent[1] = 0)
BAD(mask_extent_short, "args.mask.extent[2]", "at least 4", args.mask.extent[2] = 3)
BAD(mask_shorter_than_row, "args.mask.extent[3]", "at least 40", args.mask.extent[3] = 39)
BAD(bits_shorter_than_row, "args.mask.extent[3]", "at least 40", KIND(RAPT_MASK_BITS, 0),
    args.mask.extent[3] = 1)
BAD(mask_stride_odd, "args.mask.stride[3]", "multiple of", args.mask.stride[3] = 6)
BAD(mask_stride_half, "args.mask.stride[0]", "13", KIND(RAPT_MASK_BF16, 2),
    args.mask.stride[0] = 13)
BAD(bits_stride, "args.mask.stride[2]", "6", KIND(RAPT_MASK_BITS, 0), args.mask.stride[2] = 6)
BAD(mask_overflow, "args.mask.stride[1]", "64 bits", args.mask.stride[1] = INT64_MIN)
BAD(factors_of_bools, "args.mask.factors", "must be NULL", args.mask_kind = RAPT_MASK_BOOL)
BAD(factors_misaligned, "args.mask.factors", "multiple of 4",
    args.mask.factors = SHIFTED(factors, 1))
BAD(x_null, "args.x.data", "elements", args.x.data = NULL)
BAD(y_null, "args.y.data", "elements", args.y.data = NULL)
BAD(x_misaligned, "args.x.data", "multiple of 4", args.x.data = SHIFTED(x, 3))
BAD(y_misaligned, "args.y.data", "multiple of 4", args.y.data = SHIFTED(y, 2))
BAD(x_stride_odd, "args.x.stride[3]", "5", args.x.stride[3] = 5)
BAD(y_stride_zero, "args.y.stride[3]", "positive", args.y.stride[3] = 0)
BAD(y_stride_negative, "args.y.stride[0]", "positive", args.y.stride[0] = -1920)
BAD(y_stride_short, "args.y.stride[2]", "156", args.y.stride[2] = 156)
BAD(x_overflow, "args.x.stride[1]", "64 bits", args.x.stride[0] = INT64_MAX - 3,
    args.x.stride[1] = 1 << 30)
BAD(y_shifted_on_x, "args.y.data", "args.x", args.y.data = x + 4)
BAD(y_on_x_turned, "args.y.data", "args.x", args.y.data = x, args.y.stride[2] = 4,
    args.y.stride[3] = 4 * C)
BAD(y_on_mask, "args.y.data", "args.mask", args.y.data = bias)
BAD(y_on_factors, "args.y.data", "factors", args.mask.factors = y + 7)
BAD(isa_unknown, "args.isa", "mmx", args.isa = "mmx")
BAD(workers, "executor.max_workers", "0", executor.max_workers = 0)
BAD(parallel, "executor.parallel", "NULL", executor.parallel = NULL)

RAPT_TEST(softmax_null) {
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_softmax(NULL, NULL, &error) == INVALID && strcmp(error.field, "args") == 0, "%s",
        error.field);
}

GOOD(as_it_is, (void)0)
GOOD(older_struct, args.size = offsetof(rapt_softmax_args, scale), args.mask_kind = 77)
GOOD(default_isa, args.isa = NULL)
GOOD(in_place, args.y.data = x)
GOOD(no_rows, args.extent[1] = 0, args.x.data = NULL, args.y.data = NULL, args.mask.data = NULL)
GOOD(no_elements, args.length = 0, args.x.data = NULL, args.y.data = NULL, args.mask.data = NULL)
GOOD(broadcast_mask, args.mask.extent[0] = 1, args.mask.extent[3] = 1, args.mask.stride[0] = 1,
     args.mask.stride[3] = INT64_MAX)
GOOD(larger_mask, args.mask.extent[0] = 9, args.extent[0] = 1)
GOOD(stride_zero, args.x.stride[1] = 0, args.mask.stride[2] = 0)
GOOD(reversed, args.x.data = x + N - 1, args.x.stride[3] = -4)
GOOD(bools, KIND(RAPT_MASK_BOOL, 1), args.mask.data = SHIFTED(bias, 1))
GOOD(bits, KIND(RAPT_MASK_BITS, 1))
GOOD(halves, KIND(RAPT_MASK_F16, 2), args.mask.data = SHIFTED(bias, 2))
GOOD(literal_zero, args.flags = RAPT_SOFTMAX_LITERAL)

/* Structs of random numbers: refused, or within the buffers. */
RAPT_TEST(softmax_random_fields) {
  rng r = rng_make(rapt_test_seed());
  int refusals = 0;
  for (int i = 0; i < 20000 && !rapt_test_failed(); i++) {
    static const int64_t wild[] = {0, 1, -1, 2, 3, 4, 5, 8, 31, 1024, INT32_MAX, INT32_MIN};
    int inside = 1;
    good();
    for (int k = rng_range(&r, 1, 3); k > 0; k--) {
      int32_t value = (int32_t)(rng_below(&r, 3) ? wild[rng_below(&r, 12)] : (int64_t)rng_u64(&r));
      int64_t step = rng_below(&r, 2) ? (int64_t)rng_u64(&r) : value;
      int32_t d = rng_below(&r, 4);
      memcpy(&args.scale, &value, rng_below(&r, 4) ? 0 : sizeof value);
      switch (rng_below(&r, 10)) {
      case 0:
        args.size = (uint32_t)value; /* a lie about memory there is not is not tested */
        if (args.size > sizeof args && args.size <= 4096) args.size = sizeof args;
        break;
      case 1:
        args.flags = (uint32_t)value;
        break;
      case 2:
        args.extent[d % 3] = value;
        break;
      case 3:
        args.length = value;
        break;
      case 4:
        memcpy(&args.temperature, &value, sizeof value);
        break;
      case 5:
        args.mask_kind = value;
        break;
      case 6:
        args.mask.extent[d] = value;
        break;
      case 7:
        args.x.stride[d] = step, inside = 0;
        break;
      case 8:
        args.y.stride[d] = step, inside = 0;
        break;
      default:
        args.mask.stride[d] = step, inside = 0;
      }
    }
    /* What is legal but larger than the buffers is not run. */
    inside &= args.extent[0] <= A && args.extent[1] <= B && args.extent[2] <= C && args.length <= N;
    if (!inside) args.isa = "no such level"; /* checked last: everything else was looked at */
    rapt_error error = {.size = sizeof error};
    rapt_status status = rapt_softmax(&args, &executor, &error);
    if (!inside) CHECK(status < 0, "accepted");
    if (status) {
      refusals++;
      CHECK(error.field[0] && error.message[0], "a refusal without a reason");
      expect_refusal(status, &error, status, error.field, "", y, sizeof y, FILL);
    }
  }
  CHECK(refusals > 5000, "only %d of the calls were refused", refusals);
}
