/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt_attention_merge against float64 of the whole, and what must be equal to the bit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge_case.h"
#include "support/compare.h"
#include "threads/executors.h"

static merge_case draw(rng *r) {
  static const int32_t dims[] = {0, 1, 3, 4, 7, 16, 33, 64, 80, 129, 256};
  static const int32_t counts[] = {0, 1, 2, 3, 5, 17, 31, 32, 33, 64, 97};
  return (merge_case){.batch = rng_range(r, 1, 3),
                      .heads = rng_range(r, 1, 4),
                      .q_len = rng_range(r, 1, 5),
                      .head_dim = dims[rng_below(r, 11)],
                      .n = counts[rng_below(r, 11)],
                      .form = (merge_form)rng_below(r, MERGE_FORMS),
                      .layout = (merge_layout)rng_below(r, MERGE_LAYOUTS),
                      .place = rng_below(r, 2) ? GUARD_END : GUARD_START,
                      .sigma = 1,
                      .most_keys = rng_range(r, 0, 3)};
}

static void describe(const merge_case *c, char *out, size_t size) {
  snprintf(out, size, "n %d dim %d rows %lld form %d layout %d sinks %d partial %d", c->n,
           c->head_dim, (long long)merge_rows(c), c->form, c->layout, c->sinks, c->partial);
}

RAPT_TEST(merge_random) {
  rng r = rng_make(rapt_test_seed());
  for (int i = 0; i < 600 && !rapt_test_failed(); i++) {
    merge_case c = draw(&r);
    char what[120];
    c.sinks = rng_below(&r, 2);
    c.partial = !c.sinks && rng_below(&r, 2);
    describe(&c, what, sizeof what);
    merge_build(&c, &r);
    if (merge_run(&c, NULL)) merge_verify(&c, what);
    merge_free(&c);
  }
}

/* Natural maxima near 1000: a float32 lse would cost 6e-5, m and l cost nothing. */
RAPT_TEST(merge_near_1000_by_m_and_l) {
  rng r = rng_make(rapt_test_seed());
  static const double base[] = {1000, -1000, 60000, 1e9};
  for (int i = 0; i < 40 && !rapt_test_failed(); i++) {
    merge_case c = draw(&r);
    c.form = MERGE_SUMS;
    c.base = base[i % 4];
    c.sinks = i % 2;
    merge_build(&c, &r);
    if (merge_run(&c, NULL)) merge_verify(&c, "near 1000");
    merge_free(&c);
  }
}

RAPT_TEST(merge_many_partials) {
  rng r = rng_make(rapt_test_seed());
  merge_case c = {.batch = 1,
                  .heads = 1,
                  .q_len = 2,
                  .head_dim = 40,
                  .n = 5000,
                  .most_keys = 2,
                  .form = MERGE_MIXED,
                  .sigma = 1};
  merge_build(&c, &r);
  if (merge_run(&c, NULL)) merge_verify(&c, "5000 partials");
  merge_free(&c);
}

/* One normalised partial that is not empty: its bits, whatever is empty around it. */
RAPT_TEST(merge_one_is_returned_as_it_is) {
  rng r = rng_make(rapt_test_seed());
  for (int32_t n = 1; n < 70; n += 3)
    for (int32_t at = 0; at < n; at += 7) {
      merge_case c = {.batch = 1,
                      .heads = 2,
                      .q_len = 3,
                      .head_dim = 37,
                      .n = n,
                      .sigma = 1,
                      .form = MERGE_LSE}; /* no keys: all empty */
      merge_build(&c, &r);
      const rapt_merge_part *p = &c.part[at];
      for (int64_t row = 0; row < merge_rows(&c); row++) {
        float *o = merge_at(&c, p->o.data, p->o.stride, row);
        rng_fill_normal(&r, o, 37, 1e10);
        o[3] = -0.0f;
        *merge_at(&c, p->lse.data, p->lse.stride, row) = (float)(1000 * rng_normal(&r));
      }
      if (merge_run(&c, NULL))
        for (int64_t row = 0; row < merge_rows(&c); row++) {
          CHECK_BITS(merge_at(&c, c.args.o.data, c.args.o.stride, row),
                     merge_at(&c, p->o.data, p->o.stride, row), 37, "%d of %d", at, n);
          CHECK_BITS(merge_at(&c, c.args.lse.data, c.args.lse.stride, row),
                     merge_at(&c, p->lse.data, p->lse.stride, row), 1, "lse, %d of %d", at, n);
        }
      merge_free(&c);
    }
}

RAPT_TEST(merge_all_empty) {
  rng r = rng_make(rapt_test_seed());
  for (int32_t n = 0; n < 3; n++)
    for (int sinks = 0; sinks < 2; sinks++) {
      merge_case c = {.batch = 2,
                      .heads = 3,
                      .q_len = 2,
                      .head_dim = 5,
                      .n = n,
                      .sigma = 1,
                      .form = MERGE_MIXED,
                      .sinks = sinks};
      merge_build(&c, &r);
      if (merge_run(&c, NULL))
        for (int64_t row = 0; row < merge_rows(&c); row++) {
          const float zero[5] = {0}, *sink = c.args.sinks;
          float lse = sink ? sink[row / 2 % 3] : -INFINITY;
          CHECK_BITS(merge_at(&c, c.args.o.data, c.args.o.stride, row), zero, 5, "O, n = %d", n);
          CHECK_BITS(merge_at(&c, c.args.lse.data, c.args.lse.stride, row), &lse, 1, "LSE");
        }
      merge_free(&c);
    }
}

/* Every form of emptiness; o is NaN there. */
RAPT_TEST(merge_empty_forms) {
  static const float sums[][2] = {{-INFINITY, 0}, {3, 0}, {-INFINITY, 2}, {1e30f, 0}};
  for (int i = 0; i < 4; i++) {
    float o[2][2] = {{NAN, NAN}, {1, 2}}, m[2] = {sums[i][0], 5}, l[2] = {sums[i][1], 2};
    float out[2] = {9, 9}, lse = 9;
    rapt_merge_part part[2];
    memset(part, 0, sizeof part);
    for (int k = 0; k < 2; k++) {
      part[k].o.data = o[k];
      part[k].m.data = &m[k];
      part[k].l.data = &l[k];
    }
    rapt_merge_args a = {.size = sizeof a,
                         .batch = 1,
                         .heads = 1,
                         .q_len = 1,
                         .head_dim = 2,
                         .n = 2,
                         .partials = part,
                         .o.data = out,
                         .lse.data = &lse};
    CHECK(rapt_attention_merge(&a, NULL, NULL) == RAPT_OK, "form %d", i);
    CHECK(out[0] == 0.5f && out[1] == 1 && fabsf(lse - 5.6931472f) < 1e-6f, "form %d: %g %g %g", i,
          (double)out[0], (double)out[1], (double)lse);
  }
}

/* A NaN or +inf among a row's numbers: NaN in this row, the bits of all others as they were. */
RAPT_TEST(merge_nan_stays_in_its_row) {
  rng r = rng_make(rapt_test_seed());
  for (int i = 0; i < 60 && !rapt_test_failed(); i++) {
    merge_case c = draw(&r);
    c.n = rng_range(&r, 1, 40);
    c.most_keys = 2;
    c.partial = i % 2;
    merge_build(&c, &r);
    size_t n, bad_row = (size_t)rng_below(&r, (int32_t)merge_rows(&c));
    if (!merge_run(&c, NULL)) return;
    float *before = merge_outputs(&c, &n);
    const rapt_merge_part *p = &c.part[rng_below(&r, c.n)];
    const rapt_const_tensor *t = p->lse.data ? &p->lse : rng_below(&r, 2) ? &p->m : &p->l;
    *merge_at(&c, t->data, t->stride, (int64_t)bad_row) = i % 3 ? NAN : INFINITY;
    merge_run(&c, NULL);
    float *after = merge_outputs(&c, &n);
    size_t dim = (size_t)c.head_dim, rows = (size_t)merge_rows(&c);
    for (size_t k = 0; k < n; k++) {
      size_t row = k < rows * dim ? k / dim : (k - rows * dim) % rows;
      if (row == bad_row)
        CHECK(isnan(after[k]), "element %zu of the NaN row is %g", k, (double)after[k]);
      else
        CHECK_BITS(&after[k], &before[k], 1, "element %zu of row %zu, NaN in %zu", k, row, bad_row);
    }
    free(before);
    free(after);
    merge_free(&c);
  }
}

/* A NaN in a channel of a partial that counts: this channel is not finite, no other is touched, even if
 * the weight vanishes. */
RAPT_TEST(merge_nan_in_a_channel) {
  for (int i = 0; i < 2; i++) {
    float o[2][3] = {{1, NAN, 3}, {4, 5, 6}}, lse[2] = {i ? -500.0f : 1.0f, 1}, out[3];
    rapt_merge_part part[2];
    memset(part, 0, sizeof part);
    for (int k = 0; k < 2; k++) part[k].o.data = o[k], part[k].lse.data = &lse[k];
    rapt_merge_args a = {.size = sizeof a,
                         .batch = 1,
                         .heads = 1,
                         .q_len = 1,
                         .head_dim = 3,
                         .n = 2,
                         .partials = part,
                         .o.data = out};
    CHECK(rapt_attention_merge(&a, NULL, NULL) == RAPT_OK, "status");
    CHECK(isfinite(out[0]) && isnan(out[1]) && isfinite(out[2]), "%g %g %g", (double)out[0],
          (double)out[1], (double)out[2]);
  }
}

/* The output where partials[0] is: the same bits. */
RAPT_TEST(merge_in_place) {
  rng r = rng_make(rapt_test_seed());
  for (int i = 0; i < 100 && !rapt_test_failed(); i++) {
    merge_case c = draw(&r);
    if (c.n == 0 || c.form == MERGE_MIXED) continue;
    c.partial = c.form == MERGE_SUMS;
    merge_build(&c, &r);
    size_t n;
    if (!merge_run(&c, NULL)) return;
    float *want = merge_outputs(&c, &n);
    const rapt_merge_part *p = &c.part[0];
    c.args.o.data = (void *)(uintptr_t)p->o.data;
    if (i % 2) {
      if (c.args.lse.data) c.args.lse.data = (void *)(uintptr_t)p->lse.data;
      if (c.args.m.data) c.args.m.data = (void *)(uintptr_t)p->m.data;
      if (c.args.l.data) c.args.l.data = (void *)(uintptr_t)p->l.data;
    }
    merge_run(&c, NULL);
    float *got = merge_outputs(&c, &n);
    CHECK_BITS(got, want, n, "in place, n = %d, dim %d", c.n, c.head_dim);
    free(want);
    free(got);
    merge_free(&c);
  }
}

/* A tree: halves joined to partials, then these. Not the bits of one merge, but the answer. */
RAPT_TEST(merge_tree) {
  rng r = rng_make(rapt_test_seed());
  for (int i = 0; i < 60 && !rapt_test_failed(); i++) {
    merge_case c = draw(&r);
    c.base = i % 2 ? 1000 : 0;
    if (i % 2) c.form = MERGE_SUMS;
    c.sinks = i % 3 == 0;
    merge_build(&c, &r);
    int64_t rows = merge_rows(&c), dim = c.head_dim;
    float *space = malloc((size_t)(2 * rows * (dim + 2) + 1) * 4);
    if (!space) exit(2);
    rapt_merge_part halves[2];
    memset(halves, 0, sizeof halves);
    for (int k = 0; k < 2; k++) {
      float *o = space + k * rows * (dim + 2), *m = o + rows * dim, *l = m + rows;
      rapt_merge_args a = c.args;
      a.partials = c.part + (k ? c.n / 2 : 0);
      a.n = k ? c.n - c.n / 2 : c.n / 2;
      a.sinks = NULL;
      a.lse.data = NULL;
      int64_t head = c.q_len * 4, batch = c.heads * head;
      a.o = (rapt_tensor){o, {batch * dim, head * dim, 4 * dim}};
      a.m = (rapt_tensor){m, {batch, head, 4}};
      a.l = (rapt_tensor){l, {batch, head, 4}};
      rapt_error error = {.size = sizeof error};
      CHECK(rapt_attention_merge(&a, NULL, &error) == RAPT_OK, "%s %s", error.field, error.message);
      halves[k].o = (rapt_const_tensor){o, {batch * dim, head * dim, 4 * dim}};
      halves[k].m = (rapt_const_tensor){m, {batch, head, 4}};
      halves[k].l = (rapt_const_tensor){l, {batch, head, 4}};
    }
    c.args.partials = halves;
    c.args.n = 2;
    if (merge_run(&c, NULL)) merge_verify(&c, "tree");
    free(space);
    merge_free(&c);
  }
}

/* An empty partial anywhere (one number of it for all rows, by strides of 0) changes no bit. */
RAPT_TEST(merge_empty_partials_show_in_no_bit) {
  rng r = rng_make(rapt_test_seed());
  const float nothing = -INFINITY;
  float nan[64];
  for (int i = 0; i < 64; i++) nan[i] = NAN;
  merge_case c = {.batch = 2,
                  .heads = 2,
                  .q_len = 3,
                  .head_dim = 64,
                  .n = 40,
                  .sigma = 2,
                  .most_keys = 3,
                  .form = MERGE_MIXED};
  merge_build(&c, &r);
  size_t n;
  if (!merge_run(&c, NULL)) return;
  float *want = merge_outputs(&c, &n);
  for (int32_t at = 0; at <= c.n; at++) {
    rapt_merge_part part[41];
    for (int32_t i = 0; i < 41; i++)
      if (i != at) part[i] = c.part[i - (i > at)];
    part[at] = (rapt_merge_part){.o.data = nan, .lse.data = &nothing};
    c.args.partials = part;
    c.args.n = 41;
    merge_run(&c, NULL);
    float *got = merge_outputs(&c, &n);
    CHECK_BITS(got, want, n, "an empty partial at %d", at);
    free(got);
  }
  free(want);
  merge_free(&c);
}

/* Bits for every executor. */
RAPT_TEST(merge_bits) {
  static const parallel_fn tempers[] = {parallel_ascending, parallel_reversed, parallel_scrambled,
                                        parallel_threads,   parallel_two,      parallel_only_last};
  rng r = rng_make(rapt_test_seed());
  merge_case c = {.batch = 3,
                  .heads = 7,
                  .q_len = 40,
                  .head_dim = 64,
                  .n = 9,
                  .sigma = 2,
                  .most_keys = 3,
                  .form = MERGE_MIXED};
  merge_build(&c, &r);
  size_t n;
  rapt_executor one = executor_of(parallel_ascending, 1, NULL);
  if (!merge_run(&c, &one)) return;
  float *want = merge_outputs(&c, &n);
  for (int t = 0; t < 6; t++)
    for (int32_t workers = 2; workers < 40; workers *= 3) {
      rapt_executor executor = executor_of(tempers[t], workers, NULL);
      merge_run(&c, &executor);
      float *got = merge_outputs(&c, &n);
      CHECK_BITS(got, want, n, "executor %d, %d workers", t, workers);
      free(got);
    }
  call_note note = {0, 0};
  rapt_executor executor = executor_of(parallel_noting, 8, &note);
  merge_run(&c, &executor);
  CHECK(note.calls == 1 && note.largest > 1 && note.largest <= 8, "%d calls, n to %d", note.calls,
        note.largest);
  free(want);
  merge_free(&c);
}

RAPT_TEST(merge_failing_executors) {
  rng r = rng_make(rapt_test_seed());
  merge_case c = {.batch = 3, .heads = 7, .q_len = 40, .head_dim = 64, .n = 9, .most_keys = 1};
  merge_build(&c, &r);
  const parallel_fn bad[] = {parallel_nobody, parallel_failing};
  for (int i = 0; i < 2; i++) {
    call_note note = {0, 0};
    rapt_executor executor = executor_of(bad[i], 4, &note);
    rapt_error error = {.size = sizeof error};
    rapt_status status = rapt_attention_merge(&c.args, &executor, &error);
    CHECK(status == RAPT_ERROR_EXECUTOR, "%d: status %d", i, status);
    CHECK(strcmp(error.field, "executor.parallel") == 0, "%s", error.field);
  }
  merge_free(&c);
}
