/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The operations of rapt_softmax, a piece of a row each: against float64, on rows that begin and end
 * at guard pages. */
#include <string.h>

#include "check.h"

enum { MOST = 530 };

static int32_t length(rng *r, int32_t i) { return i < 70 ? i + 1 : rng_range(r, 1, MOST); }

SET_TEST(softmax_prepare, "softmax_prepare") {
  rng r = rng_make(rapt_test_seed());
  static uint32_t words[(MOST + 31) / 32 * RAPT_MAX_LANES];
  for (int32_t i = 0; i < 140 && !rapt_test_failed(); i++) {
    check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
    const int32_t n = length(&r, i),
                  room = (n + RAPT_KEY_ALIGN - 1) / RAPT_KEY_ALIGN * RAPT_KEY_ALIGN;
    float *x = check_floats(&arena, n), *out = check_floats(&arena, n);
    float *bias = check_scratch(&arena, room), scale = (float)rng_normal(&r);
    const int masked = rng_below(&r, 2), biased = rng_below(&r, 2);
    rng_fill_normal(&r, x, (size_t)n, 3);
    rng_fill_normal(&r, bias, (size_t)room, 3);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) words[w] = (uint32_t)rng_u64(&r);
    for (int32_t k = 0; k < n; k++)
      if (masked && !(words[k / 32 * RAPT_MAX_LANES] >> (k % 32) & 1)) x[k] = NAN;
    set->softmax.prepare(x, n, scale, biased ? bias : NULL, masked ? words : NULL, out);
    for (int32_t k = 0; k < n; k++) {
      if (masked && !(words[k / 32 * RAPT_MAX_LANES] >> (k % 32) & 1)) {
        CHECK(out[k] == -INFINITY, "element %d of %d is forbidden, but %g", k, n, (double)out[k]);
        continue;
      }
      double product = (double)x[k] * (double)scale, want = product;
      if (biased) want += (double)bias[k];
      CHECK(fabs((double)out[k] - want) <= CHECK_U * (fabs(product) + fabs(want)),
            "element %d of %d is %.9g, should be %.9g", k, n, (double)out[k], want);
    }
    check_close(&arena, "softmax_prepare");
  }
}

SET_TEST(softmax_pieces, "softmax_pieces") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < 140 && !rapt_test_failed(); i++) {
    check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
    const int32_t n = length(&r, i);
    float *x = check_floats(&arena, n), *y = check_floats(&arena, n), *z = check_floats(&arena, n);
    const float factor = (float)(0.1 + 3 * rng_unit(&r)),
                inverse = (float)(1 / (1 + 9 * rng_unit(&r)));
    float top = -INFINITY;
    double sum = 0, bound = 0;
    rng_fill_normal(&r, x, (size_t)n, 4);
    for (int32_t k = 0; k < n; k++)
      if (rng_below(&r, 9) == 0) x[k] = -INFINITY;
    for (int32_t k = 0; k < n; k++) top = fmaxf(top, x[k]);
    CHECK(set->softmax.largest(x, n) == top, "largest of %d: %g, should be %g", n,
          (double)set->softmax.largest(x, n), (double)top);
    const float base = top == -INFINITY ? 0.0f : top;
    const float got = set->softmax.sum(x, n, base, factor);
    set->softmax.weights(x, n, base, factor, inverse, y);
    set->softmax.logs(x, n, base, factor, 1.5f, z);
    for (int32_t k = 0; k < n; k++) {
      double t = ((double)x[k] - (double)base) * (double)factor, w = exp2(t);
      double limit = w == 0 ? 0 : w * (CHECK_EXP2 + 3 * CHECK_U * fabs(t)) + CHECK_TINY;
      sum += w;
      bound += limit;
      CHECK(fabs((double)y[k] - w * (double)inverse) <= limit + CHECK_U * w,
            "weight %d of %d is %.9g, should be %.9g", k, n, (double)y[k], w * (double)inverse);
      if (isinf(t))
        CHECK(z[k] == -INFINITY, "log %d of %d is %g", k, n, (double)z[k]);
      else
        CHECK(fabs((double)z[k] - (t - 1.5)) <= 4 * CHECK_U * (fabs(t) + 1.5), "log %d of %d", k,
              n);
    }
    CHECK(fabs((double)got - sum) <= bound + (0.25 * n + 8) * CHECK_U * sum,
          "sum of %d is %.9g, should be %.9g", n, (double)got, sum);
    memcpy(z, x, (size_t)n * sizeof *x);
    set->softmax.weights(z, n, base, factor, inverse, z);
    CHECK_BITS(z, y, (size_t)n, "in place, %d elements", n);
    check_close(&arena, "softmax_pieces");
  }
}

/* A NaN or a +inf in any place makes the sum NaN, whatever `largest` says of them; weights by a NaN are
 * NaN everywhere. */
SET_TEST(softmax_piece_nan, "softmax_piece_nan") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t n = 1; n < 120; n += 1 + n / 20)
    for (int32_t at = 0; at < n; at++)
      for (int kind = 0; kind < 3; kind++) {
        float x[128], y[128];
        rng_fill_normal(&r, x, (size_t)n, 1);
        if (kind == 2)
          for (int32_t k = 0; k < n; k++) x[k] = -INFINITY;
        x[at] = kind == 1 ? INFINITY : NAN;
        float top = set->softmax.largest(x, n), base = top == -INFINITY ? 0.0f : top;
        float sum = set->softmax.sum(x, n, base, 1);
        CHECK(isnan(sum), "kind %d at %d of %d: sum %g, largest %g", kind, at, n, (double)sum,
              (double)top);
        set->softmax.weights(x, n, base, 1, NAN, y);
        for (int32_t k = 0; k < n; k++) CHECK(isnan(y[k]), "weight %d", k);
      }
}
