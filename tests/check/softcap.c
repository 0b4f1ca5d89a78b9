/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * softcap: cap * tanh(s / cap) within 4 ulp of float64 for every float, odd to the bit, exact at the
 * ends. */
#include "check.h"

#include <string.h>

enum { CHUNK = 1024 };

static const float caps[] = {30.0f, 50.0f, 1.0f, 0.7f, 1e-20f, 1e20f, 12.345678f};
enum { CAPS = sizeof caps / sizeof *caps };

/* In float64; tanh of the C library overflows nothing, and a tiny argument is its own tanh. */
static double reference(float s, float cap) { return (double)cap * tanh((double)s / (double)cap); }

/* s holds CHUNK scores, aligned. Returns the largest error in ulp. */
static double compare(const rapt_kernel_set *set, const float *s, float *scratch, float cap) {
  double worst = 0;
  memcpy(scratch, s, CHUNK * sizeof *s);
  set->softcap(scratch, CHUNK, cap);
  for (int32_t i = 0; i < CHUNK; i++) {
    double ref = reference(s[i], cap);
    if (fabs(ref) < CHECK_TINY && scratch[i] == 0) continue; /* flushed */
    double ulp = compare_ulp(scratch[i], ref);
    if (!(ulp <= worst)) worst = ulp;
    CHECK(ulp <= 4, "cap %g: %.9g gives %.9g, should be %.9g: %.2f ulp", (double)cap, (double)s[i],
          (double)scratch[i], ref, ulp);
    CHECK(fabsf(scratch[i]) <= cap, "cap %g: %.9g gives %.9g", (double)cap, (double)s[i],
          (double)scratch[i]);
  }
  for (int32_t i = 0; i < CHUNK; i++) scratch[i] = -s[i];
  set->softcap(scratch, CHUNK, cap);
  float *positive = scratch + CHUNK;
  memcpy(positive, s, CHUNK * sizeof *s);
  set->softcap(positive, CHUNK, cap);
  for (int32_t i = 0; i < CHUNK; i++) positive[i] = -positive[i];
  CHECK_BITS(scratch, positive, CHUNK, "cap %g: not odd", (double)cap);
  return worst;
}

static void special(const rapt_kernel_set *set, float cap) {
  check_arena arena = {.place = GUARD_END};
  const float in[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 3.4e38f, -3.4e38f, 1e-42f};
  enum { N = sizeof in / sizeof *in };
  float *s = check_scratch(&arena, 64);
  for (int32_t shift = 0; shift < N; shift++) {
    for (int32_t i = 0; i < 64; i++) s[i] = in[(i + shift) % N];
    set->softcap(s, 64, cap);
    for (int32_t i = 0; i < 64; i++) {
      float x = in[(i + shift) % N], y = s[i];
      if (isnan(x))
        CHECK(isnan(y), "cap %g: NaN gives %g", (double)cap, (double)y);
      else if (x == 0)
        CHECK(y == 0 && !signbit(x) == !signbit(y), "cap %g: zero gives %g", (double)cap,
              (double)y);
      else if (isinf(x))
        CHECK(y == copysignf(cap, x), "cap %g: %g gives %.9g", (double)cap, (double)x, (double)y);
      else
        CHECK(compare_ulp(y, reference(x, cap)) <= 4 || (fabsf(x) < 1e-38f && y == 0),
              "cap %g: %g gives %.9g", (double)cap, (double)x, (double)y);
    }
  }
  check_close(&arena, "softcap");
}

static void random_scores(rng *r, float *s, float cap, int32_t round) {
  for (int32_t i = 0; i < CHUNK; i++) {
    if (round % 3 == 0)
      s[i] = cap * 12 * (float)(rng_unit(r) - 0.5); /* the bend */
    else if (round % 3 == 1)
      s[i] = ldexpf((float)(1 + rng_unit(r)), rng_range(r, -126, 126)); /* any magnitude */
    else
      s[i] = cap * ldexpf((float)(1 + rng_unit(r)), rng_range(r, -14, 4));
    if (!isfinite(s[i])) s[i] = 0;
  }
}

SET_TEST(softcap, "softcap") {
  rng r = rng_make(rapt_test_seed());
  check_arena arena = {.place = GUARD_END};
  float *s = check_scratch(&arena, CHUNK), *scratch = check_scratch(&arena, 2 * CHUNK);
  for (int32_t c = 0; c < CAPS && !rapt_test_failed(); c++) {
    special(set, caps[c]);
    for (int32_t round = 0; round < 9; round++) {
      random_scores(&r, s, caps[c], round);
      compare(set, s, scratch, caps[c]);
    }
  }
  check_close(&arena, "softcap");
}

/* Whole vectors and nothing more are touched: every count of vectors. */
SET_TEST(softcap_counts, "softcap_counts") {
  for (int32_t n = 16; n <= 160; n += 16) {
    check_arena arena = {.place = n % 32 ? GUARD_END : GUARD_START};
    float *s = check_scratch(&arena, n);
    for (int32_t i = 0; i < n; i++) s[i] = (float)i;
    set->softcap(s, n, 50);
    for (int32_t i = 0; i < n; i++)
      CHECK(i == 0 || compare_ulp(s[i], reference((float)i, 50)) <= 4, "%d of %d: %g", i, n,
            (double)s[i]);
    check_close(&arena, "softcap");
  }
}

/* One in 997 of all positive floats; compare() does the negative ones. */
SET_TEST(slow_softcap, "slow_softcap") {
  check_arena arena = {.place = GUARD_END};
  float *s = check_scratch(&arena, CHUNK), *scratch = check_scratch(&arena, 2 * CHUNK);
  double worst = 0;
  for (int32_t c = 0; c < 2; c++)
    for (uint32_t bits = 0; bits < 0x7f800000u && !rapt_test_failed();) {
      for (int32_t i = 0; i < CHUNK; i++) {
        memcpy(&s[i], &bits, sizeof bits);
        if (bits < 0x7f800000u) bits += 997;
        if (bits > 0x7f800000u) bits = 0x7f800000u;
        if (!isfinite(s[i])) s[i] = 1;
      }
      double ulp = compare(set, s, scratch, caps[c]);
      if (ulp > worst) worst = ulp;
    }
  CHECK(worst <= 4, "%.3f ulp", worst);
  check_close(&arena, "softcap");
}
