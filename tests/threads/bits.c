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

static void every_executor(int kind) {
  static const int32_t workers[] = {1, 2, 3, 16, 96};
  rng r = rng_make(rapt_test_seed());
  problem p = load_make(kind, &r);
  FOR_EACH_ISA(isa) {
    size_t n;
    float *expected = load_expected(&p, isa, load_names[kind], &n);
    if (!expected) break;
    if (problem_run(&p, isa, NULL)) load_same(&p, expected, "default executor");
    for (int t = 0; t < TEMPERS; t++)
      for (int w = 0; w < 5; w++) {
        if (test_small() && workers[w] > 16) continue;
        rapt_executor executor = executor_of(tempers[t].parallel, workers[w], NULL);
        char what[100];
        snprintf(what, sizeof what, "%s %s: %s, %d workers", isa, load_names[kind], tempers[t].name,
                 workers[w]);
        if (problem_run(&p, isa, &executor)) load_same(&p, expected, what);
      }
    free(expected);
  }
  problem_free(&p);
}

RAPT_TEST(bits_prefill) { every_executor(LOAD_PREFILL); }
RAPT_TEST(bits_causal) { every_executor(LOAD_CAUSAL); }
RAPT_TEST(bits_decode) { every_executor(LOAD_DECODE); }
RAPT_TEST(bits_group) { every_executor(LOAD_GROUP); }
RAPT_TEST(bits_ragged) { every_executor(LOAD_RAGGED); }
RAPT_TEST(bits_long_prompt) { every_executor(LOAD_LONG_PROMPT); }

/* A workspace for fewer workers than the executor has: fewer are used. */
RAPT_TEST(bits_small_workspace) {
  for (int kind = 0; kind < LOADS; kind++) {
    rng r = rng_make(rapt_test_seed());
    problem p = load_make(kind, &r);
    FOR_EACH_ISA(isa) {
      size_t n;
      float *expected = load_expected(&p, isa, load_names[kind], &n);
      if (!expected) break;
      for (int32_t room = 1; room <= 4; room++) {
        call_note note = {0, 0};
        rapt_executor executor = executor_of(parallel_noting, 64, &note);
        p.workers = room;
        char what[80];
        snprintf(what, sizeof what, "%s %s: room for %d of 64", isa, load_names[kind], room);
        if (problem_run(&p, isa, &executor)) load_same(&p, expected, what);
        CHECK(note.calls <= 1, "%s: parallel was called %d times", what, note.calls);
        CHECK(note.largest <= room, "%s: %d workers were started", what, note.largest);
        executor = executor_of(parallel_threads, 8, NULL);
        if (problem_run(&p, isa, &executor)) load_same(&p, expected, what);
      }
      free(expected);
    }
    problem_free(&p);
  }
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
