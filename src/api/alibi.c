/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <math.h>

#include "api.h"

rapt_status rapt_alibi_slopes(int32_t heads, int32_t first, int32_t n, float *slopes,
                              rapt_error *error) {
  rapt_status status = rapt_check_range(heads, 1, INT32_MAX, "heads", error);
  if (!status) status = rapt_check_range(first, 0, heads, "first", error);
  if (!status) status = rapt_check_range(n, 0, heads - first, "n", error);
  if (status) return status;
  if (n > 0 && !slopes)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "slopes",
                     "is NULL, but %" PRId32 " are asked for", n);
  int32_t power = 1;
  while (power <= heads / 2) power *= 2;
  for (int32_t i = 0; i < n; i++) {
    const int32_t head = first + i;
    double exponent = -8.0 * (head + 1.0) / power;
    /* Heads beyond the power of two: numbers 0, 2, 4, ... of twice as many. */
    if (head >= power) exponent = -8.0 * (2.0 * (head - power) + 1.0) / (2.0 * power);
    slopes[i] = (float)exp2(exponent);
  }
  return RAPT_OK;
}
