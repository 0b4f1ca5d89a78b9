/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "model.h"

static int32_t len(const int32_t *offsets, const int32_t *lens, int32_t most, int32_t b) {
  if (lens) return lens[b];
  return offsets ? offsets[b + 1] - offsets[b] : most;
}

int32_t model_q_len(const model *m, int32_t b) {
  return len(m->a->q_offsets, m->a->q_lens, m->a->q_len, b);
}

int32_t model_kv_len(const model *m, int32_t b) {
  int packed = m->a->kv_offsets != NULL; /* other sequences' keys are not there to be read */
  return len(m->a->kv_offsets, m->a->kv_lens, m->a->kv_len,
             WRONG(KV_LEN_OF_FIRST) && !packed ? 0 : b);
}

int64_t model_position(const model *m, int32_t b, int32_t i) {
  int32_t align = m->d->align;
  if (WRONG(BOTTOM_AS_TOP) && align == RAPT_ALIGN_BOTTOM_RIGHT)
    align = RAPT_ALIGN_TOP_LEFT;
  else if (WRONG(TOP_AS_BOTTOM) && align == RAPT_ALIGN_TOP_LEFT)
    align = RAPT_ALIGN_BOTTOM_RIGHT;
  if (align == RAPT_ALIGN_OFFSET && !WRONG(OFFSET_IGNORED))
    return (int64_t)i + m->a->q_positions[WRONG(OFFSET_OF_FIRST) ? 0 : b];
  if (align != RAPT_ALIGN_BOTTOM_RIGHT) return i;
  if (WRONG(BOTTOM_OF_LONGEST)) return (int64_t)i + m->a->kv_len - m->a->q_len;
  return (int64_t)i + model_kv_len(m, b) - model_q_len(m, b);
}

static int64_t prefix(const model *m, int32_t b) {
  if (!(m->d->flags & RAPT_PREFIX) || WRONG(PREFIX_IGNORED)) return 0;
  return (int64_t)m->a->prefix_lens[WRONG(PREFIX_OF_FIRST) ? 0 : b] + WRONG(PREFIX_ONE_MORE) -
         WRONG(PREFIX_ONE_LESS);
}

int model_positions_permit(const model *m, int32_t b, int32_t i, int32_t j) {
  uint32_t flags = m->d->flags;
  int64_t from_query = j - model_position(m, b, i);
  int in_prefix = j < prefix(m, b);
  int64_t left = (int64_t)m->d->window_left + WRONG(LEFT_ONE_MORE) - WRONG(LEFT_ONE_LESS);
  int64_t right = (int64_t)m->d->window_right + WRONG(RIGHT_ONE_MORE) - WRONG(RIGHT_ONE_LESS);
  int64_t keep = (int64_t)m->d->window_keep + WRONG(KEEP_ONE_MORE) - WRONG(KEEP_ONE_LESS);
  int kept = flags & RAPT_WINDOW_LEFT && j < keep && !WRONG(KEEP_IGNORED);
  if (in_prefix && WRONG(PREFIX_BEATS_WINDOW)) return 1;
  if (kept && WRONG(KEEP_BEATS_CAUSAL)) return 1;
  if (flags & RAPT_CAUSAL && !(WRONG(CAUSAL_NOT_IN_DECODE) && m->a->q_len == 1)) {
    int64_t most = WRONG(CAUSAL_ONE_MORE) ? 1 : WRONG(CAUSAL_ONE_LESS) ? -1 : 0;
    if (from_query > most && !in_prefix) return 0;
  }
  if (flags & RAPT_WINDOW_RIGHT && from_query > right) return 0;
  return !(flags & RAPT_WINDOW_LEFT) || from_query >= -left || kept;
}
