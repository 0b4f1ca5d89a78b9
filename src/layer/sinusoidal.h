/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Positions that are added: sinusoidal tables and the addition itself, cut into blocks of rows. */
#ifndef RAPT_LAYER_SINUSOIDAL_H
#define RAPT_LAYER_SINUSOIDAL_H

#include <rapt/rapt.h>

#include "../kernels/kernel_set.h"

enum { RAPT_POSITION_ROWS = 64 }; /* rows of a task */

typedef struct rapt_sinusoidal_job {
  int32_t tokens, first, dim;
  uint32_t flags;
  float *out;
  int64_t stride;
} rapt_sinusoidal_job;

void rapt_sinusoidal_task(void *job, int64_t index);

typedef struct rapt_add_job {
  const rapt_kernel_set *set;
  const rapt_add_positions_args *args; /* checked */
} rapt_add_job;

void rapt_add_task(void *job, int64_t index);

#endif
