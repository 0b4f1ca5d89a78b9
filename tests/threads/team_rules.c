/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Teams with masks, scores, weights and key sums; teams that are cancelled while they compute those. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include "executors.h"
#include "rule_loads.h"

enum { ROUNDS = 6, MOST_TEAM = 96 };

/* One call of the team: outputs of its own. */
typedef struct round_of {
  rapt_attention_args args;
  rapt_scores_out scores;
  guard_buffer out[TENSORS], looks[2];
  rapt_status status[MOST_TEAM];
} round_of;

typedef struct team {
  const rapt_plan *plan;
  void *workspace;
  size_t bytes;
  int32_t nth;
  round_of *rounds;
} team;

static void member(void *arg, int32_t ith) {
  team *t = arg;
  for (int i = 0; i < ROUNDS; i++)
    t->rounds[i].status[ith] = rapt_attention_run_team(t->plan, &t->rounds[i].args, t->workspace,
                                                       t->bytes, ith, t->nth, NULL);
}

static void *outputs_like(guard_buffer *to, const guard_buffer *like) {
  *to = guard_floats(like->bytes / 4, GUARD_END);
  return to->data;
}

static void round_open(round_of *x, const problem *p) {
  memset(x, 0, sizeof *x);
  x->args = p->args;
  rapt_tensor *out[] = {&x->args.o, &x->args.lse, &x->args.m, &x->args.l};
  for (int t = TENSOR_O; t < TENSORS; t++)
    if (p->buffer[t].map) out[t - TENSOR_O]->data = outputs_like(&x->out[t], &p->buffer[t]);
  if (!p->args.scores) return;
  x->scores = *p->args.scores;
  x->args.scores = &x->scores;
  if (x->scores.data) x->scores.data = outputs_like(&x->looks[0], &p->extra[EXTRA_SCORES]);
  if (x->scores.key_sums)
    x->scores.key_sums = outputs_like(&x->looks[1], &p->extra[EXTRA_KEY_SUMS]);
}

static void round_close(round_of *x) {
  for (int t = 0; t < TENSORS; t++)
    if (x->out[t].map) CHECK(guard_free(&x->out[t]), "written around output %d", t);
  for (int t = 0; t < 2; t++)
    if (x->looks[t].map) CHECK(guard_free(&x->looks[t]), "written around scores or key sums");
}

/* All threads agree on each round, and what was not cancelled is right. Returns cancelled rounds. */
static int round_checked(const load *l, const round_of *x, int32_t nth, int may_cancel,
                         const char *what) {
  for (int32_t m = 1; m < nth; m++)
    CHECK(x->status[m] == x->status[0], "%s: thread %d says %d, thread 0 %d", what, m, x->status[m],
          x->status[0]);
  if (may_cancel && x->status[0] == RAPT_ERROR_CANCELLED) return 1;
  problem view = *l->p;
  view.args = x->args;
  if (CHECK(x->status[0] == RAPT_OK, "%s: status %d", what, x->status[0]))
    load_same(&view, l->expected, what);
  return 0;
}

/* odd: rounds with an odd number are cancelled from the start; *flag may be set at any time. */
static int run_team(const load *l, int32_t nth, int32_t *flag, int odd) {
  static const int32_t always = 1;
  problem *p = l->p;
  static round_of rounds[ROUNDS];
  rapt_plan *plan = NULL;
  rapt_workspace_info info = {.size = sizeof info};
  int cancelled = 0;
  p->desc.isa = l->isa;
  rapt_status status = rapt_plan_create(&p->desc, &plan, NULL);
  p->desc.isa = NULL;
  if (status == RAPT_OK) status = rapt_plan_workspace(plan, &p->args, nth, &info, NULL);
  if (!CHECK(status == RAPT_OK, "%s: status %d", l->isa, status)) return 0;
  guard_buffer workspace = guard_alloc((size_t)info.bytes, GUARD_END, 64);
  memset(workspace.data, 0, RAPT_TEAM_HEADER_BYTES);
  team t = {plan, workspace.data, workspace.bytes, nth, rounds};
  for (int i = 0; i < ROUNDS; i++) {
    round_open(&rounds[i], p);
    rounds[i].args.cancel = odd && i % 2 ? &always : flag;
  }
  on_threads(nth, member, &t);
  for (int i = 0; i < ROUNDS; i++) {
    char what[100];
    snprintf(what, sizeof what, "%s %s, team of %d, round %d", l->isa, rule_load_names[l->kind],
             nth, i);
    int hit = round_checked(l, &rounds[i], nth, flag || (odd && i % 2), what);
    if (odd) CHECK(hit == i % 2, "%s: cancelled from the start, or not", what);
    cancelled += hit;
    round_close(&rounds[i]);
  }
  for (int i = 0; i < RAPT_TEAM_HEADER_BYTES; i++)
    CHECK(((const char *)workspace.data)[i] == 0, "header byte %d is not zero", i);
  CHECK(guard_free(&workspace), "written outside of the workspace");
  rapt_plan_destroy(plan);
  return cancelled;
}

static void teams(const load *l) {
  static const int32_t sizes[] = {1, 2, 3, 8};
  for (int s = 0; s < 4; s++) {
    run_team(l, sizes[s], NULL, 0);
    run_team(l, sizes[s], NULL, 1);
  }
  if (l->isa == level_at(0)) run_team(l, smaller(MOST_TEAM, 16), NULL, 0);
}

RULE_LOAD_TESTS(team_rules, teams)

typedef struct later {
  int32_t flag;
  long nanoseconds;
} later;

static void *set_later(void *arg) {
  later *x = arg;
  struct timespec pause = {0, x->nanoseconds};
  nanosleep(&pause, NULL);
  __atomic_store_n(&x->flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

/* Cancelled at some time: all threads say the same of each round, and the next team is right. */
static void cancelled_some_time(const load *l) {
  int cancelled = 0;
  if (l->isa != level_at(0)) return;
  for (int i = 0; i < smaller(30, 4); i++) {
    later x = {0, i * i * 20000L};
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, set_later, &x) == 0, "no thread");
    cancelled += run_team(l, 2 + i % 3, &x.flag, 0);
    pthread_join(thread, NULL);
  }
  printf("  %s: %d rounds cancelled\n", rule_load_names[l->kind], cancelled);
  run_team(l, 3, NULL, 0);
}

RULE_LOAD_TESTS(team_rules_cancelled, cancelled_some_time)
