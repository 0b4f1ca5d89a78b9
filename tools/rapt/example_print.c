/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "example_print.h"

#include <stdio.h>

void example_print_row(const float *values, int32_t count, int32_t digits) {
  for (int32_t i = 0; i < count; i++)
    printf("%s%.*f", i == 0 ? "[" : ", ", (int)digits, (double)values[i]);
  printf("]");
}

void example_print_bar(double share, int32_t width) {
  int32_t length = (int32_t)(share * width + 0.5);
  for (int32_t i = 0; i < length; i++) putchar('#');
}
