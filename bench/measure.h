/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measuring on a machine whose clock drifts and whose cores are shared.
 *
 * What is compared is measured in turns: a round takes a short turn of each voice (the anchor, the
 * library, the baseline, peers), and rounds repeat for about --rapt_seconds. Two figures follow:
 *   - best against best: each voice's fastest sample of the whole benchmark. Noise only slows things
 *     down, so this is the machine's undisturbed answer;
 *   - the median over the rounds of the ratio inside the round, which no drift between the rounds
 *     touches and no lucky sample decides. */
#ifndef RAPT_BENCH_MEASURE_H
#define RAPT_BENCH_MEASURE_H

#include <stdint.h>

double bench_now(void);                         /* seconds */
double bench_median(double *values, int32_t n); /* sorts them; 0 for n = 0 */

/* Seconds per unit of work (a call, a flop, a byte) as one turn saw it. */
typedef struct bench_turn {
  double best, typical;
  double wall, cpu; /* of the whole turn; 0 = not known */
  double best_own;  /* as best, but counting only the calling thread's CPU time; 0 = not known */
} bench_turn;

/* Takes a turn of about `seconds`, at least one sample. */
typedef bench_turn (*bench_take)(void *ctx, double seconds);

/* The library, two anchors, the unfused path and the peers. */
enum { BENCH_VOICES = 8, BENCH_MAX_ROUNDS = 400 };

typedef struct bench_rounds {
  int32_t n_voices, n_rounds;
  struct {
    bench_take take;
    void *ctx;
    int32_t anchor; /* taken before the first, between, and after the last round */
    double seconds; /* of a turn */
    double best, best_own, wall, cpu;
    bench_turn turn[BENCH_MAX_ROUNDS + 1];
  } voice[BENCH_VOICES];
} bench_rounds;

/* Returns the voice's number. Voice 0 is the subject; its duration sets that of the anchors' turns. */
int32_t bench_rounds_add(bench_rounds *r, bench_take take, void *ctx, int32_t anchor);

void bench_rounds_run(bench_rounds *r);

/* More turns of one voice, for the best only. */
void bench_rounds_more(bench_rounds *r, int32_t voice, int32_t turns);

/* What a clock may drift within a run; more is a disturbance. */
#define BENCH_DRIFT 1.07

/* The voice, an anchor, was measured elsewhere in this process too and reached `seen` there. A little
 * less now is the clock, and right to compare with; more than 7 % is a disturbance: the voice gets
 * more turns, and then `seen` counts. */
void bench_rounds_settle(bench_rounds *r, int32_t voice, double seen);

double bench_rounds_best(const bench_rounds *r, int32_t voice);
/* The best by the calling thread's CPU clock: with one thread, the time the call would have taken had
 * no other program held the core meanwhile. */
double bench_rounds_best_own(const bench_rounds *r, int32_t voice);
double bench_rounds_typical(const bench_rounds *r, int32_t voice);

/* CPUs at work on average: CPU time over wall time. Clearly below the number of threads, other programs
 * held the cores, and long calls were measured too slow. */
double bench_rounds_cpus(const bench_rounds *r, int32_t voice);

/* Median over the rounds of voice b's seconds per unit over voice a's; of an anchor the faster
 * of the turns before and after counts, and never less than its best allows for drift. */
double bench_rounds_ratio(const bench_rounds *r, int32_t b, int32_t a);

/* A take for a function called again and again. */
typedef struct bench_call {
  void (*run)(void *ctx);
  void *ctx;
  int64_t batch; /* calls per sample; 0 = find out: a sample lasts 20 us or more */
} bench_call;

bench_turn bench_call_take(void *call, double seconds);

#endif
