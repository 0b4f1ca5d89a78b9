/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The keys of one query, heaviest first, with what became of their scores. */
#ifndef RAPT_TOOL_RANKING_H
#define RAPT_TOOL_RANKING_H

#include "call.h"

typedef struct ranked_key {
  int32_t key;
  float score[3]; /* RAPT_STAGE_RAW, _SOFTCAP, _BIAS */
  float weight;
} ranked_key;

typedef struct ranking {
  int32_t sequence, head, query;
  int32_t keys;       /* of the sequence */
  int32_t visible;    /* entries of `ranked` */
  int32_t poisoned;   /* a visible key whose score is NaN or +inf, or -1 */
  ranked_key *ranked; /* by falling weight, then score, then rising key */
  double sum;         /* of the weights */
} ranking;

int ranking_make(ranking *r, const call *c, int32_t sequence, int32_t head, int32_t query,
                 failure *why);

/* The first `top` of them, and what they come to. */
void ranking_print(const ranking *r, const call *c, int32_t top);

void ranking_free(ranking *r);

#endif
