/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every argument of rapt_attention_merge, wrong in turn: the field's name, a sentence, nothing written. */
#include <string.h>

#include <rapt/rapt.h>

#include "common/rng.h"
#include "refusal.h"
#include "support/rapt_test.h"

enum { B = 2, H = 3, S = 4, D = 8, N = 3, ROWS = B * H * S, FILL = 0xa5 };

static struct {
  float o[N][ROWS * D], lse[N][ROWS], m[N][ROWS], l[N][ROWS], sinks[H];
} in;
static struct {
  float o[ROWS * D], lse[ROWS], m[ROWS], l[ROWS];
} out;
static rapt_merge_part part[N];
static rapt_merge_args args;
static rapt_executor executor;

static int32_t serial(void *ctx, int32_t n, void (*fn)(void *arg, int32_t index), void *arg) {
  (void)ctx;
  for (int32_t i = 0; i < n; i++) fn(arg, i);
  return 0;
}

#define IN(name, width) \
  ((rapt_const_tensor){name, {H * S * 4 * (width), S * 4 * (width), 4 * (width)}})
#define OUT(name, width) ((rapt_tensor){name, {H * S * 4 * (width), S * 4 * (width), 4 * (width)}})

/* Partials 0 and 1 unnormalised, 2 normalised. */
static void good(void) {
  for (int i = 0; i < N; i++) {
    part[i] = (rapt_merge_part){.o = IN(in.o[i], D)};
    if (i == 2) part[i].lse = IN(in.lse[i], 1);
    if (i < 2) part[i].m = IN(in.m[i], 1), part[i].l = IN(in.l[i], 1);
  }
  args = (rapt_merge_args){.size = sizeof args,
                           .batch = B,
                           .heads = H,
                           .q_len = S,
                           .head_dim = D,
                           .n = N,
                           .partials = part,
                           .sinks = in.sinks,
                           .o = OUT(out.o, D),
                           .lse = OUT(out.lse, 1)};
  executor = (rapt_executor){.size = sizeof executor, .max_workers = 2, .parallel = serial};
  memset(&out, FILL, sizeof out);
}

static void refused(rapt_status status, const char *field, const char *value) {
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_attention_merge(&args, &executor, NULL) == status, "without an error struct");
  rapt_status got = rapt_attention_merge(&args, &executor, &error);
  expect_refusal(got, &error, status, field, value, &out, sizeof out, FILL);
}

#define INVALID RAPT_ERROR_INVALID_ARGUMENT
#define BAD(name, field, value, ...) \
  RAPT_TEST(merge_##name) {          \
    good();                          \
    __VA_ARGS__;                     \
    refused(INVALID, field, value);  \
  }
#define GOOD(name, ...)                                                                     \
  RAPT_TEST(merge_good_##name) {                                                            \
    rapt_error error = {.size = sizeof error};                                              \
    good();                                                                                 \
    __VA_ARGS__;                                                                            \
    CHECK(rapt_attention_merge(&args, &executor, &error) == RAPT_OK, "%s: %s", error.field, \
          error.message);                                                                   \
  }
#define AS_PARTIAL \
  args.sinks = NULL, args.lse.data = NULL, args.m = OUT(out.m, 1), args.l = OUT(out.l, 1)
#define SHIFTED(data, bytes) ((void *)((char *)(uintptr_t)(data) + (bytes)))

BAD(size, "args.size", "1", args.size = 1)
BAD(flags, "args.flags", "2", args.flags = 2)
BAD(batch, "args.batch", "-1", args.batch = -1)
BAD(heads, "args.heads", "-3", args.heads = -3)
BAD(q_len, "args.q_len", "-4", args.q_len = -4)
BAD(head_dim, "args.head_dim", "-8", args.head_dim = -8)
BAD(n, "args.n", "-2", args.n = -2)
BAD(reserved, "args.reserved", "7", args.reserved = 7)
BAD(partials_null, "args.partials", "NULL", args.partials = NULL)
BAD(l_missing, "args.l.data", "NULL", AS_PARTIAL, args.l.data = NULL)
BAD(m_missing, "args.m.data", "NULL", AS_PARTIAL, args.m.data = NULL)
BAD(partial_with_lse, "args.lse.data", "must be NULL", AS_PARTIAL, args.lse = OUT(out.lse, 1))
BAD(partial_with_sinks, "args.sinks", "once", AS_PARTIAL, args.sinks = in.sinks)
BAD(no_form, "args.partials[2].lse.data", "lse, or m and l", part[2].lse.data = NULL)
BAD(half_form, "args.partials[1].l.data", "NULL", part[1].l.data = NULL)
BAD(other_half_form, "args.partials[0].m.data", "NULL", part[0].m.data = NULL)
BAD(two_forms, "args.partials[2].m.data", "must be NULL", part[2].m = IN(in.m[2], 1))
BAD(one_form_and_a_half, "args.partials[2].l.data", "must be NULL", part[2].l = IN(in.l[2], 1))
BAD(o_null, "args.o.data", "elements", args.o.data = NULL)
BAD(part_o_null, "args.partials[1].o.data", "elements", part[1].o.data = NULL)
BAD(o_misaligned, "args.o.data", "multiple of 4", args.o.data = SHIFTED(out.o, 2))
BAD(part_misaligned, "args.partials[0].m.data", "multiple of 4",
    part[0].m.data = SHIFTED(in.m[0], 1))
BAD(sinks_misaligned, "args.sinks", "multiple of 4", args.sinks = SHIFTED(in.sinks, 2))
BAD(o_stride_zero, "args.o.stride[2]", "positive", args.o.stride[2] = 0)
BAD(o_stride_short, "args.o.stride[2]", "28", args.o.stride[2] = 28)
BAD(lse_stride_odd, "args.lse.stride[1]", "multiple of", args.lse.stride[1] = 17)
BAD(part_stride_odd, "args.partials[2].lse.stride[0]", "47", part[2].lse.stride[0] = 47)
BAD(part_overflow, "args.partials[1].o.stride[1]", "64 bits", part[1].o.stride[1] = INT64_MAX - 3)
BAD(lse_on_o, "args.lse.data", "args.o", args.lse.data = out.o)
BAD(o_on_second, "args.o.data", "partials[1].o", args.o.data = in.o[1])
BAD(o_shifted_on_first, "args.o.data", "partials[0].o", args.o.data = SHIFTED(in.o[0], 16))
BAD(lse_on_first_m, "args.lse.data", "partials[0].m", args.lse.data = in.m[0])
BAD(o_other_strides, "args.o.data", "partials[0].o", args.o.data = in.o[0], args.o.stride[1] = 32,
    args.o.stride[2] = 32 * H)
BAD(lse_on_second, "args.lse.data", "partials[2].lse", args.lse.data = in.lse[2])
BAD(lse_on_sinks, "args.lse.data", "sinks", args.lse.data = in.sinks)
BAD(workers, "executor.max_workers", "0", executor.max_workers = 0)
BAD(parallel, "executor.parallel", "NULL", executor.parallel = NULL)

RAPT_TEST(merge_head_dim_large) {
  good();
  args.head_dim = 1025;
  refused(RAPT_ERROR_UNSUPPORTED, "args.head_dim", "1025");
}

RAPT_TEST(merge_null) {
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_attention_merge(NULL, NULL, &error) == INVALID && strcmp(error.field, "args") == 0,
        "%s", error.field);
}

RAPT_TEST(merge_newer_struct) {
  struct {
    rapt_merge_args known;
    uint64_t added;
  } newer;
  rapt_error error = {.size = sizeof error};
  good();
  newer.known = args;
  newer.known.size = sizeof newer;
  newer.added = 0;
  CHECK(rapt_attention_merge(&newer.known, NULL, &error) == RAPT_OK, "%s", error.message);
  newer.added = 1;
  CHECK(rapt_attention_merge(&newer.known, NULL, &error) == RAPT_ERROR_VERSION, "%s",
        error.message);
}

GOOD(as_it_is, (void)0)
GOOD(partial, AS_PARTIAL)
GOOD(no_lse, args.lse.data = NULL)
GOOD(older_struct, args.size = offsetof(rapt_merge_args, lse), args.lse.stride[0] = 1)
GOOD(nothing, args.n = 0, args.partials = NULL)
GOOD(no_rows, args.q_len = 0, part[1].o.data = NULL, args.o.data = NULL, args.lse.data = NULL)
GOOD(no_channels, args.head_dim = 0, part[1].o.data = NULL, args.o.data = NULL)
GOOD(in_place, args.o.data = in.o[0])
GOOD(in_place_sums, AS_PARTIAL, args.o.data = in.o[0], args.m.data = in.m[0], args.l.data = in.l[0])
GOOD(broadcast, part[1].m.stride[0] = 0, part[1].o.stride[1] = 0)
GOOD(reversed, part[1].o.data = in.o[1] + (S - 1) * D, part[1].o.stride[2] = -4 * D)
GOOD(partials_share, part[1] = part[0])

/* Structs of random bits, pointers excepted: refused, or harmless. */
RAPT_TEST(merge_random_fields) {
  rng r = rng_make(rapt_test_seed());
  int refusals = 0;
  for (int i = 0; i < 20000 && !rapt_test_failed(); i++) {
    static const int64_t wild[] = {0, 1, -1, 2, 3, 4, 5, 8, 31, 1024, INT32_MAX, INT32_MIN};
    good();
    for (int k = rng_range(&r, 1, 3); k > 0; k--) {
      int32_t value = (int32_t)(rng_below(&r, 3) ? wild[rng_below(&r, 12)] : (int64_t)rng_u64(&r));
      int64_t step = rng_below(&r, 2) ? (int64_t)rng_u64(&r) : value;
      rapt_merge_part *p = &part[rng_below(&r, N)];
      switch (rng_below(&r, 12)) {
      case 0:
        args.size = (uint32_t)value; /* a lie about memory there is not is not tested */
        if (args.size > sizeof args && args.size <= 4096) args.size = sizeof args;
        break;
      case 1:
        args.flags = (uint32_t)value;
        break;
      case 2:
        args.batch = value;
        break;
      case 3:
        args.heads = value;
        break;
      case 4:
        args.q_len = value;
        break;
      case 5:
        args.head_dim = value;
        break;
      case 6:
        args.n = rng_below(&r, 2) ? -(value & INT32_MAX) : rng_below(&r, N + 1);
        break;
      case 7:
        args.reserved = value;
        break;
      case 8:
        args.o.stride[rng_below(&r, 3)] = step;
        break;
      case 9:
        args.lse.stride[rng_below(&r, 3)] = step;
        break;
      case 10:
        p->o.stride[rng_below(&r, 3)] = step;
        break;
      default:
        p->m.stride[rng_below(&r, 3)] = step;
      }
    }
    /* What is legal but larger than the buffers, or reads elsewhere, is not run. */
    int inside = args.batch <= B && args.heads <= H && args.q_len <= S && args.head_dim <= D;
    for (int t = 0; t < 3; t++) {
      int32_t extent = t == 0 ? args.batch : t == 1 ? args.heads : args.q_len;
      const rapt_merge_part good_part = {.o = IN(in.o[0], D), .m = IN(in.m[0], 1)};
      for (int k = 0; k < N; k++)
        if (extent > 1)
          inside &= part[k].o.stride[t] == good_part.o.stride[t] &&
                    (k == 2 || part[k].m.stride[t] == good_part.m.stride[t]);
      if (extent > 1)
        inside &= args.o.stride[t] == good_part.o.stride[t] &&
                  args.lse.stride[t] == good_part.m.stride[t];
    }
    rapt_error error = {.size = sizeof error};
    /* A partial that cannot be: whatever else is accepted, the call is refused. */
    if (!inside) args.reserved = 1;
    rapt_status status = rapt_attention_merge(&args, &executor, &error);
    if (!inside) CHECK(status < 0, "accepted");
    if (status) {
      refusals++;
      CHECK(error.field[0] && error.message[0], "a refusal without a reason");
      expect_refusal(status, &error, status, error.field, "", &out, sizeof out, FILL);
    }
  }
  CHECK(refusals > 5000, "only %d of the calls were refused", refusals);
}
