/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "anchors.h"

#include <float.h>
#include <stdatomic.h>
#include <string.h>

#include "failures.h"
#include "options.h"
#include "threads.h"

enum { MAX_THREADS = 256 };

/* ---- A team that starts together ---- */

typedef struct team {
  int32_t threads;
  atomic_int arrived;
  atomic_int late; /* someone waited in vain: the executor did not run us at the same time */
  void (*work)(void *job, int32_t index);
  void *job;
  struct {
    _Alignas(64) double begin;
    double end;
  } clock[MAX_THREADS];
} team;

static void team_member(void *arg, int32_t index) {
  team *t = arg;
  atomic_fetch_add(&t->arrived, 1);
  double begin = bench_now();
  while (atomic_load(&t->arrived) < t->threads)
    if (bench_now() - begin > 5e-3) {
      atomic_store(&t->late, 1);
      break;
    }
  t->clock[index].begin = bench_now();
  t->work(t->job, index);
  t->clock[index].end = bench_now();
}

/* Seconds from the first start to the last end, or a negative number if they did not run together. */
static double team_run(int32_t threads, void (*work)(void *job, int32_t index), void *job) {
  static team t;
  if (threads > MAX_THREADS) threads = MAX_THREADS;
  t.threads = threads;
  t.work = work;
  t.job = job;
  atomic_store(&t.arrived, 0);
  atomic_store(&t.late, 0);
  bench_parallel(threads, team_member, &t);
  double begin = DBL_MAX, end = 0;
  for (int32_t i = 0; i < threads; i++) {
    if (t.clock[i].begin < begin) begin = t.clock[i].begin;
    if (t.clock[i].end > end) end = t.clock[i].end;
  }
  return atomic_load(&t.late) ? -1 : end - begin;
}

/* Runs samples until the time is over (and then until one was valid, within reason). `next`, if any,
 * prepares the job for the next sample. */
static bench_turn team_turn(int32_t threads, void (*work)(void *job, int32_t index), void *job,
                            void (*next)(void *job), double units, double seconds) {
  enum { SAMPLES = 400, TRIES = 1000 };
  double values[SAMPLES], begin = bench_now();
  int32_t n = 0;
  for (int32_t tries = 0; n < SAMPLES && tries < TRIES; tries++) {
    if (n > 0 && bench_now() - begin > seconds) break;
    double time = team_run(threads, work, job);
    if (time > 0) values[n++] = time / units;
    if (next) next(job);
  }
  if (n == 0) {
    bench_fail("an anchor's %d threads never ran at the same time", (int)threads);
    return (bench_turn){.best = 1, .typical = 1};
  }
  double typical = bench_median(values, n);
  return (bench_turn){.best = values[0], .typical = typical};
}

/* ---- The best so far ---- */

typedef struct seen_key {
  const void *isa;
  size_t bytes; /* 0 = FMA */
  int32_t threads, pages;
} seen_key;

static double *seen(seen_key key) {
  enum { SEEN = 128 };
  static struct {
    seen_key key;
    double best;
  } table[SEEN];
  static int32_t count;
  int32_t i = 0;
  for (; i < count; i++) {
    const seen_key *k = &table[i].key;
    if (k->isa == key.isa && k->bytes == key.bytes && k->threads == key.threads &&
        k->pages == key.pages)
      return &table[i].best;
  }
  if (count < SEEN)
    count++;
  else
    i = SEEN - 1; /* forgets the last one */
  table[i].key = key;
  table[i].best = DBL_MAX;
  return &table[i].best;
}

static double *fma_seen(const bench_fma *f) { return seen((seen_key){f->isa, 0, f->threads, 0}); }
static double *read_seen(const bench_read *r) {
  return seen((seen_key){r->isa, r->bytes, r->threads, r->pages});
}
double bench_fma_seen(const bench_fma *fma) { return *fma_seen(fma); }
double bench_read_seen(const bench_read *read) { return *read_seen(read); }

static bench_turn note(double *best, bench_turn turn) {
  if (turn.best < *best) *best = turn.best;
  return turn;
}

/* ---- FMA ---- */

static void fma_work(void *job, int32_t index) {
  const bench_fma *fma = job;
  (void)index;
  fma->isa->fma(fma->steps);
}

bench_turn bench_fma_take(void *ctx, double seconds) {
  bench_fma *fma = ctx;
  if (fma->steps == 0) {
    /* A sample of 100 us: long against the clock and the start, short against disturbances. */
    fma->steps = 1000;
    for (double t; (t = team_run(1, fma_work, fma)) < 100e-6;)
      fma->steps = t > 10e-6 ? (int64_t)((double)fma->steps * 110e-6 / t) : fma->steps * 4;
  }
  double flops = fma->isa->flops_per_step * (double)fma->steps * fma->threads;
  return note(fma_seen(fma), team_turn(fma->threads, fma_work, fma, NULL, flops, seconds));
}

/* ---- Reading ---- */

typedef struct read_job {
  const bench_read *read;
  const bench_read_way *way;
  size_t at, window; /* what one sample reads */
  int64_t passes;
  atomic_size_t done; /* bytes of one pass */
} read_job;

static void read_work(void *arg, int32_t index) {
  read_job *job = arg;
  const bench_read *r = job->read;
  size_t lines = job->window / 64;
  size_t begin = job->at + lines * (size_t)index / (size_t)r->threads * 64;
  size_t end = job->at + lines * ((size_t)index + 1) / (size_t)r->threads * 64;
  size_t done = 0;
  for (int64_t i = 0; i < job->passes; i++)
    done = r->isa->read(r->data + begin, end - begin, job->way->streams, job->way->distance);
  atomic_fetch_add(&job->done, done);
}

static void read_next(void *arg) {
  read_job *job = arg;
  job->at += job->window;
  if (job->at + job->window > job->read->bytes) job->at = 0;
}

/* Data far beyond any cache is read in windows, one after the other: a sample of a few milliseconds can
 * be undisturbed where one of a hundred cannot. Smaller data is read whole, as often as makes 2 MiB. */
static bench_turn read_turn(bench_read *r, bench_read_way *way, double seconds) {
  const size_t large = (size_t)256 << 20, window = (size_t)32 << 20, least = (size_t)2 << 20;
  read_job job = {.read = r, .way = way, .at = r->at, .window = r->bytes, .passes = 1};
  atomic_init(&job.done, 0);
  if (r->bytes >= large) job.window = window * (size_t)(r->threads < 8 ? r->threads : 8);
  if (way->pass == 0) {
    team_run(r->threads, read_work, &job);
    way->pass = (double)atomic_load(&job.done);
    read_next(&job);
  }
  job.passes += (int64_t)(least / job.window);
  bench_turn t = team_turn(r->threads, read_work, &job, read_next, way->pass * (double)job.passes,
                           seconds);
  r->at = job.at;
  return t;
}

void bench_read_tune(bench_read *r) {
  static const size_t distances[] = {0, 512, 1024, 2048, 4096, 8192};
  r->way[0].seconds = r->way[1].seconds = DBL_MAX;
  for (int32_t streams = 1; streams <= 4; streams *= 2)
    for (size_t d = 0; d < sizeof distances / sizeof distances[0]; d++) {
      bench_read_way way = {.streams = streams, .distance = distances[d]};
      way.seconds = read_turn(r, &way, bench_options.quick ? 1e-3 : 10e-3).best;
      if (way.seconds < r->way[0].seconds) {
        r->way[1] = r->way[0];
        r->way[0] = way;
      } else if (way.seconds < r->way[1].seconds) {
        r->way[1] = way;
      }
    }
}

bench_turn bench_read_take(void *ctx, double seconds) {
  bench_read *r = ctx;
  bench_turn a = read_turn(r, &r->way[0], seconds / 2);
  bench_turn b = read_turn(r, &r->way[1], seconds / 2);
  bench_turn t = {.best = a.best < b.best ? a.best : b.best,
                  .typical = a.typical < b.typical ? a.typical : b.typical};
  return note(read_seen(r), t);
}
