/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Task numbers. Within a sequence: heads outermost, so that a head's K and V are in cache for its
 * tasks; rows from the last to the first, as the last see most keys; splits innermost. */
#include "call.h"
#include "scratch.h"

/* The last sequence whose first task is not after `index` (those without tasks never match). */
static const rapt_sequence *sequence_of(const rapt_call *call, int64_t index) {
  int64_t low = 0, high = call->args.batch - 1;
  while (low < high) {
    int64_t middle = (low + high + 1) / 2;
    if (call->sequence[middle].first_task <= index)
      low = middle;
    else
      high = middle - 1;
  }
  return &call->sequence[low];
}

void rapt_task_get(const rapt_call *call, int64_t index, rapt_task *task) {
  const rapt_sequence *s = sequence_of(call, index);
  int64_t i = index - s->first_task;
  int32_t split = (int32_t)(i % s->splits);
  int64_t row_task = i / s->splits;
  int64_t from_end = row_task % s->row_tasks;
  int64_t rows = (int64_t)call->panels * call->plan->prefill->panel[0].lanes;
  task->sequence = s;
  task->kv_head = (int32_t)(row_task / s->row_tasks);
  task->row = (s->row_tasks - 1 - from_end) * rows;
  task->rows = (int32_t)(s->rows - task->row < rows ? s->rows - task->row : rows);
  task->split_from = s->split_from + split;
  task->split_end = task->split_from + 1;
  if (!call->split) {
    task->split_from = 0;
    task->split_end = (int32_t)(((int64_t)s->kv_len + RAPT_SPLIT_KEYS - 1) / RAPT_SPLIT_KEYS);
  }
  task->group = s->first_group + row_task;
  task->first_slot = s->first_task + row_task * s->splits;
}
