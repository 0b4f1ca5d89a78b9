/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "heatmap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/reference.h"
#include "look.h"
#include "shades.h"

enum { MOST_AT_ONCE = 1 << 22, LABEL_EVERY = 16 }; /* weights in memory; columns */

/* The cell of `i` when `n` of them share `cells`; and the first of a cell. */
static int32_t cell_of(int32_t i, int32_t n, int32_t cells) {
  return (int32_t)((int64_t)i * cells / n);
}
static int32_t first_of(int32_t cell, int32_t n, int32_t cells) {
  return (int32_t)(((int64_t)cell * n + cells - 1) / cells);
}

int32_t heatmap_first_query(const heatmap *m, int32_t row) {
  int32_t at = first_of(row, m->queries, m->rows);
  return m->view.query ? m->view.query[at] : at;
}

int32_t heatmap_first_key(const heatmap *m, int32_t column) {
  return first_of(column, m->keys, m->columns);
}

int32_t heatmap_even_cells(int32_t n) {
  int32_t each = (int32_t)(((int64_t)n + HEATMAP_FILE_CELLS - 1) / HEATMAP_FILE_CELLS);
  return each > 0 ? (int32_t)(((int64_t)n + each - 1) / each) : 0;
}

/* Adds the weights of row `at` of those drawn. */
static void add_row(heatmap *m, const float *weight, int32_t at, double *sum) {
  double *cells = m->cell + cell_of(at, m->queries, m->rows) * m->columns;
  for (int32_t j = 0; j < m->keys; j++) {
    cells[cell_of(j, m->keys, m->columns)] += (double)weight[j];
    sum[at] += (double)weight[j];
  }
}

static void average(heatmap *m, const double *sum) {
  m->least_sum = (double)INFINITY;
  for (int32_t i = 0; i < m->queries; i++) {
    if (sum[i] == 0) continue;
    m->least_sum = fmin(m->least_sum, sum[i]);
    m->most_sum = fmax(m->most_sum, sum[i]);
  }
  for (int32_t r = 0; r < m->rows; r++)
    for (int32_t x = 0; x < m->columns; x++) {
      double *cell = &m->cell[r * m->columns + x];
      int32_t high = first_of(r + 1, m->queries, m->rows) - first_of(r, m->queries, m->rows);
      int32_t wide = first_of(x + 1, m->keys, m->columns) - first_of(x, m->keys, m->columns);
      *cell /= (double)high * wide;
      m->largest = fmax(m->largest, *cell);
    }
}

int heatmap_possible(const call *c, const char *name, int32_t sequence, failure *why) {
  int64_t queries = reference_q_len(&c->args, sequence),
          keys = reference_kv_len(&c->args, sequence);
  if (queries > 0 && keys > 0) return 0;
  return fail(why, EXIT_WRONG_USE, "%s: sequence %d has %d queries and %d keys", name,
              (int)sequence, (int)queries, (int)keys);
}

/* So many rows at a time that their weights stay small beside the inputs of a long call. */
static int add_rows(heatmap *m, const call *c, int32_t at_once, int32_t *row, float *weights,
                    double *sum, failure *why) {
  int status = 0;
  for (int32_t from = 0; !status && from < m->queries; from += at_once) {
    int32_t n = m->queries - from < at_once ? m->queries - from : at_once;
    for (int32_t i = 0; i < n; i++) row[i] = m->view.query ? m->view.query[from + i] : from + i;
    status = look_at_rows(c, m->view.sequence, m->view.head, RAPT_STAGE_WEIGHTS, row, n, weights,
                          why);
    for (int32_t i = 0; !status && i < n; i++)
      add_row(m, weights + (size_t)i * (size_t)c->k.tokens, from + i, sum);
  }
  return status;
}

int heatmap_make(heatmap *m, const call *c, const heatmap_view *view, failure *why) {
  *m = (heatmap){.view = *view,
                 .heads = c->q.heads,
                 .queries = view->query ? view->n_queries
                                        : (int32_t)reference_q_len(&c->args, view->sequence),
                 .keys = (int32_t)reference_kv_len(&c->args, view->sequence)};
  m->rows = m->queries < view->most_rows ? m->queries : view->most_rows;
  m->columns = m->keys < view->most_columns ? m->keys : view->most_columns;
  int32_t at_once = MOST_AT_ONCE / c->k.tokens;
  if (at_once < 1) at_once = 1;
  if (at_once > m->queries) at_once = m->queries;
  m->cell = calloc((size_t)m->rows * (size_t)m->columns, sizeof *m->cell);
  int32_t *row = calloc((size_t)at_once, sizeof *row);
  float *weights = malloc((size_t)at_once * (size_t)c->k.tokens * sizeof *weights);
  double *sum = calloc((size_t)m->queries, sizeof *sum);
  int status = 0;
  if (!m->cell || !row || !weights || !sum)
    status = fail(why, EXIT_RUN_FAILED, "out of memory for %d x %d weights", (int)at_once,
                  (int)m->keys);
  if (!status) status = add_rows(m, c, at_once, row, weights, sum, why);
  if (!status) average(m, sum);
  free(sum);
  free(weights);
  free(row);
  return status;
}

void heatmap_free(heatmap *m) {
  free(m->cell);
  m->cell = NULL;
}

static void print_key_axis(const heatmap *m) {
  printf("%10s", "key");
  for (int32_t x = 0; x < m->columns; x += LABEL_EVERY)
    printf(" %-*d", LABEL_EVERY - 1, (int)heatmap_first_key(m, x));
  printf("\n%11s", "");
  for (int32_t x = 0; x < m->columns; x++) fputs(x % LABEL_EVERY ? " " : "|", stdout);
  printf("\n");
}

/* The weights each mark stands for. */
static void print_legend(const heatmap *m, const shades *s, int32_t nans) {
  printf("weight: '");
  shades_print(s, 0);
  printf("' 0");
  for (int32_t level = 1; m->largest > 0 && level < s->levels; level++) {
    printf("  '");
    shades_print(s, level);
    if (level == 1)
      printf("' above 0");
    else
      printf("' %.2g", shades_from(s, level, m->largest));
  }
  if (nans) printf("  '?' not a number");
  printf("  (largest %.3g)\n", m->largest);
  if (m->most_sum > 0)
    printf("sums over the keys of a query: %.7f to %.7f\n", m->least_sum, m->most_sum);
}

const char *heatmap_title(const heatmap *m, char *out, size_t size) {
  snprintf(out, size, "head %d (of %d), sequence %d: %d queries down, %d keys across",
           (int)m->view.head, (int)m->heads, (int)m->view.sequence, (int)m->queries, (int)m->keys);
  return out;
}

void heatmap_print(const heatmap *m) {
  shades s = shades_choose();
  int32_t nans = 0;
  char title[120];
  printf("\nattention weights of %s\n", heatmap_title(m, title, sizeof title));
  if (m->rows < m->queries || m->columns < m->keys)
    printf("a cell is the mean of %.3g x %.3g weights\n", (double)m->queries / m->rows,
           (double)m->keys / m->columns);
  print_key_axis(m);
  for (int32_t r = 0; r < m->rows; r++) {
    printf("%s%6d |", r ? "   " : "  q", (int)heatmap_first_query(m, r));
    for (int32_t x = 0; x < m->columns; x++) {
      double weight = m->cell[r * m->columns + x];
      nans += isnan(weight) != 0;
      if (isnan(weight))
        putchar('?'); /* of a NaN or an overflow in q or k */
      else
        shades_print(&s, shades_level(&s, weight, m->largest));
    }
    printf("|\n");
  }
  print_legend(m, &s, nans);
}
