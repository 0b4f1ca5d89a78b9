/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Equal bits for every number of workers, every executor and every workspace size. */
#include "executors.h"
#include "loads.h"

typedef struct temper {
  const char *name;
  parallel_fn parallel;
} temper;

static const temper tempers[] = {
    {"ascending", parallel_ascending}, {"reversed", parallel_reversed},
    {"scrambled", parallel_scrambled}, {"threads", parallel_threads},
    {"late", parallel_late},           {"two", parallel_two},
    {"only last", parallel_only_last},
};

enum { TEMPERS = sizeof tempers / sizeof *tempers };

static void every_executor(const load *l) {
  static const int32_t workers[] = {1, 2, 3, 16, 96};
  if (problem_run(l->p, l->isa, NULL)) load_same(l->p, l->expected, "default executor");
  for (int t = 0; t < TEMPERS; t++)
    for (int w = 0; w < 5; w++) {
      if (test_small() && workers[w] > 16) continue;
      rapt_executor executor = executor_of(tempers[t].parallel, workers[w], NULL);
      char what[100];
      snprintf(what, sizeof what, "%s %s: %s, %d workers", l->isa, load_names[l->kind],
               tempers[t].name, workers[w]);
      if (problem_run(l->p, l->isa, &executor)) load_same(l->p, l->expected, what);
    }
}

LOAD_TESTS(bits, every_executor)

/* A workspace for fewer workers than the executor has: fewer are used. */
static void small_workspace(const load *l) {
  for (int32_t room = 1; room <= 4; room++) {
    call_note note = {0, 0};
    rapt_executor executor = executor_of(parallel_noting, 64, &note);
    l->p->workers = room;
    char what[80];
    snprintf(what, sizeof what, "%s %s: room for %d of 64", l->isa, load_names[l->kind], room);
    if (problem_run(l->p, l->isa, &executor)) load_same(l->p, l->expected, what);
    CHECK(note.calls <= 1, "%s: parallel was called %d times", what, note.calls);
    CHECK(note.largest <= room, "%s: %d workers were started", what, note.largest);
    executor = executor_of(parallel_threads, 8, NULL);
    if (problem_run(l->p, l->isa, &executor)) load_same(l->p, l->expected, what);
  }
  l->p->workers = 0;
}

RAPT_TEST(bits_small_workspace) {
  for (int kind = 0; kind < LOADS; kind++) load_each_level(kind, small_workspace);
}

/* parallel is called at most once a run, with 1 <= n <= max_workers. */
RAPT_TEST(bits_parallel_called_once) {
  for (int kind = 0; kind < LOADS; kind++)
    for (int32_t workers = 1; workers <= 96; workers = workers * 3 + 1) {
      rng r = rng_make(rapt_test_seed());
      problem p = load_make(kind, &r);
      call_note note = {0, 0};
      rapt_executor executor = executor_of(parallel_noting, workers, &note);
      problem_run(&p, level_at(0), &executor);
      CHECK(note.calls <= 1 && note.largest <= workers, "%s, %d workers: %d calls, n up to %d",
            load_names[kind], workers, note.calls, note.largest);
      problem_free(&p);
    }
}

/* Threads that come and go many times: a race has many chances. */
RAPT_TEST(bits_repeated) {
  for (int kind = 0; kind < LOADS; kind++) {
    rng r = rng_make(rapt_test_seed());
    problem p = load_make(kind, &r);
    size_t n;
    float *expected = load_expected(&p, level_at(0), load_names[kind], &n);
    rapt_executor executor = executor_of(parallel_threads, 4, NULL);
    for (int i = 0; expected && i < smaller(60, 5) && !rapt_test_failed(); i++)
      if (problem_run(&p, level_at(0), &executor)) load_same(&p, expected, load_names[kind]);
    free(expected);
    problem_free(&p);
  }
}
