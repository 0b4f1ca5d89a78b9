/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Peers that rapt-bench must notice: sound attention (examples/peer.c) with the one fault FAULT. */
#include <rapt/peer.h>
#include <stddef.h>

enum { ONE_VALUE, CAUSAL_IGNORED, UNWRITTEN, STOPS_WORKING, SPOILS_LATER, REFUSES };

int sound_attention(const rapt_peer_call *call);

static size_t last_element(const rapt_peer_call *call) {
  return (size_t)call->batch * (size_t)call->heads_q * (size_t)call->q_len *
             (size_t)call->head_dim -
         1;
}

int rapt_peer_attention_v1(const rapt_peer_call *call) {
  static int calls;
  rapt_peer_call changed = *call;
  float *last = (float *)call->o + last_element(call), before = *last;
  calls++;
  if (FAULT == REFUSES) return -7;
  if (FAULT == STOPS_WORKING && calls > 1) return 9;
  if (FAULT == CAUSAL_IGNORED) changed.causal = 0;
  int status = sound_attention(&changed);
  if (FAULT == ONE_VALUE || (FAULT == SPOILS_LATER && calls > 1)) *last += 1e-4f;
  if (FAULT == UNWRITTEN) *last = before;
  return status;
}
