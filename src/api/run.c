/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt_attention_run and the one-shot call. */
#include <inttypes.h>
#include <string.h>

#include "api.h"
#include "../platform/platform.h"
#include "run.h"
#include "../attention/masks.h"

rapt_status rapt_call_place(rapt_call *call, const rapt_touched *touched, void *workspace,
                            size_t bytes, int32_t workers, rapt_error *error) {
  const rapt_attention_args *a = &call->args;
  if (!workspace) return rapt_fail(error, RAPT_ERROR_WORKSPACE, "workspace", "is NULL");
  if ((uintptr_t)workspace % 64 != 0)
    return rapt_fail(error, RAPT_ERROR_WORKSPACE, "workspace", "is at %p, must be 64-byte aligned",
                     workspace);
  /* The largest number of workers whose layout fits: it grows with their number. */
  int32_t fits = 0, most = workers < RAPT_MOST_WORKERS ? workers : RAPT_MOST_WORKERS, low = 1;
  for (int32_t high = most, next = most; low <= high; next = low + (high - low) / 2) {
    rapt_layout_for(call->plan, a->batch, a->q_len, a->kv_len, next, &call->layout);
    if ((uint64_t)call->layout.bytes <= bytes) {
      fits = next;
      low = next + 1;
    } else {
      high = next - 1;
    }
  }
  call->workers = fits > 0 ? fits : 1;
  rapt_layout_for(call->plan, a->batch, a->q_len, a->kv_len, call->workers, &call->layout);
  if (fits == 0)
    return rapt_fail(error, RAPT_ERROR_WORKSPACE, "workspace_bytes",
                     "is %zu, one worker needs %" PRId64, bytes, call->layout.bytes);
  if (touched) {
    rapt_status status = rapt_check_workspace(touched, workspace, bytes, error);
    if (status) return status;
  }
  call->workspace = workspace;
  call->header = workspace;
  call->sequence = (rapt_sequence *)(void *)(call->workspace + call->layout.sequences);
  const int32_t remembered = call->layout.tile_rows > 0 && rapt_mask_shared(call);
  call->tiles = remembered ? (uint8_t *)workspace + call->layout.tiles : 0;
  return RAPT_OK;
}

static void work(void *arg, int32_t index) {
  rapt_call *call = arg;
  if (index >= 0 && index < call->workers) rapt_work(call, index);
}

static rapt_status work_on(rapt_call *call, const rapt_executor *executor, rapt_error *error) {
  int32_t n = call->total < call->workers ? (int32_t)call->total : call->workers;
  int32_t failed = 0;
  if (n <= 1)
    rapt_work(call, 0);
  else
    failed = executor->parallel(executor->ctx, n, work, call);
  rapt_status status = rapt_outcome(call);
  if (status) return rapt_fail(error, status, "args.cancel", "became non-zero during the run");
  if (failed)
    return rapt_fail(error, RAPT_ERROR_EXECUTOR, "executor.parallel", "returned %" PRId32, failed);
  int64_t done = atomic_load_explicit(&call->header->done, memory_order_acquire);
  if (done != call->total)
    return rapt_fail(error, RAPT_ERROR_EXECUTOR, "executor.parallel",
                     "returned with %" PRId64 " of %" PRId64 " tasks done", done, call->total);
  return RAPT_OK;
}

static rapt_status run(const rapt_plan *plan, rapt_call *call, const rapt_touched *touched,
                       void *workspace, size_t bytes, const rapt_executor *executor,
                       rapt_error *error) {
  call->plan = plan;
  rapt_status status = rapt_call_place(call, touched, workspace, bytes, executor->max_workers,
                                       error);
  if (status) return status;
  atomic_init(&call->header->next, 0);
  atomic_init(&call->header->done, 0);
  rapt_prepare(call);
  if (call->total > 0) status = work_on(call, executor, error);
  memset(workspace, 0, RAPT_TEAM_HEADER_BYTES); /* ready for a team */
  return status;
}

rapt_status rapt_attention_run(const rapt_plan *plan, const rapt_attention_args *args,
                               void *workspace, size_t workspace_bytes,
                               const rapt_executor *executor, rapt_error *error) {
  if (!plan) return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "plan", "is NULL");
  rapt_call call;
  rapt_touched touched;
  rapt_executor with;
  rapt_status status = rapt_load_args(&plan->desc, args, &call.args, &call.scores, &touched, error);
  if (!status) status = rapt_load_executor(executor, &with, error);
  if (!status) status = run(plan, &call, &touched, workspace, workspace_bytes, &with, error);
  return status;
}

rapt_status rapt_attention(const rapt_attention_desc *desc, const rapt_attention_args *args,
                           const rapt_executor *executor, rapt_error *error) {
  rapt_plan plan;
  rapt_call call;
  rapt_touched touched;
  rapt_executor with;
  rapt_status status = rapt_plan_init(&plan, desc, error);
  if (!status) status = rapt_load_args(&plan.desc, args, &call.args, &call.scores, &touched, error);
  if (!status) status = rapt_load_executor(executor, &with, error);
  if (status) return status;
  rapt_layout layout;
  if (with.max_workers > RAPT_MOST_WORKERS) with.max_workers = RAPT_MOST_WORKERS;
  rapt_layout_for(&plan, call.args.batch, call.args.q_len, call.args.kv_len, with.max_workers,
                  &layout);
  size_t bytes = (size_t)layout.bytes;
  void *workspace = rapt_memory_get(&plan.allocator, bytes, 64);
  if (!workspace)
    return rapt_fail(error, RAPT_ERROR_OUT_OF_MEMORY, "workspace", "%zu bytes were not to be had",
                     bytes);
  status = run(&plan, &call, NULL, workspace, bytes, &with, error);
  rapt_memory_put(&plan.allocator, workspace, bytes, 64);
  return status;
}
