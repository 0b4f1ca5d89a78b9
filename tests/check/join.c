/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * join of panels and rows. */
#include "state.h"

#include <string.h>

static void join(ops k, int32_t natural, state *a, const state *b) {
  if (k.panel)
    k.panel->join(natural, a->m, a->l, a->o, b->m, b->l, b->o, a->dim);
  else
    k.set->row.join(a->rows, natural, a->m, a->l, a->o, b->m, b->l, b->o, a->dim);
}

static void check_joined(int32_t natural, const state *a, const state *b, const state *got,
                         int32_t i) {
  int none_a = a->m[i] == -INFINITY, none_b = b->m[i] == -INFINITY;
  float m = a->m[i] > b->m[i] ? a->m[i] : b->m[i];
  CHECK(got->m[i] == m, "row %d: m = %g, should be %g", i, (double)got->m[i], (double)m);
  double da = none_a ? 0 : (double)a->m[i] - (double)m,
         db = none_b ? 0 : (double)b->m[i] - (double)m;
  if (natural) da *= CHECK_LOG2E, db *= CHECK_LOG2E;
  double wa = none_a ? 0 : exp2(da), wb = none_b ? 0 : exp2(db);
  /* exp2, its argument, rounded once or (natural) three times, a product and a sum. */
  const double times = natural ? 2.5 : 1;
  double ea = CHECK_EXP2 + (times * fabs(da) + 2) * CHECK_U;
  double eb = CHECK_EXP2 + (times * fabs(db) + 2) * CHECK_U;
  for (int32_t c = -1; c < a->dim; c++) { /* -1: l */
    int32_t at = c * a->channel + i * a->row;
    double x = (double)(c < 0 ? a->l[i] : a->o[at]), y = (double)(c < 0 ? b->l[i] : b->o[at]);
    float z = c < 0 ? got->l[i] : got->o[at];
    if (none_a || none_b)
      CHECK((double)z == (none_a ? y : x), "row %d channel %d: %.9g: an empty side must be exact",
            i, c, (double)z);
    else
      CHECK(fabs((double)z - (x * wa + y * wb)) <=
                fabs(x * wa) * ea + fabs(y * wb) * eb + (fabs(x) + fabs(y)) * CHECK_TINY,
            "row %d channel %d: %.9g, should be %.9g", i, c, (double)z, x * wa + y * wb);
  }
}

static void join_case(ops k, rng *r, int32_t i) {
  check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
  int32_t rows = k.panel ? k.panel->lanes : 1 + i % RAPT_MAX_ROWS, dim = check_head_dim(r, 16, i);
  state a = make_state(k, &arena, rows, dim), b = make_state(k, &arena, rows, dim);
  state got = make_state(k, &arena, rows, dim);
  const int32_t natural = i / 2 % 2;
  double spread = i % 3 ? 3 : natural ? 3e37 : 100;
  fill_state(&a, r, spread, i % 4 == 0 ? 2 : 0);
  fill_state(&b, r, spread, i % 4 < 2 ? 2 : 0);
  memcpy(got.m, a.m, (size_t)rows * sizeof(float));
  memcpy(got.l, a.l, (size_t)rows * sizeof(float));
  memcpy(got.o, a.o, (size_t)a.room * sizeof(float));
  for (int32_t n = 3; n < 6; n++) guard_read_only(&arena.buffer[n]); /* b */
  join(k, natural, &got, &b);
  for (int32_t n = 0; n < rows; n++) check_joined(natural, &a, &b, &got, n);
  check_close(&arena, "join");
}

/* A row that is NaN on one side stays NaN (never empty, never finite). */
static void join_nan(ops k, rng *r) {
  check_arena arena = {.place = GUARD_END};
  int32_t rows = k.panel ? k.panel->lanes : RAPT_MAX_ROWS, dim = 17;
  state a = make_state(k, &arena, rows, dim), b = make_state(k, &arena, rows, dim);
  fill_state(&a, r, 3, 0);
  fill_state(&b, r, 3, 1);
  int32_t at = rng_below(r, rows);
  state *bad = rng_below(r, 2) ? &a : &b;
  static const float maxima[] = {NAN, INFINITY, 1, -INFINITY}; /* what a set may have left in m */
  bad->m[at] = maxima[rng_below(r, 4)];
  bad->l[at] = NAN;
  join(k, rng_below(r, 2), &a, &b);
  for (int32_t i = 0; i < rows; i++)
    CHECK(i == at ? isnan(a.l[i]) : isfinite(a.l[i]), "row %d, NaN in %d: l = %g", i, at,
          (double)a.l[i]);
  check_close(&arena, "join_nan");
}

static void join_all(ops k) {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < 40 && !rapt_test_failed(); i++) join_case(k, &r, i);
  for (int32_t i = 0; i < 20; i++) join_nan(k, &r);
}

SET_TEST(join, "join") {
  for (int32_t p = 0; p < set->n_panels; p++) join_all((ops){set, &set->panel[p]});
}
SET_TEST(row_join, "row.join") { join_all((ops){set, NULL}); }
