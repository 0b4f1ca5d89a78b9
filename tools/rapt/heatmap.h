/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One head's attention weights, averaged into cells, for the terminal (heatmap_print), an SVG file
 * (heatmap_svg.c) and gnuplot (heatmap_png.c). */
#ifndef RAPT_TOOL_HEATMAP_H
#define RAPT_TOOL_HEATMAP_H

#include "call.h"

enum { HEATMAP_TERMINAL_ROWS = 32, HEATMAP_TERMINAL_COLUMNS = 64, HEATMAP_FILE_CELLS = 128 };

/* What is drawn. */
typedef struct heatmap_view {
  int32_t sequence, head;
  const int32_t *query; /* the rows, in this order, each one that the sequence has; NULL: all */
  int32_t n_queries;    /* with query */
  int32_t most_rows, most_columns;
} heatmap_view;

typedef struct heatmap {
  heatmap_view view;
  int32_t heads;              /* of the call */
  int32_t queries, keys;      /* drawn */
  int32_t rows, columns;      /* of cells */
  double *cell;               /* [rows][columns] */
  double largest;             /* cell */
  double least_sum, most_sum; /* sums of the weights of a query that sees a key */
} heatmap;

/* Has the sequence a query and a key? Else there is nothing to draw. */
int heatmap_possible(const call *c, const char *name, int32_t sequence, failure *why);

/* At most HEATMAP_FILE_CELLS cells for `n` queries or keys, as equal as can be: cells of one and two in
 * turns would show stripes that are not there. */
int32_t heatmap_even_cells(int32_t n);

/* Computes the weights. */
int heatmap_make(heatmap *map, const call *c, const heatmap_view *view, failure *why);

void heatmap_print(const heatmap *map);

/* Write files of bounded size; a file that cannot be finished is removed. */
int heatmap_save_svg(const heatmap *map, const char *path, failure *why);
int heatmap_save_png(const heatmap *map, const char *path, failure *why);

void heatmap_free(heatmap *map);

/* The query that row of cells begins with, and the key that a column does. */
int32_t heatmap_first_query(const heatmap *map, int32_t row);
int32_t heatmap_first_key(const heatmap *map, int32_t column);

/* "head 3 (of 8), sequence 0: 160 queries down, 160 keys across" */
const char *heatmap_title(const heatmap *map, char *out, size_t size);

#endif
