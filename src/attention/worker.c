/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A worker: claims tasks from the counter until there are none. */
#include "drivers.h"

/* The next task, or -1. Cancelling is a move of the counter itself, so that all workers see either a
 * cancelled run or a complete one. */
static int64_t claim(rapt_call *call) {
  _Atomic int64_t *next = &call->header->next;
  int64_t at = atomic_load_explicit(next, memory_order_relaxed);
  for (;;) {
    if (at >= call->total) return -1;
    int32_t cancelled = call->args.cancel &&
                        __atomic_load_n(call->args.cancel, __ATOMIC_RELAXED) != 0;
    int64_t to = cancelled ? RAPT_CANCELLED_AT : at + 1;
    if (atomic_compare_exchange_weak_explicit(next, &at, to, memory_order_relaxed,
                                              memory_order_relaxed))
      return cancelled ? -1 : at;
  }
}

void rapt_work(rapt_call *call, int32_t worker) {
  rapt_scratch scratch;
  rapt_task task;
  const rapt_sequence *before = 0; /* and KV head of the task before */
  int32_t before_head = -1;
  const int64_t tasks = call->total - call->looks;
  int64_t done = 0;
  rapt_scratch_get(call, worker, &scratch);
  for (int64_t index; (index = claim(call)) >= 0; done++) {
    if (index >= tasks) {
      rapt_look_task(call, index - tasks, &scratch);
      continue;
    }
    rapt_task_get(call, index, &task);
    rapt_outlook outlook;
    outlook.next_task = atomic_load_explicit(&call->header->next, memory_order_relaxed);
    if (outlook.next_task >= tasks) outlook.next_task = -1;
    outlook.new_keys = before != task.sequence || before_head != task.kv_head;
    /* a task has a sequence: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    if (task.sequence->row_kernel)
      rapt_row_task(call, &task, &scratch, &outlook);
    else
      rapt_panel_task(call, &task, &scratch, &outlook);
    before = task.sequence;
    before_head = task.kv_head;
  }
  atomic_fetch_add_explicit(&call->header->done, done, memory_order_release);
}

rapt_status rapt_outcome(const rapt_call *call) {
  int64_t next = atomic_load_explicit(&call->header->next, memory_order_relaxed);
  return next >= RAPT_CANCELLED_AT ? RAPT_ERROR_CANCELLED : RAPT_OK;
}
