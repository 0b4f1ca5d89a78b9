/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Key blocks of a task as the kernels read them. */
#ifndef RAPT_ATTENTION_BLOCKS_H
#define RAPT_ATTENTION_BLOCKS_H

#include "scratch.h"

/* Rows of K or V: where the first lies, and the step (0 for a single row, whose stride may be any
 * number). */
typedef struct rapt_keys_view {
  const char *at;
  int64_t stride;
} rapt_keys_view;

static inline rapt_keys_view rapt_keys_view_of(const char *at, int64_t stride, int32_t kv_len) {
  rapt_keys_view view = {at, kv_len > 1 ? stride : 0};
  return view;
}

static inline rapt_keys_view rapt_keys_from(rapt_keys_view view, int64_t key) {
  /* NULL: no channels. Unsigned, as a tensor without elements may have any stride. */
  if (view.at)
    view.at = (const char *)((uintptr_t)view.at +
                             (uintptr_t)((uint64_t)key * (uint64_t)view.stride));
  return view;
}

/* Rows at a multiple of 4096 bytes fall into one set of every cache (BSHD with many heads). A block
 * of them that a full panel or more will read is copied once. */
static inline int32_t rapt_rows_conflict(rapt_keys_view view) {
  return view.at && view.stride != 0 && view.stride % 4096 == 0;
}

/* Copies `keys` rows of head_dim floats next to each other. */
rapt_keys_view rapt_copy_block(rapt_keys_view from, int32_t keys, int32_t head_dim, float *to);

/* ---- What is needed next ------------------------------------------------------------------- */

/* First key block of the task that will probably come next; NULL where it is near already. */
typedef struct rapt_next_keys {
  const char *k, *v;
} rapt_next_keys;

/* Lists queries and outputs of task `index` as streams of p and gives its keys. `now` is the task in
 * work, tiles the register tiles that will take a step meanwhile. */
rapt_next_keys rapt_prefetch_task(const rapt_call *call, int64_t index, const rapt_task *now,
                                  int64_t tiles, rapt_prefetch *p);

#endif
