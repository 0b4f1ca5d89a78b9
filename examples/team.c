/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Threads that already run, as in engines whose whole team walks through a graph of operations
 * together: each thread calls rapt_attention_run_team, and then the next operation. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "example.h"

enum { THREADS = 4, LAYERS = 5, HEADS = 4, DIM = 32, TOKENS = 150 };
enum { FLOATS = HEADS * TOKENS * DIM };

/* [token][head][channel]; the output of a layer, and the sum of all layers' outputs. */
static float q[TOKENS][HEADS][DIM], k[TOKENS][HEADS][DIM], v[TOKENS][HEADS][DIM];
static float o[TOKENS][HEADS][DIM], sum[FLOATS], expected[FLOATS];

typedef struct team {
  const rapt_plan *plan;
  const rapt_attention_args *args;
  void *workspace;
  size_t workspace_bytes;
  pthread_barrier_t barrier; /* the engine's own */
} team;

typedef struct member {
  team *team;
  int32_t ith;
  rapt_status status;
  pthread_t thread;
} member;

/* An operation of the engine's: thread `ith` of `nth` adds its share of o to the sum. */
static void add_output(float *to, int32_t ith, int32_t nth) {
  const float *from = o[0][0];
  for (int i = FLOATS * ith / nth; i < FLOATS * (ith + 1) / nth; i++) to[i] += from[i];
}

static void *member_main(void *at) {
  member *m = at;
  team *t = m->team;
  for (int layer = 0; layer < LAYERS; layer++) {
    rapt_status status = rapt_attention_run_team(t->plan, t->args, t->workspace, t->workspace_bytes,
                                                 m->ith, THREADS, NULL);
    if (status) m->status = status;
    pthread_barrier_wait(&t->barrier); /* o is complete once all have returned */
    add_output(sum, m->ith, THREADS);
    pthread_barrier_wait(&t->barrier); /* and must not be overwritten before all have read it */
  }
  return NULL;
}

/* All threads get the same status; the first one's is returned. */
static rapt_status run_threads(team *t) {
  static member members[THREADS];
  if (pthread_barrier_init(&t->barrier, NULL, THREADS)) exit(1);
  for (int32_t i = 0; i < THREADS; i++) {
    members[i].team = t, members[i].ith = i;
    if (pthread_create(&members[i].thread, NULL, member_main, &members[i])) exit(1);
  }
  for (int32_t i = 0; i < THREADS; i++) pthread_join(members[i].thread, NULL);
  pthread_barrier_destroy(&t->barrier);
  return members[0].status;
}

int main(void) {
  rapt_attention_desc desc = {.size = sizeof desc,
                              .heads_q = HEADS,
                              .heads_kv = HEADS,
                              .head_dim_qk = DIM,
                              .head_dim_v = DIM};
  rapt_attention_args args = {.size = sizeof args,
                              .batch = 1,
                              .q_len = TOKENS,
                              .kv_len = TOKENS,
                              .q = {q, {sizeof q, sizeof q[0][0], sizeof q[0]}},
                              .k = {k, {sizeof k, sizeof k[0][0], sizeof k[0]}},
                              .v = {v, {sizeof v, sizeof v[0][0], sizeof v[0]}},
                              .o = {o, {sizeof o, sizeof o[0][0], sizeof o[0]}}};
  rapt_error error = {.size = sizeof error};
  fill_noise(q[0][0], FLOATS);
  fill_noise(k[0][0], FLOATS);
  fill_noise(v[0][0], FLOATS);

  rapt_plan *plan = NULL;
  if (rapt_plan_create(&desc, &plan, &error)) return failed(&error);
  rapt_workspace_info need = {.size = sizeof need};
  if (rapt_plan_workspace(plan, &args, THREADS, &need, &error)) return failed(&error);
  team t = {.plan = plan, .args = &args, .workspace_bytes = need.bytes};
  t.workspace = aligned_alloc(64, need.bytes);
  memset(t.workspace, 0, RAPT_TEAM_HEADER_BYTES); /* once; every call leaves the header zero */
  rapt_status status = run_threads(&t);
  free(t.workspace);
  rapt_plan_destroy(plan);

  /* The same on one thread. */
  if (rapt_attention(&desc, &args, NULL, &error)) return failed(&error);
  for (int layer = 0; layer < LAYERS; layer++) add_output(expected, 0, 1);
  int equal = equal_bits(sum, expected, sizeof sum);
  printf("%d threads, %d layers: %s, %s\n", THREADS, LAYERS, rapt_status_string(status),
         equal ? "equal bits" : "different");
  return status != RAPT_OK || !equal;
}
