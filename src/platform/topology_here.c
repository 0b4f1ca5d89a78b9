/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The machine's topology, read once per process without a lock: a lock could be held by another
 * thread at the moment of a fork and would never open again in the child. */
#include <stdatomic.h>

#include "platform.h"

enum { EMPTY, COPYING, READY };

const rapt_topology *rapt_topology_here(void) {
  static rapt_topology shared;
  static atomic_int state = EMPTY;
  /* For the threads that read the machine at the same time as the one that publishes; they keep
   * their own copy of the same facts instead of waiting. */
  static _Thread_local rapt_topology own;

  if (atomic_load_explicit(&state, memory_order_acquire) == READY) return &shared;
  if (!own.source) rapt_topology_read(&own);
  int expected = EMPTY;
  if (!atomic_compare_exchange_strong_explicit(&state, &expected, COPYING, memory_order_relaxed,
                                               memory_order_relaxed))
    return &own;
  shared = own;
  atomic_store_explicit(&state, READY, memory_order_release);
  return &shared;
}
