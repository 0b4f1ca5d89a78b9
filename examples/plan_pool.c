/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A plan and a workspace that are kept, and the program's own threads in place of OpenMP. The pool is
 * as plain as a pool can be; what matters is pool_parallel, the one function rapt asks for. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "example.h"

enum { THREADS = 3, HEADS = 6, DIM = 64, LONGEST = 400 };

/* ---- The pool ----------------------------------------------------------------------------- */

typedef struct thread_pool {
  pthread_mutex_t lock;
  pthread_cond_t wake, idle;
  void (*fn)(void *arg, int32_t index); /* the job: fn(arg, 0..n-1) */
  void *arg;
  int32_t n, next, unfinished, jobs;
  int stop;
  pthread_t threads[THREADS - 1]; /* whoever brings a job is the last one */
} thread_pool;

/* Takes indices until there are none; called and left with the lock held. */
static void work(thread_pool *pool) {
  while (pool->next < pool->n) {
    int32_t index = pool->next++;
    pthread_mutex_unlock(&pool->lock);
    pool->fn(pool->arg, index);
    pthread_mutex_lock(&pool->lock);
    if (--pool->unfinished == 0) pthread_cond_signal(&pool->idle);
  }
}

static void *pool_thread(void *at) {
  thread_pool *pool = at;
  pthread_mutex_lock(&pool->lock);
  while (!pool->stop) {
    work(pool);
    pthread_cond_wait(&pool->wake, &pool->lock);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

/* rapt_executor.parallel: fn(arg, i) for each i in 0..n-1, in any order; back when all are done. */
static int32_t pool_parallel(void *ctx, int32_t n, void (*fn)(void *, int32_t), void *arg) {
  thread_pool *pool = ctx;
  pthread_mutex_lock(&pool->lock);
  pool->fn = fn, pool->arg = arg, pool->n = n;
  pool->next = 0, pool->unfinished = n, pool->jobs++;
  pthread_cond_broadcast(&pool->wake);
  work(pool);
  while (pool->unfinished) pthread_cond_wait(&pool->idle, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
  return 0;
}

static int pool_start(thread_pool *pool) {
  for (int i = 0; i < THREADS - 1; i++)
    if (pthread_create(&pool->threads[i], NULL, pool_thread, pool)) return 0;
  return 1;
}

static void pool_stop(thread_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->stop = 1;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
  for (int i = 0; i < THREADS - 1; i++) pthread_join(pool->threads[i], NULL);
}

/* ---- The program -------------------------------------------------------------------------- */

static float q[HEADS][LONGEST][DIM], k[HEADS][LONGEST][DIM], v[HEADS][LONGEST][DIM];
static float o[HEADS][LONGEST][DIM], expected[HEADS][LONGEST][DIM];

/* Stands for the model: prompts of several lengths, in the same memory. 0 when there are no more. */
static int next_prompt(rapt_attention_args *args) {
  static const int32_t lengths[] = {17, LONGEST, 1, 128, 0};
  static int at;
  args->q_len = args->kv_len = lengths[at++];
  fill_noise(q[0][0], sizeof q / sizeof(float));
  fill_noise(k[0][0], sizeof k / sizeof(float));
  fill_noise(v[0][0], sizeof v / sizeof(float));
  return args->q_len != 0;
}

/* Stands for what the model does with o: here, the same call with rapt's own threads. The bits never
 * depend on who computes. */
static int wrong, prompts;
static void use_output(const rapt_attention_desc *desc, const rapt_attention_args *args) {
  rapt_attention_args again = *args;
  again.o.data = expected;
  prompts++;
  if (rapt_attention(desc, &again, NULL, NULL) || !equal_bits(o, expected, sizeof o)) wrong++;
}

int main(void) {
  static thread_pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
                             .wake = PTHREAD_COND_INITIALIZER,
                             .idle = PTHREAD_COND_INITIALIZER};
  if (!pool_start(&pool)) return 1;
  rapt_attention_desc desc = {.size = sizeof desc,
                              .heads_q = HEADS,
                              .heads_kv = HEADS,
                              .head_dim_qk = DIM,
                              .head_dim_v = DIM};
  rapt_attention_args args = {.size = sizeof args,
                              .batch = 1,
                              .q_len = LONGEST,
                              .kv_len = LONGEST,
                              .q = {q, {sizeof q, sizeof q[0], sizeof q[0][0]}},
                              .k = {k, {sizeof k, sizeof k[0], sizeof k[0][0]}},
                              .v = {v, {sizeof v, sizeof v[0], sizeof v[0][0]}},
                              .o = {o, {sizeof o, sizeof o[0], sizeof o[0][0]}}};
  rapt_error error = {.size = sizeof error};

  rapt_plan *plan = NULL;
  if (rapt_plan_create(&desc, &plan, &error)) return failed(&error);
  rapt_workspace_info need = {.size = sizeof need}; /* args: the longest call there will be */
  if (rapt_plan_workspace(plan, &args, THREADS, &need, &error)) return failed(&error);
  void *workspace = aligned_alloc(64, need.bytes);
  rapt_executor executor = {sizeof executor, THREADS, &pool, pool_parallel};
  while (next_prompt(&args)) {
    if (rapt_attention_run(plan, &args, workspace, need.bytes, &executor, &error)) break;
    use_output(&desc, &args);
  }
  free(workspace);
  rapt_plan_destroy(plan);

  pool_stop(&pool);
  if (error.code) return failed(&error);
  printf("%d prompts, %d jobs for %d threads, %d differ\n", prompts, pool.jobs, THREADS, wrong);
  return wrong || prompts != 4 || pool.jobs == 0;
}
