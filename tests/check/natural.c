/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Natural scores: softmax over the whole range of float32 where base 2 would overflow, and joins. */
#include "check.h"

#include <float.h>
#include <string.h>

/* What a rounded difference, its product with log2 e and the exponential may be off by. */
static double bound_of(double d, double w) {
  return w == 0 ? CHECK_TINY : w * (CHECK_EXP2 + 2.5 * CHECK_U * fabs(d)) + CHECK_TINY;
}

static double weight_of(float s, float base, double *d) {
  *d = s == -INFINITY ? -1e300 : (double)s - (double)base;
  return exp(*d);
}

/* A score of one of the kinds that matter. */
static float draw(rng *r, int32_t kind) {
  switch (kind) {
  case 0:
    return -FLT_MAX; /* all of a row */
  case 1:
    return rng_below(r, 3) ? (float)(1e30 * rng_normal(r)) : FLT_MAX;
  case 2:
    return rng_below(r, 2) ? -INFINITY : (float)(4 * rng_normal(r));
  case 3:
    return -INFINITY;
  case 4:
    return rng_below(r, 2) ? FLT_MAX : -FLT_MAX;
  default:
    return (float)(20 * rng_normal(r));
  }
}
enum { DRAWS = 7 };

typedef struct row_state {
  float m_old, l_old, m_new, m, l, alpha;
} row_state;

/* One row: scores s, weights p at a stride; l < 0: not to be looked at. */
static void check_row_of(const float *s, const float *p, int32_t keys, int32_t stride,
                         const row_state *x, int has_l, const char *what, int32_t i) {
  float base = x->m_new == -INFINITY ? 0 : x->m_new;
  double d, a = weight_of(x->m_old, base, &d), limit = bound_of(d, a);
  CHECK(fabs((double)x->alpha - a) <= limit, "%s %d: alpha %.9g, should be %.9g", what, i,
        (double)x->alpha, a);
  CHECK(x->m == x->m_new, "%s %d: m = %.9g, should be %.9g", what, i, (double)x->m,
        (double)x->m_new);
  double sum = (double)x->l_old * a, bound = (double)x->l_old * limit;
  for (int32_t n = 0; n < keys; n++) {
    double w = weight_of(s[n * stride], base, &d);
    limit = bound_of(d, w);
    CHECK(fabs((double)p[n * stride] - w) <= limit,
          "%s %d key %d: weight %.9g, should be %.9g (score %g, maximum %g)", what, i, n,
          (double)p[n * stride], w, (double)s[n * stride], (double)base);
    sum += w;
    bound += limit;
  }
  if (has_l)
    CHECK(fabs((double)x->l - sum) <= bound + (keys + 2) * CHECK_U * sum,
          "%s %d: l = %.9g, should be %.9g", what, i, (double)x->l, sum);
}

static void panel_case(const rapt_kernel_set *set, const rapt_panel_ops *panel, rng *r, int32_t i) {
  check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
  int32_t lanes = panel->lanes, keys = check_keys(r, set->key_tile, set->key_block, 1, i);
  rapt_block block = check_block(&arena, r, CHECK_FULL, keys, lanes, panel->vector);
  float *s = check_scratch(&arena, keys * lanes), *raw = check_scratch(&arena, keys * lanes);
  float *m_new = check_scratch(&arena, lanes), *m = check_scratch(&arena, lanes);
  float *l = check_scratch(&arena, lanes), *alpha = check_scratch(&arena, lanes);
  row_state old[RAPT_MAX_LANES];
  for (int32_t lane = 0; lane < lanes; lane++) {
    int32_t kind = rng_below(r, DRAWS), fresh = rng_below(r, 2);
    float most = m[lane] = fresh ? -INFINITY : draw(r, kind);
    if (most == -INFINITY) fresh = 1;
    l[lane] = fresh ? 0 : (float)(1 + rng_unit(r));
    for (int32_t n = 0; n < keys; n++) {
      float x = s[n * lanes + lane] = draw(r, kind);
      if (x > most) most = x;
    }
    m_new[lane] = most;
    old[lane] = (row_state){.m_old = m[lane], .l_old = l[lane], .m_new = most};
  }
  memcpy(raw, s, (size_t)(keys * lanes) * sizeof *s);
  panel->softmax(&block, 1, s, m_new, m, l, alpha);
  for (int32_t lane = 0; lane < lanes; lane++) {
    row_state x = old[lane];
    x.m = m[lane], x.l = l[lane], x.alpha = alpha[lane];
    check_row_of(raw + lane, s + lane, keys, lanes, &x, 1, "lane", lane);
  }
  check_close(&arena, "softmax natural");
}

SET_TEST(softmax_natural, "softmax_natural") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t p = 0; p < set->n_panels; p++)
    for (int32_t i = 0; i < 60 && !rapt_test_failed(); i++) panel_case(set, &set->panel[p], &r, i);
}

SET_TEST(row_softmax_natural, "row.softmax_natural") {
  rng r = rng_make(rapt_test_seed());
  const int32_t room = set->row.row_block;
  for (int32_t i = 0; i < 120 && !rapt_test_failed(); i++) {
    check_arena arena = {.place = i % 2 ? GUARD_END : GUARD_START};
    int32_t rows = 1 + i % RAPT_MAX_ROWS, keys = check_keys(&r, 4, room, 1, i / 4);
    rapt_block block = {.keys = keys, .full_end = keys};
    float *s = check_scratch(&arena, rows * room), *raw = check_scratch(&arena, rows * room);
    float *m = check_scratch(&arena, RAPT_MAX_ROWS), *alpha = check_scratch(&arena, RAPT_MAX_ROWS);
    row_state x[RAPT_MAX_ROWS];
    for (int32_t row = 0; row < rows; row++) {
      int32_t kind = rng_below(&r, DRAWS);
      x[row] = (row_state){.m_old = rng_below(&r, 2) ? -INFINITY : draw(&r, kind)};
      m[row] = x[row].m_new = x[row].m_old;
      for (int32_t n = 0; n < keys; n++) {
        float score = s[row * room + n] = draw(&r, kind);
        if (score > x[row].m_new) x[row].m_new = score;
      }
    }
    memcpy(raw, s, (size_t)(rows * room) * sizeof *s);
    set->row.softmax(&block, rows, 1, s, m, alpha);
    for (int32_t row = 0; row < rows; row++) {
      x[row].m = m[row], x[row].alpha = alpha[row];
      check_row_of(raw + row * room, s + row * room, keys, 1, &x[row], 0, "row", row);
    }
    check_close(&arena, "row.softmax natural");
  }
}
