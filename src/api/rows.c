/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rows.h"

#include "share.h"

/* A task is worth waking a thread for, and no more: rows of a long call are shared evenly. */
enum { TASK_BYTES = 64 << 10 };

typedef struct steps {
  const rapt_rows *rows;
  int64_t step; /* rows of a task */
} steps;

static void work(void *job, int64_t index) {
  const steps *s = job;
  const int64_t first = index * s->step, left = s->rows->rows - first;
  s->rows->work(s->rows->call, first, first + (left < s->step ? left : s->step));
}

rapt_status rapt_rows_run(const rapt_rows *rows, const rapt_executor *executor, rapt_error *error) {
  if (rows->rows <= 0) return RAPT_OK;
  steps s = {.rows = rows, .step = 1};
  if (rows->row_bytes < TASK_BYTES)
    s.step = TASK_BYTES / (rows->row_bytes > 0 ? rows->row_bytes : 1);
  const int64_t tasks = rows->rows / s.step + (rows->rows % s.step != 0);
  return rapt_share(executor, tasks, (double)tasks * (double)RAPT_SHARE_WORTH, work, &s, error);
}
