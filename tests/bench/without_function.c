/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A shared object that is no peer: it lacks the function of its version. */
#include <rapt/peer.h>

const char *rapt_peer_name(void) { return "without_function"; }
