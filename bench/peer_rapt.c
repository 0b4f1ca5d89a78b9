/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * librapt-peer.so: rapt as a peer (peer.h), so that the programs of others can time it. Over the public
 * interface alone, as an engine would use it: plans are kept, the workspace grows and stays. */
#define _POSIX_C_SOURCE 200809L
#include <rapt/rapt.h>
#include <stdlib.h>

#include "peer.h"

/* What the plan depends on; lengths, batch and threads are no part of it. */
typedef struct kept_plan {
  int32_t heads_q, heads_kv, head_dim, causal;
  rapt_plan *plan;
} kept_plan;

enum { PLANS = 8 };

static kept_plan plans[PLANS];
static int32_t next_place;
static void *workspace;
static uint64_t workspace_bytes;

const char *rapt_peer_name(void) { return "rapt"; }

const char *rapt_peer_version(void) { return rapt_version_string(); }

/* OpenMP, as librapt's default, but with the number of threads that the call names. */
static int32_t parallel(void *ctx, int32_t n, void (*fn)(void *arg, int32_t index), void *arg) {
  (void)ctx;
#pragma omp parallel for schedule(static, 1) num_threads(n)
  for (int32_t i = 0; i < n; i++) fn(arg, i);
  return 0;
}

static rapt_status find_plan(const rapt_peer_call *call, const rapt_plan **plan) {
  for (int32_t i = 0; i < PLANS; i++) {
    const kept_plan *p = &plans[i];
    if (p->plan && p->heads_q == call->heads_q && p->heads_kv == call->heads_kv &&
        p->head_dim == call->head_dim && p->causal == call->causal) {
      *plan = p->plan;
      return RAPT_OK;
    }
  }
  rapt_attention_desc desc = {.size = sizeof desc,
                              .flags = call->causal ? RAPT_CAUSAL : 0,
                              .heads_q = call->heads_q,
                              .heads_kv = call->heads_kv,
                              .head_dim_qk = call->head_dim,
                              .head_dim_v = call->head_dim,
                              .align = call->causal ? RAPT_ALIGN_TOP_LEFT : RAPT_ALIGN_NONE};
  rapt_plan *made = NULL;
  rapt_status status = rapt_plan_create(&desc, &made, NULL);
  if (status != RAPT_OK) return status;
  rapt_plan_destroy(plans[next_place].plan); /* the oldest */
  plans[next_place] = (kept_plan){call->heads_q, call->heads_kv, call->head_dim, call->causal,
                                  made};
  next_place = (next_place + 1) % PLANS;
  *plan = made;
  return RAPT_OK;
}

static rapt_status find_workspace(const rapt_plan *plan, const rapt_attention_args *args,
                                  int32_t threads) {
  rapt_workspace_info need = {.size = sizeof need};
  rapt_status status = rapt_plan_workspace(plan, args, threads, &need, NULL);
  if (status != RAPT_OK || need.bytes <= workspace_bytes) return status;
  free(workspace);
  workspace_bytes = 0;
  if (posix_memalign(&workspace, 64, (size_t)need.bytes) != 0) {
    workspace = NULL;
    return RAPT_ERROR_OUT_OF_MEMORY;
  }
  workspace_bytes = need.bytes;
  return RAPT_OK;
}

static void strides(int64_t stride[3], int32_t heads, int32_t length, int32_t head_dim) {
  stride[2] = head_dim * (int64_t)sizeof(float);
  stride[1] = stride[2] * length;
  stride[0] = stride[1] * heads;
}

int rapt_peer_attention_v1(const rapt_peer_call *call) {
  const rapt_plan *plan;
  if (call->dtype != RAPT_PEER_F32) return RAPT_ERROR_UNSUPPORTED;
  if (call->causal && call->q_len != call->kv_len) return RAPT_ERROR_UNSUPPORTED;
  rapt_attention_args args = {.size = sizeof args,
                              .batch = call->batch,
                              .q_len = call->q_len,
                              .kv_len = call->kv_len,
                              .q = {.data = call->q},
                              .k = {.data = call->k},
                              .v = {.data = call->v},
                              .o = {.data = call->o}};
  strides(args.q.stride, call->heads_q, call->q_len, call->head_dim);
  strides(args.k.stride, call->heads_kv, call->kv_len, call->head_dim);
  strides(args.v.stride, call->heads_kv, call->kv_len, call->head_dim);
  strides(args.o.stride, call->heads_q, call->q_len, call->head_dim);

  rapt_status status = find_plan(call, &plan);
  if (status != RAPT_OK) return status;
  status = find_workspace(plan, &args, call->threads);
  if (status != RAPT_OK) return status;
  const rapt_executor executor = {
      .size = sizeof executor, .max_workers = call->threads, .parallel = parallel};
  return rapt_attention_run(plan, &args, workspace, (size_t)workspace_bytes, &executor, NULL);
}
