/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instruction set levels a test runs on, how large it may be, and an executor without threads. */
#ifndef RAPT_TESTS_ATTENTION_LEVELS_H
#define RAPT_TESTS_ATTENTION_LEVELS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <rapt/rapt.h>

/* ---- Levels ------------------------------------------------------------------------------- */

/* The i-th distinct usable level, best first; NULL behind the last. */
static inline const char *level_at(int32_t i) {
  static char names[16][24];
  static int32_t n = -1;
  if (n < 0) {
    n = 0;
    for (int32_t s = 0; s < rapt_kernel_count() && n < 16; s++) {
      rapt_kernel_info info = {.size = sizeof info};
      if (rapt_kernel_get(s, &info, NULL) != RAPT_OK || !info.usable) continue;
      int32_t known = 0;
      while (known < n && strcmp(names[known], info.isa) != 0) known++;
      if (known == n) memcpy(names[n++], info.isa, sizeof info.isa);
    }
  }
  return i < n ? names[i] : NULL;
}

#define FOR_EACH_ISA(isa)                                           \
  for (int32_t isa##_level = 0; isa##_level >= 0; isa##_level = -1) \
    for (const char *isa = level_at(isa##_level); isa; isa = level_at(++isa##_level))

/* 1 where arithmetic is emulated: sizes shrink. */
static inline int test_small(void) {
  static int small = -1;
  const char *text = small < 0 ? getenv("RAPT_TEST_SMALL") : NULL;
  if (small < 0) small = text && *text && strcmp(text, "0") != 0;
  return small;
}

static inline int32_t smaller(int32_t usual, int32_t small) { return test_small() ? small : usual; }

/* ---- Serial executor ----------------------------------------------------------------------- */

static inline int32_t serial_parallel(void *ctx, int32_t n, void (*fn)(void *, int32_t),
                                      void *arg) {
  (void)ctx;
  for (int32_t i = 0; i < n; i++) fn(arg, i);
  return 0;
}

static const rapt_executor serial_executor = {
    .size = sizeof serial_executor, .max_workers = 1, .parallel = serial_parallel};

#endif
