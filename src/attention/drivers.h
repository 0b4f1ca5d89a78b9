/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The two ways to carry out a task. */
#ifndef RAPT_ATTENTION_DRIVERS_H
#define RAPT_ATTENTION_DRIVERS_H

#include "scratch.h"

/* What a worker knows of its neighbouring tasks. */
typedef struct rapt_outlook {
  int64_t next_task; /* probably next, or -1 */
  int32_t new_keys;  /* the task before had other keys: these are cold */
} rapt_outlook;

void rapt_panel_task(const rapt_call *call, const rapt_task *task, const rapt_scratch *scratch,
                     const rapt_outlook *outlook);
/* Number `index` of the tasks that fill args.scores. */
void rapt_look_task(const rapt_call *call, int64_t index, const rapt_scratch *scratch);
void rapt_row_task(const rapt_call *call, const rapt_task *task, const rapt_scratch *scratch,
                   const rapt_outlook *outlook);

#endif
