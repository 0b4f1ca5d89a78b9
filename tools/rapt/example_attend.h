/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One head over small tables of numbers, computed by the library's public call. The scores and the
 * weights of a worked example are got from outputs and log-sum-exps alone, by choosing what is asked:
 * that is part of what the examples teach. (rapt explain has them from the library's scores_out.) */
#ifndef RAPT_TOOL_EXAMPLE_ATTEND_H
#define RAPT_TOOL_EXAMPLE_ATTEND_H

#include <stdint.h>

#include "failure.h"

typedef struct example_head {
  int32_t queries, keys, head_dim;
  const float *q; /* [queries][head_dim] */
  const float *k; /* [keys][head_dim] */
  float scale;    /* 0: 1/sqrt(head_dim) */
  int32_t causal; /* query i sees keys 0..i */
} example_head;

/* Each returns 0, or the exit code with a sentence. */

/* output [queries][value_dim] from v [keys][value_dim]; lse [queries], or NULL. */
int example_output(const example_head *head, const float *v, int32_t value_dim, float *output,
                   float *lse, failure *why);

/* weights [queries][keys]: with the identity matrix as V each output row is its row of weights. */
int example_weights(const example_head *head, float *weights, failure *why);

/* scores [queries][keys], causal or not: the log-sum-exp over a single key is that key's score, so
 * each key becomes a sequence of its own. */
int example_scores(const example_head *head, float *scores, failure *why);

#endif
