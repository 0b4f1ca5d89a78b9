/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every scalar and array of the arguments, the executor and the workspace, wrong in turn. */
#include <stddef.h>
#include <string.h>

#include "call.h"
#include "support/rapt_test.h"

#define INVALID RAPT_ERROR_INVALID_ARGUMENT

#define TEST(kind, name, ...)             \
  RAPT_TEST(args_##kind##name) {          \
    call *c = good_call();                \
    rapt_attention_args *args = &c->args; \
    (void)args;                           \
    __VA_ARGS__;                          \
  }
#define BAD(name, field, value, ...) \
  TEST(, name, __VA_ARGS__; expect_args(c, INVALID, field, value))
#define BAD_EXECUTOR(name, field, value, ...) \
  TEST(, name, __VA_ARGS__; expect_executor(c, INVALID, field, value))
#define GOOD(name, ...) TEST(good_, name, __VA_ARGS__; expect_ok(c))

BAD(size_zero, "args.size", "0", args->size = 0)
BAD(size_small, "args.size", "160", args->size = 160)
BAD(size_odd, "args.size", "231", args->size = 231)
BAD(size_garbage, "args.size", "4294967295", args->size = UINT32_MAX)
BAD(flags, "args.flags", "1", args->flags = 1)
BAD(reserved, "args.reserved", "-1", args->reserved = -1)
BAD(batch, "args.batch", "-1", args->batch = -1)
BAD(q_len, "args.q_len", "-3", args->q_len = -3)
BAD(kv_len, "args.kv_len", "-2147483648", args->kv_len = INT32_MIN)

/* Lengths */
#define Q_LENS(a, b) (c->q_lens[0] = (a), c->q_lens[1] = (b), args->q_lens = c->q_lens)
#define KV_LENS(a, b) (c->kv_lens[0] = (a), c->kv_lens[1] = (b), args->kv_lens = c->kv_lens)
BAD(q_lens_negative, "args.q_lens[1]", "-1", Q_LENS(3, -1))
BAD(q_lens_long, "args.q_lens[0]", "4", Q_LENS(4, 0))
BAD(kv_lens_negative, "args.kv_lens[0]", "-7", KV_LENS(-7, 0))
BAD(kv_lens_long, "args.kv_lens[1]", "6", KV_LENS(5, 6))

/* Offsets */
#define OFFSETS(side, a, b, d)                                                         \
  (c->side##_offsets[0] = (a), c->side##_offsets[1] = (b), c->side##_offsets[2] = (d), \
   args->side##_offsets = c->side##_offsets)
/* Packed sequences: [token][head], so that tokens may be more than q_len and kv_len. */
#define TOKENS_FIRST                                                                  \
  (args->q.stride[1] = ROW, args->q.stride[2] = HEADS * ROW, args->k.stride[1] = ROW, \
   args->k.stride[2] = HEADS_KV * ROW, args->v.stride[1] = ROW_V,                     \
   args->v.stride[2] = HEADS_KV * ROW_V, args->o.stride[1] = ROW_V,                   \
   args->o.stride[2] = HEADS * ROW_V, args->lse.stride[1] = 4, args->lse.stride[2] = HEADS * 4)
BAD(q_offsets_negative, "args.q_offsets[0]", "-1", OFFSETS(q, -1, 1, 2))
BAD(q_offsets_descend, "args.q_offsets[2]", "2", OFFSETS(q, 0, 3, 2))
BAD(q_offsets_long, "args.q_offsets[1]", "4", OFFSETS(q, 0, 4, 5))
BAD(q_offsets_and_lens, "args.q_lens", "q_offsets", OFFSETS(q, 0, 3, 5), Q_LENS(3, 2))
BAD(kv_offsets_negative, "args.kv_offsets[0]", "-2147483648", OFFSETS(kv, INT32_MIN, 1, 2))
BAD(kv_offsets_descend, "args.kv_offsets[1]", "2", OFFSETS(kv, 3, 2, 4))
BAD(kv_offsets_long, "args.kv_offsets[2]", "9", OFFSETS(kv, 0, 3, 9))
BAD(kv_offsets_and_lens, "args.kv_lens", "kv_offsets", OFFSETS(kv, 0, 5, 9), KV_LENS(5, 4))

/* Positions */
BAD(positions_missing, "args.q_positions", "NULL", args->q_positions = NULL)
BAD(positions_without_use, "args.q_positions", "NULL", c->desc.align = RAPT_ALIGN_TOP_LEFT)
BAD(positions_negative, "args.q_positions[1]", "-1", c->positions[1] = -1)
BAD(positions_beyond, "args.q_positions[0]", "2147483645", c->positions[0] = INT32_MAX - 2)
BAD(positions_beyond_own_len, "args.q_positions[1]", "2147483646", Q_LENS(3, 2);
    c->positions[1] = INT32_MAX - 1)

/* Executor */
BAD_EXECUTOR(executor_size, "executor.size", "8", c->executor.size = 8)
BAD_EXECUTOR(executor_workers_zero, "executor.max_workers", "0", c->executor.max_workers = 0)
BAD_EXECUTOR(executor_workers_negative, "executor.max_workers", "-2", c->executor.max_workers = -2)
BAD_EXECUTOR(executor_parallel, "executor.parallel", "NULL", c->executor.parallel = NULL)

GOOD(as_it_is, (void)args)
GOOD(no_batch, args->batch = 0, args->q_positions = NULL)
GOOD(no_queries, args->q_len = 0)
GOOD(no_keys, args->kv_len = 0)
GOOD(lens, Q_LENS(3, 0), KV_LENS(0, 5))
GOOD(offsets, TOKENS_FIRST, OFFSETS(q, 0, 3, 5), OFFSETS(kv, 0, 5, 9))
GOOD(offsets_begin_late, TOKENS_FIRST, OFFSETS(q, 1, 3, 3), OFFSETS(kv, 2, 2, 7))
GOOD(position_at_the_end, c->positions[0] = INT32_MAX - 3)
GOOD(position_at_the_end_of_a_short_one, Q_LENS(3, 0); c->positions[1] = INT32_MAX)
GOOD(older_struct_without_lse, args->size = offsetof(rapt_attention_args, lse))

RAPT_TEST(args_null) {
  call *c = good_call();
  rapt_plan *plan = NULL;
  rapt_error error = {.size = sizeof error};
  static _Alignas(64) unsigned char workspace[1 << 20];
  REQUIRE(rapt_plan_create(&c->desc, &plan, NULL) == RAPT_OK, "no plan");
  CHECK(rapt_attention_run(plan, NULL, workspace, sizeof workspace, NULL, &error) == INVALID,
        "run");
  CHECK(strcmp(error.field, "args") == 0, "%s", error.field);
  CHECK(rapt_attention_run(NULL, &c->args, workspace, sizeof workspace, NULL, &error) == INVALID,
        "no plan");
  CHECK(strcmp(error.field, "plan") == 0, "%s", error.field);
  rapt_plan_destroy(plan);
}

RAPT_TEST(args_workspace) {
  call *c = good_call();
  rapt_plan *plan = NULL;
  rapt_error error = {.size = sizeof error};
  rapt_workspace_info info = {.size = sizeof info};
  static _Alignas(64) unsigned char memory[CALL_WORKSPACE];
  REQUIRE(rapt_plan_create(&c->desc, &plan, NULL) == RAPT_OK, "no plan");
  REQUIRE(rapt_plan_workspace(plan, &c->args, 1, &info, &error) == RAPT_OK, "%s", error.message);
  REQUIRE(info.bytes > 0 && info.bytes <= sizeof memory - 64, "%llu bytes",
          (unsigned long long)info.bytes);
  const struct {
    void *at;
    size_t bytes;
    rapt_status status;
  } cases[] = {{memory, (size_t)info.bytes, RAPT_OK},
               {NULL, (size_t)info.bytes, RAPT_ERROR_WORKSPACE},
               {memory, 0, RAPT_ERROR_WORKSPACE},
               {memory, (size_t)info.bytes - 1, RAPT_ERROR_WORKSPACE},
               {memory + 4, sizeof memory - 4, RAPT_ERROR_WORKSPACE},
               {memory + 32, sizeof memory - 32, RAPT_ERROR_WORKSPACE}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rapt_status got = rapt_attention_run(plan, &c->args, cases[i].at, cases[i].bytes, &c->executor,
                                         &error);
    CHECK(got == cases[i].status, "case %zu: status %d (%s)", i, got, error.message);
  }
  rapt_plan_destroy(plan);
}

RAPT_TEST(args_workspace_query) {
  call *c = good_call();
  rapt_plan *plan = NULL;
  rapt_error error = {.size = sizeof error};
  rapt_workspace_info info = {.size = sizeof info, .bytes = 77};
  REQUIRE(rapt_plan_create(&c->desc, &plan, NULL) == RAPT_OK, "no plan");
  const struct {
    int32_t batch, q_len, kv_len, workers;
  } cases[] = {{-1, 3, 5, 1}, {2, -3, 5, 1}, {2, 3, -5, 1}, {2, 3, 5, 0}, {2, 3, 5, -1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rapt_attention_args args = {.size = sizeof args,
                                .batch = cases[i].batch,
                                .q_len = cases[i].q_len,
                                .kv_len = cases[i].kv_len};
    CHECK(rapt_plan_workspace(plan, &args, cases[i].workers, &info, &error) == INVALID, "case %zu",
          i);
    CHECK(info.bytes == 77, "case %zu: written", i);
  }
  CHECK(rapt_plan_workspace(plan, &c->args, 1, NULL, &error) == INVALID, "no info");
  CHECK(rapt_plan_workspace(plan, NULL, 1, &info, &error) == INVALID, "no args");
  CHECK(rapt_plan_workspace(NULL, &c->args, 1, &info, &error) == INVALID, "no plan");
  CHECK(info.bytes == 77, "written");
  /* Only the three lengths are read. */
  rapt_attention_args args = {.size = 24, .batch = 2, .q_len = 3, .kv_len = 5};
  CHECK(rapt_plan_workspace(plan, &args, 1, &info, &error) == RAPT_OK, "%s", error.message);
  rapt_plan_destroy(plan);
}

RAPT_TEST(args_team) {
  call *c = good_call();
  rapt_plan *plan = NULL;
  rapt_error error = {.size = sizeof error};
  static _Alignas(64) unsigned char workspace[1 << 20];
  REQUIRE(rapt_plan_create(&c->desc, &plan, NULL) == RAPT_OK, "no plan");
  const int32_t cases[][2] = {{0, 0}, {-1, 2}, {2, 2}, {0, -1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rapt_status got = rapt_attention_run_team(plan, &c->args, workspace, sizeof workspace,
                                              cases[i][0], cases[i][1], &error);
    CHECK(got == INVALID, "ith %d of nth %d: status %d", cases[i][0], cases[i][1], got);
  }
  CHECK(rapt_attention_run_team(plan, NULL, workspace, sizeof workspace, 0, 1, &error) == INVALID,
        "no args");
  CHECK(rapt_attention_run_team(NULL, &c->args, workspace, sizeof workspace, 0, 1, &error) ==
            INVALID,
        "no plan");
  rapt_plan_destroy(plan);
}
