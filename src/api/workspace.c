/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt_plan_workspace. */
#include "../attention/call.h"
#include "api.h"

rapt_status rapt_plan_workspace(const rapt_plan *plan, const rapt_attention_args *args,
                                int32_t workers, rapt_workspace_info *info, rapt_error *error) {
  if (!plan) return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "plan", "is NULL");
  rapt_attention_args loaded;
  rapt_status status = rapt_load_workspace_args(args, &loaded, error);
  if (!status) status = rapt_check_range(workers, 1, RAPT_MOST_WORKERS, "workers", error);
  if (status) return status;
  rapt_layout layout;
  rapt_layout_for(plan, loaded.batch, loaded.q_len, loaded.kv_len, workers, &layout);
  rapt_workspace_info out = {.size = sizeof out,
                             .bytes = (uint64_t)layout.bytes,
                             .bytes_per_worker = (uint64_t)layout.worker_bytes,
                             .bytes_shared = (uint64_t)layout.workers};
  return rapt_store_workspace_info(&out, info, error);
}
