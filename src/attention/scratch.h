/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A worker's slice of the workspace: queries, scores, outputs in work. Its size depends on the head
 * dims only. */
#ifndef RAPT_ATTENTION_SCRATCH_H
#define RAPT_ATTENTION_SCRATCH_H

#include "call.h"

enum {
  RAPT_MOST_PANELS = 8,     /* panels that walk the keys together */
  RAPT_TASKS_PER_WORKER = 4 /* fewer tasks than this a worker: cut along the keys as well */
};

/* One panel, or the rows of a row-kernel task: m, l and o in the kernel's shape. */
typedef struct rapt_partial {
  float *m, *l, *o;
} rapt_partial;

typedef struct rapt_scratch {
  float *q[RAPT_MOST_PANELS];          /* packed queries */
  rapt_partial now[RAPT_MOST_PANELS];  /* the split in work */
  rapt_partial fold[RAPT_MOST_PANELS]; /* the splits before, joined */
  float *s;                            /* scores of one block */
  float *m_new, *alpha;
  float *m_raw; /* maxima before the rules, of no meaning */
  uint32_t *permit;
  float *k, *v; /* copies of a key block */

  /* With a tensor mask, of one tile (masks.h): */
  uint32_t *mask_words;  /* [words][RAPT_MAX_LANES] */
  uint32_t *mask_permit; /* per key */
  char *mask_row;        /* elements put next to each other */
  float *bias;           /* [RAPT_MAX_LANES][bias_stride] */
  int64_t bias_stride;
  int32_t *mask_index; /* the keys that stay, and ... */
  float *mask_key;     /* ... the same as floats */
  float *kept_k, *kept_v;
} rapt_scratch;

int64_t rapt_scratch_bytes(const rapt_plan *plan);
void rapt_scratch_get(const rapt_call *call, int32_t worker, rapt_scratch *scratch);

/* The partial result number `slot` of the shared part, for so many rows. */
void rapt_slot_get(const rapt_call *call, int64_t slot, int32_t lanes, rapt_partial *partial);

const rapt_panel_ops *rapt_panel_for(const rapt_kernel_set *set, int64_t rows);

#endif
