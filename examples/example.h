/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the examples share, and what has nothing to do with rapt: numbers, and the end of a program. */
#ifndef RAPT_EXAMPLES_EXAMPLE_H
#define RAPT_EXAMPLES_EXAMPLE_H

#include <rapt/rapt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Uniform in -1..1, the same in every run. */
static inline void fill_noise(float *x, size_t n) {
  static uint32_t state = 1;
  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (float)(state >> 8) * 0x1p-23f - 1.0f;
  }
}

/* Equal bits, not only numbers that compare equal. */
static inline int equal_bits(const void *a, const void *b, size_t bytes) {
  return memcmp(a, b, bytes) == 0;
}

static inline int failed(const rapt_error *error) {
  fprintf(stderr, "error: %s %s\n", error->field, error->message);
  return 1;
}

#endif
