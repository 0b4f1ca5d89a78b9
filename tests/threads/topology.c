/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the caches decide, hwloc or not: the number of panels per task, and prefetching. Every value a
 * machine could bring about gives the same bits. */
#include "attention/plan.h"
#include "attention/scratch.h"
#include "executors.h"
#include "loads.h"

typedef struct machine {
  int32_t panels;
  int64_t l2_bytes;
} machine;

/* The plan becomes one that such a machine would have made. */
static void move_plan(rapt_plan *plan, const void *to) {
  const machine *m = to;
  plan->panels = m->panels;
  plan->l2_bytes = m->l2_bytes;
}

static void every_topology(const load *l) {
  static const int64_t l2_bytes[] = {0, 128 << 10, 1 << 20, 1 << 30};
  for (int32_t panels = 1; panels <= RAPT_MOST_PANELS; panels++)
    for (int32_t workers = 1; workers <= 2; workers++) {
      machine m = {panels, l2_bytes[(panels + workers) % 4]};
      rapt_executor executor = executor_of(parallel_threads, workers, NULL);
      l->p->change_plan = move_plan, l->p->change_to = &m;
      char what[100];
      snprintf(what, sizeof what, "%s %s: %d panels, L2 of %lld, %d workers", l->isa,
               load_names[l->kind], panels, (long long)m.l2_bytes, workers);
      if (problem_run(l->p, l->isa, &executor)) load_same(l->p, l->expected, what);
      l->p->change_plan = NULL, l->p->change_to = NULL;
    }
}

LOAD_TESTS(topology, every_topology)
