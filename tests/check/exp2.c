/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sets' exponential: within 2 ulp of float64 where the result is normal, exact where it must be. */
#include "check.h"

#include <string.h>

enum { CHUNK = 1021 }; /* prime: the tail of the kernel's loop moves */

static double worst;

static void compare(const rapt_kernel_set *set, const float *x, int32_t n) {
  float got[CHUNK];
  set->exp2(x, got, n);
  for (int32_t i = 0; i < n; i++) {
    double ref = exp2((double)x[i]);
    if (ref < CHECK_TINY) { /* may flush */
      CHECK((double)got[i] >= 0 && (double)got[i] <= CHECK_TINY, "2^%.9g = %.9g", (double)x[i],
            (double)got[i]);
      continue;
    }
    double ulp = compare_ulp(got[i], ref);
    if (ulp > worst) worst = ulp;
    CHECK(ulp <= 2, "2^%.9g = %.9g, should be %.9g: %.2f ulp", (double)x[i], (double)got[i], ref,
          ulp);
  }
}

static void special(const rapt_kernel_set *set) {
  static const float x[] = {0.0f, -0.0f, -INFINITY, NAN, -1.0f, -126.0f, -1e30f, -200.0f, -127.0f};
  static const float want[] = {1, 1, 0, NAN, 0.5f, 0x1p-126f, 0, 0, 0};
  enum { N = sizeof x / sizeof *x };
  /* Each in every lane, beside neighbours of another kind. */
  for (int32_t shift = 0; shift < N; shift++) {
    float in[N], out[N], ref[N];
    for (int32_t i = 0; i < N; i++) in[i] = x[(i + shift) % N], ref[i] = want[(i + shift) % N];
    set->exp2(in, out, N);
    for (int32_t i = 0; i < N; i++) /* 2^-127 is subnormal: flushed or right */
      if (in[i] == -127.0f && out[i] == 0x1p-127f) out[i] = 0;
    CHECK_BITS(out, ref, N, "special values, shift %d", shift);
  }
}

static void tails(const rapt_kernel_set *set, rng *r) {
  for (int32_t n = 1; n < 40; n++) {
    check_arena arena = {.place = n % 2 ? GUARD_END : GUARD_START};
    float *x = check_floats(&arena, n), *y = check_floats(&arena, n);
    rng_fill_uniform(r, x, (size_t)n, -20, 0);
    set->exp2(x, y, n);
    for (int32_t i = 0; i < n; i++)
      CHECK(compare_ulp(y[i], exp2((double)x[i])) <= 2, "n = %d, element %d", n, i);
    check_close(&arena, "exp2");
  }
}

SET_TEST(exp2, "exp2") {
  rng r = rng_make(rapt_test_seed());
  float x[CHUNK];
  worst = 0;
  special(set);
  tails(set, &r);
  for (int32_t round = 0; round < 60; round++) {
    rng_fill_uniform(&r, x, CHUNK, round % 3 == 0 ? -1 : round % 3 == 1 ? -20 : -150, 0);
    compare(set, x, CHUNK);
  }
  for (int32_t i = 0; i < CHUNK; i++) x[i] = -(float)i * 0.125f; /* halves: ties of the rounding */
  compare(set, x, CHUNK);
  for (int32_t i = 0; i < CHUNK; i++) /* tiny to large by magnitude */
    x[i] = -ldexpf((float)(1 + rng_unit(&r)), rng_range(&r, -60, 7));
  compare(set, x, CHUNK);
  rng_fill_uniform(&r, x, CHUNK, 0,
                   127); /* not needed by softmax, but a power of two all the same */
  compare(set, x, CHUNK);
}

/* One in 71 of all floats from -0 to -160. */
SET_TEST(slow_exp2, "slow_exp2") {
  float x[CHUNK];
  const float low = -160.0f;
  uint32_t end, bits = 0x80000000u;
  memcpy(&end, &low, sizeof end);
  worst = 0;
  while (bits < end && !rapt_test_failed()) {
    int32_t n = 0;
    for (; n < CHUNK && bits < end; bits += 71) memcpy(&x[n++], &bits, sizeof bits);
    compare(set, x, n);
  }
  CHECK(worst <= 2, "%.3f ulp", worst);
}
