/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt_softmax against float64, and what must be equal to the bit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention/problem.h"
#include "softmax_case.h"
#include "threads/executors.h"

static softmax_case draw(rng *r) {
  static const int32_t lengths[] = {0, 1, 2, 7, 16, 31, 64, 100, 479, 480, 481, 960, 1000, 1500};
  softmax_case c = {.place = rng_below(r, 2) ? GUARD_END : GUARD_START};
  for (int i = 0; i < 3; i++) c.args.extent[i] = rng_range(r, 1, 3);
  c.args.length = lengths[rng_below(r, 14)];
  c.args.mask_kind = rng_below(r, 2) ? rng_range(r, RAPT_MASK_BOOL, RAPT_MASK_BF16) : 0;
  c.in_place = rng_below(r, 3) == 0;
  return c;
}

static void describe(const softmax_case *c, char *out, size_t size) {
  snprintf(out, size, "[%d %d %d][%d] mask %d flags %u scale %g T %g in place %d",
           c->args.extent[0], c->args.extent[1], c->args.extent[2], c->args.length,
           c->args.mask_kind, c->args.flags, (double)c->args.scale, (double)c->args.temperature,
           c->in_place);
}

static void random_cases(const char *isa, int n) {
  rng r = rng_make(rapt_test_seed());
  static const float scales[] = {0, 1, -1, 0.125f, -2, 3}, heats[] = {0, 1, 0.7f, 4};
  for (int i = 0; i < n && !rapt_test_failed(); i++) {
    softmax_case c = draw(&r);
    char what[160];
    c.args.scale = scales[rng_below(&r, 6)];
    c.args.temperature = heats[rng_below(&r, 4)];
    c.args.flags = (uint32_t)rng_below(&r, 4);
    describe(&c, what, sizeof what);
    softmax_build(&c, &r, 1);
    softmax_verify(&c, isa, what);
    softmax_free(&c);
  }
}

RAPT_TEST(softmax_random) { FOR_EACH_ISA(isa) random_cases(isa, smaller(400, 40)); }

/* Long rows, ascending ones too: the maximum moves with every piece. */
RAPT_TEST(softmax_long_rows) {
  static const int32_t lengths[] = {16, 1023, 1025, 200001, 643251};
  for (int i = 0; i < smaller(5, 3); i++)
    for (int ramp = -1; ramp <= 1; ramp++) FOR_EACH_ISA(isa) {
        rng r = rng_make(rapt_test_seed());
        softmax_case c = {.args = {.extent = {1, 1, 2}, .length = lengths[i]}};
        softmax_build(&c, &r, 1);
        for (int64_t row = 0; row < 2; row++)
          for (int32_t k = 0; ramp && k < lengths[i]; k++)
            *softmax_x(&c, row, k) += (float)(ramp * 3e-4 * k);
        softmax_answer(&c);
        softmax_verify(&c, isa, "long");
        softmax_free(&c);
      }
}

/* The same element everywhere: 1 / n within an ulp or two, whatever it is. */
RAPT_TEST(softmax_equal_elements) {
  static const float values[] = {0, 0.3f, 1e30f, -3e38f, 1e-40f};
  float x[5000], y[5000];
  for (int v = 0; v < 5; v++)
    for (int32_t n = 1; n <= 5000; n += n < 70 ? 1 : 493) FOR_EACH_ISA(isa) {
        for (int32_t i = 0; i < n; i++) x[i] = values[v];
        rapt_softmax_args a = {.size = sizeof a,
                               .extent = {1, 1, 1},
                               .length = n,
                               .isa = isa,
                               .x = {x, {0, 0, 0, 4}},
                               .y = {y, {0, 0, 0, 4}}};
        REQUIRE(rapt_softmax(&a, NULL, NULL) == RAPT_OK, "status");
        for (int32_t i = 0; i < n; i++)
          if (!CHECK(compare_ulp(y[i], 1.0 / n) <= 1, "%s %d of %d: %.9g", isa, i, n, (double)y[i]))
            return;
      }
}

RAPT_TEST(softmax_large_elements_keep_small_differences) {
  rng r = rng_make(rapt_test_seed());
  FOR_EACH_ISA(isa)
  for (int i = 0; i < 30 && !rapt_test_failed(); i++) {
    softmax_case c = draw(&r);
    c.args.mask_kind = rng_range(&r, 0, RAPT_MASK_BITS);
    c.args.scale = i % 3 ? 0.37f : -0.37f;
    softmax_build(&c, &r, i % 2 ? 1 : 1000);
    for (int64_t row = 0; row < softmax_rows(&c); row++)
      for (int32_t k = 0; k < c.args.length; k++)
        if (fabsf(*softmax_x(&c, row, k)) < 9000) *softmax_x(&c, row, k) += 10000;
    softmax_answer(&c);
    softmax_verify(&c, isa, "large");
    softmax_free(&c);
  }
}

/* NaN, +inf: their row; -inf: weight 0; a row of -inf alone: empty. */
RAPT_TEST(softmax_special_elements) {
  static const float special[] = {NAN, INFINITY, -INFINITY};
  rng r = rng_make(rapt_test_seed());
  FOR_EACH_ISA(isa)
  for (int i = 0; i < 200 && !rapt_test_failed(); i++) {
    softmax_case c = draw(&r);
    char what[160];
    if (c.args.length == 0) continue;
    c.args.flags = i % 2 ? RAPT_SOFTMAX_LOG : 0;
    describe(&c, what, sizeof what);
    softmax_build(&c, &r, 1);
    int64_t row = rng_below(&r, (int32_t)softmax_rows(&c));
    float put = special[i % 3];
    *softmax_x(&c, row, rng_below(&r, c.args.length)) = put;
    for (int32_t k = 0; i % 5 == 0 && k < c.args.length; k++) *softmax_x(&c, row, k) = -INFINITY;
    softmax_answer(&c);
    softmax_verify(&c, isa, what);
    softmax_free(&c);
  }
}

/* What a forbidden element holds is of no influence: bits. */
RAPT_TEST(softmax_forbidden_elements) {
  rng r = rng_make(rapt_test_seed());
  FOR_EACH_ISA(isa)
  for (int i = 0; i < 12; i++) {
    enum { N = 1100 };
    float x[N], y[2][N];
    unsigned char mask[N];
    rng_fill_normal(&r, x, N, 1);
    for (int k = 0; k < N; k++) mask[k] = (unsigned char)rng_below(&r, 2);
    rapt_softmax_args a = {.size = sizeof a,
                           .extent = {1, 1, 1},
                           .length = N,
                           .isa = isa,
                           .x = {x, {0, 0, 0, 4}},
                           .mask_kind = RAPT_MASK_BOOL,
                           .mask = {.data = mask, .stride = {0, 0, 0, 1}, .extent = {1, 1, 1, N}}};
    for (int k = 0; k < 2; k++) {
      a.y = (rapt_tensor_4d){y[k], {0, 0, 0, 4}};
      REQUIRE(rapt_softmax(&a, NULL, NULL) == RAPT_OK, "status");
      for (int n = 0; n < N; n++)
        if (!mask[n]) x[n] = n % 3 == 0 ? NAN : n % 3 == 1 ? INFINITY : 3e38f;
    }
    CHECK_BITS(y[1], y[0], N, "%s", isa);
  }
}

/* Strides and neighbours never show in the bits, nor do executors. */
RAPT_TEST(softmax_bits) {
  enum { ROWS = 40, N = 1300 };
  static float x[ROWS * N], turned[ROWS * N], want[ROWS * N], got[ROWS * N];
  rng r = rng_make(rapt_test_seed());
  rng_fill_normal(&r, x, ROWS * N, 2);
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < N; k++) turned[k * ROWS + i] = x[i * N + k];
  FOR_EACH_ISA(isa) {
    rapt_executor one = executor_of(parallel_ascending, 1, NULL);
    rapt_softmax_args a = {.size = sizeof a,
                           .extent = {1, 1, ROWS},
                           .length = N,
                           .isa = isa,
                           .x = {x, {0, 0, 4 * N, 4}},
                           .y = {want, {0, 0, 4 * N, 4}}};
    REQUIRE(rapt_softmax(&a, &one, NULL) == RAPT_OK, "status");
    a.y.data = got;
    static const parallel_fn tempers[] = {parallel_reversed, parallel_scrambled, parallel_threads,
                                          parallel_two, parallel_only_last};
    for (int t = 0; t < 5; t++)
      for (int32_t workers = 2; workers < 30; workers *= 3) {
        rapt_executor executor = executor_of(tempers[t], workers, NULL);
        memset(got, 0xff, sizeof got);
        CHECK(rapt_softmax(&a, &executor, NULL) == RAPT_OK, "status");
        CHECK_BITS(got, want, ROWS * N, "%s executor %d, %d workers", isa, t, workers);
      }
    a.x = (rapt_const_tensor_4d){turned, {0, 0, 4, 4 * ROWS}};
    memset(got, 0xff, sizeof got);
    CHECK(rapt_softmax(&a, NULL, NULL) == RAPT_OK, "status");
    CHECK_BITS(got, want, ROWS * N, "%s turned", isa);
    for (int i = 0; i < ROWS; i += 7) { /* alone */
      a = (rapt_softmax_args){.size = sizeof a,
                              .extent = {1, 1, 1},
                              .length = N,
                              .isa = isa,
                              .x = {x + i * N, {0, 0, 0, 4}},
                              .y = {got, {0, 0, 0, 4}}};
      CHECK(rapt_softmax(&a, NULL, NULL) == RAPT_OK, "status");
      CHECK_BITS(got, want + i * N, N, "%s row %d alone", isa, i);
    }
  }
}

RAPT_TEST(softmax_failing_executors) {
  enum { ROWS = 64, N = 4000 };
  static float x[ROWS * N];
  const parallel_fn bad[] = {parallel_nobody, parallel_failing};
  for (int i = 0; i < 2; i++) {
    call_note note = {0, 0};
    rapt_executor executor = executor_of(bad[i], 4, &note);
    rapt_error error = {.size = sizeof error};
    rapt_softmax_args a = {.size = sizeof a,
                           .extent = {1, 1, ROWS},
                           .length = N,
                           .x = {x, {0, 0, 4 * N, 4}},
                           .y = {x, {0, 0, 4 * N, 4}}};
    rapt_status status = rapt_softmax(&a, &executor, &error);
    CHECK(status == RAPT_ERROR_EXECUTOR && strcmp(error.field, "executor.parallel") == 0,
          "%d: status %d, field %s", i, status, error.field);
  }
}
