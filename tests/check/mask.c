/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensor masks: rows of the caller's to bits and biases. Every length, odd addresses, guard pages on
 * either side. */
#include "check.h"

#include <string.h>

enum { MOST = 200, WORDS = (MOST + 31) / 32 };

static int bit_of(const uint32_t *words, int32_t n) {
  return (int)(words[n / 32 * RAPT_MAX_LANES] >> n % 32 & 1);
}

/* A row of `bytes` bytes that ends at a guard page, or starts behind one. */
static void *caller_row(check_arena *arena, size_t bytes, size_t align, int32_t keys) {
  arena->place = keys % 2 ? GUARD_END : GUARD_START;
  return check_bytes(arena, bytes, align);
}

/* Words of one row, others of its block untouched: filled with a pattern. */
static uint32_t *make_words(check_arena *arena) {
  uint32_t *words = check_bytes(arena, WORDS * RAPT_MAX_LANES * sizeof *words, 64);
  memset(words, 0x5a, WORDS * RAPT_MAX_LANES * sizeof *words);
  return words;
}

static void check_words(const uint32_t *words, int32_t lane, int32_t keys) {
  const int32_t used = (keys + 31) / 32;
  if (keys % 32)
    CHECK(words[(used - 1) * RAPT_MAX_LANES + lane] >> keys % 32 == 0, "%d keys: bits behind them",
          keys);
  for (int32_t i = 0; i < WORDS * RAPT_MAX_LANES; i++)
    if (i % RAPT_MAX_LANES != lane || i / RAPT_MAX_LANES >= used)
      CHECK(words[i] == 0x5a5a5a5au, "%d keys, lane %d: word %d was written", keys, lane, i);
}

SET_TEST(mask_bools, "mask.bools") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t keys = 1; keys <= MOST; keys++)
    for (int32_t pass = 0; pass < 2; pass++) { /* both ends at a guard page: every address */
      check_arena arena = {0};
      uint8_t *row = caller_row(&arena, (size_t)keys, 1, keys + pass);
      uint32_t *words = make_words(&arena);
      int32_t lane = rng_below(&r, RAPT_MAX_LANES);
      for (int32_t n = 0; n < keys; n++) {
        int kind = rng_below(&r, 4);
        row[n] = (uint8_t)(kind < 2 ? 0 : kind == 2 ? 1 : 1 << rng_below(&r, 8));
      }
      set->mask.bools(row, keys, words + lane);
      for (int32_t n = 0; n < keys; n++)
        CHECK(bit_of(words + lane, n) == (row[n] != 0), "key %d of %d: byte %d", n, keys, row[n]);
      check_words(words, lane, keys);
      check_close(&arena, "mask.bools");
    }
}

/* ---- Additive masks ----------------------------------------------------------------------- */

enum { F32, F16, BF16 };

static double value_of(int type, const char *row, int32_t n) {
  uint32_t bits = 0;
  float x;
  if (type == F32) {
    memcpy(&x, row + 4 * n, sizeof x);
    return (double)x;
  }
  memcpy(&bits, row + 2 * n, 2);
  if (type == BF16) {
    bits <<= 16;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
  }
  int e = (int)(bits >> 10 & 31), m = (int)(bits & 1023);
  double y = e == 31 ? (m ? (double)NAN : (double)INFINITY)
             : e     ? ldexp(1024 + m, e - 25)
                     : ldexp(m, -24);
  return bits >> 15 ? -y : y;
}

static void draw(int type, char *row, int32_t n, rng *r, int32_t kind) {
  static const uint32_t special[3][7] = {
      {0xff800000u, 0, 0x80000000u, 0x7f800000u, 0x7fc00000u, 0xff7fffffu, 0x00800000u},
      {0xfc00, 0, 0x8000, 0x7c00, 0x7e00, 0x0001, 0x83ff},
      {0xff80, 0, 0x8000, 0x7f80, 0x7fc0, 0xff7f, 0x0080}};
  uint32_t bits = (uint32_t)rng_u64(r);
  if (kind == 0) bits = special[type][rng_below(r, 2)]; /* -inf and 0 only */
  if (kind == 1) bits = special[type][rng_below(r, 7)];
  if (type == F32 && kind == 2) bits = (bits & 0x81ffffffu) | 0x3e000000u;
  if (type == BF16 && kind == 2) bits = (bits & 0x81ffu) | 0x3e00u;
  if (type == F32)
    memcpy(row + 4 * n, &bits, 4);
  else
    memcpy(row + 2 * n, &bits, 2);
}

static void bias_case(const rapt_kernel_set *set, int type, rng *r, int32_t keys) {
  int32_t (*const ops[])(const void *, int32_t, float, float *, uint32_t *) = {
      set->mask.bias_f32, set->mask.bias_f16, set->mask.bias_bf16};
  static const float factors[] = {1, -2.5f, 0, 0.125f, INFINITY, NAN};
  check_arena arena = {0};
  size_t size = type == F32 ? 4 : 2;
  char *row = caller_row(&arena, size * (size_t)keys, size, rng_below(r, 2));
  int32_t room = (keys + RAPT_KEY_ALIGN - 1) / RAPT_KEY_ALIGN * RAPT_KEY_ALIGN;
  float *bias = check_scratch(&arena, room), factor = factors[rng_below(r, 9) % 6];
  uint32_t *words = make_words(&arena);
  int32_t lane = rng_below(r, RAPT_MAX_LANES), kind = rng_below(r, 3), adds = 0;
  for (int32_t n = 0; n < keys; n++) draw(type, row, n, r, kind);
  int32_t answer = ops[type](row, keys, factor, bias, words + lane);
  for (int32_t n = 0; n < room; n++) {
    if (n >= keys) {
      CHECK(bias[n] == 0, "%d keys: %g behind them", keys, (double)bias[n]);
      continue;
    }
    double x = value_of(type, row, n);
    int forbidden = isinf(x) && x < 0;
    float want = forbidden ? -INFINITY : (float)x * factor;
    CHECK(bit_of(words + lane, n) == !forbidden, "type %d key %d of %d: %g", type, n, keys, x);
    /* Products that are subnormal may flush. */
    CHECK(isnan(want) ? isnan(bias[n])
                      : bias[n] == want || (fabsf(want) < 0x1p-126f && bias[n] == 0),
          "type %d key %d of %d: %g times %g is %g", type, n, keys, x, (double)factor,
          (double)bias[n]);
    adds |= !forbidden && bias[n] != 0;
  }
  CHECK(answer == (adds ? RAPT_BIAS_ADDS : 0), "type %d, %d keys: answer %d, should be %d", type,
        keys, answer, adds);
  check_words(words, lane, keys);
  check_close(&arena, "mask.bias");
}

SET_TEST(mask_bias, "mask.bias") {
  rng r = rng_make(rapt_test_seed());
  for (int type = F32; type <= BF16; type++)
    for (int32_t keys = 1; keys <= MOST; keys++)
      for (int32_t pass = 0; pass < 3; pass++) bias_case(set, type, &r, keys);
}

/* Every half precision and bfloat16 number. */
SET_TEST(mask_halves, "mask.halves") {
  static uint16_t row[65536];
  static float bias[65536] __attribute__((aligned(64)));
  static uint32_t words[65536 / 32 * RAPT_MAX_LANES];
  for (int32_t i = 0; i < 65536; i++) row[i] = (uint16_t)i;
  for (int type = F16; type <= BF16; type++) {
    (type == F16 ? set->mask.bias_f16 : set->mask.bias_bf16)(row, 65536, 1, bias, words);
    for (int32_t i = 0; i < 65536; i++) {
      double x = value_of(type, (const char *)row, i);
      CHECK(isnan(x) ? isnan(bias[i])
                     : (double)bias[i] == x || (fabs(x) < CHECK_TINY && bias[i] == 0),
            "type %d, bits %04x: %g, should be %g", type, (unsigned)i, (double)bias[i], x);
    }
  }
}

/* ---- Turning ------------------------------------------------------------------------------ */

SET_TEST(mask_permit, "mask.permit") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t keys = 1; keys <= MOST; keys++) {
    check_arena arena = {.place = keys % 2 ? GUARD_END : GUARD_START};
    uint32_t *words = make_words(&arena);
    uint32_t *permit = check_bytes(&arena, (size_t)keys * sizeof *permit, sizeof *permit);
    int32_t lanes = keys % 3 ? rng_range(&r, 1, RAPT_MAX_LANES) : RAPT_MAX_LANES;
    for (int32_t i = 0; i < WORDS * RAPT_MAX_LANES; i++) words[i] = (uint32_t)rng_u64(&r);
    set->mask.permit(words, lanes, keys, permit);
    for (int32_t n = 0; n < keys; n++)
      for (int32_t i = 0; i < lanes; i++)
        CHECK((int)(permit[n] >> i & 1) == bit_of(words + i, n), "lane %d of %d, key %d of %d", i,
              lanes, n, keys);
    check_close(&arena, "mask.permit");
  }
}

/* ---- V ------------------------------------------------------------------------------------ */

SET_TEST(finite, "finite") {
  rng r = rng_make(rapt_test_seed());
  static const float bad[] = {NAN, INFINITY, -INFINITY};
  for (int32_t i = 0; i < 200; i++) {
    check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
    int32_t dim = check_head_dim(&r, 16, i % 60), keys = check_keys(&r, 4, 144, dim, i);
    check_rows v = check_rows_make(&arena, &r, keys, dim, 1);
    check_row(&v, 0)[0] = 3.4e38f; /* large is not infinite, nor do large ones add up to it */
    check_row(&v, keys - 1)[dim - 1] = -3.4e38f;
    int32_t want = 1;
    if (i % 3) {
      check_row(&v, rng_below(&r, keys))[rng_below(&r, dim)] = bad[rng_below(&r, 3)];
      want = -1;
    }
    CHECK(set->finite(v.first, v.stride, keys, dim) == want, "%d keys, head_dim %d", keys, dim);
    check_close(&arena, "finite");
  }
}
