/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rows.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "../attention/call.h"

/* A task is worth waking a thread for, and no more: rows of a long call are shared evenly. */
enum { TASK_BYTES = 64 << 10 };

typedef struct share {
  const rapt_rows *rows;
  int64_t step;
  int32_t workers;
  _Atomic int64_t next, done;
} share;

static void work(void *arg, int32_t index) {
  share *s = arg;
  int64_t done = 0;
  if (index < 0 || index >= s->workers) return;
  for (;;) {
    const int64_t first = atomic_fetch_add_explicit(&s->next, s->step, memory_order_relaxed);
    if (first >= s->rows->rows) break;
    const int64_t left = s->rows->rows - first, n = left < s->step ? left : s->step;
    s->rows->work(s->rows->call, first, first + n);
    done += n;
  }
  atomic_fetch_add_explicit(&s->done, done, memory_order_release);
}

rapt_status rapt_rows_run(const rapt_rows *rows, const rapt_executor *executor, rapt_error *error) {
  if (rows->rows <= 0) return RAPT_OK;
  share s = {.rows = rows, .step = 1};
  if (rows->row_bytes < TASK_BYTES)
    s.step = TASK_BYTES / (rows->row_bytes > 0 ? rows->row_bytes : 1);
  const int64_t tasks = rows->rows / s.step + (rows->rows % s.step != 0);
  s.workers = executor->max_workers < RAPT_MOST_WORKERS ? executor->max_workers : RAPT_MOST_WORKERS;
  if (tasks < s.workers) s.workers = (int32_t)tasks;
  atomic_init(&s.next, 0);
  atomic_init(&s.done, 0);
  int32_t failed = 0;
  if (s.workers <= 1)
    rows->work(rows->call, 0, rows->rows);
  else
    failed = executor->parallel(executor->ctx, s.workers, work, &s);
  if (s.workers <= 1) return RAPT_OK;
  if (failed)
    return rapt_fail(error, RAPT_ERROR_EXECUTOR, "executor.parallel", "returned %" PRId32, failed);
  const int64_t done = atomic_load_explicit(&s.done, memory_order_acquire);
  if (done != rows->rows)
    return rapt_fail(error, RAPT_ERROR_EXECUTOR, "executor.parallel",
                     "returned with %" PRId64 " of %" PRId64 " rows done", done, rows->rows);
  return RAPT_OK;
}
