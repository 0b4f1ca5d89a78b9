/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A plan: what is decided once. Immutable after creation. */
#ifndef RAPT_ATTENTION_PLAN_H
#define RAPT_ATTENTION_PLAN_H

#include <rapt/rapt.h>

#include "../kernels/kernel_set.h"

struct rapt_plan {
  rapt_attention_desc desc;       /* checked; isa and allocator are not used any more */
  rapt_allocator allocator;       /* a copy; all zero for the default */
  const rapt_kernel_set *prefill; /* panels of queries */
  const rapt_kernel_set *decode;  /* the row kernel, to row.most_rows rows per KV head */
  int32_t group;                  /* query heads per KV head */
  int32_t panels;                 /* most panels that walk the keys together */
  int32_t natural; /* scores stay natural up to the exponential: something is done to them before */
  float natural_scale;
  float scale;          /* natural_scale, or with log2 e: scores come out in base 2 */
  int32_t window_keep;  /* first keys that the left window spares */
  int32_t mask_element; /* bytes of a mask's element, 0 for bits or no mask */
  int64_t l2_bytes;     /* for prefetch decisions only */
};

/* Fills *plan from a caller's desc; allocates nothing. */
rapt_status rapt_plan_init(rapt_plan *plan, const rapt_attention_desc *desc, rapt_error *error);

/* Rows of one sequence that share a KV head, and whether the row kernel takes them. The path is a
 * matter of the sequence alone, never of the batch, so that companions do not change bits. */
static inline int64_t rapt_rows_of(const rapt_plan *plan, int32_t q_len) {
  return (int64_t)q_len * plan->group;
}
static inline int32_t rapt_takes_row_kernel(const rapt_plan *plan, int64_t rows) {
  return rows <= plan->decode->row.most_rows && !(plan->desc.flags & RAPT_FORCE_LANES);
}

_Static_assert(RAPT_SPLIT_KEYS % 96 == 0 && 16 % RAPT_KEY_ALIGN == 0, "steps of rapt_row_step");

/* Keys per block of the row kernel: as many as let K and V of a block stay in L1 together with the
 * block that is being fetched. It shows in the bits, so it is a matter of set and head dims alone. */
static inline int32_t rapt_row_step(const rapt_plan *plan) {
  enum { L1_BYTES = 32 * 1024, STEPS = 4 };
  static const int32_t steps[STEPS] = {96, 48, 32, 16}; /* divisors of RAPT_SPLIT_KEYS */
  const int64_t key = ((int64_t)plan->desc.head_dim_qk + plan->desc.head_dim_v) *
                      (int64_t)sizeof(float);
  int32_t i = 0;
  while (i < STEPS - 1 && (steps[i] > plan->decode->row.row_block || steps[i] * key > L1_BYTES))
    i++;
  return steps[i];
}

/* Floats per row of the row kernel's scratch. */
static inline int64_t rapt_row_stride(int32_t head_dim) {
  return ((int64_t)head_dim + RAPT_KEY_ALIGN - 1) / RAPT_KEY_ALIGN * RAPT_KEY_ALIGN;
}

#endif
