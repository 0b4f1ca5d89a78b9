/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * join and finish of panels and rows. Both kinds hold the same state in another order, so one body
 * tests them through the accessors of `state`. */
#include "check.h"

#include <string.h>

/* Element (channel c, row i) lies at o[c * channel + i * row]. */
typedef struct state {
  int32_t rows, dim, channel, row, room;
  float *m, *l, *o;
} state;

typedef struct ops {
  const rapt_kernel_set *set;
  const rapt_panel_ops *panel; /* NULL: the row kernel */
} ops;

static state make_state(ops k, check_arena *arena, int32_t rows, int32_t dim) {
  int32_t pad = (dim + RAPT_KEY_ALIGN - 1) / RAPT_KEY_ALIGN * RAPT_KEY_ALIGN;
  state s = {.rows = rows, .dim = dim, .channel = 1, .row = pad, .room = rows * pad};
  if (k.panel) s.channel = k.panel->lanes, s.row = 1, s.room = dim * k.panel->lanes;
  s.m = check_scratch(arena, k.panel ? k.panel->lanes : RAPT_MAX_ROWS);
  s.l = check_scratch(arena, k.panel ? k.panel->lanes : RAPT_MAX_ROWS);
  s.o = check_scratch(arena, s.room);
  return s;
}

/* empty: chance in 4 of rows that saw no key; o of those is 0 as after a block of forbidden keys. */
static void fill(state *s, rng *r, double spread, int32_t empty) {
  rng_fill_normal(r, s->o, (size_t)s->room, 3);
  for (int32_t i = 0; i < s->rows; i++) {
    int none = rng_below(r, 4) < empty;
    s->m[i] = none ? -INFINITY : (float)(spread * rng_normal(r));
    s->l[i] = none ? 0 : (float)(1 + 2000 * rng_unit(r) * rng_unit(r));
    for (int32_t c = 0; none && c < s->dim; c++) s->o[c * s->channel + i * s->row] = 0;
  }
}

static void join(ops k, state *a, const state *b) {
  if (k.panel)
    k.panel->join(0, a->m, a->l, a->o, b->m, b->l, b->o, a->dim);
  else
    k.set->row.join(a->rows, 0, a->m, a->l, a->o, b->m, b->l, b->o, a->dim);
}

static void check_joined(const state *a, const state *b, const state *got, int32_t i) {
  int none_a = a->m[i] == -INFINITY, none_b = b->m[i] == -INFINITY;
  float m = a->m[i] > b->m[i] ? a->m[i] : b->m[i];
  CHECK(got->m[i] == m, "row %d: m = %g, should be %g", i, (double)got->m[i], (double)m);
  double da = none_a ? 0 : (double)a->m[i] - (double)m,
         db = none_b ? 0 : (double)b->m[i] - (double)m;
  double wa = none_a ? 0 : exp2(da), wb = none_b ? 0 : exp2(db);
  /* exp2, its rounded argument, a product and a sum. */
  double ea = CHECK_EXP2 + (fabs(da) + 2) * CHECK_U, eb = CHECK_EXP2 + (fabs(db) + 2) * CHECK_U;
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
  double spread = i % 3 ? 3 : 100;
  fill(&a, r, spread, i % 4 == 0 ? 2 : 0);
  fill(&b, r, spread, i % 4 < 2 ? 2 : 0);
  memcpy(got.m, a.m, (size_t)rows * sizeof(float));
  memcpy(got.l, a.l, (size_t)rows * sizeof(float));
  memcpy(got.o, a.o, (size_t)a.room * sizeof(float));
  for (int32_t n = 3; n < 6; n++) guard_read_only(&arena.buffer[n]); /* b */
  join(k, &got, &b);
  for (int32_t n = 0; n < rows; n++) check_joined(&a, &b, &got, n);
  check_close(&arena, "join");
}

/* A row that is NaN on one side stays NaN (never empty, never finite). */
static void join_nan(ops k, rng *r) {
  check_arena arena = {.place = GUARD_END};
  int32_t rows = k.panel ? k.panel->lanes : RAPT_MAX_ROWS, dim = 17;
  state a = make_state(k, &arena, rows, dim), b = make_state(k, &arena, rows, dim);
  fill(&a, r, 3, 0);
  fill(&b, r, 3, 1);
  int32_t at = rng_below(r, rows);
  state *bad = rng_below(r, 2) ? &a : &b;
  static const float maxima[] = {NAN, INFINITY, 1, -INFINITY}; /* what a set may have left in m */
  bad->m[at] = maxima[rng_below(r, 4)];
  bad->l[at] = NAN;
  join(k, &a, &b);
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

/* ---- finish ------------------------------------------------------------------------------- */

static void check_finished(const state *s, int32_t i, const float *row, const float *lse) {
  int empty = s->m[i] == -INFINITY && s->l[i] == 0;
  double l = (double)s->l[i], m = (double)s->m[i];
  for (int32_t c = 0; c < s->dim; c++) {
    double ref = empty ? 0 : (double)s->o[c * s->channel + i * s->row] / l;
    if (isnan(l))
      CHECK(isnan(row[c]), "row %d channel %d: %g, should be NaN", i, c, (double)row[c]);
    else /* 1 / l and the product round once each */
      CHECK(fabs((double)row[c] - ref) <= fabs(ref) * 2.1 * CHECK_U + CHECK_TINY,
            "row %d channel %d: %.9g, should be %.9g", i, c, (double)row[c], ref);
    CHECK(row[c] != 0 || !signbit(row[c]), "row %d channel %d: -0", i, c);
  }
  if (!lse) return;
  if (isnan(l))
    CHECK(isnan(lse[i]), "row %d: LSE %g, should be NaN", i, (double)lse[i]);
  else if (empty)
    CHECK(lse[i] == -INFINITY, "row %d: LSE %g, should be -inf", i, (double)lse[i]);
  else {
    double a = m * 0.69314718055994531, b = log(l), ref = a + b;
    /* The constant ln 2 and the product, ln itself within 4 U, the sum. */
    CHECK(fabs((double)lse[i] - ref) <= CHECK_U * (2 * fabs(a) + 4 * fabs(b) + fabs(ref) + 0.01),
          "row %d: LSE %.9g, should be %.9g (m %g, l %g)", i, (double)lse[i], ref, m, l);
  }
}

static void finish_case(ops k, rng *r, int32_t i) {
  check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
  int32_t most = k.panel ? k.panel->lanes : RAPT_MAX_ROWS, n = i % 3 ? rng_range(r, 1, most) : most;
  int32_t dim = check_head_dim(r, 16, i);
  state s = make_state(k, &arena, most, dim);
  fill(&s, r, i % 4 ? 3 : 300, 1);
  for (int32_t row = 0; row < most; row++) {
    int32_t dice = rng_below(r, 12);
    if (dice == 0) s.l[row] = NAN;
    if (s.m[row] == -INFINITY && s.l[row] == 0) /* an empty row's O may never have been written */
      for (int32_t c = 0; c < dim; c++) s.o[c * s.channel + row * s.row] = NAN;
    if (dice == 1) s.o[row * s.row] = -0.0f;
  }
  for (int32_t b = 0; b < 3; b++) guard_read_only(&arena.buffer[b]);
  check_rows rows = check_rows_make(&arena, r, n, dim, 0);
  float **at = check_bytes(&arena, (size_t)n * sizeof *at, sizeof *at);
  for (int32_t row = 0; row < n; row++) {
    at[row] = check_row(&rows, row);
    memset(at[row], 0xff, (size_t)dim * sizeof(float));
  }
  float *lse = rng_below(r, 3) ? check_scratch(&arena, most) : NULL;
  if (k.panel)
    k.panel->finish(0, s.m, s.l, s.o, NULL, dim, n, at, lse);
  else
    k.set->row.finish(0, s.m, s.l, s.o, NULL, dim, n, at, lse);
  for (int32_t row = 0; row < n; row++) check_finished(&s, row, at[row], lse);
  CHECK(check_gaps_intact(&rows), "%d rows, head_dim %d: bytes between rows were written", n, dim);
  check_close(&arena, "finish");
}

static void finish_all(ops k) {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < 60 && !rapt_test_failed(); i++) finish_case(k, &r, i);
}

SET_TEST(finish, "finish") {
  for (int32_t p = 0; p < set->n_panels; p++) finish_all((ops){set, &set->panel[p]});
}
SET_TEST(row_finish, "row.finish") { finish_all((ops){set, NULL}); }
