/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "heatmap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attend.h"
#include "common/reference.h"
#include "shades.h"

enum { MOST_COLUMNS = 64, MOST_ROWS = 32, MOST_KEYS_AT_ONCE = 1024, LABEL_EVERY = 16 };

/* The cell of `i` when `n` of them share `cells`; and the first of a cell. */
static int32_t cell_of(int32_t i, int32_t n, int32_t cells) {
  return (int32_t)((int64_t)i * cells / n);
}
static int32_t first_of(int32_t cell, int32_t n, int32_t cells) {
  return (int32_t)(((int64_t)cell * n + cells - 1) / cells);
}

/* The call for one head of the first sequence, with O of `width` columns. */
static void narrow(const call *c, int32_t head, int32_t width, float *o, rapt_attention_desc *d,
                   rapt_attention_args *a) {
  int32_t kv_head = head / (c->q.heads / c->k.heads);
  *d = c->desc;
  *a = c->args;
  d->heads_q = d->heads_kv = 1;
  d->head_dim_v = width;
  a->batch = 1;
  a->q.data = (const char *)c->args.q.data + head * c->q.stride[1];
  a->k.data = (const char *)c->args.k.data + kv_head * c->k.stride[1];
  int64_t row = (int64_t)sizeof *o * width;
  a->o = (rapt_tensor){o, {row * a->q_len, row * a->q_len, row}};
  a->lse = (rapt_tensor){NULL, {0, 0, 0}};
}

/* Weights of keys first .. first+width-1 into o[queries][width]. V is `width` columns of the identity:
 * row j has its 1 in column j - first. All rows are views of one row of zeros with a single 1 in it,
 * each starting a number before the last. */
static int slice(const call *c, int32_t head, int32_t first, int32_t width, float *line, float *o,
                 failure *why) {
  rapt_attention_desc d;
  rapt_attention_args a;
  narrow(c, head, width, o, &d, &a);
  /* Row j starts at row0 - j, so its column j - first is row0 - first, whatever j. */
  float *row0 = line + (a.kv_len - 1);
  float *one = row0 - first;
  int64_t back = -(int64_t)sizeof *line;
  *one = 1;
  a.v = (rapt_const_tensor){row0, {0, 0, back}};
  int status = attend(&d, &a, &c->executor, 1, 0, NULL, NULL, why);
  *one = 0;
  return status;
}

static void add_slice(heatmap *m, const float *o, int32_t first, int32_t width, double *sum) {
  for (int32_t i = 0; i < m->queries; i++)
    for (int32_t x = 0; x < width; x++) {
      double weight = (double)o[(size_t)i * (size_t)width + (size_t)x];
      int32_t row = cell_of(i, m->queries, m->rows),
              column = cell_of(first + x, m->keys, m->columns);
      m->cell[row * m->columns + column] += weight;
      sum[i] += weight;
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

int heatmap_possible(const call *c, failure *why) {
  int64_t queries = reference_q_len(&c->args, 0), keys = reference_kv_len(&c->args, 0);
  if (queries > 0 && keys > 0) return 0;
  return fail(why, EXIT_WRONG_USE, "--heatmap: sequence 0 has %d queries and %d keys", (int)queries,
              (int)keys);
}

int heatmap_make(heatmap *m, const call *c, int32_t head, failure *why) {
  int32_t capacity = c->k.tokens;
  *m = (heatmap){.queries = (int32_t)reference_q_len(&c->args, 0),
                 .keys = (int32_t)reference_kv_len(&c->args, 0)};
  m->rows = m->queries < MOST_ROWS ? m->queries : MOST_ROWS;
  m->columns = m->keys < MOST_COLUMNS ? m->keys : MOST_COLUMNS;
  int32_t widest = m->keys < MOST_KEYS_AT_ONCE ? m->keys : MOST_KEYS_AT_ONCE;
  m->cell = calloc((size_t)m->rows * (size_t)m->columns, sizeof *m->cell);
  float *line = calloc((size_t)capacity + (size_t)widest, sizeof *line);
  float *o = malloc((size_t)c->q.tokens * (size_t)widest * sizeof *o);
  double *sum = calloc((size_t)m->queries, sizeof *sum);
  int status = 0;
  if (!m->cell || !line || !o || !sum)
    status = fail(why, EXIT_RUN_FAILED, "out of memory for %d x %d weights", (int)m->queries,
                  (int)widest);
  for (int32_t first = 0; !status && first < m->keys; first += widest) {
    int32_t width = m->keys - first < widest ? m->keys - first : widest;
    status = slice(c, head, first, width, line, o, why);
    if (!status) add_slice(m, o, first, width, sum);
  }
  if (!status) average(m, sum);
  free(sum);
  free(o);
  free(line);
  return status;
}

void heatmap_free(heatmap *m) {
  free(m->cell);
  m->cell = NULL;
}

static void print_key_axis(const heatmap *m) {
  printf("%10s", "key");
  for (int32_t x = 0; x < m->columns; x += LABEL_EVERY)
    printf(" %-*d", LABEL_EVERY - 1, (int)first_of(x, m->keys, m->columns));
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

void heatmap_print(const heatmap *m, int32_t head, int32_t heads) {
  shades s = shades_choose();
  int32_t nans = 0;
  printf("\nattention weights of head %d (of %d), sequence 0: %d queries down, %d keys across\n",
         (int)head, (int)heads, (int)m->queries, (int)m->keys);
  if (m->rows < m->queries || m->columns < m->keys)
    printf("a cell is the mean of %.3g x %.3g weights\n", (double)m->queries / m->rows,
           (double)m->keys / m->columns);
  print_key_axis(m);
  for (int32_t r = 0; r < m->rows; r++) {
    printf("%s%6d |", r ? "   " : "  q", (int)first_of(r, m->queries, m->rows));
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
