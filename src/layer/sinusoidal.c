/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sinusoidal.h"

#include <math.h>

static int64_t end_of(int64_t index, int32_t tokens) {
  const int64_t end = (index + 1) * RAPT_POSITION_ROWS;
  return end < tokens ? end : tokens;
}

/* Column pair by column pair, because a frequency is as dear as a sine. */
void rapt_sinusoidal_task(void *arg, int64_t index) {
  const rapt_sinusoidal_job *job = arg;
  const int64_t from = index * RAPT_POSITION_ROWS, end = end_of(index, job->tokens);
  const int32_t dim = job->dim, sines = dim / 2 + dim % 2,
                halves = job->flags & RAPT_SINUSOIDAL_HALVES ? 1 : 0;
  for (int32_t i = 0; i < sines; i++) {
    double exponent = 2.0 * i / dim;
    if (job->flags & RAPT_SINUSOIDAL_INCLUSIVE) exponent = sines > 1 ? i / (sines - 1.0) : 0.0;
    const double frequency = pow(10000.0, -exponent);
    const int64_t sine = halves ? i : 2 * (int64_t)i;
    const int64_t cosine = halves ? (int64_t)sines + i : 2 * (int64_t)i + 1;
    for (int64_t t = from; t < end; t++) {
      float *row = (float *)(void *)((char *)job->out + (t ? t * job->stride : 0));
      const double angle = (double)(job->first + t) * frequency;
      row[sine] = (float)sin(angle);
      if (cosine < dim) row[cosine] = (float)cos(angle);
    }
  }
}

void rapt_add_task(void *arg, int64_t index) {
  const rapt_add_job *job = arg;
  const rapt_add_positions_args *a = job->args;
  const int64_t end = end_of(index, a->tokens);
  for (int64_t t = index * RAPT_POSITION_ROWS; t < end; t++) {
    const int64_t row = a->positions ? a->positions[t] : a->first + t;
    const char *from = (const char *)a->table + (row ? row * a->table_stride : 0);
    char *to = (char *)a->x + (t ? t * a->x_stride : 0);
    job->set->position.add((float *)(void *)to, (const float *)(const void *)from, a->dim);
  }
}
