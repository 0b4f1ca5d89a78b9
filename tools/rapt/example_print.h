/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How the worked examples show numbers. */
#ifndef RAPT_TOOL_EXAMPLE_PRINT_H
#define RAPT_TOOL_EXAMPLE_PRINT_H

#include <stdint.h>

/* "[2.887, 1.155, 0.577]" with so many digits after the point. */
void example_print_row(const float *values, int32_t count, int32_t digits);

/* A bar of up to `width` characters for a share between 0 and 1. */
void example_print_bar(double share, int32_t width);

#endif
