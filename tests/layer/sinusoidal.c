/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Positions that are added: the sinusoidal table, and the addition of any table. */
#include "rotary.h"

static double element(int32_t p, int32_t c, int32_t dim, uint32_t flags) {
  const int32_t sines = (dim + 1) / 2;
  const int32_t i = flags & RAPT_SINUSOIDAL_HALVES ? c % sines : c / 2;
  const int is_cos = flags & RAPT_SINUSOIDAL_HALVES ? c >= sines : c % 2;
  long double exponent = 2.0L * i / dim;
  if (flags & RAPT_SINUSOIDAL_INCLUSIVE) exponent = sines > 1 ? (long double)i / (sines - 1) : 0;
  const double angle = p * (double)powl(10000.0L, -exponent);
  return is_cos ? cos(angle) : sin(angle);
}

RAPT_TEST(sinusoidal_table_is_exact) {
  static const int32_t dims[] = {1, 2, 3, 4, 7, 8, 31, 64, 130, 512};
  static const int32_t firsts[] = {0, 1, 4095, 1000000, INT32_MAX - 69};
  for (size_t d = 0; d < sizeof dims / sizeof *dims; d++)
    for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++)
      for (uint32_t flags = 0; flags < 4; flags++) {
        const int32_t tokens = 70, dim = dims[d];
        const int64_t stride = 4 * (int64_t)dim + (d % 2 ? 8 : 0);
        guard_buffer out = guard_alloc((size_t)(stride * (tokens - 1) + 4 * dim), GUARD_END, 4);
        rapt_error error = {.size = sizeof error};
        REQUIRE(rapt_sinusoidal_table(tokens, firsts[f], dim, flags, out.data, stride, NULL,
                                      &error) == RAPT_OK,
                "%s: %s", error.field, error.message);
        for (int32_t t = 0; t < tokens; t++) {
          const char *row = (char *)out.data + t * stride;
          for (int32_t c = 0; c < dim; c++) {
            const double want = element(firsts[f] + t, c, dim, flags);
            const float got = ((const float *)(const void *)row)[c];
            if (!CHECK(fabs((double)got - want) <= 2e-6, "dim %d flags %u position %d: [%d] %g %g",
                       dim, flags, firsts[f] + t, c, (double)got, want))
              return;
          }
          if (t + 1 < tokens)
            CHECK_UNTOUCHED(row + 4 * dim, (size_t)(stride - 4 * dim), "after row %d", t);
        }
        CHECK(guard_free(&out), "written around the table");
      }
}

/* The paper's rows 0 and 1 by hand. */
RAPT_TEST(sinusoidal_first_rows) {
  float out[8];
  REQUIRE(rapt_sinusoidal_table(2, 0, 4, 0, out, 16, NULL, NULL) == RAPT_OK, "table");
  const double want[8] = {
      0, 1, 0, 1, 0.8414709848078965, 0.5403023058681398, 0.009999833334166664, 0.9999500004166653};
  CHECK_CLOSE(out, want, 8, 6e-8, 0, "rows 0 and 1");
}

RAPT_TEST(sinusoidal_refusals) {
  float out[64];
  memset(out, 0xff, sizeof out);
  rapt_error error = {.size = sizeof error};
#define BAD(name, ...)                                                                     \
  CHECK(rapt_sinusoidal_table(__VA_ARGS__, NULL, &error) == RAPT_ERROR_INVALID_ARGUMENT && \
            strcmp(error.field, name) == 0,                                                \
        "field %s, not %s", error.field, name)
  BAD("tokens", -1, 0, 4, 0, out, 16);
  BAD("first", 2, -1, 4, 0, out, 16);
  BAD("tokens", 2, INT32_MAX, 4, 0, out, 16);
  BAD("dim", 2, 0, -4, 0, out, 16);
  BAD("flags", 2, 0, 4, 4, out, 16);
  BAD("out", 2, 0, 4, 0, NULL, 16);
  BAD("out", 2, 0, 4, 0, (float *)(void *)((char *)out + 1), 16);
  BAD("stride", 2, 0, 4, 0, out, 12);
  BAD("stride", 2, 0, 4, 0, out, 0);
  BAD("stride", 2, 0, 4, 0, out, -16);
  BAD("stride", 2, 0, 4, 0, out, 18);
#undef BAD
  CHECK(rapt_sinusoidal_table(0, 0, 4, 0, NULL, 0, NULL, NULL) == RAPT_OK, "no rows");
  CHECK(rapt_sinusoidal_table(4, 0, 0, 0, NULL, 0, NULL, NULL) == RAPT_OK, "no columns");
  CHECK_UNTOUCHED(out, sizeof out, "refused calls");
}

RAPT_TEST(add_positions_adds) {
  rng r = rng_make(rapt_test_seed());
  for (int32_t n = 0; n < 60; n++) {
    const int32_t tokens = rng_range(&r, 1, 150), dim = rng_range(&r, 1, 70), rows = 40;
    const int with_ids = n % 2;
    const int32_t table_rows = with_ids ? rows : tokens + 3;
    const int64_t gap = n % 3 ? 0 : 4;
    guard_buffer table = guard_floats((size_t)(table_rows * dim), GUARD_END);
    guard_buffer x = guard_alloc((size_t)((4 * dim + gap) * (tokens - 1) + 4 * dim), GUARD_END, 4);
    int32_t ids[150];
    rng_fill_normal(&r, table.data, (size_t)(table_rows * dim), 1);
    guard_read_only(&table);
    for (int32_t t = 0; t < tokens; t++) {
      ids[t] = rng_below(&r, rows);
      rng_fill_normal(&r, (float *)(void *)((char *)x.data + t * (4 * dim + gap)), (size_t)dim, 1);
    }
    float *before = malloc(x.bytes);
    REQUIRE(before, "memory");
    memcpy(before, x.data, x.bytes);
    rapt_add_positions_args args = {.size = sizeof args,
                                    .tokens = tokens,
                                    .dim = dim,
                                    .table_rows = table_rows,
                                    .first = with_ids ? 0 : 3,
                                    .positions = with_ids ? ids : NULL,
                                    .table = table.data,
                                    .table_stride = 4 * dim,
                                    .x = x.data,
                                    .x_stride = 4 * dim + gap};
    rapt_error error = {.size = sizeof error};
    REQUIRE(rapt_add_positions(&args, NULL, &error) == RAPT_OK, "%s: %s", error.field,
            error.message);
    const int64_t step = dim + gap / 4;
    for (int32_t t = 0; t < tokens; t++)
      for (int32_t c = 0; c < dim; c++) {
        const float *p = (float *)table.data + (with_ids ? ids[t] : 3 + t) * dim;
        const float want = before[t * step + c] + p[c], got = ((float *)x.data)[t * step + c];
        CHECK(got == want, "token %d channel %d: %g, not %g", t, c, (double)got, (double)want);
      }
    for (int32_t t = 0; t + 1 < tokens; t++)
      CHECK_UNTOUCHED((float *)x.data + t * step + dim, (size_t)gap, "after row %d", t);
    free(before);
    CHECK(guard_free(&table) && guard_free(&x), "written around a buffer");
  }
}

RAPT_TEST(add_positions_refusals) {
  float table[4 * 8] = {0}, x[3 * 8];
  int32_t ids[3] = {0, 3, 1};
  memset(x, 0xff, sizeof x);
  const rapt_add_positions_args good = {.size = sizeof good,
                                        .tokens = 3,
                                        .dim = 8,
                                        .table_rows = 4,
                                        .positions = ids,
                                        .table = table,
                                        .table_stride = 32,
                                        .x = x,
                                        .x_stride = 32};
  rapt_error error = {.size = sizeof error};
  rapt_add_positions_args a;
#define BAD(name, ...)                                                         \
  a = good;                                                                    \
  __VA_ARGS__;                                                                 \
  CHECK(rapt_add_positions(&a, NULL, &error) == RAPT_ERROR_INVALID_ARGUMENT && \
            strcmp(error.field, name) == 0,                                    \
        "field %s, not %s", error.field, name)
  BAD("args.positions[1]", a.table_rows = 3);
  ids[2] = -1;
  BAD("args.positions[2]", (void)0);
  ids[2] = 4;
  BAD("args.positions[2]", (void)0);
  ids[2] = INT32_MIN;
  BAD("args.positions[2]", (void)0);
  ids[2] = 1;
  BAD("args.first", a.first = 1);
  BAD("args.first", a.positions = NULL, a.first = 2);
  BAD("args.first", a.positions = NULL, a.first = INT32_MAX);
  BAD("args.flags", a.flags = 1);
  BAD("args.tokens", a.tokens = -1);
  BAD("args.dim", a.dim = -1);
  BAD("args.table_rows", a.table_rows = -1);
  BAD("args.table", a.table = NULL);
  BAD("args.x", a.x = NULL);
  BAD("args.x_stride", a.x_stride = 28);
  BAD("args.x_stride", a.x_stride = 0);
  BAD("args.x", a.x = table);
  BAD("args.size", a.size = 8);
#undef BAD
  CHECK_UNTOUCHED(x, sizeof x, "refused calls");
  static float rows[3 * 8]; /* zeros: valid positions */
  a = good;
  a.x = rows;
  a.positions = (const int32_t *)(const void *)&rows[21];
  CHECK(rapt_add_positions(&a, NULL, &error) == RAPT_ERROR_INVALID_ARGUMENT &&
            !strcmp(error.field, "args.x") && strstr(error.message, "args.positions"),
        "positions in x: field %s (%s)", error.field, error.message);
  for (int i = 0; i < 24; i++) CHECK(rows[i] == 0, "element %d was written", i);
  a = good;
  a.tokens = 0;
  a.x = NULL;
  a.table = NULL;
  CHECK(rapt_add_positions(&a, NULL, &error) == RAPT_OK, "no tokens");
}
