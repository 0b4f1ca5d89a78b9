/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The exponent of growth: the slope of log y over log x, by least squares. */
#ifndef RAPT_TOOLS_POWER_FIT_H
#define RAPT_TOOLS_POWER_FIT_H

#include <stdint.h>

typedef struct power_fit {
  int32_t points;
  double x, y, xx, xy; /* sums of the logarithms and their products */
} power_fit;

/* x, y > 0. Start from all zero. */
void power_fit_add(power_fit *fit, double x, double y);

/* e of y = c * x^e; 0 for fewer than two points. */
double power_fit_exponent(const power_fit *fit);

#endif
