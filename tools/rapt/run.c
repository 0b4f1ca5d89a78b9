/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt run: attention on .npy files. */
#include <stdio.h>
#include <stdlib.h>

#include "call.h"
#include "check.h"
#include "commands.h"
#include "common/npy.h"
#include "heatmap.h"

static void print_mask(const call *c) {
  const rapt_attention_desc *d = &c->desc;
  if (!(d->flags & (RAPT_CAUSAL | RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT))) {
    printf("mask      none\n");
    return;
  }
  printf("mask      %s", d->flags & RAPT_CAUSAL ? "causal " : "");
  if (d->flags & RAPT_WINDOW_LEFT) printf("window of %d keys before ", (int)d->window_left);
  if (d->flags & RAPT_WINDOW_RIGHT) printf("window of %d keys after ", (int)d->window_right);
  printf("(%s)\n", d->align == RAPT_ALIGN_TOP_LEFT ? "top-left" : "bottom-right");
}

static void print_first_values(const tensor *o) {
  enum { MOST = 6 };
  int32_t n = o->channels < MOST ? o->channels : MOST;
  printf("O begins ");
  for (int32_t x = 0; x < n; x++) printf(" %.6g", (double)o->data[x]);
  printf("%s\n", n < o->channels ? " ..." : "");
}

static void print_summary(const call *c, const request *r) {
  char shape[80];
  const tensor *all[] = {&c->q, &c->k, &c->v, &c->o};
  static const char *const names[] = {"Q", "K", "V", "O"};
  for (int i = 0; i < 4; i++)
    printf("%-9s %s\n", names[i], tensor_shape_text(all[i], r->tokens_first, shape, sizeof shape));
  print_mask(c);
  printf("kernels   %s\n", call_kernel_set(c));
  printf("time      %.4g ms (best of %d, %d %s)\n", 1e3 * c->seconds, (int)c->runs,
         (int)c->executor.max_workers, c->executor.max_workers == 1 ? "thread" : "threads");
  print_first_values(&c->o);
}

static int write_outputs(const call *c, const request *r, failure *why) {
  char reason[300];
  int64_t shape[4], rows[3] = {c->q.batch, c->q.heads, c->q.tokens};
  int32_t dims = tensor_shape(&c->o, r->tokens_first, shape);
  if (r->o && npy_save(r->o, c->o.data, shape, dims, reason, sizeof reason))
    return fail(why, EXIT_RUN_FAILED, "-o %s %s", r->o, reason);
  if (r->lse && npy_save(r->lse, c->lse, rows + (4 - dims), dims - 1, reason, sizeof reason))
    return fail(why, EXIT_RUN_FAILED, "--lse %s %s", r->lse, reason);
  return 0;
}

static int draw(const call *c, int32_t head, failure *why) {
  heatmap map;
  int status = heatmap_make(&map, c, head, why);
  if (!status) heatmap_print(&map, head, c->q.heads);
  heatmap_free(&map);
  return status;
}

/* What follows the run: outputs, summary, picture, comparisons. Both comparisons are made, and the
 * first failure counts. */
static int after(const call *c, const request *r, const tensor *expected, failure *why) {
  failure second;
  int status = write_outputs(c, r, why);
  if (status) return status;
  if (!r->o) print_summary(c, r);
  if (r->heatmap >= 0) status = draw(c, r->heatmap, why);
  if (!status && r->check) status = check_reference(c, why);
  if (r->expect && (!status || status == EXIT_CHECK_FAILED)) {
    int other = check_expected(c, expected, r->tolerance, status ? &second : why);
    if (!status) status = other;
  }
  return status;
}

static int run(const request *r, failure *why) {
  call c;
  tensor expected = {.data = NULL};
  int status = call_make(&c, r, why);
  if (!status && r->heatmap >= 0) status = heatmap_possible(&c, why);
  if (!status && r->expect)
    status = tensor_load(&expected, "--expect", r->expect, r->tokens_first, why);
  if (!status && r->expect) status = check_expected_shape(&c, &expected, r->tokens_first, why);
  if (!status) status = call_run(&c, why);
  if (!status) status = after(&c, r, &expected, why);
  tensor_free(&expected);
  call_free(&c);
  return status;
}

int cmd_run(int argc, char **argv) {
  arguments given;
  failure why;
  int status = options_begin(&run_page, argc, argv, &given);
  if (status != GO_ON) return status;
  request *r = malloc(sizeof *r);
  if (!r) return fail_print("run", &why, fail(&why, EXIT_RUN_FAILED, "out of memory"));
  status = request_read(&given, r, &why);
  if (!status) status = run(r, &why);
  free(r);
  return status ? fail_print("run", &why, status) : EXIT_FINE;
}
