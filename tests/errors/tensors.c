/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Data and strides of every tensor, wrong in turn; and layouts that look odd and are fine. */
#include <stddef.h>

#include "call.h"
#include "support/rapt_test.h"

#define INVALID RAPT_ERROR_INVALID_ARGUMENT

#define TEST(kind, name, ...)             \
  RAPT_TEST(tensors_##kind##name) {       \
    call *c = good_call();                \
    rapt_attention_args *args = &c->args; \
    __VA_ARGS__;                          \
  }
#define BAD(name, field, value, ...) \
  TEST(, name, __VA_ARGS__; expect_args(c, INVALID, field, value))
#define GOOD(name, ...) TEST(good_, name, __VA_ARGS__; expect_ok(c))

#define SHIFT(tensor, bytes) \
  (args->tensor.data = (char *)(uintptr_t)args->tensor.data + (ptrdiff_t)(bytes))
#define SET(tensor, b, h, t) \
  (args->tensor.stride[0] = (b), args->tensor.stride[1] = (h), args->tensor.stride[2] = (t))

/* Missing or misaligned data */
BAD(q_null, "args.q.data", "elements", args->q.data = NULL)
BAD(k_null, "args.k.data", "elements", args->k.data = NULL)
BAD(v_null, "args.v.data", "elements", args->v.data = NULL)
BAD(o_null, "args.o.data", "elements", args->o.data = NULL)
BAD(q_misaligned, "args.q.data", "multiple of 4", SHIFT(q, 1))
BAD(k_misaligned, "args.k.data", "multiple of 4", SHIFT(k, 2))
BAD(v_misaligned, "args.v.data", "multiple of 4", SHIFT(v, 3))
BAD(o_misaligned, "args.o.data", "multiple of 4", SHIFT(o, 2))
BAD(lse_misaligned, "args.lse.data", "multiple of 4", SHIFT(lse, 1))

/* Strides that are no multiple of the element */
BAD(q_batch_odd, "args.q.stride[0]", "385", args->q.stride[0] = 385)
BAD(k_head_odd, "args.k.stride[1]", "162", args->k.stride[1] = 162)
BAD(v_token_odd, "args.v.stride[2]", "-15", args->v.stride[2] = -15)
BAD(o_token_odd, "args.o.stride[2]", "18", args->o.stride[2] = 18)
BAD(lse_head_odd, "args.lse.stride[1]", "13", args->lse.stride[1] = 13)

/* 64 bits are not enough */
BAD(q_overflow, "args.q.stride[1]", "9223372036854775804", args->q.stride[1] = INT64_MAX - 3)
BAD(k_overflow, "args.k.stride[2]", "-4611686018427387904", args->k.stride[2] = -(INT64_C(1) << 62))
BAD(v_overflow, "args.v.stride[1]", "-4", args->v.stride[0] = INT64_MIN; args->v.stride[1] = -4)
BAD(o_overflow, "args.o.stride[2]", "6917529027641081856", args->o.stride[2] = INT64_C(3) << 61)
BAD(k_wraps, "args.k.data", "address space", args->k.stride[0] = -(INT64_C(1) << 62))

/* Outputs: positive and free of overlaps */
BAD(o_batch_zero, "args.o.stride[0]", "0", args->o.stride[0] = 0)
BAD(o_head_negative, "args.o.stride[1]", "-48", args->o.stride[1] = -48)
BAD(o_token_short, "args.o.stride[2]", "12", args->o.stride[2] = 12)
BAD(o_head_short, "args.o.stride[1]", "44", args->o.stride[1] = 44)
BAD(o_batch_short, "args.o.stride[0]", "188", args->o.stride[0] = 188)
BAD(o_equal_strides, "args.o.stride[2]", "48", args->o.stride[2] = 48)
BAD(o_bshd_short, "args.o.stride[2]", "60", SET(o, 3 * 64, 16, 60))
BAD(lse_token_zero, "args.lse.stride[2]", "0", args->lse.stride[2] = 0)
BAD(lse_head_short, "args.lse.stride[1]", "8", args->lse.stride[1] = 8)

/* Outputs over inputs and each other. q and o of one size, so that strides fit. */
#define SAME_DIMS (c->desc.head_dim_v = DIM, args->v = args->k)
#define PLACE_AT(tensor, other, bytes)                                                      \
  (SAME_DIMS, args->tensor.data = (char *)(uintptr_t)args->other.data + (ptrdiff_t)(bytes), \
   SET(tensor, args->q.stride[0], args->q.stride[1], args->q.stride[2]))
BAD(o_is_q, "args.o.data", "args.q", PLACE_AT(o, q, 0))
BAD(o_is_k, "args.o.data", "args.k", PLACE_AT(o, k, 0), args->batch = 1)
BAD(o_is_v, "args.o.data", "args.v", args->batch = 1,
    args->o.data = (void *)(uintptr_t)args->v.data)
BAD(o_inside_q, "args.o.data", "args.q", PLACE_AT(o, q, 128))
BAD(o_ends_in_q, "args.o.data", "args.q", PLACE_AT(o, q, -764))
BAD(lse_is_o, "args.lse.data", "args.o", args->lse.data = args->o.data)
BAD(lse_inside_k, "args.lse.data", "args.k", args->lse.data = (char *)(uintptr_t)args->k.data + 100)

/* Broadcast and reversed inputs */
GOOD(broadcast, SET(q, 0, 0, 0), SET(k, 0, 0, 0), SET(v, 0, 0, 0))
GOOD(reversed, SHIFT(k, (KV_LEN - 1) * ROW), SET(k, HEADS_KV *KV_LEN *ROW, KV_LEN *ROW, -ROW))
GOOD(inputs_share, args->k = args->q, SET(k, 4, 4, 4))

/* Strides of dimensions of size 1 have no meaning */
GOOD(one_sequence, args->batch = 1, args->q.stride[0] = 1, args->k.stride[0] = INT64_MIN,
     args->o.stride[0] = 0, args->lse.stride[0] = -1)
GOOD(one_query, args->q_len = 1, args->q.stride[2] = 3, args->o.stride[2] = -5,
     args->lse.stride[2] = 0)
GOOD(one_query_of_each, c->q_lens[0] = 1, args->q_lens = c->q_lens, args->o.stride[2] = 0,
     args->lse.stride[2] = 1)
GOOD(offsets_ignore_batch_strides, args->q_offsets = c->q_offsets, args->kv_offsets = c->kv_offsets,
     c->kv_offsets[1] = 4, c->kv_offsets[2] = 8, c->q_offsets[1] = 1, c->q_offsets[2] = 3,
     args->q.stride[0] = 1, args->o.stride[0] = -1, args->k.stride[0] = INT64_MAX)

/* Nothing there: neither data nor strides are looked at */
GOOD(no_lse, args->lse.data = NULL, SET(lse, 1, 2, 3))
GOOD(nothing_of_v, c->desc.head_dim_v = 0, args->v.data = NULL, args->o.data = NULL)
GOOD(no_queries, args->q_len = 0, args->q.data = NULL, args->o.data = NULL, args->lse.data = NULL,
     args->o.stride[2] = -1)
GOOD(no_keys, args->kv_len = 0, args->k.data = NULL, args->v.data = NULL)
GOOD(no_keys_by_lens, c->kv_lens[0] = c->kv_lens[1] = 0, args->kv_lens = c->kv_lens,
     args->k.data = NULL, args->v.data = NULL)

/* Layouts */
GOOD(bshd, SET(q, Q_LEN *HEADS *ROW, ROW, HEADS *ROW),
     SET(o, Q_LEN *HEADS *ROW_V, ROW_V, HEADS *ROW_V), SET(lse, Q_LEN *HEADS * 4, 4, HEADS * 4))
GOOD(batch_innermost, SET(o, ROW_V, BATCH *ROW_V, BATCH *HEADS *ROW_V))

/* One buffer [token][q o k v][head][channel]: ranges cross, no byte is shared. */
RAPT_TEST(tensors_good_packed_qkvo) {
  static float packed[BATCH * KV_LEN * (2 * HEADS + 2 * HEADS_KV) * DIM];
  enum { TOKEN = (2 * HEADS + 2 * HEADS_KV) * ROW };
  call *c = good_call();
  char *at = (char *)packed;
  c->desc.head_dim_v = DIM;
  c->args.q = (rapt_const_tensor){at, {KV_LEN * TOKEN, ROW, TOKEN}};
  c->args.o = (rapt_tensor){at + HEADS * ROW, {KV_LEN * TOKEN, ROW, TOKEN}};
  c->args.k = (rapt_const_tensor){at + 2 * HEADS * ROW, {KV_LEN * TOKEN, ROW, TOKEN}};
  c->args.v = (rapt_const_tensor){at + (2 * HEADS + HEADS_KV) * ROW, {KV_LEN * TOKEN, ROW, TOKEN}};
  expect_ok(c);
}

/* The LSE of a row right behind its channels. */
RAPT_TEST(tensors_good_lse_behind_o) {
  static float rows[BATCH * HEADS * Q_LEN * (DIM_V + 1)];
  enum { STEP = ROW_V + 4 };
  call *c = good_call();
  c->args.o = (rapt_tensor){rows, {HEADS * Q_LEN * STEP, Q_LEN * STEP, STEP}};
  c->args.lse = (rapt_tensor){rows + DIM_V, {HEADS * Q_LEN * STEP, Q_LEN * STEP, STEP}};
  expect_ok(c);
}
