/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Projections, cut into tasks. The cut follows from the shapes alone,
 * each sequence on its own, so neither workers nor batch companions show in the bits:
 *   - a sequence with several rows: tiles of rows and columns, by matrix product into y itself;
 *   - a sequence with one row (decode): columns in parts, as few as the workers allow, because long rows
 *     of the matrix come faster from memory. The kernel set's own gemv does several such sequences
 *     at once, and its sums depend neither on the columns beside them nor on companions. */
#include "mha.h"

#include <string.h>

enum {
  ROWS_TOGETHER = 8,
  SUMS = 4096, /* of a task's rows together: with them in L1, the matrix streams by */
  LEAST_COLUMNS = 64,
  LEAST_BYTES = 512 * 1024 /* of a task for single rows: some microseconds */
};
static const double products_per_ns = 50, bytes_per_ns = 30;

static int32_t parts_of(int64_t n, int32_t size) { return (int32_t)((n + size - 1) / size); }

/* Columns of a task for `rows` sequences of one row: a part for each worker, because longer rows of the
 * matrix come faster; cut evenly, in whole cache lines. */
static int32_t row_columns(const rapt_matrix *w, int32_t rows, int32_t workers) {
  const int32_t together = rows < ROWS_TOGETHER ? rows : ROWS_TOGETHER;
  const int32_t least = (int32_t)(LEAST_BYTES / ((int64_t)w->in * (int64_t)sizeof(float)));
  int32_t most = parts_of(w->out, workers);
  if (most < least) most = least;
  if (most < LEAST_COLUMNS) most = LEAST_COLUMNS;
  if (most > SUMS / together) most = SUMS / together;
  return parts_of(parts_of(w->out, parts_of(w->out, most)), 16) * 16;
}

void rapt_projections_add(rapt_projections *p, const rapt_projection *item) {
  rapt_projection *to = &p->item[p->n++];
  *to = *item;
  p->tile = rapt_blas_tile();
  int32_t joined = to->heads == 1 || to->y_stride[1] == to->dim * (int64_t)sizeof(float);
  to->per_head = joined ? 0 : parts_of(to->dim, p->tile.columns);
  to->column_tiles = joined ? parts_of(to->matrix->out, p->tile.columns) : to->heads * to->per_head;
  to->row_tiles = to->row_parts = 0;
  int32_t single = 0;
  for (int32_t b = 0; b < p->batch; b++) {
    int32_t rows = rapt_projection_len(to, b);
    if (rows > 1) to->row_tiles += parts_of(rows, p->tile.rows);
    single += rows == 1;
    p->cost += (double)rows * to->matrix->in * to->matrix->out / products_per_ns;
  }
  if (single) {
    const double bytes = (double)to->matrix->in * to->matrix->out * (double)sizeof(float);
    to->row_columns = row_columns(to->matrix, single, p->workers);
    to->row_parts = parts_of(to->matrix->out, to->row_columns);
    p->cost += bytes / bytes_per_ns;
  }
  to->tasks = (int64_t)to->row_tiles * to->column_tiles + to->row_parts;
  p->total += to->tasks;
}

/* Addresses as numbers: with offsets x may stand for a token 0 that is not there. */
/* NOLINTBEGIN(performance-no-int-to-ptr) */
static const float *x_at(const rapt_projection *item, int32_t b, int64_t token) {
  int64_t at = item->offsets ? (item->offsets[b] + token) * item->x_stride[1]
                             : b * item->x_stride[0] + token * item->x_stride[1];
  return (const float *)((uintptr_t)item->x + (uintptr_t)at);
}

/* NOLINTEND(performance-no-int-to-ptr) */

/* The first weight of a column. */
static const float *w_at(const rapt_matrix *w, int32_t column) {
  return w->data + (w->out_in ? column * w->ld : (int64_t)column);
}

/* The bias is what the products are added to. */
static void begin_row(const rapt_matrix *w, int32_t column, int32_t n, float *y) {
  if (w->bias)
    memcpy(y, w->bias + column, (size_t)n * sizeof *y);
  else
    memset(y, 0, (size_t)n * sizeof *y);
}

static void tile_task(const rapt_projections *p, const rapt_projection *item, int32_t column_tile,
                      int32_t row_tile) {
  const rapt_matrix *w = item->matrix;
  int32_t b = 0, tiles;
  for (;; b++) { /* the sequence */
    int32_t rows = rapt_projection_len(item, b);
    tiles = rows > 1 ? parts_of(rows, p->tile.rows) : 0;
    if (row_tile < tiles) break;
    row_tile -= tiles;
  }
  int32_t head = item->per_head ? column_tile / item->per_head : 0;
  int32_t inside = (item->per_head ? column_tile % item->per_head : column_tile) * p->tile.columns;
  int32_t width = item->per_head ? item->dim : w->out;
  int32_t column = item->per_head ? head * item->dim + inside : inside;
  int64_t first = (int64_t)row_tile * p->tile.rows;
  int64_t rows = rapt_projection_len(item, b) - first;
  rapt_product product = {.x = x_at(item, b, first),
                          .w = w_at(w, column),
                          .y = rapt_projection_y(item, b, head, first) + inside,
                          .ld_x = item->x_stride[1] / (int64_t)sizeof(float),
                          .ld_w = w->ld,
                          .ld_y = item->y_stride[2] / (int64_t)sizeof(float),
                          .out_in = w->out_in,
                          .rows = rows < p->tile.rows ? (int32_t)rows : p->tile.rows,
                          .columns = width - inside < p->tile.columns ? width - inside
                                                                      : p->tile.columns,
                          .inner = w->in};
  for (int32_t i = 0; i < product.rows; i++)
    begin_row(w, column, product.columns, product.y + i * product.ld_y);
  rapt_blas_multiply_add(&product);
}

/* A finished part of a row, to the heads it belongs to. */
static void put_row(const rapt_projection *item, int32_t b, int32_t column, int32_t n,
                    const float *row) {
  while (n > 0) {
    int32_t head = column / item->dim, inside = column % item->dim;
    int32_t run = item->dim - inside < n ? item->dim - inside : n;
    memcpy(rapt_projection_y(item, b, head, 0) + inside, row, (size_t)run * sizeof *row);
    column += run, row += run, n -= run;
  }
}

/* The next sequences with one row from *b on, at most ROWS_TOGETHER. */
static int32_t single_rows(const rapt_projections *p, const rapt_projection *item, int32_t *b,
                           int32_t *sequence, const float **x) {
  int32_t rows = 0;
  for (; *b < p->batch && rows < ROWS_TOGETHER; ++*b)
    if (rapt_projection_len(item, *b) == 1) {
      x[rows] = x_at(item, *b, 0);
      sequence[rows++] = *b;
    }
  return rows;
}

static void rows_task(const rapt_projections *p, const rapt_projection *item, int32_t part) {
  const rapt_matrix *w = item->matrix;
  const int32_t column = part * item->row_columns;
  const int32_t n = w->out - column < item->row_columns ? w->out - column : item->row_columns;
  _Alignas(64) float sums[SUMS], block[SUMS];
  int32_t sequence[ROWS_TOGETHER];
  const float *x[ROWS_TOGETHER];
  for (int32_t b = 0, rows; (rows = single_rows(p, item, &b, sequence, x)) > 0;) {
    const rapt_gemv gemv = {.x = x,
                            .w = w_at(w, column),
                            .ld = w->ld,
                            .n_rows = rows,
                            .inner = w->in,
                            .columns = n,
                            .y = sums,
                            .block = block,
                            .y_stride = item->row_columns};
    for (int32_t r = 0; r < rows; r++) begin_row(w, column, n, sums + r * gemv.y_stride);
    (w->out_in ? p->gemv->out_in : p->gemv->in_out)(&gemv);
    for (int32_t r = 0; r < rows; r++)
      put_row(item, sequence[r], column, n, sums + r * gemv.y_stride);
  }
}

void rapt_projections_task(void *job, int64_t task) {
  const rapt_projections *p = job;
  const rapt_projection *item = p->item;
  while (task >= item->tasks) task -= (item++)->tasks;
  int64_t tiles = (int64_t)item->row_tiles * item->column_tiles;
  if (task >= tiles) {
    rows_task(p, item, (int32_t)(task - tiles));
    return;
  }
  const int32_t before = rapt_blas_begin();
  /* Rows innermost: their columns' weights stay in cache. */
  tile_task(p, item, (int32_t)(task / item->row_tiles), (int32_t)(task % item->row_tiles));
  rapt_blas_end(before);
}
