/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A refused call writes nothing: not O, not LSE, not the workspace. One fault at a time in a call
 * that is right otherwise. */
#include "problem.h"

static int32_t bad_q_lens[] = {3, 6}, bad_kv_lens[] = {2, -1}, long_kv_lens[] = {2, 10};
static int32_t good_lens[] = {3, 2}, descending[] = {0, 4, 3}, negative_start[] = {-1, 2, 4};
static int32_t wide_offsets[] = {0, 6, 8}, positions[] = {0, -1}, far_positions[] = {0, INT32_MAX};
static int32_t huge_kv_lens[] = {INT32_MAX, 2};

typedef struct fault {
  const char *name;
  void (*apply)(problem *p);
  const char *field; /* part of the reported field */
} fault;

#define FAULT(name, ...) \
  static void name(problem *p) { __VA_ARGS__; }

FAULT(null_q, p->args.q.data = NULL)
FAULT(null_k, p->args.k.data = NULL)
FAULT(null_v, p->args.v.data = NULL)
FAULT(odd_q, p->args.q.data = (const char *)p->args.q.data + 1)
FAULT(odd_k_stride, p->args.k.stride[2] += 2)
FAULT(negative_batch, p->args.batch = -1)
FAULT(negative_q_len, p->args.q_len = -5)
FAULT(negative_kv_len, p->args.kv_len = INT32_MIN)
FAULT(unknown_flags, p->args.flags = 1u << 30)
FAULT(reserved_field, p->args.reserved = 1)
FAULT(q_lens_over, p->args.q_lens = bad_q_lens)
FAULT(kv_lens_negative, p->args.kv_lens = bad_kv_lens)
FAULT(kv_lens_over, p->args.kv_lens = long_kv_lens)
FAULT(kv_lens_huge, p->args.kv_lens = huge_kv_lens)
FAULT(offsets_descend, p->args.q_offsets = descending)
FAULT(offsets_negative, p->args.kv_offsets = negative_start)
FAULT(offsets_over_max, p->args.q_offsets = wide_offsets)
FAULT(offsets_and_lens, p->args.q_offsets = wide_offsets, p->args.q_lens = good_lens)
FAULT(position_negative, p->args.q_positions = positions)
FAULT(position_far, p->args.q_positions = far_positions)
FAULT(position_missing, p->args.q_positions = NULL)
FAULT(o_stride_zero, p->args.o.stride[2] = 0)
FAULT(o_stride_negative, p->args.o.stride[1] = -p->args.o.stride[1])
FAULT(o_stride_small, p->args.o.stride[2] -= 4)
FAULT(lse_stride_zero, p->args.lse.stride[0] = 0)
FAULT(stride_overflow, p->args.k.stride[0] = INT64_MAX / 4 * 4, p->args.k.stride[1] = 1ll << 62)
FAULT(o_is_q, p->args.o.data = problem_writable(p->args.q.data))
FAULT(o_is_v, p->args.o.data = problem_writable(p->args.v.data))
FAULT(args_too_short, p->args.size = 8)

static const fault faults[] = {
    {"null q", null_q, "q"},
    {"null k", null_k, "k"},
    {"null v", null_v, "v"},
    {"misaligned q", odd_q, "q"},
    {"odd k stride", odd_k_stride, "k"},
    {"negative batch", negative_batch, "batch"},
    {"negative q_len", negative_q_len, "q_len"},
    {"negative kv_len", negative_kv_len, "kv_len"},
    {"unknown flags", unknown_flags, "flags"},
    {"reserved", reserved_field, "reserved"},
    {"q_lens over q_len", q_lens_over, "q_lens[1]"},
    {"negative kv_lens", kv_lens_negative, "kv_lens[1]"},
    {"kv_lens over kv_len", kv_lens_over, "kv_lens[1]"},
    {"kv_lens INT32_MAX", kv_lens_huge, "kv_lens[0]"},
    {"descending offsets", offsets_descend, "q_offsets[2]"},
    {"negative offsets", offsets_negative, "kv_offsets[0]"},
    {"offsets wider than q_len", offsets_over_max, "q_offsets[1]"},
    {"offsets and lens", offsets_and_lens, "q_lens"},
    {"negative position", position_negative, "q_positions[1]"},
    {"position over int32", position_far, "q_positions[1]"},
    {"no positions", position_missing, "q_positions"},
    {"o stride 0", o_stride_zero, "o"},
    {"o stride negative", o_stride_negative, "o"},
    {"o rows overlap", o_stride_small, "o"},
    {"lse stride 0", lse_stride_zero, "lse"},
    {"stride overflow", stride_overflow, "k"},
    {"o in the place of q", o_is_q, "o"},
    {"o in the place of v", o_is_v, "o"},
    {"args too short", args_too_short, "args"},
};

enum { WORKSPACE_OK, WORKSPACE_NULL, WORKSPACE_ODD, WORKSPACE_SMALL, EXECUTOR_BAD, OTHERS };

/* Plans the right call, breaks it, runs it. */
static void run_fault(const fault *f, int other, const char *what) {
  problem p = problem_make(2, 2, 8, 8, 2, 5, 9);
  rng r = rng_make(rapt_test_seed());
  int32_t at[] = {0, 3};
  p.desc.flags = RAPT_CAUSAL;
  p.desc.align = RAPT_ALIGN_OFFSET;
  p.args.q_positions = at;
  problem_build(&p, &r);
  rapt_plan *plan = NULL;
  rapt_workspace_info info = {.size = sizeof info};
  rapt_error error = {.size = sizeof error};
  REQUIRE(rapt_plan_create(&p.desc, &plan, &error) == RAPT_OK, "%s", error.message);
  REQUIRE(rapt_plan_workspace(plan, &p.args, 1, &info, &error) == RAPT_OK, "%s", error.message);
  guard_buffer ws = guard_alloc((size_t)info.bytes + 64, GUARD_END, 64);
  if (f) f->apply(&p);
  rapt_executor executor = serial_executor;
  if (other == EXECUTOR_BAD) executor.max_workers = 0;
  char *memory = other == WORKSPACE_NULL ? NULL : ws.data;
  if (other == WORKSPACE_ODD) memory += 8;
  size_t bytes = other == WORKSPACE_SMALL ? 64 : (size_t)info.bytes;
  rapt_status status = rapt_attention_run(plan, &p.args, memory, bytes, &executor, &error);
  CHECK(status < 0 && status != RAPT_ERROR_EXECUTOR, "%s: status %d", what, status);
  CHECK(status >= 0 || error.code == status, "%s: status %d, error.code %d", what, status,
        error.code);
  CHECK(status >= 0 || (error.message[0] && memchr(error.message, 0, sizeof error.message)),
        "%s: no message", what);
  if (f)
    CHECK(strstr(error.field, f->field) != NULL, "%s: field %s, not %s (%s)", what, error.field,
          f->field, error.message);
  if (other != WORKSPACE_OK && other != EXECUTOR_BAD)
    CHECK(status == RAPT_ERROR_WORKSPACE, "%s: status %d", what, status);
  for (int t = TENSOR_O; t < TENSORS; t++)
    CHECK_UNTOUCHED(p.buffer[t].data, p.buffer[t].bytes, "%s: tensor %d", what, t);
  CHECK_UNTOUCHED(ws.data, ws.bytes, "%s: workspace", what);
  guard_free(&ws);
  rapt_plan_destroy(plan);
  problem_free(&p);
}

RAPT_TEST(errors_write_nothing) {
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    run_fault(&faults[i], WORKSPACE_OK, faults[i].name);
}

RAPT_TEST(errors_of_workspace_and_executor) {
  static const char *const names[OTHERS] = {"", "no workspace", "workspace misaligned",
                                            "workspace small", "executor without workers"};
  for (int other = WORKSPACE_NULL; other < OTHERS; other++) run_fault(NULL, other, names[other]);
}

/* A larger args struct whose unknown part is zero is a newer caller's, and fine; non-zero is not. */
RAPT_TEST(errors_newer_args) {
  struct {
    rapt_attention_args args;
    int64_t news;
  } newer;
  for (int set = 0; set < 2; set++) {
    problem p = problem_make(1, 1, 8, 8, 1, 5, 9);
    rng r = rng_make(rapt_test_seed());
    problem_build(&p, &r);
    memset(&newer, 0, sizeof newer);
    newer.args = p.args;
    newer.args.size = sizeof newer;
    newer.news = set;
    rapt_status status = rapt_attention(&p.desc, &newer.args, NULL, NULL);
    CHECK(status == (set ? RAPT_ERROR_VERSION : RAPT_OK), "status %d", status);
    if (set)
      CHECK_UNTOUCHED(p.buffer[TENSOR_O].data, p.buffer[TENSOR_O].bytes, "O");
    else
      problem_compare(&p, "", "newer args");
    problem_free(&p);
  }
}
