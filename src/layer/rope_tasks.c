/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whole tensors rotated: tasks of a few tokens, whose cosines and sines are looked up (or computed to
 * the stack) once for all heads. */
#include <stdlib.h>

#include "rope.h"

enum {
  AHEAD_FLOATS = 1024, /* how far the others are fetched ahead: 4 KiB (measured) */
  BLOCK_TOKENS = 64,   /* most tokens of a task: a stretch of memory that is worth its start */
  BLOCK_FLOATS = 4096  /* cosines and sines of a task: 16 KiB, which stays in L1 */
};

static const double cached_floats = 65536; /* smaller tensors are taken to be in cache */

_Static_assert(BLOCK_FLOATS >= 2 * RAPT_ROPE_MOST_PAIRS, "one token fits");

/* What a task works with. */
typedef struct angles {
  const float *cos[BLOCK_TOKENS], *sin[BLOCK_TOKENS];
  float computed[BLOCK_FLOATS];
} angles;

rapt_rope_job rapt_rope_job_for(const rapt_rope *rope, const rapt_rope_args *args,
                                const rapt_rope_table *table) {
  int32_t block = BLOCK_TOKENS;
  if (!table && block > BLOCK_FLOATS / (2 * rope->pairs)) block = BLOCK_FLOATS / (2 * rope->pairs);
  rapt_rope_job job = {.rope = rope, .args = args, .table = table, .block = block};
  job.blocks = ((int64_t)args->tokens + block - 1) / block;
  job.total = job.blocks * args->batch;
  const double floats = (double)args->batch * args->tokens * args->heads * rope->head_dim;
  job.ahead = floats < cached_floats              ? 0
              : AHEAD_FLOATS / rope->head_dim < 4 ? 4
                                                  : AHEAD_FLOATS / rope->head_dim;
  /* 16 channels a nanosecond from memory, 10 ns for a sine and a cosine. */
  const double tokens = (double)args->batch * args->tokens;
  job.cost = floats / 16 + (table ? 0 : 10 * tokens * rope->pairs);
  return job;
}

static int32_t position_of(const rapt_rope_args *a, int32_t sequence, int32_t token) {
  if (a->positions) return a->positions[(int64_t)sequence * a->tokens + token];
  const int32_t offset = a->offsets ? a->offsets[sequence] : 0;
  return a->flags & RAPT_ROPE_SHIFT ? offset : offset + token;
}

static void find_angles(const rapt_rope_job *job, int32_t sequence, int32_t from, int32_t n,
                        angles *out) {
  const rapt_rope_table *table = job->table;
  int32_t before = -1;
  for (int32_t t = 0; t < n; t++) {
    const int32_t position = position_of(job->args, sequence, from + t);
    if (table) {
      const int64_t at = ((int64_t)position - table->first) * table->stride;
      out->cos[t] = (const float *)(const void *)((const char *)table->cos + at);
      out->sin[t] = (const float *)(const void *)((const char *)table->sin + at);
    } else if (t > 0 && position == before) {
      out->cos[t] = out->cos[t - 1];
      out->sin[t] = out->sin[t - 1];
    } else {
      float *cos = out->computed + (int64_t)t * 2 * job->rope->pairs;
      rapt_rope_angles(job->rope, position, cos, cos + job->rope->pairs);
      out->cos[t] = cos;
      out->sin[t] = cos + job->rope->pairs;
      before = position;
    }
  }
}

void rapt_rope_task(void *arg, int64_t index) {
  const rapt_rope_job *job = arg;
  const rapt_rope_args *a = job->args;
  const int32_t sequence = (int32_t)(index / job->blocks);
  const int32_t from = (int32_t)(index % job->blocks) * job->block;
  int32_t n = (a->lens ? a->lens[sequence] : a->tokens) - from;
  if (n > job->block) n = job->block;
  if (n <= 0 || a->heads == 0) return;
  angles at;
  find_angles(job, sequence, from, n, &at);

  /* A dimension of one index has no stride; multiplied by 0 whatever it holds. */
  const int64_t *xs = a->x.stride, *ys = a->y.stride;
  const char *x = (const char *)a->x.data + (sequence ? sequence * xs[0] : 0) +
                  (from ? from * xs[2] : 0);
  char *y = (char *)a->y.data + (sequence ? sequence * ys[0] : 0) + (from ? from * ys[2] : 0);
  const int64_t x_token = n > 1 ? xs[2] : 0, y_token = n > 1 ? ys[2] : 0;
  const int64_t x_head = a->heads > 1 ? xs[1] : 0, y_head = a->heads > 1 ? ys[1] : 0;
  rapt_rotation by = rapt_rope_rotation(job->rope, a->flags);
  by.ahead = job->ahead;
  /* Along memory: heads of a token together where they are near, else tokens of a head. */
  const int32_t together = n == 1 || llabs(y_head) <= llabs(y_token);
  const int32_t outer = together ? 1 : a->heads, rows = together ? a->heads : 1;
  for (int32_t h = 0; h < outer; h++)
    for (int32_t t = 0; t < n; t++) {
      by.cos = at.cos[t];
      by.sin = at.sin[t];
      rapt_rope_rows(job->rope, &by, rows, x + h * x_head + t * x_token,
                     rows == 1 ? x_token : x_head, y + h * y_head + t * y_token, y_head);
    }
}
