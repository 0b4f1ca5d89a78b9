/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which keys a row sees, and a key block as a group of rows sees it. The rules of causal, windows and
 * lengths are here and nowhere else. */
#ifndef RAPT_ATTENTION_RANGES_H
#define RAPT_ATTENTION_RANGES_H

#include "call.h"

/* Keys [lo, hi) of one row; with plan->window_keep also [0, min(window_keep, hi)), unless lo is 0
 * already because the two touch. */
typedef struct rapt_range {
  int32_t lo, hi;
} rapt_range;

/* What the query at `token` of the sequence sees, a tensor mask apart. lo <= hi <= kv_len; both ascend with
 * the token. */
rapt_range rapt_visible(const rapt_plan *plan, const rapt_sequence *s, int64_t token);

/* Up to RAPT_MAX_LANES rows in ascending order, and what they see. */
typedef struct rapt_rows_view {
  int32_t count;  /* rows */
  int32_t lanes;  /* >= count: lanes beyond see what the last row sees */
  int32_t vector; /* lanes per vector, 0 for the row kernel */
  int32_t keep;   /* keys before it and before a row's hi are seen, too */
  rapt_range range[RAPT_MAX_LANES];
} rapt_rows_view;

void rapt_view_rows(const rapt_plan *plan, const rapt_sequence *s, int64_t row, int32_t count,
                    int32_t lanes, int32_t vector, rapt_rows_view *view);

/* The same for rows whose ranges the caller has filled in. */
void rapt_view_ranges(const rapt_plan *plan, int32_t count, int32_t lanes, int32_t vector,
                      rapt_rows_view *view);

/* Does any row see a key in [from, to)? */
int32_t rapt_view_meets(const rapt_rows_view *view, int64_t from, int64_t to);

/* First key >= key that any row may see, moved by whole steps from `key`. */
int64_t rapt_view_skip(const rapt_rows_view *view, int64_t key, int32_t step);

/* The key block [from, to) as the rows see it: *first is its first key (from plus a multiple of
 * RAPT_KEY_ALIGN), permit has room for the block rounded up to RAPT_KEY_ALIGN. 0 if no row sees any
 * of it. */
int32_t rapt_view_block(const rapt_rows_view *view, int32_t from, int32_t to, uint32_t *permit,
                        rapt_block *block, int32_t *first);

#endif
