/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "share.h"

#include <inttypes.h>
#include <stdatomic.h>

typedef struct pool {
  void (*task)(void *job, int64_t index);
  void *job;
  int64_t total;
  _Atomic int64_t next, done;
} pool;

static void work(void *arg, int32_t worker) {
  pool *p = arg;
  (void)worker;
  for (;;) {
    const int64_t index = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
    if (index >= p->total) return;
    p->task(p->job, index);
    atomic_fetch_add_explicit(&p->done, 1, memory_order_release);
  }
}

rapt_status rapt_share(const rapt_executor *executor, int64_t total, double cost,
                       void (*task)(void *job, int64_t index), void *job, rapt_error *error) {
  const double worth = cost / (double)RAPT_SHARE_WORTH;
  int64_t workers = executor->max_workers < total ? executor->max_workers : total;
  if (worth < (double)workers) workers = (int64_t)worth;
  if (workers <= 1) {
    for (int64_t i = 0; i < total; i++) task(job, i);
    return RAPT_OK;
  }
  pool p = {.task = task, .job = job, .total = total};
  atomic_init(&p.next, 0);
  atomic_init(&p.done, 0);
  const int32_t failed = executor->parallel(executor->ctx, (int32_t)workers, work, &p);
  if (failed)
    return rapt_fail(error, RAPT_ERROR_EXECUTOR, "executor.parallel", "returned %" PRId32, failed);
  const int64_t done = atomic_load_explicit(&p.done, memory_order_acquire);
  if (done != total)
    return rapt_fail(error, RAPT_ERROR_EXECUTOR, "executor.parallel",
                     "returned with %" PRId64 " of %" PRId64 " tasks done", done, total);
  return RAPT_OK;
}
