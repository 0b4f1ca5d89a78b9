/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "check_scores.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check_errors.h"
#include "common/reference.h"

typedef struct comparison {
  const call *c;
  double least, most; /* looseness of rows */
  int32_t workers;
  errors *scores, *sums; /* by worker */
  int out_of_memory;     /* of a worker */
} comparison;

/* Weights err as their row's scores do. Scores err as their dot products do; what is added to them
 * counts relative to the sum alone. */
static double bound_of(const comparison *t, int32_t b, int32_t h, int64_t i, double *row) {
  const call *c = t->c;
  const int weights = c->scores.stage == RAPT_STAGE_WEIGHTS;
  double peak = 0;
  reference_stage_row(&c->desc, &c->args, b, h, i, weights ? RAPT_STAGE_BIAS : RAPT_STAGE_RAW, row);
  if (weights) return CHECK_BOUND * fmax(t->least, errors_looseness(row, c->args.kv_len));
  for (int32_t j = 0; j < c->args.kv_len; j++)
    if (isfinite(row[j])) peak = fmax(peak, fabs(row[j]));
  return CHECK_BOUND * fmax(t->least, peak / 4);
}

static void compare_row(const comparison *t, int32_t b, int32_t h, int32_t y, double *row,
                        errors *e) {
  const call *c = t->c;
  const int64_t i = reference_scores_query(&c->args, b, y);
  double bound = bound_of(t, b, h, i, row);
  reference_stage_row(&c->desc, &c->args, b, h, i, c->scores.stage, row);
  errors_add(e, reference_scores_at(&c->args, b, h, y), row, (size_t)c->args.kv_len, bound);
}

/* Every workers-th head of a sequence, and in it every row: the sums of a head need them all. */
static void compare_heads(void *arg, int32_t worker) {
  comparison *t = arg;
  const call *c = t->c;
  double *row = malloc(((size_t)c->args.kv_len + 1) * sizeof *row);
  if (!row) {
    t->out_of_memory = 1;
    return;
  }
  for (int32_t n = worker; n < c->q.batch * c->q.heads; n += t->workers) {
    int32_t b = n / c->q.heads, h = n % c->q.heads, rows = reference_scores_rows(&c->args);
    for (int32_t y = 0; c->weights && y < rows; y++)
      compare_row(t, b, h, y, row, &t->scores[worker]);
    if (!c->key_sums) continue;
    reference_key_sums(&c->desc, &c->args, b, h, row);
    errors_add(&t->sums[worker], reference_key_sums_at(&c->args, b, h), row, (size_t)c->args.kv_len,
               CHECK_BOUND * t->most);
  }
  free(row);
}

static int print(const char *what, const errors *of, int32_t workers) {
  errors all = {.n = 0};
  for (int32_t w = 0; w < workers; w++) errors_join(&all, &of[w]);
  int ok = errors_print(what, &all, 1);
  printf("\n");
  return ok;
}

int check_scores(const call *c, double least, double most, int *ok, failure *why) {
  static const char *const names[] = {"check raw", "check softcap", "check bias", "check weights"};
  comparison t = {.c = c, .least = least, .most = most, .workers = c->executor.max_workers};
  int status = 0;
  t.scores = calloc((size_t)t.workers, sizeof *t.scores);
  t.sums = calloc((size_t)t.workers, sizeof *t.sums);
  if (!t.scores || !t.sums)
    status = fail(why, EXIT_RUN_FAILED, "out of memory in the check");
  else if (c->executor.parallel(c->executor.ctx, t.workers, compare_heads, &t))
    status = fail(why, EXIT_RUN_FAILED, "the threads of the check could not be run");
  else if (t.out_of_memory)
    status = fail(why, EXIT_RUN_FAILED, "out of memory in the check");
  if (!status) {
    if (c->weights) *ok &= print(names[c->scores.stage], t.scores, t.workers);
    if (c->key_sums) *ok &= print("check key sums", t.sums, t.workers);
  }
  free(t.scores);
  free(t.sums);
  return status;
}
