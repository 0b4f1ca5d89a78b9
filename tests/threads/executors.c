/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L
#include "executors.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int32_t parallel_ascending(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  (void)ctx;
  for (int32_t i = 0; i < n; i++) fn(arg, i);
  return 0;
}

int32_t parallel_reversed(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  (void)ctx;
  for (int32_t i = n; i-- > 0;) fn(arg, i);
  return 0;
}

/* Steps of 7 or 11 (whichever is coprime to n, else 1) from the middle. */
int32_t parallel_scrambled(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  (void)ctx;
  int32_t step = n % 7 ? 7 : n % 11 ? 11 : 1, at = n / 2;
  for (int32_t i = 0; i < n; i++, at = (at + step) % n) fn(arg, at);
  return 0;
}

typedef struct thread {
  pthread_t id;
  void (*fn)(void *, int32_t);
  void *arg;
  int32_t index, sleep_ms;
} thread;

static void *thread_main(void *at) {
  const thread *t = at;
  if (t->sleep_ms) {
    struct timespec pause = {0, t->sleep_ms * 1000000L};
    nanosleep(&pause, NULL);
  }
  t->fn(t->arg, t->index);
  return NULL;
}

static void start_and_join(int32_t n, void (*fn)(void *, int32_t), void *arg, int32_t sleep_ms) {
  thread *threads = calloc((size_t)n, sizeof *threads);
  if (!threads) exit(2);
  for (int32_t i = 0; i < n; i++) {
    threads[i] = (thread){.fn = fn, .arg = arg, .index = i, .sleep_ms = i % 2 ? 0 : sleep_ms};
    if (pthread_create(&threads[i].id, NULL, thread_main, &threads[i])) {
      fprintf(stderr, "cannot start thread %d of %d\n", i, n);
      exit(2);
    }
  }
  for (int32_t i = 0; i < n; i++) pthread_join(threads[i].id, NULL);
  free(threads);
}

void on_threads(int32_t n, void (*fn)(void *arg, int32_t index), void *arg) {
  start_and_join(n, fn, arg, 0);
}

int32_t parallel_threads(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  (void)ctx;
  start_and_join(n, fn, arg, 0);
  return 0;
}

int32_t parallel_late(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  (void)ctx;
  start_and_join(n, fn, arg, 15);
  return 0;
}

typedef struct halves {
  void (*fn)(void *, int32_t);
  void *arg;
  int32_t n;
} halves;

static void half(void *at, int32_t which) {
  const halves *h = at;
  int32_t middle = h->n / 2;
  if (which == 0)
    for (int32_t i = 0; i < middle; i++) h->fn(h->arg, i);
  else
    for (int32_t i = h->n; i-- > middle;) h->fn(h->arg, i);
}

int32_t parallel_two(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  (void)ctx;
  halves h = {fn, arg, n};
  start_and_join(2, half, &h, 0);
  return 0;
}

int32_t parallel_only_last(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  (void)ctx;
  fn(arg, n - 1);
  return 0;
}

int32_t parallel_nobody(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  (void)n, (void)fn, (void)arg;
  if (ctx) ((call_note *)ctx)->calls++;
  return 0;
}

int32_t parallel_failing(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  parallel_ascending(NULL, n, fn, arg);
  if (ctx) ((call_note *)ctx)->calls++;
  return 7;
}

int32_t parallel_noting(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  call_note *note = ctx;
  note->calls++;
  if (n > note->largest) note->largest = n;
  return parallel_ascending(NULL, n, fn, arg);
}

rapt_executor executor_of(parallel_fn parallel, int32_t workers, void *ctx) {
  return (rapt_executor){
      .size = sizeof(rapt_executor), .max_workers = workers, .ctx = ctx, .parallel = parallel};
}
