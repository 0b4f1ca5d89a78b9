/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Merges, softmax and slopes allocate nothing and take no lock; softmax reads RAPT_ISA, and only when no
 * level is named. */
#include "attention/problem.h"
#include "interpose.h"

static void none(const char *what, rapt_status status, forbidden_calls calls, long environment) {
  CHECK(status == RAPT_OK, "%s: status %d", what, status);
  CHECK(!calls.allocate && !calls.release && !calls.lock, "%s: %ld allocations, %ld locks", what,
        calls.allocate, calls.lock);
  CHECK(calls.environment == environment, "%s: %ld getenv", what, calls.environment);
}

RAPT_TEST(rows_are_pure) {
  if (!interpose_works()) SKIP("malloc belongs to a sanitizer here");
  enum { ROWS = 300, DIM = 64, N = 40 };
  static float o[ROWS * DIM], out[ROWS * DIM], lse[ROWS], slopes[ROWS], x[ROWS * 1000];
  rapt_merge_part part[N];
  rapt_executor executor = serial_executor;
  executor.max_workers = 3;
  for (int i = 0; i < N; i++)
    part[i] = (rapt_merge_part){.o = {o, {0, 0, 4 * DIM}}, .lse = {lse, {0, 0, 4}}};
  rapt_merge_args merge = {.size = sizeof merge,
                           .batch = 1,
                           .heads = 1,
                           .q_len = ROWS,
                           .head_dim = DIM,
                           .n = N,
                           .partials = part,
                           .o = {out, {0, 0, 4 * DIM}}};
  interpose_begin();
  rapt_status status = rapt_attention_merge(&merge, &executor, NULL);
  none("merge", status, interpose_end(), 0);
  FOR_EACH_ISA(isa)
  for (int named = 0; named < 2; named++) {
    rapt_softmax_args softmax = {.size = sizeof softmax,
                                 .extent = {1, 1, ROWS},
                                 .length = 1000,
                                 .x = {x, {0, 0, 4000, 4}},
                                 .y = {x, {0, 0, 4000, 4}},
                                 .isa = named ? isa : NULL};
    interpose_begin();
    status = rapt_softmax(&softmax, &executor, NULL);
    none("softmax", status, interpose_end(), !named);
  }
  interpose_begin();
  status = rapt_alibi_slopes(ROWS, 0, ROWS, slopes, NULL);
  none("slopes", status, interpose_end(), 0);
}
