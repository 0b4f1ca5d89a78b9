/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libpeer-unfused.so: the unfused path over OpenBLAS as a peer. */
#include <stddef.h>

#include "failures.h"
#include "peer.h"
#include "threads.h"
#include "unfused.h"

const char *rapt_peer_name(void) { return "unfused_blas"; }

const char *rapt_peer_version(void) { return bench_blas_name(); }

static bench_shape shape_of(const rapt_peer_call *call) {
  return (bench_shape){.batch = call->batch,
                       .heads_q = call->heads_q,
                       .heads_kv = call->heads_kv,
                       .head_dim = call->head_dim,
                       .q_len = call->q_len,
                       .kv_len = call->kv_len,
                       .causal = call->causal,
                       .threads = call->threads};
}

static int32_t same(const bench_shape *a, const bench_shape *b) {
  return a->batch == b->batch && a->heads_q == b->heads_q && a->heads_kv == b->heads_kv &&
         a->head_dim == b->head_dim && a->q_len == b->q_len && a->kv_len == b->kv_len &&
         a->causal == b->causal && a->threads == b->threads;
}

int rapt_peer_attention_v1(const rapt_peer_call *call) {
  static bench_unfused unfused; /* S is kept while the shape stays */
  if (call->dtype != RAPT_PEER_F32) return 1;
  if (bench_threads_max() == 0) bench_threads_open();
  bench_shape shape = shape_of(call);
  if (!unfused.scores.data || !same(&unfused.shape, &shape)) {
    bench_unfused_release(&unfused);
    if (bench_unfused_prepare(&unfused, &shape) != 0) return 2;
  }
  unfused.q = call->q;
  unfused.k = call->k;
  unfused.v = call->v;
  unfused.o = call->o;
  bench_unfused_run(&unfused);
  return bench_failures() == 0 ? 0 : 3;
}
