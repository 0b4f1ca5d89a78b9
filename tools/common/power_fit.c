/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "power_fit.h"

#include <math.h>

void power_fit_add(power_fit *fit, double x, double y) {
  const double log_x = log(x), log_y = log(y);
  fit->points++;
  fit->x += log_x;
  fit->y += log_y;
  fit->xx += log_x * log_x;
  fit->xy += log_x * log_y;
}

double power_fit_exponent(const power_fit *fit) {
  const double n = fit->points;
  if (fit->points < 2) return 0;
  return (n * fit->xy - fit->x * fit->y) / (n * fit->xx - fit->x * fit->x);
}
