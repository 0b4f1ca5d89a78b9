/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The machine's topology, read once per process without a lock: a lock could be held by another
 * thread at the moment of a fork and would never open again in the child. */
#include <stdatomic.h>

#include "platform.h"

enum { EMPTY, COPYING, READY };

void rapt_topology_here(rapt_topology *topology) {
  static rapt_topology shared;
  static atomic_int state = EMPTY;
  if (atomic_load_explicit(&state, memory_order_acquire) == READY) {
    *topology = shared;
    return;
  }
  /* Threads that come at the same time each read the machine; one of them publishes. */
  rapt_topology_read(topology);
  int expected = EMPTY;
  if (!atomic_compare_exchange_strong_explicit(&state, &expected, COPYING, memory_order_relaxed,
                                               memory_order_relaxed))
    return;
  shared = *topology;
  atomic_store_explicit(&state, READY, memory_order_release);
}
