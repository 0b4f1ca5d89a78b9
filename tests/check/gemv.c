/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A few rows by a matrix in either orientation: against float64 at guard pages, with any leading
 * dimension; the same bits alone or in company, for all columns at once or a stretch of them. */
#include "check.h"

#include <string.h>

enum { MOST_ROWS = 9, MOST_COLUMNS = 300 };

typedef struct gemv_case {
  int32_t rows, inner, columns, out_in;
  const float *x[MOST_ROWS];
  check_rows w;
  float *y, *block; /* [rows][columns] */
} gemv_case;

static gemv_case gemv_make(check_arena *arena, rng *r, int32_t i) {
  gemv_case c = {.rows = rng_range(r, 1, MOST_ROWS), .out_in = i % 2};
  c.inner = i < 80 ? 1 + i / 2 : rng_range(r, 1, 200);
  c.columns = i < 80 ? 1 + rng_range(r, 0, 80) : rng_range(r, 1, MOST_COLUMNS);
  for (int32_t k = 0; k < c.rows; k++) {
    float *x = check_floats(arena, c.inner);
    rng_fill_normal(r, x, (size_t)c.inner, 1);
    c.x[k] = x;
  }
  do /* a leading dimension is not negative */
    c.w = c.out_in ? check_rows_make(arena, r, c.columns, c.inner, 0)
                   : check_rows_make(arena, r, c.inner, c.columns, 0);
  while (c.w.stride < 0);
  c.y = check_floats(arena, c.rows * c.columns);
  c.block = check_floats(arena, c.rows * c.columns);
  rng_fill_normal(r, c.y, (size_t)(c.rows * c.columns), 1);
  return c;
}

/* Rows from..+rows, columns from..+columns of the case, to y. */
static void gemv_run(const rapt_kernel_set *set, const gemv_case *c, int32_t row, int32_t rows,
                     int32_t column, int32_t columns, float *y, int64_t y_stride) {
  const int64_t ld = c->w.stride / (int64_t)sizeof(float);
  const rapt_gemv g = {.x = c->x + row,
                       .w = (const float *)(const void *)c->w.first + column * (c->out_in ? ld : 1),
                       .ld = ld,
                       .n_rows = rows,
                       .inner = c->inner,
                       .columns = columns,
                       .y = y,
                       .block = c->block + (c->columns - columns), /* ends where it ends */
                       .y_stride = y_stride};
  (c->out_in ? set->gemv.out_in : set->gemv.in_out)(&g);
}

/* How many sums are not within the bound of as many products and additions. */
static int gemv_wrong(const gemv_case *c, const float *before) {
  int wrong = 0;
  for (int32_t k = 0; k < c->rows; k++)
    for (int32_t n = 0; n < c->columns; n++) {
      const int32_t at = k * c->columns + n;
      double sum = (double)before[at], size = fabs(sum);
      for (int32_t d = 0; d < c->inner; d++) {
        const float w = c->out_in ? check_row(&c->w, n)[d] : check_row(&c->w, d)[n];
        sum += (double)c->x[k][d] * (double)w;
        size += fabs((double)c->x[k][d] * (double)w);
      }
      /* Twice: a set without FMA rounds products, too. */
      wrong += !(fabs((double)c->y[at] - sum) <= 2 * (c->inner + 8) * CHECK_U * size + CHECK_TINY);
    }
  return wrong;
}

SET_TEST(gemv, "gemv") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < 140 && !rapt_test_failed(); i++) {
    check_arena arena = {.place = i % 4 < 2 ? GUARD_END : GUARD_START};
    gemv_case c = gemv_make(&arena, &r, i);
    static float before[MOST_ROWS * MOST_COLUMNS], piece[MOST_ROWS * MOST_COLUMNS];
    const size_t sums = (size_t)(c.rows * c.columns);
    memcpy(before, c.y, sums * sizeof *before);
    memcpy(piece, c.y, sums * sizeof *piece);
    gemv_run(set, &c, 0, c.rows, 0, c.columns, c.y, c.columns);
    const int wrong = gemv_wrong(&c, before);
    CHECK(!wrong, "%d rows, %d x %d, %s: %d wrong", c.rows, c.inner, c.columns,
          c.out_in ? "[out][in]" : "[in][out]", wrong);
    for (int32_t k = 0; k < c.rows; k++)
      for (int32_t n = 0, step; n < c.columns; n += step) {
        step = rng_range(&r, 1, c.columns - n);
        gemv_run(set, &c, k, 1, n, step, piece + k * c.columns + n, c.columns);
      }
    CHECK_BITS(piece, c.y, sums, "%d rows, %d x %d, %s: in pieces", c.rows, c.inner, c.columns,
               c.out_in ? "[out][in]" : "[in][out]");
    CHECK(check_gaps_intact(&c.w), "between the rows");
    check_close(&arena, "gemv");
  }
}
