/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ranges.h"

static int32_t clamp(int64_t x, int64_t low, int64_t high) {
  return (int32_t)(x < low ? low : x > high ? high : x);
}

rapt_range rapt_visible(const rapt_plan *plan, const rapt_sequence *s, int64_t token) {
  const rapt_attention_desc *d = &plan->desc;
  int64_t p = s->position + token, lo = 0, hi = s->kv_len;
  if (d->flags & RAPT_CAUSAL) {
    int64_t end = p + 1 > s->prefix ? p + 1 : s->prefix;
    if (end < hi) hi = end;
  }
  if (d->flags & RAPT_WINDOW_RIGHT && p + d->window_right + 1 < hi) hi = p + d->window_right + 1;
  if (d->flags & RAPT_WINDOW_LEFT) lo = p - d->window_left;
  rapt_range r;
  r.hi = clamp(hi, 0, s->kv_len);
  r.lo = clamp(lo, 0, r.hi); /* a window beyond the keys is empty at the end of them */
  if (r.lo <= plan->window_keep) r.lo = 0;
  return r;
}

void rapt_view_rows(const rapt_plan *plan, const rapt_sequence *s, int64_t row, int32_t count,
                    int32_t lanes, int32_t vector, rapt_rows_view *view) {
  int32_t i = 0;
  if (!(plan->desc.flags & (RAPT_CAUSAL | RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT))) {
    for (; i < count; i++) view->range[i] = (rapt_range){0, s->kv_len};
  }
  for (int64_t token = row / plan->group; i < count; token++) {
    rapt_range r = rapt_visible(plan, s, token);
    int64_t end = (token + 1) * plan->group - row; /* first lane of the next token */
    for (; i < count && i < end; i++) view->range[i] = r;
  }
  rapt_view_ranges(plan, count, lanes, vector, view);
}

void rapt_view_ranges(const rapt_plan *plan, int32_t count, int32_t lanes, int32_t vector,
                      rapt_rows_view *view) {
  view->count = count;
  view->lanes = lanes;
  view->vector = vector;
  for (int32_t i = count; i < lanes; i++) view->range[i] = view->range[count - 1];
  int32_t hi = view->range[lanes - 1].hi;
  view->keep = plan->window_keep < hi ? plan->window_keep : hi;
}

int32_t rapt_view_meets(const rapt_rows_view *view, int64_t from, int64_t to) {
  int64_t lo = view->range[0].lo, hi = view->range[view->lanes - 1].hi;
  return (lo > from ? lo : from) < (hi < to ? hi : to) || (from < view->keep && to > 0);
}

int64_t rapt_view_skip(const rapt_rows_view *view, int64_t key, int32_t step) {
  int64_t lo = view->range[0].lo;
  return key < lo && key >= view->keep ? key + (lo - key) / step * step : key;
}

/* permit[n] for keys first + [from, to): rows with hi > key are the upper ones, rows with lo <= key (all
 * rows if the key is kept) the lower ones, so the permitted rows are one run of lanes. */
static void permit_keys(const rapt_rows_view *view, int32_t first, int32_t from, int32_t to,
                        uint32_t *permit) {
  int32_t begin = 0, end = 0;
  for (int32_t n = from; n < to; n++) {
    int32_t key = first + n;
    while (begin < view->lanes && view->range[begin].hi <= key) begin++;
    while (end < view->lanes && view->range[end].lo <= key) end++;
    int32_t stop = key < view->keep ? view->lanes : end;
    /* a view has 1 to RAPT_MAX_LANES lanes: NOLINTNEXTLINE(clang-analyzer-core.BitwiseShift) */
    uint64_t below_end = ((uint64_t)1 << stop) - 1, below_begin = ((uint64_t)1 << begin) - 1;
    permit[n] = begin < stop ? (uint32_t)(below_end & ~below_begin) : 0;
  }
}

int32_t rapt_view_block(const rapt_rows_view *view, int32_t from, int32_t to, uint32_t *permit,
                        rapt_block *block, int32_t *first) {
  if (!rapt_view_meets(view, from, to)) return 0;
  const int32_t last = view->lanes - 1;
  int32_t lo = view->range[0].lo, hi = view->range[last].hi;
  int32_t a = from, end = hi < to ? hi : to;
  if (from >= view->keep && lo > from)
    a = from + (lo - from) / RAPT_KEY_ALIGN * RAPT_KEY_ALIGN;
  else if (lo >= end && view->keep < end)
    end = view->keep; /* kept keys only */
  int32_t keys = end - a;
  int32_t full_begin = clamp((int64_t)view->range[last].lo - a, 0, keys);
  int32_t full_end = clamp((int64_t)view->range[0].hi - a, 0, keys);
  if (full_end <= full_begin && view->keep > a) { /* what is kept for all */
    full_begin = 0;
    full_end = clamp((int64_t)(view->keep < view->range[0].hi ? view->keep : view->range[0].hi) - a,
                     0, keys);
  }
  if (full_end <= full_begin) full_begin = full_end = 0;

  int32_t floor = full_end;
  int32_t c = 0, lane = view->vector - 1;
  for (; lane >= 0 && lane < view->lanes; c++, lane += view->vector)
    floor = block->stop[c] = clamp((int64_t)view->range[lane].hi - a, floor, keys);
  for (; c < RAPT_MAX_VECTORS; c++) block->stop[c] = keys;
  block->values_finite = 0;
  block->keys = keys;
  block->values_finite = 0;
  block->full_begin = full_begin;
  block->full_end = full_end;
  block->permit = 0;
  if (full_begin > 0 || full_end < keys) {
    permit_keys(view, a, 0, full_begin, permit);
    permit_keys(view, a, full_end, keys, permit);
    for (int32_t n = full_begin; n < full_end; n++) permit[n] = UINT32_MAX;
    block->permit = permit;
  }
  *first = a;
  return 1;
}
