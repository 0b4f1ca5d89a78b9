/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt_attention_run_team: for threads that already run. The first in prepares, the last out leaves
 * the header zero; nobody waits for another's tasks. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <sched.h>
#include <string.h>

#include "api.h"
#include "run.h"

/* One step of waiting. A thread of a team larger than the machine may be waiting for one that has no
 * core: after some microseconds it makes room. */
static void wait_a_little(int32_t *steps) {
  enum { STEPS_ALONE = 256 };
  if (*steps == STEPS_ALONE) {
    sched_yield();
    return;
  }
  ++*steps;
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Enters run after run: a thread that is back before the others have left (or even entered) finds its
 * own bit and waits until the run is closed. Returns 1 to the one that prepares. */
static int32_t enter(rapt_header *h, int32_t ith) {
  const uint64_t bit = (uint64_t)1 << (ith % 64);
  int32_t steps = 0;
  while (atomic_fetch_or_explicit(&h->inside[ith / 64], bit, memory_order_acquire) & bit)
    wait_a_little(&steps);
  return atomic_fetch_add_explicit(&h->entered, 1, memory_order_relaxed) == 0;
}

/* The last one closes the run; the bits go last, as each lets a thread into the next run. */
static void leave(rapt_header *h, int32_t nth) {
  if (atomic_fetch_add_explicit(&h->left, 1, memory_order_acq_rel) != nth - 1) return;
  atomic_store_explicit(&h->next, 0, memory_order_relaxed);
  atomic_store_explicit(&h->done, 0, memory_order_relaxed);
  h->total = 0;
  h->split = h->panels = 0;
  atomic_store_explicit(&h->ready, 0, memory_order_relaxed);
  atomic_store_explicit(&h->left, 0, memory_order_relaxed);
  atomic_store_explicit(&h->entered, 0, memory_order_relaxed);
  for (int32_t i = 0; i < RAPT_MOST_TEAM / 64; i++)
    atomic_store_explicit(&h->inside[i], 0, memory_order_release);
}

/* A header that was never zeroed would be waited on for ever: bits of threads that the team does not
 * have betray it. */
static int32_t is_team_header(const rapt_header *h, int32_t nth) {
  for (int32_t i = 0; i < RAPT_MOST_TEAM / 64; i++) {
    int32_t mine = nth - i * 64;
    uint64_t legal = mine >= 64 ? UINT64_MAX : mine > 0 ? ((uint64_t)1 << mine) - 1 : 0;
    if (atomic_load_explicit(&h->inside[i], memory_order_relaxed) & ~legal) return 0;
  }
  return 1;
}

static void prepare(rapt_call *call) {
  rapt_header *h = call->header;
  rapt_prepare(call);
  h->total = call->total;
  h->split = call->split;
  h->panels = call->panels;
  atomic_store_explicit(&h->ready, 1, memory_order_release);
}

static void wait_until_ready(rapt_call *call) {
  rapt_header *h = call->header;
  int32_t steps = 0;
  while (!atomic_load_explicit(&h->ready, memory_order_acquire)) wait_a_little(&steps);
  call->total = h->total;
  call->split = h->split;
  call->panels = h->panels;
  call->looks = rapt_count_looks(call);
}

/* Without a slice of the workspace: the outcome is settled when the last task is claimed. */
static void wait_until_claimed(const rapt_call *call) {
  int32_t steps = 0;
  while (atomic_load_explicit(&call->header->next, memory_order_relaxed) < call->total)
    wait_a_little(&steps);
}

rapt_status rapt_attention_run_team(const rapt_plan *plan, const rapt_attention_args *args,
                                    void *workspace, size_t workspace_bytes, int32_t ith,
                                    int32_t nth, rapt_error *error) {
  if (!plan) return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "plan", "is NULL");
  /* Every thread checks its (equal) arguments: all refuse or none does, before any meets another. */
  rapt_call call;
  rapt_touched touched;
  rapt_status status = rapt_check_range(nth, 1, RAPT_MOST_TEAM, "nth", error);
  if (!status) status = rapt_check_range(ith, 0, nth - 1, "ith", error);
  if (!status)
    status = rapt_load_args(&plan->desc, args, &call.args, &call.scores, &touched, error);
  call.plan = plan;
  if (!status) status = rapt_call_place(&call, &touched, workspace, workspace_bytes, nth, error);
  if (status) return status;
  if (!is_team_header(call.header, nth))
    return rapt_fail(error, RAPT_ERROR_WORKSPACE, "workspace",
                     "does not begin with %d zero bytes, as a team needs", RAPT_TEAM_HEADER_BYTES);
  if (enter(call.header, ith))
    prepare(&call);
  else
    wait_until_ready(&call);
  if (ith < call.workers)
    rapt_work(&call, ith);
  else
    wait_until_claimed(&call);
  status = rapt_outcome(&call);
  leave(call.header, nth);
  if (status) return rapt_fail(error, status, "args.cancel", "became non-zero during the run");
  return RAPT_OK;
}
