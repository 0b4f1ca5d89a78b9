/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rotary positions inside: frequencies decided once, cosines and sines of a position, rows turned on
 * their way from one place to another. */
#ifndef RAPT_LAYER_ROPE_H
#define RAPT_LAYER_ROPE_H

#include <rapt/rapt.h>

#include "../kernels/kernel_set.h"

enum { RAPT_ROPE_MOST_PAIRS = 512 }; /* half of the largest head_dim */

/* Immutable after creation. */
struct rapt_rope {
  rapt_allocator allocator; /* a copy; all zero for the default */
  const rapt_kernel_set *set;
  int32_t head_dim, pairs; /* rotary_dims / 2 */
  int32_t interleaved;
  double attention_factor;
  double inv_freq[RAPT_ROPE_MOST_PAIRS];
};

/* rope_scaling.c: frequencies and attention factor of a checked description (rotary_dims not 0). */
void rapt_rope_scale(const rapt_rope_desc *desc, double *inv_freq, double *attention_factor);

/* rope_rows.c: cosines and sines of a position, `pairs` floats each. Table and direct computation come
 * here, hence their equal bits. */
void rapt_rope_angles(const rapt_rope *rope, int32_t position, float *cos, float *sin);

/* How rows are turned with RAPT_ROPE_INVERSE and RAPT_ROPE_SHIFT in flags; cos and sin are set by the
 * caller, token by token. */
rapt_rotation rapt_rope_rotation(const rapt_rope *rope, uint32_t flags);

/* Turns n_rows rows of one token (its heads) from x to y in one pass: also the way K goes into a cache
 * and a query is loaded. x and y are the same rows or share no byte. */
static inline void rapt_rope_rows(const rapt_rope *rope, const rapt_rotation *by, int32_t n_rows,
                                  const char *x, int64_t x_stride, char *y, int64_t y_stride) {
  (rope->interleaved ? rope->set->position.rotate_pairs
                     : rope->set->position.rotate_halves)(by, n_rows, x, x_stride, y, y_stride);
}

/* rope_tasks.c: a call cut into tasks of a few tokens of one sequence, all heads. */
typedef struct rapt_rope_job {
  const rapt_rope *rope;
  const rapt_rope_args *args;   /* checked */
  const rapt_rope_table *table; /* checked, or NULL */
  int32_t block;                /* tokens of a task */
  int32_t ahead;                /* rows to fetch ahead */
  int64_t blocks;               /* tasks of a sequence */
  int64_t total;                /* tasks */
  double cost;                  /* nanoseconds, roughly */
} rapt_rope_job;

rapt_rope_job rapt_rope_job_for(const rapt_rope *rope, const rapt_rope_args *args,
                                const rapt_rope_table *table);
void rapt_rope_task(void *job, int64_t index);

#endif
