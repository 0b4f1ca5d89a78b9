/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs with RAPT_PARTIAL over slices of the keys, merged: the whole run, on every level. */
#include "attention/problem.h"

enum { HEADS = 2, DIM = 24, MOST_ROWS = 40 };

static float o[4][HEADS][MOST_ROWS][DIM], m[4][HEADS][MOST_ROWS], l[4][HEADS][MOST_ROWS];
static float out[HEADS][MOST_ROWS][DIM], lse[HEADS][MOST_ROWS];

#define ROWS(x) {sizeof(x), sizeof(x)[0], sizeof(x)[0][0]}

static int slice(const problem *p, const char *isa, int i, int32_t from, int32_t keys) {
  rapt_attention_desc desc = p->desc;
  rapt_attention_args args = p->args;
  rapt_error error = {.size = sizeof error};
  desc.flags = RAPT_PARTIAL;
  desc.isa = isa;
  args.kv_len = keys;
  args.k.data = (const char *)args.k.data + from * args.k.stride[2];
  args.v.data = (const char *)args.v.data + from * args.v.stride[2];
  args.o = (rapt_tensor){o[i], ROWS(o[i])};
  args.m = (rapt_tensor){m[i], ROWS(m[i])};
  args.l = (rapt_tensor){l[i], ROWS(l[i])};
  args.lse.data = NULL;
  return CHECK(rapt_attention(&desc, &args, NULL, &error) == RAPT_OK, "%s: %s", error.field,
               error.message);
}

static void merged(problem *p, const char *isa, int slices, double far) {
  const int32_t rows = p->args.q_len, keys = p->args.kv_len;
  rapt_merge_part part[4];
  rapt_error error = {.size = sizeof error};
  memset(part, 0, sizeof part);
  for (int i = 0; i < slices; i++) {
    int32_t from = keys * i / slices, end = keys * (i + 1) / slices;
    if (!slice(p, isa, i, from, end - from)) return;
    part[i].o = (rapt_const_tensor){o[i], ROWS(o[i])};
    part[i].m = (rapt_const_tensor){m[i], ROWS(m[i])};
    part[i].l = (rapt_const_tensor){l[i], ROWS(l[i])};
  }
  rapt_merge_args args = {.size = sizeof args,
                          .batch = 1,
                          .heads = HEADS,
                          .q_len = rows,
                          .head_dim = DIM,
                          .n = slices,
                          .partials = part};
  args.o = (rapt_tensor){out, ROWS(out)};
  args.lse = (rapt_tensor){lse, ROWS(lse)};
  REQUIRE(rapt_attention_merge(&args, NULL, &error) == RAPT_OK, "%s: %s", error.field,
          error.message);
  for (int32_t h = 0; h < HEADS; h++)
    for (int32_t i = 0; i < rows; i++) {
      double want[DIM], want_lse;
      reference_row(&p->desc, &p->args, 0, h, i, want, &want_lse);
      CHECK_CLOSE(out[h][i], want, DIM, far, far, "%s %d slices of %d: row %d", isa, slices, keys,
                  i);
      CHECK_CLOSE(&lse[h][i], &want_lse, 1, 2e-6, 2e-6, "%s lse of row %d", isa, i);
    }
}

RAPT_TEST(partial_runs_merge_to_the_whole) {
  static const int32_t rows[] = {1, 3, 40}, keys[] = {0, 1, 3, 50, 700};
  rng r = rng_make(rapt_test_seed());
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 5; j++) FOR_EACH_ISA(isa) {
        problem p = problem_make(HEADS, 1, DIM, DIM, 1, rows[i], keys[j]);
        problem_build(&p, &r);
        for (int slices = 1; slices <= 4 && !rapt_test_failed(); slices++)
          merged(&p, isa, slices, 2e-6);
        problem_free(&p);
      }
}
