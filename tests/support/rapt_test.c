/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L
#include "rapt_test.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PRINTED = 20, MAX_NAME = 128, SKIPPED_STATUS = 77 };

typedef struct test {
  char name[MAX_NAME];
  void (*fn)(const void *arg);
  const void *arg;
  int chosen;
} test;

static test *tests;
static size_t n_tests;

static uint64_t run_seed;
static const test *running;
static atomic_int failures;
static int skipped;

void rapt_test_add(const char *name, void (*fn)(const void *arg), const void *arg) {
  test *grown = realloc(tests, (n_tests + 1) * sizeof *tests);
  if (!grown || strlen(name) >= MAX_NAME) {
    fprintf(stderr, "cannot register test %s\n", name);
    exit(2);
  }
  tests = grown;
  test *t = &tests[n_tests++];
  snprintf(t->name, sizeof t->name, "%s", name);
  t->fn = fn;
  t->arg = arg;
  t->chosen = 0;
}

int rapt_test_count(const char *begin) {
  int n = 0;
  for (size_t i = 0; i < n_tests; i++) n += strncmp(tests[i].name, begin, strlen(begin)) == 0;
  return n;
}

uint64_t rapt_test_seed(void) {
  uint64_t h = 1469598103934665603u ^ run_seed; /* FNV-1a over the name */
  for (const char *c = running ? running->name : ""; *c; c++)
    h = (h ^ (uint8_t)*c) * 1099511628211u;
  return h;
}

int rapt_test_fail(const char *file, int line, const char *condition, const char *fmt, ...) {
  int before = atomic_fetch_add(&failures, 1);
  if (before >= MAX_PRINTED) return 0;
  va_list list;
  va_start(list, fmt);
  flockfile(stdout);
  printf("  %s:%d: %s: ", file, line, condition);
  vprintf(fmt, list);
  printf("\n");
  if (before == MAX_PRINTED - 1) printf("  (further failures of this test are counted only)\n");
  fflush(stdout);
  funlockfile(stdout);
  va_end(list);
  return 0;
}

void rapt_test_skip(const char *fmt, ...) {
  va_list list;
  va_start(list, fmt);
  printf("  skipped: ");
  vprintf(fmt, list);
  printf("\n");
  va_end(list);
  skipped = 1;
}

int rapt_test_failed(void) { return atomic_load(&failures) != 0; }

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const test *)a)->name, ((const test *)b)->name);
}

/* 1 if some test is meant by `word`. */
static int choose(const char *word) {
  int found = 0;
  for (size_t i = 0; i < n_tests; i++)
    if (strcmp(tests[i].name, word) == 0) found = tests[i].chosen = 1;
  if (found) return 1;
  for (size_t i = 0; i < n_tests; i++)
    if (strstr(tests[i].name, word)) found = tests[i].chosen = 1;
  return found;
}

static int parse_seed(const char *text) {
  char *end;
  run_seed = strtoull(text, &end, 0);
  if (end != text && !*end) return 1;
  fprintf(stderr, "bad seed: %s\n", text);
  return 0;
}

/* 0 = run; otherwise 1 + the exit status. */
static int parse_arguments(int argc, char **argv) {
  const char *seed = getenv("RAPT_TEST_SEED");
  run_seed = (uint64_t)time(NULL) ^ ((uint64_t)getpid() << 32);
  if (seed && *seed && !parse_seed(seed)) return 3;
  int words = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--list") == 0) {
      for (size_t t = 0; t < n_tests; t++) printf("%s\n", tests[t].name);
      return 1;
    }
    if (strcmp(argv[i], "--seed") == 0) {
      if (++i == argc || !parse_seed(argv[i])) return 3;
    } else if (argv[i][0] == '-') {
      fprintf(stderr, "usage: %s [--list] [--seed N] [NAME...]\n", argv[0]);
      return 3;
    } else {
      words++;
      if (!choose(argv[i])) {
        fprintf(stderr, "no test is named %s\n", argv[i]);
        return 3;
      }
    }
  }
  for (size_t t = 0; words == 0 && t < n_tests; t++) tests[t].chosen = 1;
  return 0;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (n_tests) qsort(tests, n_tests, sizeof *tests, by_name);
  for (size_t i = 1; i < n_tests; i++)
    if (by_name(&tests[i - 1], &tests[i]) == 0) {
      fprintf(stderr, "two tests are named %s\n", tests[i].name);
      return 2;
    }
  int stop = parse_arguments(argc, argv);
  if (stop) return stop - 1;

  int n_passed = 0, n_failed = 0, n_skipped = 0;
  for (size_t i = 0; i < n_tests; i++) {
    if (!tests[i].chosen) continue;
    running = &tests[i];
    atomic_store(&failures, 0);
    skipped = 0;
    printf("RUN  %s (seed %llu)\n", running->name, (unsigned long long)run_seed);
    double start = seconds();
    running->fn(running->arg);
    double spent = seconds() - start;
    int failed = atomic_load(&failures);
    n_failed += failed != 0;
    n_skipped += !failed && skipped;
    n_passed += !failed && !skipped;
    printf("%s %s (%.3f s, seed %llu)",
           failed    ? "FAIL"
           : skipped ? "SKIP"
                     : "PASS",
           running->name, spent, (unsigned long long)run_seed);
    if (failed) printf(": %d failed checks", failed);
    printf("\n");
  }
  printf("%d passed, %d failed, %d skipped (seed %llu)\n", n_passed, n_failed, n_skipped,
         (unsigned long long)run_seed);
  free(tests);
  if (n_failed) return 1;
  return n_skipped && !n_passed ? SKIPPED_STATUS : 0;
}
