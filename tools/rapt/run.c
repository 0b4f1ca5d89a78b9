/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt run: attention on .npy files. */
#include <stdlib.h>

#include "call.h"
#include "check.h"
#include "commands.h"
#include "heatmap.h"
#include "outputs.h"
#include "report.h"

static int draw(const call *c, int32_t head, failure *why) {
  const heatmap_view view = {
      .head = head, .most_rows = HEATMAP_TERMINAL_ROWS, .most_columns = HEATMAP_TERMINAL_COLUMNS};
  heatmap map;
  int status = heatmap_make(&map, c, &view, why);
  if (!status) heatmap_print(&map);
  heatmap_free(&map);
  return status;
}

/* What follows the run: outputs, summary, picture, comparisons. Both comparisons are made, and the
 * first failure counts. */
static int after(const call *c, const request *r, const tensor *expected, failure *why) {
  failure second;
  int status = outputs_write(c, r, why);
  if (status) return status;
  if (!r->o) report_call(c, r);
  if (r->heatmap >= 0) status = draw(c, r->heatmap, why);
  if (!status && r->check) status = check_reference(c, why);
  if (r->expect && (!status || status == EXIT_CHECK_FAILED)) {
    int other = check_expected(c, expected, r->tolerance, status ? &second : why);
    if (!status) status = other;
  }
  if (status && status != EXIT_CHECK_FAILED) outputs_remove(r);
  return status;
}

static int can_draw(const call *c, int32_t head, failure *why) {
  if (head >= c->q.heads)
    return fail(why, EXIT_WRONG_USE, "--heatmap %d: the heads of --q %s are 0..%d", (int)head,
                c->q.path, (int)c->q.heads - 1);
  return heatmap_possible(c, "--heatmap", 0, why);
}

static int run(const request *r, failure *why) {
  call c;
  tensor expected = {.data = NULL};
  int status = call_make(&c, r, why);
  if (!status && r->heatmap >= 0) status = can_draw(&c, r->heatmap, why);
  if (!status) status = call_make_outputs(&c, r, why);
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
