/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rotate_halves, rotate_pairs and add: against float64 at guard pages, with any strides, in place too. */
#include "check.h"

#include <string.h>

/* The bound of products and sums that are rounded one by one: factor times cosine, times a channel,
 * twice, and the sum. */
static double bound_of(double a, double b, double factor) {
  return 4 * CHECK_U * fabs(factor) * (fabs(a) + fabs(b)) + CHECK_TINY;
}

static void rotate_case(const rapt_kernel_set *set, rng *r, int32_t i, int interleaved) {
  check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
  const int32_t pairs = i < 70 ? 1 + i : rng_range(r, 1, 512);
  const int32_t rest = i % 3 ? 0 : rng_range(r, 1, 21), n = rng_range(r, 1, 9),
                dim = 2 * pairs + rest;
  const float factor = i % 4 ? 1.0f : 1.3f;
  check_rows x = check_rows_make(&arena, r, n, dim, 1), y = check_rows_make(&arena, r, n, dim, 0);
  float *cosines = check_floats(&arena, pairs), *sines = check_floats(&arena, pairs);
  for (int32_t p = 0; p < pairs; p++) {
    const double t = 10 * rng_normal(r);
    cosines[p] = (float)cos(t);
    sines[p] = (float)sin(t);
  }
  const rapt_rotation by = {.cos = cosines,
                            .sin = sines,
                            .pairs = pairs,
                            .rest = rest,
                            .factor = factor,
                            .sine = i % 5 ? factor : -factor};
  void (*rotate)(const rapt_rotation *, int32_t, const char *, int64_t, char *,
                 int64_t) = interleaved ? set->position.rotate_pairs : set->position.rotate_halves;
  rotate(&by, n, x.first, x.stride, y.first, y.stride);
  int bad = 0;
  for (int32_t k = 0; k < n; k++) {
    const float *from = check_row(&x, k), *to = check_row(&y, k);
    for (int32_t p = 0; p < pairs; p++) {
      const int32_t ia = interleaved ? 2 * p : p, ib = interleaved ? 2 * p + 1 : pairs + p;
      const double a = (double)from[ia], b = (double)from[ib];
      const double c = (double)cosines[p] * (double)factor, s = (double)sines[p] * (double)by.sine;
      bad += !(fabs((double)to[ia] - (a * c - b * s)) <= bound_of(a, b, (double)factor));
      bad += !(fabs((double)to[ib] - (b * c + a * s)) <= bound_of(a, b, (double)factor));
    }
    bad += rest > 0 && memcmp(from + 2 * pairs, to + 2 * pairs, (size_t)rest * sizeof *to) != 0;
  }
  CHECK(!bad, "%d pairs, %d beyond, %d rows, %s: %d wrong", pairs, rest, n,
        interleaved ? "interleaved" : "halves", bad);
  CHECK(check_gaps_intact(&y), "%d pairs: between the rows", pairs);

  if (x.stride != 0) { /* in place; rows by themselves have the bits they have in company */
    for (int32_t k = 0; k < n; k++)
      rotate(&by, 1, (const char *)check_row(&x, k), 0, (char *)check_row(&x, k), 0);
    for (int32_t k = 0; k < n && !rapt_test_failed(); k++)
      CHECK_BITS(check_row(&x, k), check_row(&y, k), (size_t)dim, "%d pairs in place, row %d",
                 pairs, k);
  }
  check_close(&arena, "rotate");
}

SET_TEST(rotate, "rotate") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < 150 && !rapt_test_failed(); i++)
    for (int interleaved = 0; interleaved < 2; interleaved++) rotate_case(set, &r, i, interleaved);
}

SET_TEST(position_add, "position_add") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t n = 0; n < 100; n++) {
    check_arena arena = {.place = n % 2 ? GUARD_END : GUARD_START};
    float *x = check_floats(&arena, n), *p = check_floats(&arena, n), want[100];
    rng_fill_normal(&r, x, (size_t)n, 1);
    rng_fill_normal(&r, p, (size_t)n, 1);
    for (int32_t i = 0; i < n; i++) want[i] = x[i] + p[i];
    set->position.add(x, p, n);
    CHECK_BITS(x, want, (size_t)n, "%d floats", n);
    check_close(&arena, "position_add");
  }
}
