/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "check_errors.h"

#include <math.h>
#include <stdio.h>

#include "common/reference.h"

double errors_looseness(const double *score, int64_t n) {
  enum { NO_WEIGHT_BELOW = 110 };
  double most = -(double)INFINITY, peak = 0;
  for (int64_t j = 0; j < n; j++)
    if (score[j] > most) most = score[j];
  for (int64_t j = 0; j < n; j++)
    if (isfinite(score[j]) && score[j] >= most - (double)NO_WEIGHT_BELOW)
      peak = fmax(peak, fabs(score[j]));
  return fmax(1, peak / 4);
}

void errors_add(errors *e, const float *got, const double *ref, size_t n, double bound) {
  for (size_t i = 0; i < n; i++) {
    if (isfinite(got[i]) && isfinite(ref[i]))
      e->largest = fmax(e->largest, fabs((double)got[i] - ref[i]));
    e->beyond += !reference_close(got[i], ref[i], bound, bound);
  }
  e->least = e->n ? fmin(e->least, bound) : bound;
  e->most = fmax(e->most, bound);
  e->n += n;
}

void errors_join(errors *e, const errors *other) {
  e->largest = fmax(e->largest, other->largest);
  if (other->n) e->least = e->n ? fmin(e->least, other->least) : other->least;
  e->most = fmax(e->most, other->most);
  e->beyond += other->beyond;
  e->n += other->n;
}

int errors_print(const char *what, const errors *e, int ok) {
  ok = ok && e->beyond == 0;
  printf("%-9s %s: largest error %.3g, %zu of %zu beyond %.3g + %.3g |x|", what,
         ok ? "ok" : "NOT OK", e->largest, e->beyond, e->n, e->least, e->least);
  if (e->most > e->least) printf(" (%.3g in rows of the largest scores)", e->most);
  return ok;
}
