/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All operations of a set in a row, as an engine would call them: a few blocks, a few splits. */
#ifndef RAPT_TESTS_CHAIN_H
#define RAPT_TESTS_CHAIN_H

#include "check.h"

typedef enum chain_sight {
  CHAIN_ALL,
  CHAIN_CAUSAL, /* row i sees keys up to keys - rows + i */
  CHAIN_WINDOW, /* and only some to the left */
  CHAIN_RANDOM, /* bits at random, some rows see nothing */
  CHAIN_SIGHTS
} chain_sight;

typedef struct chain {
  const rapt_kernel_set *set;
  int32_t rows, keys, dim_qk, dim_v;
  float *q, *k, *v; /* [rows][dim_qk], [keys][dim_qk], [keys][dim_v] */
  uint32_t *sight;  /* [keys]: bit i = row i sees the key */
  int32_t split;    /* keys per split, a multiple of the block */
  int trim;         /* leave out what no row sees: whole blocks, their ends, their starts by 16 */
  int32_t group;    /* rows per call of the row kernel */
  float *o, *lse;   /* results: [rows][dim_v], [rows] */
} chain;

chain chain_make(const rapt_kernel_set *set, rng *r, chain_sight sight, int32_t block);
void chain_free(chain *c);

/* Forgets the results. */
void chain_clear(chain *c);

void chain_panels(chain *c, const rapt_panel_ops *panel);
void chain_rows(chain *c);

/* Results against float64. */
void chain_compare(const chain *c, const char *what);

/* Copies o and lse to new memory [rows * dim_v + rows], to compare bits with later. */
float *chain_results(const chain *c);

#endif
