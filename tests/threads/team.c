/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt_attention_run_team: threads that already run call together, again and again on the same
 * workspace without a barrier of their own. */
#include "executors.h"
#include "loads.h"

enum { ROUNDS = 24, MOST_TEAM = 96 };

typedef struct team {
  problem *p;
  const rapt_plan *plan;
  int32_t nth, rounds;
  void *workspace;
  size_t bytes;
  rapt_attention_args args[ROUNDS]; /* one per call; each has outputs of its own */
  rapt_status status[MOST_TEAM][ROUNDS];
} team;

static void member(void *arg, int32_t ith) {
  team *t = arg;
  for (int32_t i = 0; i < t->rounds; i++)
    t->status[ith][i] = rapt_attention_run_team(t->plan, &t->args[i], t->workspace, t->bytes, ith,
                                                t->nth, NULL);
}

static int statuses_equal(const team *t, rapt_status wanted, const char *what) {
  int ok = 1;
  for (int32_t i = 0; i < t->rounds; i++)
    for (int32_t m = 0; m < t->nth; m++)
      ok &= CHECK(t->status[m][i] == wanted, "%s: call %d, thread %d: status %d", what, i, m,
                  t->status[m][i]);
  return ok;
}

static int header_zero(const team *t) {
  const unsigned char *at = t->workspace;
  for (int i = 0; i < RAPT_TEAM_HEADER_BYTES; i++)
    if (at[i]) return 0;
  return 1;
}

/* Plan and workspace for `nth` threads; 0 on failure. */
static int team_open(team *t, problem *p, const char *isa, int32_t nth, rapt_plan **plan,
                     guard_buffer *workspace) {
  rapt_workspace_info info = {.size = sizeof info};
  rapt_error error = {.size = sizeof error};
  *plan = NULL;
  p->desc.isa = isa;
  rapt_status status = rapt_plan_create(&p->desc, plan, &error);
  p->desc.isa = NULL;
  if (status == RAPT_OK) status = rapt_plan_workspace(*plan, &p->args, nth, &info, &error);
  if (!CHECK(status == RAPT_OK, "%s: %s", isa, error.message)) return 0;
  *workspace = guard_alloc((size_t)info.bytes, GUARD_END, 64);
  memset(workspace->data, 0, RAPT_TEAM_HEADER_BYTES);
  memset(t, 0, sizeof *t);
  t->p = p;
  t->plan = *plan;
  t->nth = nth;
  t->rounds = smaller(ROUNDS, 4);
  t->workspace = workspace->data;
  t->bytes = workspace->bytes;
  return 1;
}

static void run_team(const load *l, int32_t nth, int32_t rounds) {
  problem *p = l->p;
  team t;
  rapt_plan *plan;
  guard_buffer workspace, o[ROUNDS], lse[ROUNDS];
  if (!team_open(&t, p, l->isa, nth, &plan, &workspace)) return;
  if (t.rounds > rounds) t.rounds = rounds;
  for (int32_t i = 0; i < t.rounds; i++) {
    o[i] = guard_floats(p->buffer[TENSOR_O].bytes / 4, GUARD_END);
    lse[i] = guard_floats(p->buffer[TENSOR_LSE].bytes / 4, GUARD_END);
    t.args[i] = p->args;
    t.args[i].o.data = o[i].data;
    t.args[i].lse.data = lse[i].data;
  }
  on_threads(nth, member, &t);
  char what[80];
  snprintf(what, sizeof what, "%s %s, team of %d", l->isa, load_names[l->kind], nth);
  statuses_equal(&t, RAPT_OK, what);
  CHECK(header_zero(&t), "%s: header not zero", what);
  for (int32_t i = 0; i < t.rounds; i++) {
    problem view = *p;
    view.args = t.args[i];
    load_same(&view, l->expected, what);
    CHECK(guard_free(&o[i]) && guard_free(&lse[i]), "%s: written outside of O", what);
  }
  /* The workspace serves a plain run, too, and a team after it. */
  rapt_status status = rapt_attention_run(plan, &p->args, t.workspace, t.bytes, NULL, NULL);
  CHECK(status == RAPT_OK && header_zero(&t), "%s: run after team: %d", what, status);
  CHECK(guard_free(&workspace), "%s: written outside of the workspace", what);
  rapt_plan_destroy(plan);
}

static void teams(const load *l) {
  for (int32_t nth = 1; nth <= 8; nth += nth < 4 ? 1 : 2) run_team(l, nth, ROUNDS);
}

LOAD_TESTS(team, teams)

/* Far more threads than tasks or cores. */
static void large_team(const load *l) {
  if (l->isa == level_at(0)) run_team(l, smaller(MOST_TEAM, 16), 2);
}

RAPT_TEST(team_of_96) {
  load_each_level(LOAD_CAUSAL, large_team);
  load_each_level(LOAD_DECODE, large_team);
}

/* Refused calls between right ones: all threads get the same status, the team goes on. */
RAPT_TEST(team_errors) {
  static const int32_t bad_lens[] = {9999, 1};
  rng r = rng_make(rapt_test_seed());
  problem p = load_make(LOAD_PREFILL, &r);
  for (int32_t nth = 1; nth <= 6; nth++) {
    team t;
    rapt_plan *plan;
    guard_buffer workspace;
    REQUIRE(team_open(&t, &p, level_at(0), nth, &plan, &workspace), "team");
    for (int32_t i = 0; i < t.rounds; i++) {
      t.args[i] = p.args;
      if (i % 2) t.args[i].kv_lens = bad_lens;
    }
    on_threads(nth, member, &t);
    for (int32_t i = 0; i < t.rounds; i++)
      for (int32_t m = 0; m < nth; m++)
        CHECK(t.status[m][i] == (i % 2 ? RAPT_ERROR_INVALID_ARGUMENT : RAPT_OK),
              "team of %d, call %d, thread %d: status %d", nth, i, m, t.status[m][i]);
    CHECK(header_zero(&t), "team of %d: header not zero", nth);
    /* A workspace that is too small or none at all. */
    t.bytes = 256;
    t.rounds = 1;
    on_threads(nth, member, &t);
    statuses_equal(&t, RAPT_ERROR_WORKSPACE, "small workspace");
    CHECK(guard_free(&workspace), "written outside of the workspace");
    rapt_plan_destroy(plan);
  }
  problem_free(&p);
}

/* ith and nth out of range. */
RAPT_TEST(team_numbers) {
  static const int32_t bad[][2] = {{-1, 2}, {2, 2}, {0, 0}, {0, -1}, {5, 4}};
  rng r = rng_make(rapt_test_seed());
  problem p = load_make(LOAD_PREFILL, &r);
  team t;
  rapt_plan *plan;
  guard_buffer workspace;
  REQUIRE(team_open(&t, &p, level_at(0), 2, &plan, &workspace), "team");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    rapt_status status = rapt_attention_run_team(plan, &p.args, t.workspace, t.bytes, bad[i][0],
                                                 bad[i][1], NULL);
    CHECK(status == RAPT_ERROR_INVALID_ARGUMENT, "thread %d of %d: status %d", bad[i][0], bad[i][1],
          status);
  }
  CHECK(header_zero(&t), "header was touched");
  /* A header that was never zeroed is refused rather than waited on. */
  memset(t.workspace, 1, RAPT_TEAM_HEADER_BYTES);
  rapt_status status = rapt_attention_run_team(plan, &p.args, t.workspace, t.bytes, 0, 2, NULL);
  CHECK(status == RAPT_ERROR_WORKSPACE, "header of ones: status %d", status);
  guard_free(&workspace);
  rapt_plan_destroy(plan);
  problem_free(&p);
}

/* Cancelled: all threads get the same answer, whatever it is, call by call. */
RAPT_TEST(team_cancelled) {
  rng r = rng_make(rapt_test_seed());
  problem p = load_make(LOAD_CAUSAL, &r);
  int32_t cancel = 1;
  for (int32_t nth = 1; nth <= 4; nth++) {
    team t;
    rapt_plan *plan;
    guard_buffer workspace;
    REQUIRE(team_open(&t, &p, level_at(0), nth, &plan, &workspace), "team");
    if (nth == 4) t.bytes -= t.bytes / 2; /* members without a slice of their own agree as well */
    for (int32_t i = 0; i < t.rounds; i++) {
      t.args[i] = p.args;
      if (i % 2) t.args[i].cancel = &cancel;
    }
    on_threads(nth, member, &t);
    for (int32_t i = 0; i < t.rounds; i++)
      for (int32_t m = 0; m < nth; m++)
        CHECK(t.status[m][i] == (i % 2 ? RAPT_ERROR_CANCELLED : RAPT_OK),
              "team of %d, call %d, thread %d: status %d", nth, i, m, t.status[m][i]);
    CHECK(header_zero(&t), "team of %d: header not zero", nth);
    guard_free(&workspace);
    rapt_plan_destroy(plan);
  }
  problem_free(&p);
}
