/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From partial results to rows of O. Splits are folded from the first to the last, whether one task
 * walked them all or each was a task of its own: the same bits. */
#ifndef RAPT_ATTENTION_PARTIALS_H
#define RAPT_ATTENTION_PARTIALS_H

#include "ranges.h"
#include "scratch.h"

/* The kernel of the rows in work: a panel, or (panel NULL) the row kernel. */
typedef struct rapt_rows_kernel {
  const rapt_panel_ops *panel;
  const rapt_row_ops *row;
  int32_t lanes; /* of m and l */
} rapt_rows_kernel;

rapt_rows_kernel rapt_kernel_of(const rapt_plan *plan, const rapt_sequence *s, int32_t rows);

/* m = -inf, l = 0: nothing seen yet; o is of no meaning. */
void rapt_partial_reset(const rapt_partial *p, int32_t lanes);

void rapt_partial_join(const rapt_rows_kernel *kernel, const rapt_plan *plan, int32_t rows,
                       rapt_partial *into, const rapt_partial *from);

/* The split in `now` is done: joined to the splits before, or, the first one, it becomes the fold. */
void rapt_partial_fold(const rapt_rows_kernel *kernel, const rapt_plan *plan, int32_t rows,
                       rapt_partial *now, rapt_partial *fold, int32_t *folded);

/* Rows row .. row+rows-1 of the task's KV head to O and LSE. */
void rapt_partial_finish(const rapt_call *call, const rapt_rows_kernel *kernel,
                         const rapt_task *task, int64_t row, int32_t rows, const rapt_partial *p);

/* One split of a row task is in its slot. The last to arrive joins all and writes the rows. */
void rapt_split_arrive(const rapt_call *call, const rapt_rows_kernel *kernel, const rapt_task *task,
                       const rapt_rows_view *view, int32_t rows);

/* Tokens and heads of the rows. */
void rapt_task_rows(const rapt_plan *plan, const rapt_task *task, int64_t row, int32_t rows,
                    rapt_row *out);

/* Addresses of the rows' queries. */
void rapt_query_rows(const rapt_call *call, const rapt_task *task, int64_t row, int32_t rows,
                     const float **out);

#endif
