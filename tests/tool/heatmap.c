/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * --heatmap: its cells are the weights, and the picture is what it says. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/reference.h"
#include "rapt/heatmap.h"
#include "rapt/shades.h"
#include "sample.h"
#include "tool.h"

/* Cells computed from the reference's scores, one weight at a time. */
static double *reference_cells(const sample *s, const heatmap *m, int32_t head) {
  double *cell = calloc((size_t)m->rows * (size_t)m->columns, sizeof *cell);
  double *count = calloc((size_t)m->rows * (size_t)m->columns, sizeof *count);
  double *score = calloc((size_t)s->kv_len, sizeof *score);
  if (!cell || !count || !score) exit(2);
  for (int32_t i = 0; i < m->queries; i++) {
    int64_t begin, end;
    double most = -(double)INFINITY, sum = 0;
    reference_range(&s->desc, &s->args, 0, i, &begin, &end);
    reference_scores(&s->desc, &s->args, 0, head, i, score);
    for (int64_t j = begin; j < end; j++) most = fmax(most, score[j - begin]);
    for (int64_t j = begin; j < end; j++) sum += exp(score[j - begin] - most);
    for (int64_t j = 0; j < m->keys; j++) {
      int64_t at = i * m->rows / m->queries * m->columns + j * m->columns / m->keys;
      if (j >= begin && j < end) cell[at] += exp(score[j - begin] - most) / sum;
      count[at]++;
    }
  }
  for (int32_t x = 0; x < m->rows * m->columns; x++) cell[x] /= count[x];
  free(score);
  free(count);
  return cell;
}

static void check_cells(sample *s, request *r, int32_t head) {
  static call c;
  heatmap m = {.cell = NULL};
  failure why;
  sample_save(s, 0, 4);
  r->q = scratch("q.npy");
  r->k = scratch("k.npy");
  r->v = scratch("v.npy");
  r->temperature = 1;
  r->left = r->right = -1;
  const heatmap_view view = {
      .head = head, .most_rows = HEATMAP_TERMINAL_ROWS, .most_columns = HEATMAP_TERMINAL_COLUMNS};
  if (CHECK(call_make(&c, r, &why) == 0 && heatmap_make(&m, &c, &view, &why) == 0, "%s",
            why.sentence)) {
    double *ref = reference_cells(s, &m, head);
    for (int32_t x = 0; x < m.rows * m.columns; x++)
      if (!CHECK(fabs(m.cell[x] - ref[x]) < 1e-6, "%d queries, %d keys, cell %d: %g, not %g",
                 (int)m.queries, (int)m.keys, (int)x, m.cell[x], ref[x]))
        break;
    CHECK(m.rows <= 32 && m.columns <= 64, "%d x %d cells", (int)m.rows, (int)m.columns);
    CHECK(fabs(m.least_sum - 1) < 1e-5 && fabs(m.most_sum - 1) < 1e-5, "sums %g to %g", m.least_sum,
          m.most_sum);
    free(ref);
  }
  heatmap_free(&m);
  call_free(&c);
}

RAPT_TEST(heatmap_cells_are_the_weights) {
  static request r; /* large, and zero is no mask */
  static const int32_t q_lens[] = {3, 9}, kv_lens[] = {5, 11};
  sample s = sample_make(2, 4, 2, 9, 11, 8, 3);
  for (int32_t head = 0; head < 4; head++) check_cells(&s, &r, head);
  s.desc.flags = RAPT_CAUSAL;
  s.desc.align = r.align = RAPT_ALIGN_BOTTOM_RIGHT;
  r.causal = 1;
  check_cells(&s, &r, 3);
  memcpy(r.q_lens, q_lens, sizeof q_lens);
  memcpy(r.kv_lens, kv_lens, sizeof kv_lens);
  r.n_q_lens = r.n_kv_lens = 2;
  s.args.q_lens = q_lens;
  s.args.kv_lens = kv_lens;
  check_cells(&s, &r, 2);
  sample_free(&s);
  memset(&r, 0, sizeof r);
  s = sample_make(1, 2, 1, 70, 2500, 8, 8); /* averaged */
  check_cells(&s, &r, 1);
  s.desc.flags = RAPT_CAUSAL;
  s.desc.align = r.align = RAPT_ALIGN_TOP_LEFT;
  r.causal = 1;
  check_cells(&s, &r, 1);
  sample_free(&s);
}

/* Counts what each line holds between its bars; a character of UTF-8 or an escape is one. */
static int check_grid(const char *text, int rows, int columns, const char *what) {
  int found = 0, ok = 1;
  for (const char *line = text; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL)) {
    const char *at = strchr(line, '|'), *end = line + strcspn(line, "\r\n");
    if (!at || at > end || at[1] == ' ' || (line[0] == ' ' && line[9] == ' ' && line[10] != '|')) {
      if (!at || at > end || line + 10 != at) continue; /* the key axis has bars as well */
    }
    int n = 0;
    for (at++; at < end && *at != '|'; n++) {
      if (*at == '\033')
        at += strcspn(at, "m") + 1, at += strcspn(at, "m") + 1;
      else
        for (at++; (*at & 0xc0) == 0x80; at++) {
        }
    }
    ok &= CHECK(n == columns, "%s: %d columns, not %d: %.*s", what, n, columns, (int)(end - line),
                line);
    found++;
  }
  return ok & CHECK(found == rows, "%s: %d rows, not %d:\n%s", what, found, rows, text);
}

RAPT_TEST(heatmap_in_ascii_and_blocks) {
  static const char command[] =
      "run --q {}/q.npy --k {}/k.npy --v {}/v.npy --causal top-left --heatmap 1";
  sample s = sample_make(1, 2, 2, 100, 100, 8, 8);
  sample_save(&s, 0, 4);
  const outcome *o = tool_with("LC_ALL=C", 0, command);
  CHECK(o->code == 0 && !strchr(o->out, '\033') && !strchr(o->out, '\xe2'), "not plain ASCII: %s",
        o->out);
  check_grid(o->out, 32, 64, "ASCII");
  static const char *const parts[] = {
      "head 1 (of 2), sequence 0: 100 queries down, 100 keys across",
      "a cell is the mean of 3.12 x 1.56 weights",
      "key 0 ",
      "q     0 |",
      "weight: ' ' 0  '.' above 0",
      "(largest ",
      "sums over the keys of a query: "};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    CHECK(strstr(o->out, parts[i]) != NULL, "'%s' is not in:\n%s", parts[i], o->out);
  o = tool_with("LC_ALL=en_GB.UTF-8 TERM=xterm", 0, command);
  CHECK(!strchr(o->out, '\033') && strstr(o->out, "\u2592"), "no blocks, or colour into a pipe: %s",
        o->out);
  check_grid(o->out, 32, 64, "blocks");
  sample_free(&s);
}

RAPT_TEST(heatmap_in_colour_on_a_terminal) {
  if (!tool_has_terminal()) SKIP("no pseudo-terminal here: is /dev/pts mounted?");
  static const char command[] =
      "run --q {}/q.npy --k {}/k.npy --v {}/v.npy --causal top-left --heatmap 1";
  sample s = sample_make(1, 2, 2, 100, 100, 8, 8);
  sample_save(&s, 0, 4);
  const outcome *o = tool_with("LC_ALL=C TERM=xterm NO_COLOR=", 1, command);
  CHECK(strstr(o->out, "\033[48;5;"), "no colour on a terminal: %s", o->out);
  check_grid(o->out, 32, 64, "colours");
  o = tool_with("LC_ALL=C TERM=xterm NO_COLOR=1", 1, command);
  CHECK(!strchr(o->out, '\033'), "colour in spite of NO_COLOR");
  o = tool_with("LC_ALL=C TERM=dumb", 1, command);
  CHECK(!strchr(o->out, '\033'), "colour on a dumb terminal");
  sample_free(&s);
}

RAPT_TEST(heatmap_of_one_query_and_with_output) {
  sample s = sample_make(1, 1, 1, 1, 5, 4, 4);
  sample_save(&s, 0, 4);
  const outcome *o = tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy --heatmap 0 -o {}/o.npy");
  CHECK(o->code == 0 && !strstr(o->out, "mean of") && !strstr(o->out, "O begins"), "%s", o->out);
  check_grid(o->out, 1, 5, "one query");
  tool_refuses(
      tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy --heatmap 0 --q-lens 0 -o {}/none.npy"), 2,
      "--heatmap: sequence 0 has 0 queries", "no query");
  CHECK(access(scratch("none.npy"), F_OK) != 0, "refused, but written all the same");
  sample_free(&s);
}

/* A NaN in q makes its row, and no other, NaN; without any number there is no legend of shades. */
RAPT_TEST(heatmap_of_nan) {
  static const char command[] = "run --q {}/q.npy --k {}/k.npy --v {}/v.npy --heatmap 0 --check";
  sample s = sample_make(1, 1, 1, 2, 3, 4, 4);
  s.q[1] = NAN;
  sample_save(&s, 0, 4);
  const outcome *o = tool(command);
  CHECK(o->code == 0 && strstr(o->out, "|???|"), "no row of NaN: %s", o->out);
  CHECK(strstr(o->out, "'?' not a number") && strstr(o->out, "'@' 0."), "legend: %s", o->out);
  s.q[4] = NAN;
  sample_save(&s, 0, 4);
  o = tool(command);
  CHECK(o->code == 0 && !strchr(o->out, '@') && !strstr(o->out, "sums over"), "legend: %s", o->out);
  sample_free(&s);
}

/* Shades rise with the weight, start at their stated bounds, and keep nothing for 0. */
RAPT_TEST(shades_rise) {
  shades s = shades_choose();
  CHECK(shades_level(&s, 0, 1) == 0 && shades_level(&s, 1e-30, 1) == 1, "ends");
  CHECK(shades_level(&s, 0.5, 0.5) == s.levels - 1, "the largest weight");
  for (int32_t level = 2; level < s.levels; level++) {
    double from = shades_from(&s, level, 0.5);
    CHECK(shades_level(&s, from * 1.0001, 0.5) == level, "level %d", (int)level);
    CHECK(shades_level(&s, from * 0.9999, 0.5) == level - 1, "below level %d", (int)level);
  }
}
