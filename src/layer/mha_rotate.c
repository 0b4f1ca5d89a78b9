/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Queries and new keys rotated in place, in one pass after the products. Cosines and sines of a token
 * serve all heads of both. */
#include "mha.h"
#include "rope.h"

enum { BLOCK = 16 }; /* tokens of a task */

static int64_t blocks_of(const rapt_rotations *r, int32_t b) {
  return ((int64_t)rapt_projection_len(r->item[0], b) + BLOCK - 1) / BLOCK;
}

void rapt_rotations_begin(rapt_rotations *r) {
  double tokens = 0;
  r->total = 0;
  for (int32_t b = 0; b < r->batch; b++) {
    r->total += blocks_of(r, b);
    tokens += rapt_projection_len(r->item[0], b);
  }
  /* As in rope_tasks.c. */
  r->cost = tokens * (r->table ? 0 : 30.0 * r->rope->pairs);
  for (int32_t i = 0; i < r->n; i++) r->cost += tokens * r->item[i]->heads * r->rope->head_dim / 16;
}

void rapt_rotations_task(void *job, int64_t index) {
  const rapt_rotations *r = job;
  const rapt_rope *rope = r->rope;
  int32_t b = 0;
  while (index >= blocks_of(r, b)) index -= blocks_of(r, b++);
  int64_t end = rapt_projection_len(r->item[0], b);
  if (end > (index + 1) * BLOCK) end = (index + 1) * BLOCK;
  float cosines[RAPT_ROPE_MOST_PAIRS], sines[RAPT_ROPE_MOST_PAIRS];
  rapt_rotation by = rapt_rope_rotation(rope, 0);
  for (int64_t i = index * BLOCK; i < end; i++) {
    int64_t position = i + (r->first ? r->first[b] : 0);
    if (r->table) {
      int64_t at = (position - r->table->first) * r->table->stride;
      by.cos = (const float *)(const void *)((const char *)r->table->cos + at);
      by.sin = (const float *)(const void *)((const char *)r->table->sin + at);
    } else {
      rapt_rope_angles(rope, (int32_t)position, cosines, sines);
      by.cos = cosines;
      by.sin = sines;
    }
    for (int32_t k = 0; k < r->n; k++) {
      const rapt_projection *item = r->item[k];
      char *row = (char *)rapt_projection_y(item, b, 0, i);
      rapt_rope_rows(rope, &by, item->heads, row, item->y_stride[1], row, item->y_stride[1]);
    }
  }
}
