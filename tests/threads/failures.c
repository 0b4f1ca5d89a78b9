/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Executors that fail or drop work, and cancelled runs: a status, and the next run is right. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "executors.h"
#include "loads.h"

/* Runs with a bad executor, then with a good one. */
static void then_right(const load *l, parallel_fn bad, int32_t workers, const char *what) {
  rapt_error error = {.size = sizeof error};
  call_note note = {0, 0};
  rapt_executor executor = executor_of(bad, workers, &note);
  rapt_status status = problem_try(l->p, l->isa, &executor, &error);
  /* A call too small to share out need not ask the executor at all. */
  CHECK(status == (note.calls ? RAPT_ERROR_EXECUTOR : RAPT_OK), "%s, %d workers: status %d", what,
        workers, status);
  CHECK(status != RAPT_ERROR_EXECUTOR || error.message[0], "%s: no message", what);
  executor = executor_of(parallel_ascending, workers, NULL);
  if (problem_run(l->p, l->isa, &executor)) load_same(l->p, l->expected, what);
}

static void executor_fails(const load *l) {
  for (int32_t workers = 2; workers <= 8; workers += 3) {
    then_right(l, parallel_nobody, workers, "nobody came");
    then_right(l, parallel_failing, workers, "a failure was reported");
  }
}

RAPT_TEST(executor_fails) {
  for (int kind = 0; kind < LOADS; kind++) load_each_level(kind, executor_fails);
}

/* The flag is set before the run: nothing may claim success. */
static void cancel_before(const load *l) {
  int32_t cancel = 1;
  l->p->args.cancel = &cancel;
  for (int32_t workers = 1; workers <= 3; workers++) {
    rapt_executor executor = executor_of(parallel_threads, workers, NULL);
    rapt_status status = problem_try(l->p, l->isa, &executor, NULL);
    CHECK(status == RAPT_ERROR_CANCELLED, "%s: status %d", load_names[l->kind], status);
  }
  cancel = 0;
  if (problem_run(l->p, l->isa, NULL)) load_same(l->p, l->expected, "flag not set");
  l->p->args.cancel = NULL;
}

RAPT_TEST(cancel_before) {
  for (int kind = 0; kind < LOADS; kind++) load_each_level(kind, cancel_before);
}

static int32_t cancel_now;

static void *cancel_soon(void *arg) {
  struct timespec pause = {0, *(const int *)arg * 20000L};
  nanosleep(&pause, NULL);
  __atomic_store_n(&cancel_now, 1, __ATOMIC_RELAXED);
  return NULL;
}

/* Set while running: success with the right bits, or the status. */
RAPT_TEST(cancel_while_running) {
  rng r = rng_make(rapt_test_seed());
  problem p = problem_make(4, 4, 32, 32, 1, smaller(700, 60), smaller(700, 60));
  problem_build(&p, &r);
  size_t n;
  float *expected = load_expected(&p, level_at(0), "cancel", &n);
  int cancelled = 0, tries = smaller(60, 5);
  for (int i = 0; expected && i < tries; i++) {
    pthread_t thread;
    __atomic_store_n(&cancel_now, 0, __ATOMIC_RELAXED);
    p.args.cancel = &cancel_now;
    REQUIRE(pthread_create(&thread, NULL, cancel_soon, &i) == 0, "no thread");
    rapt_executor executor = executor_of(i % 2 ? parallel_threads : parallel_ascending, 3, NULL);
    rapt_status status = problem_try(&p, level_at(0), &executor, NULL);
    pthread_join(thread, NULL);
    cancelled += status == RAPT_ERROR_CANCELLED;
    if (status == RAPT_OK) load_same(&p, expected, "not cancelled in time");
    CHECK(status == RAPT_OK || status == RAPT_ERROR_CANCELLED, "status %d", status);
  }
  p.args.cancel = NULL;
  printf("  %d of %d runs were cancelled\n", cancelled, tries);
  if (expected && problem_run(&p, level_at(0), NULL)) load_same(&p, expected, "after cancelling");
  free(expected);
  problem_free(&p);
}
