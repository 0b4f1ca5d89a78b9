/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_errors.h"
#include "check_scores.h"
#include "common/reference.h"

/* Rows that exist, flat, in the order sequence, head, token. */
typedef struct rows {
  const call *c;
  size_t n;
  int32_t *b, *h, *i;
  float *got;        /* [n][channels of v] */
  double *ref;       /* the same */
  float *got_lse;    /* [n] */
  double *ref_lse;   /* [n] */
  double *loose;     /* [n]: how much wider than for unit-normal scores a row's bound is */
  double *peak;      /* by worker: largest |score| before mask and ALiBi */
  int out_of_memory; /* of a worker */
  int32_t workers;
} rows;

static void rows_free(rows *r) {
  free(r->b);
  free(r->h);
  free(r->i);
  free(r->got);
  free(r->ref);
  free(r->got_lse);
  free(r->ref_lse);
  free(r->loose);
  free(r->peak);
}

static int rows_make(rows *r, const call *c, failure *why) {
  const tensor *o = &c->o;
  size_t most = (size_t)o->batch * (size_t)o->heads * (size_t)o->tokens, dv = (size_t)o->channels;
  *r = (rows){.c = c, .workers = c->executor.max_workers};
  r->b = calloc(most, sizeof *r->b);
  r->h = calloc(most, sizeof *r->h);
  r->i = calloc(most, sizeof *r->i);
  r->got = calloc(most * dv, sizeof *r->got);
  r->ref = calloc(most * dv, sizeof *r->ref);
  r->got_lse = calloc(most, sizeof *r->got_lse);
  r->ref_lse = calloc(most, sizeof *r->ref_lse);
  r->loose = calloc(most, sizeof *r->loose);
  r->peak = calloc((size_t)r->workers, sizeof *r->peak);
  if (!r->b || !r->h || !r->i || !r->got || !r->ref || !r->got_lse || !r->ref_lse || !r->loose ||
      !r->peak)
    return fail(why, EXIT_RUN_FAILED, "out of memory for a check of %zu rows", most);
  for (int32_t b = 0; b < o->batch; b++)
    for (int32_t h = 0; h < o->heads; h++)
      for (int32_t i = 0; i < (int32_t)reference_q_len(&c->args, b); i++) {
        memcpy(r->got + r->n * dv, reference_o_row(&c->args, b, h, i), dv * sizeof *r->got);
        if (c->lse) r->got_lse[r->n] = *reference_lse_at(&c->args, b, h, i);
        r->b[r->n] = b;
        r->h[r->n] = h;
        r->i[r->n++] = i;
      }
  return 0;
}

/* Dot products err as their terms do, which may be large in a row whose scores are small: the largest of
 * the call stands for them. What mask and ALiBi have added is no dot product. */
static double peak_of(const call *c, int32_t b, int32_t h, int32_t i, int64_t begin, int64_t end,
                      const double *score) {
  const rapt_attention_desc *d = &c->desc;
  const rapt_attention_args *a = &c->args;
  double peak = 0;
  for (int64_t j = begin; j < end; j++) {
    double x = score[j - begin];
    if (!isfinite(x)) continue;
    x -= reference_mask_bias(d, a, b, h, i, j);
    if (d->flags & RAPT_ALIBI)
      x -= (double)a->alibi_slopes[h] * (double)(j - reference_position(d, a, b, i));
    peak = fmax(peak, fabs(x));
  }
  return peak;
}

/* Every workers-th row, so that causal rows are shared out evenly. */
static void reference_rows(void *arg, int32_t worker) {
  rows *r = arg;
  const rapt_attention_desc *d = &r->c->desc;
  const rapt_attention_args *a = &r->c->args;
  double *score = malloc(((size_t)a->kv_len + 1) * sizeof *score);
  if (!score) {
    r->out_of_memory = 1;
    return;
  }
  for (size_t n = (size_t)worker; n < r->n; n += (size_t)r->workers) {
    int64_t begin, end;
    int32_t b = r->b[n], h = r->h[n], i = r->i[n];
    reference_range(d, a, b, i, &begin, &end);
    reference_scores(d, a, b, h, i, score);
    r->loose[n] = errors_looseness(score, end - begin);
    r->peak[worker] = fmax(r->peak[worker], peak_of(r->c, b, h, i, begin, end, score));
    reference_row_of_scores(d, a, b, h, i, score, r->ref + n * (size_t)d->head_dim_v,
                            &r->ref_lse[n]);
  }
  free(score);
}

/* Largest |v|, as a factor of the bounds in the same way. */
static double looseness_of_values(const tensor *v) {
  double value = 0;
  size_t values = (size_t)v->batch * (size_t)v->stride[0] / sizeof *v->data;
  for (size_t i = 0; i < values; i++)
    if (isfinite(v->data[i])) value = fmax(value, (double)fabsf(v->data[i]));
  return fmax(1, value / 4);
}

static double largest(const double *x, size_t n) {
  double most = 1;
  for (size_t i = 0; i < n; i++) most = fmax(most, x[i]);
  return most;
}

/* Relative L2 error of the rows whose looseness is the least: wider bounds are no bound for all. */
static double l2_of_tightest(const rows *r) {
  const size_t width = (size_t)r->c->o.channels;
  double least = (double)INFINITY, error = 0, norm = 0;
  for (size_t n = 0; n < r->n; n++) least = fmin(least, r->loose[n]);
  for (size_t x = 0; x < r->n * width; x++) {
    if (r->loose[x / width] > least || !isfinite(r->ref[x])) continue;
    error += ((double)r->got[x] - r->ref[x]) * ((double)r->got[x] - r->ref[x]);
    norm += r->ref[x] * r->ref[x];
  }
  return norm > 0 ? sqrt(error / norm) : error > 0 ? (double)INFINITY : 0;
}

/* `tolerance` holds for rows whose looseness is 1. */
static int judge(const char *what, const rows *r, double tolerance, double l2_bound) {
  const size_t width = (size_t)r->c->o.channels;
  errors e = {.n = 0};
  for (size_t n = 0; n < r->n; n++)
    errors_add(&e, r->got + n * width, r->ref + n * width, width, tolerance * r->loose[n]);
  double l2 = l2_of_tightest(r);
  int ok = errors_print(what, &e, l2 <= l2_bound);
  printf("; relative L2 error %.3g", l2);
  if (isfinite(l2_bound)) printf(" (bound %.3g)", l2_bound);
  printf("\n");
  return ok;
}

static int judge_lse(const rows *r) {
  errors e = {.n = 0};
  for (size_t n = 0; n < r->n; n++)
    errors_add(&e, r->got_lse + n, r->ref_lse + n, 1, CHECK_BOUND * r->loose[n]);
  int ok = errors_print("check LSE", &e, 1);
  printf("\n");
  return ok;
}

int check_reference(const call *c, failure *why) {
  rows r;
  int status = rows_make(&r, c, why), scores_ok = 1;
  if (!status && c->executor.parallel(c->executor.ctx, r.workers, reference_rows, &r))
    status = fail(why, EXIT_RUN_FAILED, "the threads of the check could not be run");
  if (!status && r.out_of_memory) status = fail(why, EXIT_RUN_FAILED, "out of memory in the check");
  double least = status ? 1 : fmax(1, largest(r.peak, (size_t)r.workers) / 4);
  for (size_t n = 0; !status && n < r.n; n++) r.loose[n] = fmax(r.loose[n], least);
  double loose = status ? 1 : largest(r.loose, r.n);
  if (!status && c->args.scores) status = check_scores(c, least, loose, &scores_ok, why);
  if (!status) {
    double value = looseness_of_values(&c->v);
    int tight = c->desc.head_dim_qk == 64 && c->desc.head_dim_v == 64 && c->args.kv_len <= 4096;
    int ok = judge("check", &r, CHECK_BOUND * value, (tight ? 5e-7 : 2e-6) * least * value);
    ok &= judge_lse(&r);
    if (!ok || !scores_ok)
      status = fail(why, EXIT_CHECK_FAILED, "--check: the errors exceed the bounds");
  }
  rows_free(&r);
  return status;
}

int check_expected_shape(const call *c, const tensor *e, int tokens_first, failure *why) {
  char want[80], got[80];
  tensor_shape_text(&c->o, tokens_first, want, sizeof want);
  tensor_shape_text(e, tokens_first, got, sizeof got);
  if (strcmp(want, got) == 0) return 0;
  return fail(why, EXIT_WRONG_USE, "%s %s has the shape %s, but O has %s", e->option, e->path, got,
              want);
}

int check_expected(const call *c, const tensor *expected, double tolerance, failure *why) {
  rows r;
  int status = rows_make(&r, c, why);
  if (!status) {
    rapt_attention_args recorded = c->args; /* the same strides */
    recorded.o.data = expected->data;
    size_t dv = (size_t)c->o.channels;
    for (size_t n = 0; n < r.n; n++) {
      const float *row = reference_o_row(&recorded, r.b[n], r.h[n], r.i[n]);
      for (size_t x = 0; x < dv; x++) r.ref[n * dv + x] = (double)row[x];
      r.loose[n] = 1;
    }
    if (!judge("expect", &r, tolerance, (double)INFINITY))
      status = fail(why, EXIT_CHECK_FAILED,
                    "--expect: O differs from %s by more than --tolerance %g", expected->path,
                    tolerance);
  }
  rows_free(&r);
  return status;
}
