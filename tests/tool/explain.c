/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt explain: the table is that of the reference, and the pictures are what they say. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/reference.h"
#include "rapt/gnuplot.h"
#include "rapt/heatmap.h"
#include "stored_mask.h"
#include "tool.h"

static int says(const outcome *o, const char *part) {
  return CHECK(strstr(o->out, part) != NULL, "'%s' is not in:\n%s%s", part, o->out, o->err);
}

static int near(double a, double b) { return fabs(a - b) <= 2e-5 * fmax(1, fabs(b)); }

/* Every row of the table beside the reference; weights fall, the sum adds up; returns the rows. */
static int check_table(const outcome *o, const sample *s, int32_t b, int32_t h, int32_t i) {
  double *stage[4], last = (double)INFINITY, sum = 0;
  for (int t = 0; t < 4; t++) {
    stage[t] = calloc((size_t)s->kv_len, sizeof **stage);
    if (!stage[t]) exit(2);
    reference_stage_row(&s->desc, &s->args, b, h, i, t, stage[t]);
  }
  const char *line = strstr(o->out, " rank ");
  int rows = 0, rank, key;
  double raw, cap, bias, weight, so_far;
  while (line && (line = strchr(line, '\n')) &&
         sscanf(++line, "%d %d %lf %lf %lf %lf %lf", &rank, &key, &raw, &cap, &bias, &weight,
                &so_far) == 7) {
    rows++;
    if (!CHECK(key >= 0 && key < s->kv_len, "key %d", key)) break;
    sum += stage[3][key];
    CHECK(rank == rows && weight <= last && fabs(so_far - sum) < 4e-6,
          "row %d: rank %d, weight %g, sum %g", rows, rank, weight, so_far);
    CHECK(near(raw, stage[0][key]) && near(cap, stage[1][key]) && near(bias, stage[2][key]),
          "key %d: %g %g %g, not %g %g %g", key, raw, cap, bias, stage[0][key], stage[1][key],
          stage[2][key]);
    CHECK(fabs(weight - stage[3][key]) <= 1e-6 + 1e-3 * stage[3][key], "key %d: %g, not %g", key,
          weight, stage[3][key]);
    last = weight;
  }
  for (int t = 0; t < 4; t++) free(stage[t]);
  return rows;
}

RAPT_TEST(explain_ranks_keys_as_the_reference) {
  static const float sinks[] = {0.5f, -2, 3, 1},
                     slopes[] = {0.25f, 0.0625f, 0.015625f, 0.00390625f};
  static const int32_t extent[] = {2, 4, 7, 12};
  sample s = sample_make(2, 4, 2, 7, 12, 8, 3);
  sample_save(&s, 0, 4);
  CHECK(check_table(tool("explain --q {}/q.npy --k {}/k.npy"), &s, 0, 0, 6) == 10, "the default");
  CHECK(check_table(tool("explain --q {}/q.npy --k {}/k.npy --v {}/v.npy --sequence 1 --head 3 "
                         "--token 2 --top 99"),
                    &s, 1, 3, 2) == 12,
        "all keys");
  stored_floats("s.npy", sinks, 4);
  void *data = stored_mask(&s, "<f4", 4, extent);
  s.desc.flags = RAPT_CAUSAL | RAPT_ALIBI;
  s.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
  s.desc.softcap = 1.5f;
  s.args.sinks = sinks;
  s.args.alibi_slopes = slopes;
  static const char rules[] =
      "explain --q {}/q.npy --k {}/k.npy --mask {}/m.npy --sinks {}/s.npy --alibi --causal "
      "bottom-right --softcap 1.5 --sequence %d --head %d --token %d --top 99";
  for (int32_t b = 0; b < 2; b++)
    for (int32_t h = 1; h < 4; h += 2) {
      const outcome *o = tool(rules, (int)b, (int)h, -2);
      int visible = 0;
      for (int64_t j = 0; j < 12; j++) visible += reference_visible(&s.desc, &s.args, b, h, 5, j);
      CHECK(check_table(o, &s, b, h, 5) == visible, "%d keys are visible:\n%s", visible, o->out);
      says(o, "; the sink (");
      says(o, "scores    softcap 1.5, ALiBi slopes");
    }
  says(tool(rules, 0, 0, 1),
       "no key is visible: the output of this query is 0"); /* the mask's row 1 */
  stored_mask_free(&s, data);
  sample_free(&s);
}

RAPT_TEST(explain_of_examples) {
  const outcome *o = tool("explain attention");
  says(o, "query 0 of head 0 (KV head 0), sequence 0: 3 keys, 3 visible");
  says(o, "    1       0      2.88675      2.88675      2.88675      0.7836  0.783550");
  says(o, "over 3 visible keys\n");
  o = tool("explain causal --token 0");
  says(o, "mask      causal (top-left)");
  says(o, "5 keys, 1 visible");
  o = tool("explain causal --token 3 --top 2 --scale 2");
  says(o, "    1       1            4            4            4");
  says(o, "the keys above hold ");
  o = tool("explain causal --top 0");
  CHECK(o->code == 0 && !strstr(o->out, "rank"), "%s", o->out);
}

RAPT_TEST(explain_of_nan) {
  sample s = sample_make(1, 1, 1, 2, 5, 4, 4);
  s.k[4 * 3] = NAN;
  sample_save(&s, 0, 4);
  const outcome *o = tool("explain --q {}/q.npy --k {}/k.npy");
  says(o, "the weights are no numbers, because the score of key 3 is NaN or infinite");
  CHECK(o->code == 0, "%d", o->code);
  sample_free(&s);
}

static char *read_all(const char *name, size_t *n) {
  FILE *file = fopen(scratch(name), "rb");
  char *text = calloc(1, 1 << 20);
  if (!text) exit(2);
  *n = file ? fread(text, 1, (1 << 20) - 1, file) : 0;
  if (file) fclose(file);
  return text;
}

static int32_t count(const char *text, const char *part) {
  int32_t n = 0;
  for (; (text = strstr(text, part)); text += strlen(part)) n++;
  return n;
}

/* Self-contained: nothing in it points to anything else. Returns the cells that are drawn. */
static int64_t check_svg(const char *name, size_t most, const char *what) {
  static const char *const outside[] = {"href", "<script", "<image", "url(", "@import", "<!"};
  size_t n;
  int64_t cells = 0;
  char *text = read_all(name, &n);
  CHECK(n > 500 && n <= most, "%s: %zu bytes", what, n);
  CHECK(strncmp(text, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39) == 0, "%s: %.60s", what,
        text);
  CHECK(n > 7 && strcmp(text + n - 7, "</svg>\n") == 0, "%s: its end is missing", what);
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
    CHECK(!strstr(text, outside[i]), "%s: there is %s", what, outside[i]);
  CHECK(count(text, "http") == 1, "%s: there is another address", what);
  static const char *const elements[] = {"svg", "g", "text", "title", "style"};
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
    char open[20], with[20], close[20];
    snprintf(open, sizeof open, "<%s>", elements[i]);
    snprintf(with, sizeof with, "<%s ", elements[i]);
    snprintf(close, sizeof close, "</%s>", elements[i]);
    CHECK(count(text, open) + count(text, with) == count(text, close), "%s: %s", what, close);
  }
  for (const char *at = text; (at = strstr(at, "<path stroke=\"#"));) {
    at = strstr(at, " d=\"") + 4;
    int x, y, wide, used;
    while (sscanf(at, "M%d %dh%d%n", &x, &y, &wide, &used) == 3) {
      CHECK(x >= 0 && y >= 0 && wide > 0 && x + wide <= 128 && y < 128, "%s: a cell outside", what);
      cells += wide;
      at += used;
    }
    CHECK(strncmp(at, "\"/>", 3) == 0, "%s: a path ends in %.10s", what, at);
  }
  free(text);
  return cells;
}

RAPT_TEST(explain_draws_svg) {
  sample s = sample_make(1, 2, 1, 8, 8, 8, 4);
  sample_save(&s, 0, 4);
  const outcome *o = tool("explain --q {}/q.npy --k {}/k.npy --head 1 --causal top-left --svg "
                          "{}/e.svg");
  CHECK(o->code == 0 && strstr(o->out, "e.svg."), "%s%s", o->out, o->err);
  CHECK(check_svg("e.svg", 20000, "causal") == 36, "the lower triangle of 8 x 8");
  o = tool("explain --q {}/q.npy --k {}/k.npy --causal top-left --rows 0,-1,2 --svg {}/e.svg");
  CHECK(o->code == 0 && check_svg("e.svg", 20000, "rows") == 1 + 8 + 3, "rows 0, 7, 2");
  size_t n;
  char *text = read_all("e.svg", &n);
  CHECK(strstr(text, ">7</text>") != NULL, "query 7 is not named");
  free(text);
  sample_free(&s);
  s = sample_make(1, 1, 1, 300, 5000, 4, 4); /* averaged into bounded size */
  sample_save(&s, 0, 4);
  o = tool("explain --q {}/q.npy --k {}/k.npy --svg {}/e.svg");
  CHECK(o->code == 0, "%s", o->err);
  CHECK(check_svg("e.svg", 200000, "large") == 100 * 125, "300 rows by 3s, 5000 keys by 40s");
  sample_free(&s);
}

RAPT_TEST(explain_draws_png) {
  failure why;
  sample s = sample_make(1, 2, 1, 8, 8, 8, 4);
  sample_save(&s, 0, 4);
  if (gnuplot_present("--png", "", &why)) {
    sample_free(&s);
    SKIP("gnuplot is not installed (gnuplot-nox)");
  }
  const outcome *o = tool("explain --q {}/q.npy --k {}/k.npy --head 1 --causal top-left --png "
                          "{}/e'1.png");
  CHECK(o->code == 0 && !o->err[0], "%d %s", o->code, o->err);
  size_t n;
  char *bytes = read_all("e'1.png", &n);
  CHECK(n > 1000 && memcmp(bytes, "\x89PNG\r\n", 6) == 0, "%zu bytes, no PNG", n);
  free(bytes);
  /* gnuplot says what it could not do as well, so there is more than the one sentence. */
  o = tool("explain --q {}/q.npy --k {}/k.npy --svg {}/e.svg --png {}/no/e.png");
  CHECK(o->code == 3 && strstr(o->err, "--png: gnuplot could not draw"), "%d %s", o->code, o->err);
  CHECK(access(scratch("e.svg"), F_OK) != 0, "the other picture was left");
  sample_free(&s);
}

RAPT_TEST(pictures_that_cannot_be_drawn) {
  failure why;
  sample s = sample_make(1, 1, 1, 3, 3, 4, 4);
  sample_save(&s, 0, 4);
  const outcome *o = tool("explain --q {}/q.npy --k {}/k.npy --svg {}/no/e.svg");
  CHECK(o->code == 3 && strstr(o->err, "e.svg cannot be created: No such"), "%s", o->err);
  o = tool("explain --q {}/q.npy --k {}/k.npy --svg /dev/full");
  CHECK(o->code == 3 && strstr(o->err, "--svg /dev/full cannot be written"), "%s", o->err);
  char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
  setenv("PATH", scratch(""), 1);
  CHECK(gnuplot_present("--png", "--svg draws without it", &why) == EXIT_RUN_FAILED &&
            strstr(why.sentence, "--png is drawn by gnuplot, which is not in PATH (Debian: "
                                 "gnuplot-nox); --svg draws without it"),
        "%s", why.sentence);
  if (RAPT_TOOL[0] == '/' && !strchr(RAPT_TOOL, ' ')) { /* no emulator that PATH would find */
    tool_refuses(tool("explain --q {}/q.npy --k {}/k.npy --svg {}/e.svg --png {}/e.png"), 3,
                 "which is not in PATH", "no gnuplot");
    CHECK(access(scratch("e.svg"), F_OK) != 0, "drawn all the same");
  }
  setenv("PATH", path, 1);
  free(path);
  sample_free(&s);
}
