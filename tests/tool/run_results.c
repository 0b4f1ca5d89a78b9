/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt run computes what it is asked for: every option, layout and number of dimensions beside
 * float64. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/npy.h"
#include "rapt/check.h"
#include "sample.h"
#include "support/compare.h"
#include "tool.h"

static void mask(sample *s, uint32_t flags, int32_t align, int32_t left, int32_t right) {
  s->desc.flags = flags;
  s->desc.align = align;
  s->desc.window_left = left;
  s->desc.window_right = right;
}

RAPT_TEST(layouts_and_dimensions) {
  for (int tokens_first = 0; tokens_first <= 1; tokens_first++)
    for (int32_t dims = 2; dims <= 4; dims++) {
      sample s = sample_make(dims == 4 ? 2 : 1, dims == 2 ? 1 : 6, dims == 2 ? 1 : 2, 7, 9, 16, 5);
      sample_save(&s, tokens_first, dims);
      sample_run(&s, tokens_first, dims,
                 tokens_first ? "--layout bshd --check" : "--layout=bhsd --check");
      sample_free(&s);
    }
}

RAPT_TEST(masks) {
  sample s = sample_make(1, 2, 2, 6, 11, 8, 8);
  sample_save(&s, 0, 4);
  sample_run(&s, 0, 4, "");
  mask(&s, RAPT_CAUSAL, RAPT_ALIGN_TOP_LEFT, 0, 0);
  sample_run(&s, 0, 4, "--causal top-left");
  mask(&s, RAPT_CAUSAL, RAPT_ALIGN_BOTTOM_RIGHT, 0, 0);
  sample_run(&s, 0, 4, "--causal bottom-right");
  mask(&s, RAPT_CAUSAL | RAPT_WINDOW_LEFT, RAPT_ALIGN_BOTTOM_RIGHT, 2, 0);
  sample_run(&s, 0, 4, "--causal bottom-right --window 2,-1");
  mask(&s, RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT, RAPT_ALIGN_BOTTOM_RIGHT, 0, 3);
  sample_run(&s, 0, 4, "--window 0,3 --align bottom-right");
  mask(&s, RAPT_WINDOW_RIGHT, RAPT_ALIGN_TOP_LEFT, 0, 1);
  sample_run(&s, 0, 4, "--window -1,1 --align top-left");
  mask(&s, 0, RAPT_ALIGN_NONE, 0, 0);
  sample_run(&s, 0, 4, "--window -1,-1");
  sample_free(&s);
  s = sample_make(1, 2, 2, 9, 9, 8, 8); /* as many keys as queries: both corners are one */
  sample_save(&s, 0, 4);
  mask(&s, RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT, RAPT_ALIGN_TOP_LEFT, 2, 1);
  sample_run(&s, 0, 4, "--window 2,1");
  sample_free(&s);
}

RAPT_TEST(lengths) {
  static const int32_t q_lens[] = {4, 0, 5}, kv_lens[] = {8, 3, 1};
  sample s = sample_make(3, 2, 1, 5, 8, 8, 8);
  sample_save(&s, 0, 4);
  s.args.q_lens = q_lens;
  sample_run(&s, 0, 4, "--q-lens 4,0,5");
  s.args.kv_lens = kv_lens;
  sample_run(&s, 0, 4, "--q-lens 4,0,5 --kv-lens 8,3,1");
  mask(&s, RAPT_CAUSAL, RAPT_ALIGN_BOTTOM_RIGHT, 0, 0);
  sample_run(&s, 0, 4, "--q-lens=4,0,5 --kv-lens=8,3,1 --causal bottom-right --check");
  sample_free(&s);
}

static void scaled(sample *s, double scale, const char *options) {
  s->desc.flags = RAPT_SCALE_LITERAL;
  s->desc.scale = (float)scale;
  sample_run(s, 0, 4, options);
}

RAPT_TEST(scales) {
  sample s = sample_make(1, 2, 2, 5, 7, 16, 8);
  sample_save(&s, 0, 4);
  scaled(&s, 0.25, "");
  scaled(&s, 0.5, "--scale 0.5");
  scaled(&s, 0, "--scale 0");
  scaled(&s, -1e-1, "--scale -1e-1");
  scaled(&s, 0.125, "--temperature 2");
  scaled(&s, 0.5, "--temperature 0.5");
  scaled(&s, 0.75, "--scale=1.5 --temperature=2");
  sample_free(&s);
}

/* The same numbers in every element type give the same bits of O. */
RAPT_TEST(element_types) {
  sample s = sample_make(1, 1, 1, 3, 4, 2, 2);
  for (int i = 0; i < 8; i++) s.k[i] = (float)(i - 3) / 4; /* exact in float16 */
  sample_save(&s, 0, 4);
  unsigned char bytes[64];
  static const char *const types[] = {"<f2", ">f2", "<f4", ">f4", "<f8", ">f8"};
  for (int t = 0; t < 6; t++) {
    int item = types[t][2] - '0', big = types[t][0] == '>';
    for (int i = 0; i < 8; i++) {
      double x = (double)s.k[i];
      float single = s.k[i];
      uint64_t bits = 0;
      uint32_t half = 0, word;
      if (item == 8) memcpy(&bits, &x, 8);
      memcpy(&word, &single, 4);
      if (item == 4) bits = word;
      if (word << 1)
        half = (word >> 16 & 0x8000) | (((word >> 23 & 255) - 112) << 10) | (word >> 13 & 1023);
      if (item == 2) bits = half;
      for (int n = 0; n < item; n++)
        bytes[i * item + (big ? item - 1 - n : n)] = (unsigned char)(bits >> 8 * n);
    }
    char header[100];
    snprintf(header, sizeof header,
             "{'descr': '%s', 'fortran_order': False, 'shape': (1, 1, 4, 2)}", types[t]);
    scratch_npy("k.npy", 1 + t % 2, header, bytes, (size_t)(8 * item));
    sample_run(&s, 0, 4, "");
  }
  sample_free(&s);
}

static int same_file(const char *a, const char *b) {
  static char x[1 << 16], y[1 << 16];
  FILE *f = fopen(scratch(a), "rb"), *g = fopen(scratch(b), "rb");
  size_t n = f ? fread(x, 1, sizeof x, f) : 0, m = g ? fread(y, 1, sizeof y, g) : 1;
  if (f) fclose(f);
  if (g) fclose(g);
  return n == m && n > 128 && memcmp(x, y, n) == 0;
}

RAPT_TEST(threads_and_kernel_sets) {
  sample s = sample_make(2, 4, 2, 33, 50, 24, 16);
  sample_save(&s, 0, 4);
  sample_run(&s, 0, 4, "--threads 1");
  for (int threads = 2; threads <= 7; threads += 5) {
    const outcome *o = tool(
        "run --q {}/q.npy --k {}/k.npy --v {}/v.npy --output={}/t.npy --threads %d", threads);
    CHECK(o->code == 0 && same_file("o.npy", "t.npy"), "%d threads: %s", threads, o->err);
  }
  for (int32_t i = 0; i < rapt_kernel_count(); i++) {
    rapt_kernel_info set = {.size = sizeof set};
    rapt_kernel_get(i, &set, NULL);
    if (!set.usable) continue;
    const outcome *o = tool(
        "run --q {}/q.npy --k {}/k.npy --v {}/v.npy --check --threads 2 --isa %s", set.isa);
    CHECK(o->code == 0 && strstr(o->out, set.name) && strstr(o->out, "2 threads"), "%s: %s%s",
          set.isa, o->out, o->err);
  }
  sample_free(&s);
}

RAPT_TEST(summary) {
  sample s = sample_make(1, 4, 2, 12, 12, 8, 3);
  sample_save(&s, 0, 4);
  const outcome *o = tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy --causal top-left");
  static const char *const lines[] = {"Q         [1, 4, 12, 8]\n",
                                      "K         [1, 2, 12, 8]\n",
                                      "V         [1, 2, 12, 3]\n",
                                      "O         [1, 4, 12, 3]\n",
                                      "mask      causal (top-left)\n",
                                      "kernels   ",
                                      "time      ",
                                      " ms (best of ",
                                      "O begins  "};
  CHECK(o->code == 0 && !o->err[0], "%d %s", o->code, o->err);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    CHECK(strstr(o->out, lines[i]) != NULL, "'%s' is not in:\n%s", lines[i], o->out);
  char first[80]; /* query 0 sees key 0 alone: its value comes back exactly */
  snprintf(first, sizeof first, "O begins  %.6g %.6g %.6g\n", (double)s.v[0], (double)s.v[1],
           (double)s.v[2]);
  CHECK(strstr(o->out, first) != NULL, "'%s' is not in:\n%s", first, o->out);
  sample_free(&s);
}

RAPT_TEST(expect_compares) {
  sample s = sample_make(1, 2, 2, 5, 7, 8, 8);
  sample_save(&s, 0, 4);
  sample_run(&s, 0, 4, "");
  const outcome *o = tool(
      "run --q {}/q.npy --k {}/k.npy --v {}/v.npy --expect {}/o.npy --tolerance 0");
  CHECK(o->code == 0 && strstr(o->out, "expect    ok: largest error 0,"), "%d %s", o->code, o->out);
  o = tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy --expect {}/o.npy --scale 0.3");
  CHECK(o->code == 1 && strstr(o->out, "expect    NOT OK"), "%d %s", o->code, o->out);
  CHECK(strstr(o->err, "--expect: O differs from"), "%s", o->err);
  o = tool("run --q {}/q.npy --k {}/k.npy --v {}/v.npy --expect {}/o.npy --scale 0.3 --tolerance "
           "10 --check");
  CHECK(o->code == 0 && strstr(o->out, "expect    ok"), "%d %s", o->code, o->out);
  sample_free(&s);
}

/* A wrong O, LSE or NaN must not pass --check: they are changed behind the kernels' back. */
RAPT_TEST(check_can_fail) {
  sample s = sample_make(1, 2, 2, 5, 7, 8, 8);
  sample_save(&s, 0, 4);
  static request r; /* large */
  r = (request){.q = scratch("q.npy"),
                .k = scratch("k.npy"),
                .v = scratch("v.npy"),
                .check = 1,
                .temperature = 1,
                .left = -1,
                .right = -1,
                .heatmap = -1,
                .threads = 2};
  call c;
  failure why;
  REQUIRE(call_make(&c, &r, &why) == 0 && call_make_outputs(&c, &r, &why) == 0 &&
              call_run(&c, &why) == 0,
          "%s", why.sentence);
  CHECK(check_reference(&c, &why) == 0, "the right result: %s", why.sentence);
  float right = c.o.data[17];
  c.o.data[17] += 1e-5f;
  CHECK(check_reference(&c, &why) == EXIT_CHECK_FAILED, "O off by 1e-5 passed");
  c.o.data[17] = NAN;
  CHECK(check_reference(&c, &why) == EXIT_CHECK_FAILED, "NaN passed");
  c.o.data[17] = right;
  c.lse[3] += 1e-4f;
  CHECK(check_reference(&c, &why) == EXIT_CHECK_FAILED, "LSE off by 1e-4 passed");
  call_free(&c);
  sample_free(&s);
}
