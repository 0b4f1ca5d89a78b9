/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One head's attention weights, drawn in the terminal. */
#ifndef RAPT_TOOL_HEATMAP_H
#define RAPT_TOOL_HEATMAP_H

#include "call.h"

/* Weights averaged into cells. */
typedef struct heatmap {
  int32_t queries, keys;      /* of the head */
  int32_t rows, columns;      /* of cells */
  double *cell;               /* [rows][columns] */
  double largest;             /* cell */
  double least_sum, most_sum; /* sums of the weights of a query that sees a key */
} heatmap;

/* Has sequence 0 a query and a key? Else there is nothing to draw. */
int heatmap_possible(const call *c, failure *why);

/* Computes the weights of query head `head`, sequence 0, with the kernels of the call. */
int heatmap_make(heatmap *map, const call *c, int32_t head, failure *why);

void heatmap_print(const heatmap *map, int32_t head, int32_t heads);

void heatmap_free(heatmap *map);

#endif
