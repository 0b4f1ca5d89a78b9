/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt_alibi_slopes: any head count, any part of it, refusals. */
#include <math.h>
#include <string.h>

#include <rapt/rapt.h>

#include "support/compare.h"

/* As in the paper's text, not as in the library: the slopes of a power of two are a geometric
 * sequence that starts at its ratio. */
static double expected(int32_t heads, int32_t head) {
  int32_t p = 1;
  while (2 * (int64_t)p <= heads) p *= 2;
  if (head < p) return pow(pow(2, -8.0 / p), head + 1);
  return pow(pow(2, -8.0 / (2.0 * p)), 1 + 2 * (head - p));
}

RAPT_TEST(slopes_of_any_count) {
  float all[300], part[300];
  for (int32_t heads = 1; heads <= 300; heads++) {
    REQUIRE(rapt_alibi_slopes(heads, 0, heads, all, NULL) == RAPT_OK, "%d heads", heads);
    for (int32_t h = 0; h < heads; h++)
      CHECK(fabs((double)all[h] / expected(heads, h) - 1) < 1e-7, "head %d of %d is %.9g", h, heads,
            (double)all[h]);
    int32_t first = heads / 3, n = heads - first - heads / 5;
    memset(part, 0xff, sizeof part);
    REQUIRE(rapt_alibi_slopes(heads, first, n, part + 1, NULL) == RAPT_OK, "shard");
    CHECK_BITS(part + 1, all + first, (size_t)n, "heads %d.. of %d", first, heads);
    CHECK_UNTOUCHED(part, 4, "before");
    CHECK_UNTOUCHED(part + 1 + n, 4, "behind");
  }
  CHECK(rapt_alibi_slopes(INT32_MAX, INT32_MAX - 1, 1, all, NULL) == RAPT_OK, "the last of 2^31-1");
  CHECK(fabs((double)all[0] / expected(INT32_MAX, INT32_MAX - 1) - 1) < 1e-7, "%.9g",
        (double)all[0]);
}

static void refused(int32_t heads, int32_t first, int32_t n, int null, const char *field,
                    const char *value) {
  float slopes[4];
  rapt_error error = {.size = sizeof error};
  memset(slopes, 0xff, sizeof slopes);
  rapt_status status = rapt_alibi_slopes(heads, first, n, null ? NULL : slopes, &error);
  CHECK(status == RAPT_ERROR_INVALID_ARGUMENT && error.code == status, "%s: status %d", field,
        status);
  CHECK(strcmp(error.field, field) == 0, "field %s, expected %s", error.field, field);
  CHECK(strstr(error.message, value) != NULL, "\"%s\" does not tell %s", error.message, value);
  CHECK_UNTOUCHED(slopes, sizeof slopes, "%s", field);
  CHECK(rapt_alibi_slopes(heads, first, n, null ? NULL : slopes, NULL) == status, "without error");
}

RAPT_TEST(slopes_refused) {
  refused(0, 0, 0, 0, "heads", "0");
  refused(-8, 0, 1, 0, "heads", "-8");
  refused(8, -1, 1, 0, "first", "-1");
  refused(8, 9, 0, 0, "first", "9");
  refused(8, 0, -1, 0, "n", "-1");
  refused(8, 6, 3, 0, "n", "0 to 2");
  refused(INT32_MAX, INT32_MAX, INT32_MAX, 0, "n", "0");
  refused(8, 0, 2, 1, "slopes", "NULL");
  CHECK(rapt_alibi_slopes(8, 8, 0, NULL, NULL) == RAPT_OK, "none of them");
}
