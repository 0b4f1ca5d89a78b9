/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>

#include "reference.h"

int reference_close(float got, double ref, double abs, double rel) {
  if (isnan(ref)) return isnan(got);
  if (isinf(ref)) return ref > 0 ? !isfinite(got) : (double)got == ref;
  return fabs((double)got - ref) <= abs + rel * fabs(ref);
}

double reference_rel_l2(const float *got, const double *ref, size_t n) {
  double error = 0, norm = 0;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(ref[i])) continue;
    double e = (double)got[i] - ref[i];
    error += e * e;
    norm += ref[i] * ref[i];
  }
  if (norm == 0) return error == 0 ? 0 : (double)INFINITY;
  return sqrt(error / norm);
}
