/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The library inside other programs' threading: one plan shared by host threads, calls from a foreign
 * OpenMP region, after a fork, and while thread settings change. */
#define _POSIX_C_SOURCE 200809L
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors.h"
#include "loads.h"

/* The runtime the library is linked with; this file is not compiled for OpenMP. Both libgomp and
 * libomp have these. */
typedef void region_fn(void *arg);
extern void GOMP_parallel(region_fn *fn, void *arg, unsigned threads, unsigned flags)
    __attribute__((weak));
extern int omp_get_thread_num(void) __attribute__((weak));
extern void omp_set_num_threads(int n) __attribute__((weak));

enum { HOSTS = 8 };

typedef struct host {
  rapt_plan *plan;
  problem p[HOSTS];
  rapt_status status[HOSTS];
  int32_t repeat;
  int use_default;
} host;

/* Host thread i runs problem i with its own workspace and the shared plan. */
static void host_thread(void *arg, int32_t i) {
  host *h = arg;
  problem *p = &h->p[i];
  rapt_workspace_info info = {.size = sizeof info};
  int32_t workers = h->use_default ? rapt_default_workers() : 1;
  h->status[i] = rapt_plan_workspace(h->plan, &p->args, workers, &info, NULL);
  if (h->status[i] != RAPT_OK) return;
  guard_buffer workspace = guard_alloc((size_t)info.bytes, GUARD_END, 64);
  for (int32_t n = 0; n < h->repeat && h->status[i] == RAPT_OK; n++)
    h->status[i] = rapt_attention_run(h->plan, &p->args, workspace.data, workspace.bytes,
                                      h->use_default ? NULL : &serial_executor, NULL);
  CHECK(guard_free(&workspace), "host %d: written outside of the workspace", i);
}

static void region(void *arg) { host_thread(arg, omp_get_thread_num() % HOSTS); }

/* Each host has the same data, so that all must equal `expected`. */
static void with_hosts(int kind, int use_default, void (*start)(host *h)) {
  host h = {.repeat = smaller(10, 2), .use_default = use_default};
  rapt_error error = {.size = sizeof error};
  float *expected = NULL;
  size_t n;
  for (int i = 0; i < HOSTS; i++) {
    rng r = rng_make(rapt_test_seed());
    h.p[i] = load_make(kind, &r);
    h.status[i] = 1; /* not run */
    if (i == 0) expected = load_expected(&h.p[0], level_at(0), load_names[kind], &n);
  }
  h.p[0].desc.isa = level_at(0);
  rapt_status status = rapt_plan_create(&h.p[0].desc, &h.plan, &error);
  if (CHECK(status == RAPT_OK, "%s", error.message) && expected) {
    start(&h);
    for (int i = 0; i < HOSTS; i++) {
      if (h.status[i] == 1) continue; /* the runtime gave fewer threads */
      CHECK(h.status[i] == RAPT_OK, "host %d: status %d", i, h.status[i]);
      load_same(&h.p[i], expected, load_names[kind]);
    }
  }
  rapt_plan_destroy(h.plan);
  free(expected);
  for (int i = 0; i < HOSTS; i++) problem_free(&h.p[i]);
}

static void start_hosts(host *h) { on_threads(HOSTS, host_thread, h); }
static void start_region(host *h) { GOMP_parallel(region, h, HOSTS, 0); }

RAPT_TEST(hosts_share_a_plan) {
  for (int kind = 0; kind < LOADS; kind++) with_hosts(kind, 0, start_hosts);
}

RAPT_TEST(hosts_share_a_plan_default_executor) {
  for (int kind = 0; kind < LOADS; kind++) with_hosts(kind, 1, start_hosts);
}

RAPT_TEST(inside_foreign_openmp_region) {
  if (!GOMP_parallel || !omp_get_thread_num) SKIP("no OpenMP runtime is linked");
  for (int kind = 0; kind < LOADS; kind++) with_hosts(kind, 1, start_region);
}

/* Parent has used its threads; the child must neither hang nor differ. */
RAPT_TEST(fork_then_run) {
  for (int kind = 0; kind < LOADS; kind++) {
    rng r = rng_make(rapt_test_seed());
    problem p = load_make(kind, &r);
    size_t n;
    float *expected = load_expected(&p, level_at(0), load_names[kind], &n);
    if (!expected || !problem_run(&p, level_at(0), NULL)) return;
    fflush(stdout);
    pid_t child = fork();
    REQUIRE(child >= 0, "fork failed");
    if (child == 0) {
      alarm(test_small() ? 250 : 60); /* a hang becomes a signal */
      int ok = problem_run(&p, level_at(0), NULL) && load_same(&p, expected, "in the child");
      _exit(ok ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child, "waitpid failed");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: child ended with 0x%x",
          load_names[kind], (unsigned)status);
    if (problem_run(&p, level_at(0), NULL)) load_same(&p, expected, "parent after the fork");
    free(expected);
    problem_free(&p);
  }
}

static atomic_int stop_changing;

typedef struct changing {
  problem *p;
  const rapt_plan *plan;
  const float *expected;
} changing;

/* Index 0 runs; index 1 changes settings meanwhile. The setting also changes between the workspace
 * query and the run of the same thread. */
static void run_or_change(void *arg, int32_t index) {
  changing *c = arg;
  if (index == 1) {
    for (int n = 1; !atomic_load(&stop_changing); n = n % 64 + 1) omp_set_num_threads(n);
    return;
  }
  for (int n = 0; n < smaller(80, 6) && !rapt_test_failed(); n++) {
    rapt_workspace_info info = {.size = sizeof info};
    rapt_error error = {.size = sizeof error};
    omp_set_num_threads(1 + n % 4);
    rapt_status status = rapt_plan_workspace(c->plan, &c->p->args, rapt_default_workers(), &info,
                                             &error);
    if (!CHECK(status == RAPT_OK, "%s", error.message)) break;
    guard_buffer workspace = guard_alloc((size_t)info.bytes, GUARD_END, 64);
    omp_set_num_threads(1 + (n * 7) % 9);
    status = rapt_attention_run(c->plan, &c->p->args, workspace.data, workspace.bytes, NULL,
                                &error);
    CHECK(status == RAPT_OK, "%s", error.message);
    CHECK(guard_free(&workspace), "written outside of the workspace");
    if (status == RAPT_OK) load_same(c->p, c->expected, "threads changed");
  }
  atomic_store(&stop_changing, 1);
}

RAPT_TEST(thread_count_changes_while_running) {
  if (!omp_set_num_threads) SKIP("no OpenMP runtime is linked");
  for (int kind = 0; kind < LOADS; kind++) {
    rng r = rng_make(rapt_test_seed());
    problem p = load_make(kind, &r);
    size_t n;
    rapt_plan *plan = NULL;
    float *expected = load_expected(&p, level_at(0), load_names[kind], &n);
    if (!expected) return;
    p.desc.isa = level_at(0);
    REQUIRE(rapt_plan_create(&p.desc, &plan, NULL) == RAPT_OK, "plan");
    changing c = {&p, plan, expected};
    atomic_store(&stop_changing, 0);
    on_threads(2, run_or_change, &c);
    rapt_plan_destroy(plan);
    free(expected);
    problem_free(&p);
  }
}
