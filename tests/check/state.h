/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What panels and rows hold between blocks. Both kinds hold the same state in another order, so one body
 * tests them through these accessors. */
#ifndef RAPT_TESTS_STATE_H
#define RAPT_TESTS_STATE_H

#include "check.h"

#define CHECK_LOG2E 1.4426950408889634
#define CHECK_LN2 0.69314718055994531

/* Element (channel c, row i) lies at o[c * channel + i * row]. */
typedef struct state {
  int32_t rows, dim, channel, row, room;
  float *m, *l, *o;
} state;

typedef struct ops {
  const rapt_kernel_set *set;
  const rapt_panel_ops *panel; /* NULL: the row kernel */
} ops;

static inline state make_state(ops k, check_arena *arena, int32_t rows, int32_t dim) {
  int32_t pad = (dim + RAPT_KEY_ALIGN - 1) / RAPT_KEY_ALIGN * RAPT_KEY_ALIGN;
  state s = {.rows = rows, .dim = dim, .channel = 1, .row = pad, .room = rows * pad};
  if (k.panel) s.channel = k.panel->lanes, s.row = 1, s.room = dim * k.panel->lanes;
  s.m = check_scratch(arena, k.panel ? k.panel->lanes : RAPT_MAX_ROWS);
  s.l = check_scratch(arena, k.panel ? k.panel->lanes : RAPT_MAX_ROWS);
  s.o = check_scratch(arena, s.room);
  return s;
}

/* empty: chance in 4 of rows that saw no key; o of those is 0 as after a block of forbidden keys. */
static inline void fill_state(state *s, rng *r, double spread, int32_t empty) {
  rng_fill_normal(r, s->o, (size_t)s->room, 3);
  for (int32_t i = 0; i < s->rows; i++) {
    int none = rng_below(r, 4) < empty;
    s->m[i] = none ? -INFINITY : (float)(spread * rng_normal(r));
    s->l[i] = none ? 0 : (float)(1 + 2000 * rng_unit(r) * rng_unit(r));
    for (int32_t c = 0; none && c < s->dim; c++) s->o[c * s->channel + i * s->row] = 0;
  }
}

#endif
