/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt run --weights, --stage, --rows, --key-sums; and files that are written all or not at all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/npy.h"
#include "common/reference.h"
#include "rapt/check.h"
#include "stored_mask.h"
#include "support/compare.h"
#include "tool.h"

/* The scratch file beside `n` numbers, and its shape. */
static void check_file(const char *name, const double *ref, size_t n, const int64_t *shape,
                       int32_t dims, const char *what) {
  npy_array a;
  char why[300] = "";
  REQUIRE(npy_load(scratch(name), &a, why, sizeof why) == 0, "%s: %s %s", what, name, why);
  int same = a.dims == dims && a.count == n;
  for (int32_t i = 0; same && i < dims; i++) same = a.shape[i] == shape[i];
  if (CHECK(same, "%s: %d dimensions, %zu elements", what, (int)a.dims, a.count))
    CHECK_CLOSE(a.data, ref, n, 4e-6, 4e-6, "%s: %s", what, name);
  npy_free(&a);
}

/* The files of a call beside the reference, which reads the same rows from s->args.scores. */
static void check_looks(sample *s, const rapt_scores_out *out, int32_t dims, const char *options) {
  s->args.scores = out;
  const int32_t rows = reference_scores_rows(&s->args), keys = s->kv_len;
  const size_t heads = (size_t)s->batch * (size_t)s->heads_q,
               n = heads * (size_t)rows * (size_t)keys;
  const int64_t weights[] = {s->batch, s->heads_q, rows, keys},
                sums[] = {s->batch, s->heads_q, keys};
  double *ref = calloc(n + 1, sizeof *ref),
         *ref_sums = calloc(heads * (size_t)keys + 1, sizeof *ref_sums);
  if (!ref || !ref_sums) exit(2);
  for (int32_t b = 0; b < s->batch; b++)
    for (int32_t h = 0; h < s->heads_q; h++) {
      size_t head = (size_t)b * (size_t)s->heads_q + (size_t)h;
      for (int32_t y = 0; y < rows; y++)
        reference_stage_row(&s->desc, &s->args, b, h, reference_scores_query(&s->args, b, y),
                            out->stage, ref + (head * (size_t)rows + (size_t)y) * (size_t)keys);
      reference_key_sums(&s->desc, &s->args, b, h, ref_sums + head * (size_t)keys);
    }
  s->args.scores = NULL;
  const outcome *o = tool(
      "run --q {}/q.npy --k {}/k.npy --v {}/v.npy --weights {}/w.npy --key-sums {}/ks.npy --check "
      "%s",
      options);
  CHECK(o->code == 0 && strstr(o->out, "check key sums ok"), "%s: %s%s", options, o->out, o->err);
  check_file("w.npy", ref, n, weights + 4 - dims, dims, options);
  check_file("ks.npy", ref_sums, heads * (size_t)keys, sums + 4 - dims, dims - 1, options);
  free(ref);
  free(ref_sums);
}

RAPT_TEST(weights_of_all_and_of_chosen_rows) {
  static const int32_t rows[] = {0, 4, -1, 0}, q_lens[] = {5, 3}, kv_lens[] = {6, 9};
  rapt_scores_out out = {.size = sizeof out, .stage = RAPT_STAGE_WEIGHTS};
  sample s = sample_make(2, 4, 2, 5, 9, 8, 3);
  sample_save(&s, 0, 4);
  check_looks(&s, &out, 4, "--stage weights");
  out.rows = rows;
  out.n_rows = 4;
  check_looks(&s, &out, 4, "--rows 0,4,-1,0");
  s.args.q_lens = q_lens;
  s.args.kv_lens = kv_lens;
  check_looks(&s, &out, 4, "--rows 0,4,-1,0 --q-lens 5,3 --kv-lens 6,9");
  out.rows = NULL;
  out.n_rows = 0;
  check_looks(&s, &out, 4, "--q-lens 5,3 --kv-lens 6,9");
  sample_free(&s);
}

RAPT_TEST(weights_of_fewer_dimensions) {
  rapt_scores_out out = {.size = sizeof out, .stage = RAPT_STAGE_WEIGHTS};
  for (int tokens_first = 0; tokens_first <= 1; tokens_first++)
    for (int32_t dims = 2; dims <= 3; dims++) {
      sample s = sample_make(1, dims == 2 ? 1 : 4, 1, 5, 9, 8, 3);
      sample_save(&s, tokens_first, dims);
      check_looks(&s, &out, dims, tokens_first ? "--layout bshd" : "--layout bhsd");
      sample_free(&s);
    }
}

RAPT_TEST(scores_at_every_stage) {
  static const char *const stages[] = {"raw", "softcap", "bias", "weights"};
  static const float sinks[] = {0.5f, 1}, slopes[] = {0.0625f, 0.00390625f};
  static const int32_t extent[] = {1, 1, 5, 9};
  sample s = sample_make(1, 2, 2, 5, 9, 8, 3);
  sample_save(&s, 0, 4);
  stored_floats("s.npy", sinks, 2);
  void *data = stored_mask(&s, "<f4", 2, extent);
  s.args.sinks = sinks;
  s.args.alibi_slopes = slopes;
  s.desc.flags = RAPT_CAUSAL | RAPT_ALIBI;
  s.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
  s.desc.softcap = 1.5f;
  for (int32_t stage = 0; stage < 4; stage++) {
    rapt_scores_out out = {.size = sizeof out, .stage = stage};
    char options[200];
    snprintf(options, sizeof options,
             "--stage %s --mask {}/m.npy --sinks {}/s.npy --alibi --causal bottom-right --softcap "
             "1.5",
             stages[stage]);
    check_looks(&s, &out, 4, options);
  }
  stored_mask_free(&s, data);
  sample_free(&s);
}

/* A wrong weight, score or sum must not pass --check: they are changed behind the kernels' back. */
RAPT_TEST(check_of_weights_can_fail) {
  static request r; /* large */
  sample s = sample_make(1, 2, 2, 5, 7, 8, 8);
  sample_save(&s, 0, 4);
  for (int32_t stage = 0; stage < 4; stage++) {
    r = (request){.q = scratch("q.npy"),
                  .k = scratch("k.npy"),
                  .v = scratch("v.npy"),
                  .check = 1,
                  .weights = "w",
                  .key_sums = "ks",
                  .stage = stage,
                  .temperature = 1,
                  .left = -1,
                  .right = -1,
                  .threads = 2};
    call c;
    failure why;
    REQUIRE(call_make(&c, &r, &why) == 0 && call_make_outputs(&c, &r, &why) == 0 &&
                call_run(&c, &why) == 0,
            "%s", why.sentence);
    CHECK(check_reference(&c, &why) == 0, "the right result: %s", why.sentence);
    float right = c.weights[33];
    c.weights[33] += 1e-4f;
    CHECK(check_reference(&c, &why) == EXIT_CHECK_FAILED, "stage %d off by 1e-4 passed",
          (int)stage);
    c.weights[33] = right;
    c.key_sums[5] += 1e-4f;
    CHECK(check_reference(&c, &why) == EXIT_CHECK_FAILED, "a sum off by 1e-4 passed");
    call_free(&c);
  }
  sample_free(&s);
}

static int there(const char *name) { return access(scratch(name), F_OK) == 0; }

/* The last file that cannot be written takes the others with it; a device stays. */
RAPT_TEST(outputs_are_all_or_nothing) {
  sample s = sample_make(1, 1, 1, 2, 2, 4, 4);
  sample_save(&s, 0, 4);
  static const char *const failing[] = {"--lse {}/no/lse.npy", "--lse /dev/full",
                                        "--weights {}/no/w.npy", "--key-sums /dev/full",
                                        "--weights {}/w.npy --key-sums {}/no/k.npy"};
  for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
    tool_refuses(tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy -o {}/all.npy %s", failing[i]), 3,
                 "cannot be", failing[i]);
    CHECK(!there("all.npy") && !there("w.npy"), "%s: a file was left", failing[i]);
  }
  CHECK(access("/dev/full", F_OK) == 0, "a device was removed");
  static const char *const refused[] = {"--rows 7 --weights {}/w.npy", "--heatmap 3",
                                        "--mask {}/absent.npy", "--prefix 3 --causal top-left"};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    tool_refuses(tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy -o {}/all.npy %s", refused[i]), 2,
                 "", refused[i]);
    CHECK(!there("all.npy") && !there("w.npy"), "%s: a file was left", refused[i]);
  }
  /* Results stay when only the comparison fails: exit code 1 promises that. */
  const outcome *o = tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy -o {}/all.npy --expect "
                          "{}/v.npy");
  CHECK(o->code == 1 && there("all.npy"), "%d %s", o->code, o->err);
  sample_free(&s);
}
