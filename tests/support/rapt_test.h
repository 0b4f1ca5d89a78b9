/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A small test harness. A test registers itself:
 *
 *   RAPT_TEST(prefill_is_exact) {
 *     REQUIRE(setup(), "no memory");
 *     CHECK(x == y, "x = %d", x);
 *   }
 *
 * and the program gets its main() from here: no argument runs all tests, arguments name tests (or,
 * when no test has that exact name, parts of names), --list prints the names one a line, --seed N
 * repeats a run. Exit status: 0, 1 on a failure, 2 on a usage error, 77 if all that ran was skipped.
 */
#ifndef RAPT_TESTS_RAPT_TEST_H
#define RAPT_TESTS_RAPT_TEST_H

#include <stddef.h>
#include <stdint.h>

#define RAPT_TEST_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* A test made at run time; the name is copied. Call it from a constructor: tests are listed before
 * any of them runs. Slow tests are named slow_* (after the last dot). */
void rapt_test_add(const char *name, void (*fn)(const void *arg), const void *arg);

/* Tests of this program whose names begin so. */
int rapt_test_count(const char *begin);

/* Seed of the running test: depends on the run's seed and the test's name only, so that a test run
 * alone sees the data it saw in company. */
uint64_t rapt_test_seed(void);

/* Reports a failure at a place; prints the first 20 of a test. Returns 0. Any thread may call it. */
int rapt_test_fail(const char *file, int line, const char *condition, const char *fmt, ...)
    RAPT_TEST_PRINTF(4, 5);

void rapt_test_skip(const char *fmt, ...) RAPT_TEST_PRINTF(1, 2);

/* 1 once the running test has failed. Lets a long sweep stop at its first bad case. */
int rapt_test_failed(void);

/* Keeps compilers from warning of an unused value where nobody asks for the answer. */
static inline int rapt_test_answer(int holds) { return holds; }

/* Records a failure and goes on. An expression: 1 if the condition held. */
#define CHECK(cond, ...) \
  rapt_test_answer((cond) || rapt_test_fail(__FILE__, __LINE__, #cond, __VA_ARGS__))

/* Records a failure and returns from the (void) function. */
#define REQUIRE(cond, ...)                 \
  do {                                     \
    if (!CHECK(cond, __VA_ARGS__)) return; \
  } while (0)

/* Marks the test as skipped and returns from the (void) function. */
#define SKIP(...)                \
  do {                           \
    rapt_test_skip(__VA_ARGS__); \
    return;                      \
  } while (0)

#define RAPT_TEST(name)                                                      \
  static void rapt_test_body_##name(const void *arg);                        \
  __attribute__((constructor)) static void rapt_test_register_##name(void) { \
    rapt_test_add(#name, rapt_test_body_##name, NULL);                       \
  }                                                                          \
  static void rapt_test_body_##name(__attribute__((unused)) const void *arg)

#endif
