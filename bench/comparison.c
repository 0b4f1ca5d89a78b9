/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "comparison.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
                                                         const char *format, ...) {
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, size - used, format, args);
  va_end(args);
}

static void run(void *contender) {
  bench_contender *x = contender;
  int status = x->peer->attention(&x->call);
  if (status != 0 && x->status == 0) x->status = status;
}

static rapt_peer_call call_of(const bench_problem *p, void *o) {
  const bench_shape *s = &p->shape;
  return (rapt_peer_call){.q = bench_q(p),
                          .k = bench_k(p),
                          .v = bench_v(p),
                          .o = o,
                          .batch = s->batch,
                          .heads_q = s->heads_q,
                          .heads_kv = s->heads_kv,
                          .q_len = s->q_len,
                          .kv_len = s->kv_len,
                          .head_dim = s->head_dim,
                          .causal = s->causal,
                          .dtype = RAPT_PEER_F32,
                          .threads = s->threads};
}

/* Every element against ours. */
static int compare(const bench_contender *x, const bench_problem *p, char *why, size_t size) {
  const bench_shape *s = &p->shape;
  const float *ours = p->o.data, *theirs = x->o.data;
  const size_t count = p->o.bytes / sizeof *ours;
  for (size_t i = 0; i < count; i++) {
    double allowed = BENCH_PEER_TOLERANCE * (1 + fabs((double)ours[i]));
    if (fabs((double)theirs[i] - (double)ours[i]) <= allowed) continue; /* never for NaN */
    size_t row = i / (size_t)s->head_dim, head = row / (size_t)s->q_len;
    snprintf(why, size,
             "peer %s: wrong result: b %zu, head %zu, token %zu, channel %zu is %.9g, ours %.9g",
             x->peer->name, head / (size_t)s->heads_q, head % (size_t)s->heads_q,
             row % (size_t)s->q_len, i % (size_t)s->head_dim, (double)theirs[i], (double)ours[i]);
    return -1;
  }
  return 0;
}

/* Leaves the peer out of this benchmark. */
static void refuse(bench_comparison *c, bench_peer *peer, const char *benchmark,
                   const char *reason) {
  peer->refused++;
  fprintf(stderr, "%s: without peer %s, which %s\n", benchmark, peer->name, reason);
  append(c->refused, sizeof c->refused, ", no %s", peer->name);
}

static int enter(bench_comparison *c, bench_peer *peer, const char *benchmark, char *why,
                 size_t size) {
  const bench_problem *p = c->problem;
  bench_contender *x = &c->contender[c->count];
  *x = (bench_contender){.peer = peer};
  if (p->shape.bshd) {
    refuse(c, peer, benchmark, "takes tensors in the order bhsd only");
    return 0;
  }
  c->count++; /* closed with the others from here on */
  if (bench_buffer_open(&x->o, p->o.bytes, p->shape.pages) != 0) {
    snprintf(why, size, "no memory for the output of peer %s", peer->name);
    return -1;
  }
  x->call = call_of(p, x->o.data);
  float *o = x->o.data;
  for (size_t i = 0; i < p->o.bytes / sizeof *o; i++) o[i] = NAN; /* so that gaps show */
  run(x);
  if (x->status != 0) {
    char reason[64];
    snprintf(reason, sizeof reason, "does not support this call (it returned %d)", (int)x->status);
    refuse(c, peer, benchmark, reason);
    bench_buffer_close(&x->o);
    c->count--;
    return 0;
  }
  x->repeated = (bench_call){.run = run};
  return compare(x, p, why, size);
}

int bench_comparison_open(bench_comparison *c, const bench_problem *p, gbench_state *state) {
  char why[320];
  memset(c, 0, sizeof *c);
  c->problem = p;
  for (int32_t i = 0; i < bench_peers_count(); i++)
    if (enter(c, bench_peers_get(i), gbench_name(state), why, sizeof why) != 0) {
      bench_peers_get(i)->wrong++;
      gbench_error(state, why);
      return -1;
    }
  return 0;
}

void bench_comparison_join(bench_comparison *c, bench_rounds *r) {
  for (int32_t i = 0; i < c->count; i++) {
    bench_contender *x = &c->contender[i];
    x->repeated.ctx = x;
    x->voice = bench_rounds_add(r, bench_call_take, &x->repeated, 0);
  }
}

static void counters(const bench_contender *x, gbench_state *state, const bench_rounds *r,
                     int32_t subject, char *label) {
  char name[64];
  double speedup = bench_rounds_best(r, x->voice) / bench_rounds_best(r, subject);
  snprintf(name, sizeof name, "%s_time", x->peer->name);
  gbench_counter(state, name, bench_rounds_best(r, x->voice));
  snprintf(name, sizeof name, "%s_cpus", x->peer->name);
  gbench_counter(state, name, bench_rounds_cpus(r, x->voice));
  snprintf(name, sizeof name, "speedup_vs_%s", x->peer->name);
  gbench_counter(state, name, speedup);
  snprintf(name, sizeof name, "speedup_vs_%s_median", x->peer->name);
  gbench_counter(state, name, bench_rounds_ratio(r, x->voice, subject));
  append(label, BENCH_LABEL, ", %.2fx %s", speedup, x->peer->name);
}

void bench_comparison_report(bench_comparison *c, gbench_state *state, const bench_rounds *r,
                             int32_t subject, char label[BENCH_LABEL]) {
  char why[320];
  for (int32_t i = 0; i < c->count; i++) {
    bench_contender *x = &c->contender[i];
    int wrong = compare(x, c->problem, why, sizeof why);
    if (x->status != 0) {
      snprintf(why, sizeof why, "peer %s: returned %d after it had returned 0 for the same call",
               x->peer->name, (int)x->status);
      wrong = -1;
    }
    if (wrong) {
      x->peer->wrong++;
      gbench_error(state, why);
      return;
    }
    x->peer->compared++;
    counters(x, state, r, subject, label);
  }
  append(label, BENCH_LABEL, "%s", c->refused);
}

void bench_comparison_close(bench_comparison *c) {
  for (int32_t i = 0; i < c->count; i++) bench_buffer_close(&c->contender[i].o);
}
