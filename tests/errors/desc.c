/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every field of the description, wrong in turn. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "call.h"
#include "support/counting_alloc.h"
#include "support/rapt_test.h"

#define INVALID RAPT_ERROR_INVALID_ARGUMENT
#define UNSUPPORTED RAPT_ERROR_UNSUPPORTED

/* One line, one test: what is changed, and what must be said about it. */
#define BAD(name, status, field, value, ...) \
  RAPT_TEST(desc_##name) {                   \
    call *c = good_call();                   \
    rapt_attention_desc *desc = &c->desc;    \
    __VA_ARGS__;                             \
    expect_desc(c, status, field, value);    \
  }
#define GOOD(name, ...)                   \
  RAPT_TEST(desc_good_##name) {           \
    call *c = good_call();                \
    rapt_attention_desc *desc = &c->desc; \
    __VA_ARGS__;                          \
    expect_ok(c);                         \
  }

/* Size */
BAD(size_zero, INVALID, "desc.size", "0", desc->size = 0)
BAD(size_small, INVALID, "desc.size", "32", desc->size = 32)
BAD(size_odd, INVALID, "desc.size", "71", desc->size = 71)
BAD(size_garbage, INVALID, "desc.size", "2863311530", desc->size = 0xaaaaaaaa)

/* Flags and types */
BAD(flag_next, INVALID, "desc.flags", "0x100", desc->flags |= 1u << 8)
BAD(flag_last, INVALID, "desc.flags", "0x80000000", desc->flags |= 1u << 31)
BAD(dtype_q, UNSUPPORTED, "desc.dtype_q", "1", desc->dtype_q = 1)
BAD(dtype_k, UNSUPPORTED, "desc.dtype_k", "2", desc->dtype_k = 2)
BAD(dtype_v, UNSUPPORTED, "desc.dtype_v", "-1", desc->dtype_v = -1)
BAD(dtype_o, UNSUPPORTED, "desc.dtype_o", "2147483647", desc->dtype_o = INT32_MAX)

/* Heads and channels */
BAD(heads_q_negative, INVALID, "desc.heads_q", "-4", desc->heads_q = -4)
BAD(heads_q_no_multiple, INVALID, "desc.heads_q", "5", desc->heads_q = 5)
BAD(heads_q_fewer, INVALID, "desc.heads_q", "1", desc->heads_q = 1)
BAD(heads_kv_negative, INVALID, "desc.heads_kv", "-2", desc->heads_kv = -2)
BAD(heads_kv_zero, INVALID, "desc.heads_kv", "0", desc->heads_kv = 0)
BAD(dim_qk_zero, INVALID, "desc.head_dim_qk", "0", desc->head_dim_qk = 0)
BAD(dim_qk_negative, INVALID, "desc.head_dim_qk", "-8", desc->head_dim_qk = -8)
BAD(dim_qk_large, UNSUPPORTED, "desc.head_dim_qk", "1025", desc->head_dim_qk = 1025)
BAD(dim_v_negative, INVALID, "desc.head_dim_v", "-1", desc->head_dim_v = -1)
BAD(dim_v_large, UNSUPPORTED, "desc.head_dim_v", "1025", desc->head_dim_v = 1025)

/* Positions */
BAD(align_unknown, INVALID, "desc.align", "4", desc->align = 4)
BAD(align_negative, INVALID, "desc.align", "-1", desc->align = -1)
BAD(align_missing, INVALID, "desc.align", "NONE", desc->align = RAPT_ALIGN_NONE)
BAD(align_missing_left, INVALID, "desc.align", "NONE", desc->flags = RAPT_WINDOW_LEFT,
    desc->align = RAPT_ALIGN_NONE)
BAD(align_missing_right, INVALID, "desc.align", "NONE", desc->flags = RAPT_WINDOW_RIGHT,
    desc->align = RAPT_ALIGN_NONE)
BAD(align_without_use, INVALID, "desc.align", "3", desc->flags = 0)
BAD(window_left, INVALID, "desc.window_left", "-1", desc->window_left = -1)
BAD(window_right, INVALID, "desc.window_right", "-2147483648", desc->window_right = INT32_MIN)

/* Scale */
BAD(scale_nan, INVALID, "desc.scale", "nan", desc->scale = NAN)
BAD(scale_nan_literal, INVALID, "desc.scale", "nan", desc->scale = NAN,
    desc->flags |= RAPT_SCALE_LITERAL)
BAD(scale_infinite, INVALID, "desc.scale", "inf", desc->scale = INFINITY)
BAD(scale_huge, INVALID, "desc.scale", "3e+38", desc->scale = 3e38f)
BAD(scale_minus_infinite, INVALID, "desc.scale", "-inf", desc->scale = -INFINITY)

/* Level */
BAD(isa_unknown, INVALID, "desc.isa", "sse9", desc->isa = "sse9")
BAD(isa_long, INVALID, "desc.isa", "avx512avx512", desc->isa = "avx512avx512avx512avx512avx512")

/* Allocator */
#define ALLOCATOR (desc->allocator = &c->allocator, &c->allocator)
BAD(allocator_size, INVALID, "desc.allocator.size", "16", ALLOCATOR->size = 16)
BAD(allocator_reserved, INVALID, "desc.allocator.reserved", "1", ALLOCATOR->reserved = 1)
BAD(allocator_allocate, INVALID, "desc.allocator.allocate", "NULL", ALLOCATOR->allocate = NULL)
BAD(allocator_release, INVALID, "desc.allocator.release", "NULL", ALLOCATOR->release = NULL)

GOOD(as_it_is, (void)desc)
GOOD(own_allocator, desc->allocator = &c->allocator)
GOOD(negative_scale, desc->scale = -0.5f)
GOOD(literal_zero_scale, desc->flags |= RAPT_SCALE_LITERAL)
GOOD(every_flag, desc->flags = 0x1f)
GOOD(windows_without_flags, desc->flags = RAPT_CAUSAL, desc->window_left = -5,
     desc->window_right = INT32_MIN)
GOOD(windows_of_any_length, desc->window_left = INT32_MAX, desc->window_right = INT32_MAX)
GOOD(no_channels_of_v, desc->head_dim_v = 0)
GOOD(no_heads, desc->heads_q = 0, desc->heads_kv = 0)
GOOD(no_query_heads, desc->heads_q = 0)
GOOD(isa_empty, desc->isa = "")

RAPT_TEST(desc_null) {
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_plan_check(NULL, NULL, &error) == INVALID, "check");
  CHECK(strcmp(error.field, "desc") == 0, "%s", error.field);
  rapt_plan *plan = NULL;
  CHECK(rapt_plan_create(NULL, &plan, NULL) == INVALID && !plan, "create");
  CHECK(rapt_plan_create(&good_call()->desc, NULL, &error) == INVALID, "no place for the plan");
  CHECK(strcmp(error.field, "plan") == 0, "%s", error.field);
  CHECK(rapt_attention(NULL, &good_call()->args, NULL, NULL) == INVALID, "one shot");
  rapt_plan_destroy(NULL);
}

/* Each allocation fails in turn: a status, nothing leaked, nothing written. */
RAPT_TEST(desc_allocations_fail) {
  counting_alloc counting;
  for (long n = 1; n <= 8; n++) {
    counting_alloc_init(&counting);
    counting.fail_at = n;
    call *c = good_call();
    c->desc.allocator = &counting.allocator;
    rapt_error error = {.size = sizeof error};
    rapt_status status = rapt_attention(&c->desc, &c->args, &c->executor, &error);
    CHECK(counting.live == 0 && counting.bad_releases == 0, "%ld blocks live, %ld bad releases",
          counting.live, counting.bad_releases);
    if (counting.calls < n) {
      CHECK(status == RAPT_OK && n > 1, "allocation %ld never came: status %d", n, status);
      return;
    }
    CHECK(status == RAPT_ERROR_OUT_OF_MEMORY, "allocation %ld: status %d", n, status);
    CHECK(error.code == status && error.message[0], "allocation %ld: no report", n);
  }
  CHECK(0, "more than 8 allocations");
}

RAPT_TEST(desc_plan_allocation_fails) {
  counting_alloc counting;
  counting_alloc_init(&counting);
  counting.fail_at = 1;
  call *c = good_call();
  c->desc.allocator = &counting.allocator;
  rapt_plan *const none = (rapt_plan *)(void *)c;
  rapt_plan *plan = none;
  CHECK(rapt_plan_create(&c->desc, &plan, NULL) == RAPT_ERROR_OUT_OF_MEMORY, "created");
  CHECK(plan == none && counting.live == 0, "%ld live", counting.live);
  counting.fail_at = 0;
  REQUIRE(rapt_plan_create(&c->desc, &plan, NULL) == RAPT_OK, "not created");
  /* The allocator was copied: the caller's struct may go. */
  memset(&c->desc, PATTERN, sizeof c->desc);
  rapt_plan_destroy(plan);
  CHECK(counting.live == 0 && counting.bad_releases == 0, "%ld live", counting.live);
}
