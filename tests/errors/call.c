/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs spoiled calls through every entry point and looks at all that must not change. */
#include "call.h"

#include <stdlib.h>
#include <string.h>

#include "support/rapt_test.h"

static float q[BATCH * HEADS * Q_LEN * DIM], k[BATCH * HEADS_KV * KV_LEN * DIM];
static float v[BATCH * HEADS_KV * KV_LEN * DIM_V];
static float o[BATCH * HEADS * Q_LEN * DIM_V], lse[BATCH * HEADS * Q_LEN];
static _Alignas(64) unsigned char workspace[CALL_WORKSPACE];

static void *plain_allocate(void *ctx, size_t bytes, size_t alignment) {
  (void)ctx;
  return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void plain_release(void *ctx, void *memory, size_t bytes, size_t alignment) {
  (void)ctx, (void)bytes, (void)alignment;
  free(memory);
}

static int32_t plain_parallel(void *ctx, int32_t n, void (*fn)(void *arg, int32_t index),
                              void *arg) {
  (void)ctx;
  for (int32_t i = 0; i < n; i++) fn(arg, i);
  return 0;
}

call *good_call(void) {
  static call c;
  c = (call){.desc = {.size = sizeof c.desc,
                      .flags = RAPT_CAUSAL | RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT,
                      .heads_q = HEADS,
                      .heads_kv = HEADS_KV,
                      .head_dim_qk = DIM,
                      .head_dim_v = DIM_V,
                      .align = RAPT_ALIGN_OFFSET,
                      .window_left = 2,
                      .isa = "generic"},
             .args = {.size = sizeof c.args, .batch = BATCH, .q_len = Q_LEN, .kv_len = KV_LEN},
             .allocator = {.size = sizeof c.allocator,
                           .allocate = plain_allocate,
                           .release = plain_release},
             .executor = {.size = sizeof c.executor, .max_workers = 1, .parallel = plain_parallel},
             .q_lens = {Q_LEN, 1},
             .kv_lens = {KV_LEN, 2},
             .positions = {2, 0},
             .q_offsets = {0, 3, 5},
             .kv_offsets = {0, 5, 9}};
  c.args.q = (rapt_const_tensor){q, {HEADS * Q_LEN * ROW, Q_LEN * ROW, ROW}};
  c.args.k = (rapt_const_tensor){k, {HEADS_KV * KV_LEN * ROW, KV_LEN * ROW, ROW}};
  c.args.v = (rapt_const_tensor){v, {HEADS_KV * KV_LEN * ROW_V, KV_LEN * ROW_V, ROW_V}};
  c.args.o = (rapt_tensor){o, {HEADS * Q_LEN * ROW_V, Q_LEN * ROW_V, ROW_V}};
  c.args.lse = (rapt_tensor){lse, {HEADS * Q_LEN * 4, Q_LEN * 4, 4}};
  c.args.q_positions = c.positions;
  return &c;
}

static void paint(void) {
  memset(o, PATTERN, sizeof o);
  memset(lse, PATTERN, sizeof lse);
  memset(workspace, PATTERN, sizeof workspace);
}

static int untouched(const void *memory, size_t bytes) {
  const unsigned char *at = memory;
  for (size_t i = 0; i < bytes; i++)
    if (at[i] != PATTERN) return 0;
  return 1;
}

static void check_report(const char *entry, rapt_status got, const rapt_error *error,
                         rapt_status status, const char *field, const char *value) {
  CHECK(got == status, "%s: status %d, expected %d (%s: %s)", entry, got, status, error->field,
        error->message);
  if (got != status) return;
  CHECK(error->code == status, "%s: code %d", entry, error->code);
  CHECK(strcmp(error->field, field) == 0, "%s: field \"%s\", expected \"%s\" (%s)", entry,
        error->field, field, error->message);
  CHECK(!value || strstr(error->message, value), "%s: \"%s\" does not tell \"%s\"", entry,
        error->message, value);
  CHECK(strlen(error->message) >= 5 && strlen(error->message) < sizeof error->message - 1,
        "%s: \"%s\" is no whole sentence", entry, error->message);
}

static void check_outputs(const char *entry) {
  CHECK(untouched(o, sizeof o), "%s: O was written", entry);
  CHECK(untouched(lse, sizeof lse), "%s: LSE was written", entry);
}

static void one_shot(const call *c, rapt_status status, const char *field, const char *value) {
  rapt_error error = {.size = sizeof error};
  paint();
  rapt_status got = rapt_attention(&c->desc, &c->args, &c->executor, &error);
  check_report("rapt_attention", got, &error, status, field, value);
  CHECK(rapt_attention(&c->desc, &c->args, &c->executor, NULL) == status,
        "without an error struct");
  check_outputs("rapt_attention");
}

void expect_desc(const call *c, rapt_status status, const char *field, const char *value) {
  rapt_error error = {.size = sizeof error};
  rapt_plan_info info, before;
  memset(&info, PATTERN, sizeof info);
  info.size = sizeof info;
  before = info;
  check_report("rapt_plan_check", rapt_plan_check(&c->desc, &info, &error), &error, status, field,
               value);
  CHECK(memcmp(&info, &before, sizeof info) == 0, "rapt_plan_check: info was written");

  rapt_plan *const none = (rapt_plan *)(void *)&info;
  rapt_plan *plan = none;
  error = (rapt_error){.size = sizeof error};
  check_report("rapt_plan_create", rapt_plan_create(&c->desc, &plan, &error), &error, status, field,
               value);
  CHECK(plan == none, "rapt_plan_create: plan was written");
  CHECK(rapt_plan_create(&c->desc, &plan, NULL) == status, "without an error struct");
  one_shot(c, status, field, value);
}

static void run(const call *c, rapt_status status, const char *field, const char *value) {
  rapt_error error = {.size = sizeof error};
  rapt_plan *plan = NULL;
  REQUIRE(rapt_plan_create(&c->desc, &plan, &error) == RAPT_OK, "%s: %s", error.field,
          error.message);
  paint();
  rapt_status got = rapt_attention_run(plan, &c->args, workspace, sizeof workspace, &c->executor,
                                       &error);
  check_report("rapt_attention_run", got, &error, status, field, value);
  got = rapt_attention_run(plan, &c->args, workspace, sizeof workspace, &c->executor, NULL);
  CHECK(got == status, "without an error struct: %d", got);
  check_outputs("rapt_attention_run");
  CHECK(untouched(workspace, sizeof workspace), "rapt_attention_run: the workspace was written");
  rapt_plan_destroy(plan);
}

static void team(const call *c, rapt_status status, const char *field, const char *value) {
  rapt_error error = {.size = sizeof error};
  rapt_plan *plan = NULL;
  REQUIRE(rapt_plan_create(&c->desc, &plan, &error) == RAPT_OK, "%s", error.message);
  paint();
  memset(workspace, 0, RAPT_TEAM_HEADER_BYTES);
  rapt_status got = rapt_attention_run_team(plan, &c->args, workspace, sizeof workspace, 0, 1,
                                            &error);
  check_report("rapt_attention_run_team", got, &error, status, field, value);
  check_outputs("rapt_attention_run_team");
  for (int i = 0; i < RAPT_TEAM_HEADER_BYTES; i++)
    CHECK(workspace[i] == 0, "byte %d of the team header", i);
  CHECK(untouched(workspace + RAPT_TEAM_HEADER_BYTES, sizeof workspace - RAPT_TEAM_HEADER_BYTES),
        "rapt_attention_run_team: the workspace was written");
  rapt_plan_destroy(plan);
}

void expect_args(const call *c, rapt_status status, const char *field, const char *value) {
  run(c, status, field, value);
  team(c, status, field, value);
  one_shot(c, status, field, value);
}

void expect_executor(const call *c, rapt_status status, const char *field, const char *value) {
  run(c, status, field, value);
  one_shot(c, status, field, value);
}

void expect_ok(const call *c) {
  rapt_error error = {.size = sizeof error};
  rapt_plan *plan = NULL;
  REQUIRE(rapt_plan_create(&c->desc, &plan, &error) == RAPT_OK, "%s: %s", error.field,
          error.message);
  CHECK(rapt_attention_run(plan, &c->args, workspace, sizeof workspace, &c->executor, &error) ==
            RAPT_OK,
        "rapt_attention_run: %s: %s", error.field, error.message);
  memset(workspace, 0, RAPT_TEAM_HEADER_BYTES);
  CHECK(rapt_attention_run_team(plan, &c->args, workspace, sizeof workspace, 0, 1, &error) ==
            RAPT_OK,
        "rapt_attention_run_team: %s: %s", error.field, error.message);
  CHECK(rapt_attention(&c->desc, &c->args, &c->executor, &error) == RAPT_OK,
        "rapt_attention: %s: %s", error.field, error.message);
  CHECK(error.code == 0 && error.field[0] == '\0', "error was written");
  rapt_plan_destroy(plan);
}
