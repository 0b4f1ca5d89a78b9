/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The executor's workers and nobody else: equal bits for any number and kind of them, alone or in a
 * batch, and no thread besides. CTest repeats this with each build of OpenBLAS that the system has. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "mha_case.h"

/* ---- Pools ----------------------------------------------------------------------------------------- */

typedef struct part {
  void (*fn)(void *, int32_t);
  void *arg;
  int32_t index;
} part;

static void *run_part(void *arg) {
  part *p = arg;
  p->fn(p->arg, p->index);
  return NULL;
}

/* Threads that no OpenMP runtime knows. */
static int32_t pthread_parallel(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  pthread_t thread[16];
  part parts[16];
  (void)ctx;
  for (int32_t i = 0; i < n; i++) {
    parts[i] = (part){fn, arg, i};
    if (i > 0 && pthread_create(&thread[i], NULL, run_part, &parts[i])) return 1;
  }
  run_part(&parts[0]);
  for (int32_t i = 1; i < n; i++) pthread_join(thread[i], NULL);
  return 0;
}

static rapt_executor pool(int32_t workers) {
  return (rapt_executor){
      .size = sizeof(rapt_executor), .max_workers = workers, .parallel = pthread_parallel};
}

static int32_t drops(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  (void)ctx, (void)n, (void)fn, (void)arg;
  return 0;
}

/* ---- Bits ------------------------------------------------------------------------------------------ */

enum { BATCH = 3, LONG = 150, EMBED = 192 };

static float x[BATCH][LONG][EMBED], out[BATCH][LONG][EMBED], first[BATCH][LONG][EMBED];
static const int32_t lens[BATCH] = {LONG, 1, 37};

static mha_case layer(void) {
  return (mha_case){.embed_in = EMBED,
                    .heads_q = 6,
                    .heads_kv = 3,
                    .dqk = 32,
                    .dv = 32,
                    .bias = 1,
                    .attention_flags = RAPT_CAUSAL,
                    .align = RAPT_ALIGN_BOTTOM_RIGHT};
}

static rapt_mha_args ragged(void) {
  return (rapt_mha_args){.size = sizeof(rapt_mha_args),
                         .batch = BATCH,
                         .q_len = LONG,
                         .q_lens = lens,
                         .x = &x[0][0][0],
                         .out = &out[0][0][0],
                         .x_stride = {sizeof x[0], sizeof x[0][0]},
                         .out_stride = {sizeof x[0], sizeof x[0][0]}};
}

/* What every other way of running the call is compared with. */
static void run_first(const mha_case *c) {
  rapt_mha_args args = ragged();
  rapt_executor one = serial_executor;
  CHECK(mha_case_run(c, &args, &one, NULL) == RAPT_OK, "serial");
  memcpy(first, out, sizeof out);
}

RAPT_TEST(mha_bits_for_any_workers) {
  rng r = rng_make(rapt_test_seed());
  rng_fill_normal(&r, &x[0][0][0], sizeof x / sizeof(float), 1);
  mha_case c = layer();
  if (mha_case_create(&c, &r)) {
    rapt_mha_args args = ragged();
    run_first(&c);
    for (int32_t n = 0; n < 9; n++) {
      rapt_executor many = pool(n);
      memset(out, 0, sizeof out);
      CHECK(mha_case_run(&c, &args, n ? &many : NULL, NULL) == RAPT_OK, "%d workers", n);
      for (int b = 0; b < BATCH; b++)
        CHECK_BITS(&out[b][0][0], &first[b][0][0], (size_t)lens[b] * EMBED,
                   "sequence %d, %d workers (0: the default)", b, n);
    }
    for (int b = 0; b < BATCH; b++) { /* and without companions */
      args.batch = 1;
      args.q_lens = &lens[b];
      args.x = &x[b][0][0];
      CHECK(mha_case_run(&c, &args, NULL, NULL) == RAPT_OK, "alone");
      CHECK_BITS(&out[0][0][0], &first[b][0][0], (size_t)lens[b] * EMBED, "sequence %d alone", b);
    }
  }
  mha_case_destroy(&c);
}

RAPT_TEST(mha_executor_that_drops_work) {
  rng r = rng_make(rapt_test_seed());
  mha_case c = layer();
  if (mha_case_create(&c, &r)) {
    rapt_mha_args args = ragged();
    rapt_executor lazy = {.size = sizeof lazy, .max_workers = 4, .parallel = drops};
    CHECK(mha_case_run(&c, &args, &lazy, NULL) == RAPT_ERROR_EXECUTOR, "dropped work");
  }
  mha_case_destroy(&c);
}

/* ---- Threads --------------------------------------------------------------------------------------- */

static int32_t threads_here(void) {
  int32_t n = -2; /* . and .. */
  DIR *tasks = opendir("/proc/self/task");
  while (tasks && readdir(tasks)) n++;
  if (tasks) closedir(tasks);
  return n;
}

static atomic_int stop, most;

static void *count_threads(void *arg) {
  struct timespec pause = {.tv_nsec = 200000};
  while (!atomic_load(&stop)) {
    int32_t n = threads_here();
    if (n > atomic_load(&most)) atomic_store(&most, n);
    nanosleep(&pause, NULL);
  }
  return arg;
}

static double cpu_seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Products large enough that every build with threads would use them if it could. */
static void watch(const rapt_executor *executor, int32_t workers, const char *what) {
  enum { N = 512, WIDE = 512 };
  static float in[N][WIDE], result[N][WIDE];
  rng r = rng_make(rapt_test_seed());
  rng_fill_normal(&r, &in[0][0], sizeof in / sizeof(float), 1);
  mha_case c = {.embed_in = WIDE, .heads_q = 8, .heads_kv = 8, .dqk = 64, .dv = 64};
  pthread_t counter;
  if (mha_case_create(&c, &r)) {
    rapt_mha_args args = {.size = sizeof args,
                          .batch = 1,
                          .q_len = N,
                          .x = &in[0][0],
                          .out = &result[0][0],
                          .x_stride = {0, sizeof in[0]},
                          .out_stride = {0, sizeof in[0]}};
    int32_t before = threads_here(); /* with what OpenBLAS and OpenMP hold ready */
    atomic_store(&stop, 0);
    atomic_store(&most, 0);
    REQUIRE(pthread_create(&counter, NULL, count_threads, NULL) == 0, "thread");
    for (int i = 0; i < 8; i++)
      CHECK(mha_case_run(&c, &args, executor, NULL) == RAPT_OK, "%s", what);
    args.q_len = 1; /* and by rows */
    for (int i = 0; i < 20; i++)
      CHECK(mha_case_run(&c, &args, executor, NULL) == RAPT_OK, "%s: decode", what);
    atomic_store(&stop, 1);
    pthread_join(counter, NULL);
    /* The counter is one; the caller was there before. */
    CHECK(atomic_load(&most) <= before + 1 + workers - 1, "%s: %d threads, %d before, %d workers",
          what, atomic_load(&most), before, workers);
  }
  mha_case_destroy(&c);
}

/* Threads that a build holds ready are not seen by counting: they must not have worked. Products alone. */
static void watch_cpu(const rapt_executor *one) {
  enum { N = 512, WIDE = 512 };
  static float in[N][WIDE], kv[2][N][WIDE];
  mha_case c = {.embed_in = WIDE, .heads_q = 8, .heads_kv = 8, .dqk = 64, .dv = 64};
  rng r = rng_make(rapt_test_seed());
  if (mha_case_create(&c, &r)) {
    rapt_mha_cache cache = {.size = sizeof cache,
                            .capacity = N,
                            .k = {kv[0], {0, 64 * sizeof(float), sizeof kv[0][0]}},
                            .v = {kv[1], {0, 64 * sizeof(float), sizeof kv[0][0]}}};
    rapt_mha_args args = {.size = sizeof args,
                          .batch = 1,
                          .q_len = N,
                          .x = &in[0][0],
                          .x_stride = {0, sizeof in[0]},
                          .cache = &cache};
    double own = cpu_seconds(CLOCK_THREAD_CPUTIME_ID), all = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < 30; i++)
      CHECK(rapt_mha_project_kv(c.mha, &args, one, NULL) == RAPT_OK, "products");
    own = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - own;
    all = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - all;
    CHECK(all <= 1.2 * own + 0.01, "%.3f s of CPU, %.3f by the caller", all, own);
  }
  mha_case_destroy(&c);
}

RAPT_TEST(mha_no_thread_but_the_executors) {
  rapt_blas_info info = {.size = sizeof info};
  CHECK(rapt_get_blas_info(&info, NULL) == RAPT_OK, "info");
  printf("  %s\n", info.name);
  const char *wanted = getenv("RAPT_TEST_BLAS_PARALLEL");
  if (wanted)
    CHECK(atoi(wanted) == info.parallel, "the loaded build is %d, not %s", info.parallel, wanted);
  rapt_executor one = serial_executor, two = pool(2);
  watch_cpu(&one);
  watch(&one, 1, "serial");
  watch(&two, 2, "pthread pool of two");
  watch(NULL, rapt_default_workers(), "default");
}

/* ---- One layer for several threads ----------------------------------------------------------------- */

enum { CALLERS = 4, ROUNDS = 12 };

typedef struct caller {
  const mha_case *c;
  int32_t own_pool, failed;
  float (*out)[LONG][EMBED];
} caller;

static void *call_often(void *arg) {
  caller *me = arg;
  rapt_mha_args args = ragged();
  rapt_executor executor = me->own_pool ? pool(2) : serial_executor;
  guard_buffer workspace = mha_case_workspace(me->c, &args, executor.max_workers);
  args.out = &me->out[0][0][0];
  for (int i = 0; i < ROUNDS; i++) {
    memset(me->out, 0xff, sizeof out);
    if (rapt_mha_forward(me->c->mha, &args, workspace.data, workspace.bytes, &executor, NULL) !=
        RAPT_OK)
      me->failed++;
    for (int b = 0; b < BATCH; b++)
      if (memcmp(me->out[b], first[b], (size_t)lens[b] * sizeof first[b][0]) != 0) me->failed++;
  }
  if (!guard_free(&workspace)) me->failed++;
  return NULL;
}

/* One layer, a workspace and an output each: everybody gets the bits of a call alone. */
RAPT_TEST(mha_several_threads_at_once) {
  static float outs[CALLERS][BATCH][LONG][EMBED];
  rng r = rng_make(rapt_test_seed());
  rng_fill_normal(&r, &x[0][0][0], sizeof x / sizeof(float), 1);
  mha_case c = layer();
  if (mha_case_create(&c, &r)) {
    pthread_t thread[CALLERS];
    caller callers[CALLERS];
    run_first(&c);
    int32_t n = 0;
    for (; n < CALLERS; n++) {
      callers[n] = (caller){.c = &c, .own_pool = n % 2, .out = outs[n]};
      if (!CHECK(pthread_create(&thread[n], NULL, call_often, &callers[n]) == 0, "thread")) break;
    }
    while (n-- > 0) {
      pthread_join(thread[n], NULL);
      CHECK(callers[n].failed == 0, "caller %d: %d calls failed or had other bits", n,
            callers[n].failed);
    }
  }
  mha_case_destroy(&c);
}
