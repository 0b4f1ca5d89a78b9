/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The peers beside one benchmark: the same tensors, checked results, turns in the same rounds. */
#ifndef RAPT_BENCH_COMPARISON_H
#define RAPT_BENCH_COMPARISON_H

#include "gbench.h"
#include "measure.h"
#include "options.h"
#include "peers.h"
#include "problem.h"

/* |theirs - ours| <= tolerance + tolerance * |ours| for every element. Ours is within 5e-6 of float64;
 * the rest is room for other orders of summation and cheaper exponentials, not for 16-bit products. */
#define BENCH_PEER_TOLERANCE 2e-5

typedef struct bench_contender {
  bench_peer *peer;
  rapt_peer_call call;
  bench_buffer o;
  bench_call repeated;
  int32_t voice;  /* in the rounds */
  int32_t status; /* the first nonzero return of the peer */
} bench_contender;

typedef struct bench_comparison {
  const bench_problem *problem;
  int32_t count;
  bench_contender contender[BENCH_PEERS];
  char refused[160]; /* who does not take part, for the label */
} bench_comparison;

/* Each peer computes once and is compared with the problem's own output. Those that do not support the
 * call are left out and named on stderr. If a result is wrong the benchmark is an error, and this
 * returns -1; either way close it. */
int bench_comparison_open(bench_comparison *c, const bench_problem *p, gbench_state *state);

/* Adds a voice for each. */
void bench_comparison_join(bench_comparison *c, bench_rounds *r);

/* After the rounds: compares again, then adds counters and, to `label`, a few words. If a peer failed
 * meanwhile the benchmark is an error. */
void bench_comparison_report(bench_comparison *c, gbench_state *state, const bench_rounds *r,
                             int32_t subject, char label[BENCH_LABEL]);

void bench_comparison_close(bench_comparison *c);

#endif
