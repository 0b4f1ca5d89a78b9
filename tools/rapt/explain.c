/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt explain: what one query looks at. */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "common/npy.h"
#include "common/reference.h"
#include "explain_request.h"
#include "gnuplot.h"
#include "heatmap.h"
#include "ranking.h"
#include "report.h"

/* A query of the sequence, from the front. */
static int place_query(const char *name, int32_t *query, int32_t n, int32_t sequence,
                       failure *why) {
  if (*query < -n || *query >= n)
    return fail(why, EXIT_WRONG_USE, "%s %d: the %d queries of sequence %d are 0..%d, or -%d..-1",
                name, (int)*query, (int)n, (int)sequence, (int)n - 1, (int)n);
  if (*query < 0) *query += n;
  return 0;
}

/* Numbers against the shapes that the files turned out to have. */
static int place(explain_request *e, const call *c, failure *why) {
  if (e->sequence >= c->q.batch)
    return fail(why, EXIT_WRONG_USE, "--sequence %d: the sequences of %s %s are 0..%d",
                (int)e->sequence, c->q.option, c->q.path, (int)c->q.batch - 1);
  if (e->head >= c->q.heads)
    return fail(why, EXIT_WRONG_USE, "--head %d: the heads of %s %s are 0..%d", (int)e->head,
                c->q.option, c->q.path, (int)c->q.heads - 1);
  int status = heatmap_possible(c, "--sequence", e->sequence, why);
  int32_t n = (int32_t)reference_q_len(&c->args, e->sequence);
  if (!status) status = place_query("--token", &e->token, n, e->sequence, why);
  for (int32_t i = 0; !status && i < e->call.n_rows; i++)
    status = place_query("--rows", &e->call.rows[i], n, e->sequence, why);
  return status;
}

/* Both pictures, or none. */
static int draw(const explain_request *e, const heatmap *map, failure *why) {
  int status = e->svg ? heatmap_save_svg(map, e->svg, why) : 0;
  if (status || !e->png) return status;
  status = heatmap_save_png(map, e->png, why);
  if (status && e->svg) npy_remove(e->svg);
  return status;
}

static int make_pictures(const explain_request *e, const call *c, failure *why) {
  const int32_t queries = e->call.n_rows ? e->call.n_rows
                                         : (int32_t)reference_q_len(&c->args, e->sequence),
                keys = (int32_t)reference_kv_len(&c->args, e->sequence);
  const heatmap_view view = {.sequence = e->sequence,
                             .head = e->head,
                             .query = e->call.n_rows ? e->call.rows : NULL,
                             .n_queries = e->call.n_rows,
                             .most_rows = heatmap_even_cells(queries),
                             .most_columns = heatmap_even_cells(keys)};
  heatmap map;
  if (!e->svg && !e->png) return 0;
  int status = heatmap_make(&map, c, &view, why);
  if (!status) status = draw(e, &map, why);
  heatmap_free(&map);
  if (status) return status;
  printf("\n");
  if (e->svg) printf("Drawn into %s.\n", e->svg);
  if (e->png) printf("Drawn into %s.\n", e->png);
  return 0;
}

static int explain(explain_request *e, failure *why) {
  call c;
  ranking r = {.ranked = NULL};
  int status = e->png ? gnuplot_present("--png", "--svg draws without it", why) : 0;
  if (status) return status;
  status = call_make(&c, &e->call, why);
  if (!status) status = place(e, &c, why);
  if (!status) status = ranking_make(&r, &c, e->sequence, e->head, e->token, why);
  if (!status) {
    report_rules(&c);
    ranking_print(&r, &c, e->top);
    status = make_pictures(e, &c, why);
  }
  ranking_free(&r);
  call_free(&c);
  return status;
}

int cmd_explain(int argc, char **argv) {
  arguments given;
  failure why;
  int status = options_begin(&explain_page, argc, argv, &given);
  if (status != GO_ON) return status;
  explain_request *e = malloc(sizeof *e);
  if (!e) return fail_print("explain", &why, fail(&why, EXIT_RUN_FAILED, "out of memory"));
  status = explain_read(&given, e, &why);
  if (!status) status = explain(e, &why);
  free(e);
  return status ? fail_print("explain", &why, status) : EXIT_FINE;
}
