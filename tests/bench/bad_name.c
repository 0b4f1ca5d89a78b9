/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A peer with a name that no counter can have. */
#include <rapt/peer.h>

const char *rapt_peer_name(void) { return "Bad name"; }

int rapt_peer_attention_v1(const rapt_peer_call *call) { return call->dtype + 1; }
