/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A peer for rapt-bench (<rapt/peer.h>): how another library is wrapped so that it is timed beside rapt.
 *
 *   cc -O3 -shared -fPIC examples/peer.c -o libpeer-naive.so -Ibuild/release/bench/include -lm
 *   rapt-bench --peer libpeer-naive.so --benchmark_filter='s128/t1$'
 */
#include <math.h>
#include <rapt/peer.h>
#include <stddef.h>

/* In place of the other library: one query against `keys` keys of one head. */
static void their_attention(const float *q, const float *k, const float *v, float *o, int keys,
                            int head_dim) {
  float top = -INFINITY, sum = 0;
  for (int d = 0; d < head_dim; d++) o[d] = 0;
  for (int j = 0; j < keys; j++, k += head_dim, v += head_dim) {
    float score = 0;
    for (int d = 0; d < head_dim; d++) score += q[d] * k[d];
    score /= sqrtf((float)head_dim);
    float new_top = score > top ? score : top, keep = expf(top - new_top);
    float weight = expf(score - new_top);
    for (int d = 0; d < head_dim; d++) o[d] = o[d] * keep + weight * v[d];
    sum = sum * keep + weight;
    top = new_top;
  }
  for (int d = 0; d < head_dim; d++) o[d] /= sum;
}

const char *rapt_peer_name(void) { return "naive"; }

int rapt_peer_attention_v1(const rapt_peer_call *call) {
  if (call->dtype != RAPT_PEER_F32 || call->threads != 1) return 1; /* not supported */
  const size_t dim = (size_t)call->head_dim, q_len = (size_t)call->q_len;
  const size_t kv_head = (size_t)call->kv_len * dim; /* elements of one head of k and of v */
  const int heads = call->batch * call->heads_q, group = call->heads_q / call->heads_kv;
  const float *q = call->q, *k = call->k, *v = call->v;
  float *o = call->o;
  for (int h = 0; h < heads; h++) /* groups are equal, so h / group also counts over sequences */
    for (size_t i = 0; i < q_len; i++) {
      size_t row = ((size_t)h * q_len + i) * dim, kv = (size_t)(h / group) * kv_head;
      int keys = call->causal ? (int)i + 1 : call->kv_len;
      their_attention(q + row, k + kv, v + kv, o + row, keys, call->head_dim);
    }
  return 0;
}
