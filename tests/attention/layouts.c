/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every order of dimensions, views, negative and zero strides; the strides that do not count hold
 * garbage. */
#include "problem.h"

static const int32_t lengths[][2] = {{1, 33}, {3, 97}, {6, 64}, {40, 40}, {70, 131}};

static void mask(problem *p, int kind) {
  if (kind == 0) return;
  p->desc.flags = RAPT_CAUSAL;
  p->desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
  if (kind == 1) return;
  p->desc.flags |= RAPT_WINDOW_LEFT;
  p->desc.window_left = 20;
}

static void run_layout(problem_layout layout) {
  rng r = rng_make(rapt_test_seed());
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (int kind = 0; kind < 3; kind++)
      for (int wild = 0; wild < 2; wild++) {
        int32_t kv = layout == LAYOUT_PACKED ? lengths[i][0] : lengths[i][1];
        int32_t heads = wild ? 1 : 2, batch = wild ? 1 : 3;
        problem p = problem_make(2 * heads, heads, 20, 12, batch, lengths[i][0], kv);
        p.layout = layout;
        p.place = i % 2 ? GUARD_START : GUARD_END;
        p.wild_strides = wild;
        mask(&p, kind);
        problem_build(&p, &r);
        char what[80];
        snprintf(what, sizeof what, "%s %d x %d mask %d%s", problem_layout_names[layout],
                 lengths[i][0], kv, kind, wild ? " wild" : "");
        problem_verify_all(&p, what);
        problem_free(&p);
      }
}

RAPT_TEST(layout_bhsd) { run_layout(LAYOUT_BHSD); }
RAPT_TEST(layout_bshd) { run_layout(LAYOUT_BSHD); }
RAPT_TEST(layout_sbhd) { run_layout(LAYOUT_SBHD); }
RAPT_TEST(layout_view) { run_layout(LAYOUT_VIEW); }
RAPT_TEST(layout_reversed) { run_layout(LAYOUT_REVERSED); }
RAPT_TEST(layout_packed) { run_layout(LAYOUT_PACKED); }

/* Each input stride in turn zero: the reference reads the same strides. */
RAPT_TEST(layout_zero_strides) {
  rng r = rng_make(rapt_test_seed());
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (int tensor = 0; tensor < 3; tensor++)
      for (int dim = 0; dim < 3; dim++) {
        problem p = problem_make(4, 2, 20, 12, 2, lengths[i][0], lengths[i][1]);
        problem_build(&p, &r);
        rapt_const_tensor *in[] = {&p.args.q, &p.args.k, &p.args.v};
        in[tensor]->stride[dim] = 0;
        char what[80];
        snprintf(what, sizeof what, "%d x %d, tensor %d, stride %d zero", lengths[i][0],
                 lengths[i][1], tensor, dim);
        problem_verify_all(&p, what);
        problem_free(&p);
      }
}

/* All sequences share K and V: batch stride 0 on both. */
RAPT_TEST(layout_shared_kv) {
  rng r = rng_make(rapt_test_seed());
  static const int32_t q[] = {1, 2, 4, 5, 17, 70};
  for (size_t i = 0; i < sizeof q / sizeof *q; i++)
    for (int kind = 0; kind < 3; kind++) {
      problem p = problem_make(4, 2, 20, 12, 5, q[i], 131);
      p.kv_shared = 1;
      mask(&p, kind);
      problem_build(&p, &r);
      char what[60];
      snprintf(what, sizeof what, "shared kv, %d queries, mask %d", q[i], kind);
      problem_verify_all(&p, what);
      problem_free(&p);
    }
}

/* Token strides that are multiples of 4096 bytes take a road of their own (the block is copied). */
RAPT_TEST(layout_page_strides) {
  rng r = rng_make(rapt_test_seed());
  static const int32_t heads[] = {16, 32};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    for (int kind = 0; kind < 3; kind++)
      for (int32_t q = 1; q <= 49; q += 16) {
        problem p = problem_make(heads[i], heads[i], 64, 64, 1, q, smaller(201, 49));
        p.layout = LAYOUT_BSHD;
        mask(&p, kind);
        problem_build(&p, &r);
        char what[60];
        snprintf(what, sizeof what, "%d heads, %d queries, mask %d", heads[i], q, kind);
        problem_verify_all(&p, what);
        problem_free(&p);
      }
}

/* dqk and dv of different page behaviour: only V's stride is a multiple of 4096, then only K's. */
RAPT_TEST(layout_page_stride_of_one) {
  rng r = rng_make(rapt_test_seed());
  for (int which = 0; which < 2; which++) {
    problem p = problem_make(16, 16, which ? 64 : 48, which ? 40 : 64, 1, 35, smaller(150, 40));
    p.layout = LAYOUT_BSHD;
    mask(&p, 1);
    problem_build(&p, &r);
    problem_verify_all(&p, which ? "page stride of k" : "page stride of v");
    problem_free(&p);
  }
}
