/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The layer inside: matrices, projections as tasks, the parts of its workspace. Of librapt only. */
#ifndef RAPT_LAYER_MHA_H
#define RAPT_LAYER_MHA_H

#include <rapt/rapt.h>

#include "../kernels/kernel_set.h"
#include "../platform/blas.h"

typedef struct rapt_matrix {
  const float *data, *bias; /* data NULL: there is none */
  int64_t ld;               /* floats from row to row */
  int32_t in, out;
  int32_t out_in; /* [out][in], else [in][out] */
} rapt_matrix;

/* Immutable after creation. */
struct rapt_mha {
  rapt_allocator allocator; /* a copy; all zero for the default */
  size_t bytes;             /* of this struct and the copies behind it */
  rapt_plan *plan;
  const rapt_rope *rope;         /* the caller's, or NULL */
  rapt_attention_desc attention; /* checked */
  rapt_matrix q, k, v, o;
};

/* ---- Projections as tasks (mha_project.c) ----------------------------------------------------- */

/* Rows of x by a matrix, to rows of y whose columns are `heads` heads of `dim`. */
typedef struct rapt_projection {
  const rapt_matrix *matrix;
  const char *x;
  int64_t x_stride[2]; /* batch, token */
  char *y;
  int64_t y_stride[3];    /* batch, head, token */
  const int32_t *y_first; /* [batch] token of y where a sequence's first row goes; NULL: 0 */
  int32_t heads, dim;
  int32_t row_tiles;    /* of sequences with more than one row, all together */
  int32_t column_tiles; /* of these */
  int32_t per_head;     /* column tiles of a head; 0: heads lie side by side and are one */
  int32_t row_columns;  /* columns of a task for the sequences with one row */
  int32_t row_parts;    /* such tasks; 0: there is no such sequence */
  int64_t tasks;
  const int32_t *lens;    /* [batch] rows, or NULL: len */
  const int32_t *offsets; /* [batch+1], or NULL: then lens and x_stride[0] are not in use, nor is
                              y_stride[0] with y_packed */
  int32_t len, y_packed;
} rapt_projection;

/* Up to three that may be computed at the same time; the first line is set before they are added. */
typedef struct rapt_projections {
  int32_t batch, workers;
  const rapt_gemv_ops *gemv;
  int32_t n;
  rapt_projection item[3];
  rapt_tile tile;
  int64_t total; /* tasks */
  double cost;   /* nanoseconds, roughly */
} rapt_projections;

/* Adds one; its first part (to heads, dim) and last part (lens to y_packed) are set. */
void rapt_projections_add(rapt_projections *p, const rapt_projection *item);

/* Task 0 .. total-1 of a rapt_projections. */
void rapt_projections_task(void *job, int64_t index);

static inline int32_t rapt_projection_len(const rapt_projection *item, int32_t b) {
  if (item->offsets) return item->offsets[b + 1] - item->offsets[b];
  return item->lens ? item->lens[b] : item->len;
}

/* Where a row goes. An address as a number: with offsets y may stand for a token 0 that is not there. */
static inline float *rapt_projection_y(const rapt_projection *item, int32_t b, int32_t head,
                                       int64_t token) {
  int64_t at = head * item->y_stride[1];
  if (item->y_first) token += item->y_first[b];
  at += item->offsets && item->y_packed ? (item->offsets[b] + token) * item->y_stride[2]
                                        : b * item->y_stride[0] + token * item->y_stride[2];
  /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
  return (float *)((uintptr_t)item->y + (uintptr_t)at);
}

/* ---- Rotary positions (mha_rotate.c) ------------------------------------------------------------ */

/* Rows of one or two projections (queries, and their tokens' keys) turned where they lie. */
typedef struct rapt_rotations {
  const rapt_rope *rope;
  const rapt_rope_table *table; /* or NULL */
  const rapt_projection *item[2];
  int32_t n, batch;
  const int32_t *first; /* [batch] position of a sequence's first row, or NULL: 0 */
  int64_t total;
  double cost;
} rapt_rotations;

/* Sets total and cost. */
void rapt_rotations_begin(rapt_rotations *r);
void rapt_rotations_task(void *job, int64_t index);

/* ---- Workspace (mha_workspace.c) ---------------------------------------------------------------- */

/* Tokens of the largest call. */
typedef struct rapt_mha_extent {
  int32_t batch, q_len;
  int32_t new_len; /* keys and values per sequence that live in the workspace; 0 with a cache */
  int32_t kv_len;  /* keys per sequence that attention sees */
  int64_t q_tokens, new_tokens; /* of all sequences */
} rapt_mha_extent;

/* Offsets of the parts, in bytes; attention's part comes last. */
typedef struct rapt_mha_layout {
  int64_t kv_lens, q, k, v, o, attention;
} rapt_mha_layout;

/* 0, or -1 if the sizes leave 62 bits. */
int rapt_mha_layout_for(const rapt_mha *mha, const rapt_mha_extent *extent,
                        rapt_mha_layout *layout);

#endif
