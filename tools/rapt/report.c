/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

static const char *corner(const call *c) {
  return c->desc.align == RAPT_ALIGN_TOP_LEFT ? "top-left" : "bottom-right";
}

/* A part of a list: a comma before all but the first. */
__attribute__((format(printf, 2, 3))) static void say(const char **between, const char *format,
                                                      ...) {
  va_list list;
  printf("%s", *between);
  *between = ", ";
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}

static void report_prefixes(const call *c) {
  int32_t least = c->prefix_lens[0], most = least;
  for (int32_t b = 1; b < c->q.batch; b++) {
    if (c->prefix_lens[b] < least) least = c->prefix_lens[b];
    if (c->prefix_lens[b] > most) most = c->prefix_lens[b];
  }
  if (least == most)
    printf("prefix of %d", (int)most);
  else
    printf("prefixes of %d to %d", (int)least, (int)most);
}

static void report_visibility(const call *c) {
  const rapt_attention_desc *d = &c->desc;
  if (!(d->flags & (RAPT_CAUSAL | RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT))) {
    if (!c->mask.data) printf("mask      none\n");
    return;
  }
  const char *between = "";
  printf("mask      ");
  if (d->flags & RAPT_CAUSAL) say(&between, "causal");
  if (d->flags & RAPT_PREFIX) {
    say(&between, "%s", "");
    report_prefixes(c);
  }
  if (d->flags & RAPT_WINDOW_LEFT) say(&between, "window of %d keys before", (int)d->window_left);
  if (d->window_keep) say(&between, "the first %d always", (int)d->window_keep);
  if (d->flags & RAPT_WINDOW_RIGHT) say(&between, "window of %d keys after", (int)d->window_right);
  printf(" (%s)\n", corner(c));
}

static void report_tensor(const mask_array *m) {
  if (!m->data) return;
  printf("tensor    %s [", mask_type(m));
  for (int32_t i = 4 - m->dims; i < 4; i++)
    printf("%lld%s", (long long)m->shape[i], i < 3 ? ", " : "]");
  printf(", %s\n",
         m->kind == RAPT_MASK_BOOL ? "nonzero where a key is visible" : "added to the scores");
}

static void report_range(const char *what, const float *x, int32_t n) {
  float least = x[0], most = x[0];
  for (int32_t i = 1; i < n; i++) {
    if (x[i] < least) least = x[i];
    if (x[i] > most) most = x[i];
  }
  printf("%s %.4g to %.4g", what, (double)least, (double)most);
}

static void report_scores(const call *c) {
  const char *between = "";
  if (!(c->desc.softcap > 0) && !c->slopes && !c->sinks) return;
  printf("scores    ");
  if (c->desc.softcap > 0) say(&between, "softcap %g", (double)c->desc.softcap);
  if (c->slopes) {
    say(&between, "%s", "ALiBi ");
    report_range("slopes", c->slopes, c->q.heads);
    printf(" (%s)", corner(c));
  }
  if (c->sinks) {
    say(&between, "%s", "");
    report_range("sinks", c->sinks, c->q.heads);
  }
  printf("\n");
}

void report_rules(const call *c) {
  report_visibility(c);
  report_tensor(&c->mask);
  report_scores(c);
}

static void report_first_values(const tensor *o) {
  enum { MOST = 6 };
  int32_t n = o->channels < MOST ? o->channels : MOST;
  printf("O begins ");
  for (int32_t x = 0; x < n; x++) printf(" %.6g", (double)o->data[x]);
  printf("%s\n", n < o->channels ? " ..." : "");
}

void report_call(const call *c, const request *r) {
  char shape[80];
  const tensor *all[] = {&c->q, &c->k, &c->v, &c->o};
  static const char *const names[] = {"Q", "K", "V", "O"};
  for (int i = 0; i < 4; i++)
    printf("%-9s %s\n", names[i], tensor_shape_text(all[i], r->tokens_first, shape, sizeof shape));
  report_rules(c);
  printf("kernels   %s\n", call_kernel_set(c));
  printf("time      %.4g ms (best of %d, %d %s)\n", 1e3 * c->seconds, (int)c->runs,
         (int)c->executor.max_workers, c->executor.max_workers == 1 ? "thread" : "threads");
  report_first_values(&c->o);
}
