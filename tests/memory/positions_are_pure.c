/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rotating and adding positions allocates nothing, takes no lock and reads no environment. */
#include "interpose.h"
#include "layer/rotary.h"

RAPT_TEST(positions_are_pure) {
  enum { TOKENS = 40, DIM = 96 };
  static float x[TOKENS * DIM], memory[TOKENS * DIM];
  if (!interpose_works()) SKIP("malloc belongs to a sanitizer here");
  FOR_EACH_ISA(isa) {
    rapt_rope *rope = rotary_create((rapt_rope_desc){.head_dim = DIM}, isa);
    if (!rope) return;
    rapt_rope_table table = {.size = sizeof table};
    rapt_rope_args args = {.size = sizeof args,
                           .batch = 1,
                           .heads = 1,
                           .tokens = TOKENS,
                           .x = {x, {0, 0, 4 * DIM}},
                           .y = {x, {0, 0, 4 * DIM}}};
    const rapt_add_positions_args add = {.size = sizeof add,
                                         .tokens = TOKENS,
                                         .dim = DIM,
                                         .table_rows = TOKENS,
                                         .table = memory,
                                         .table_stride = 4 * DIM,
                                         .x = x,
                                         .x_stride = 4 * DIM};
    interpose_begin();
    int failed = rapt_rope_rotate(rope, &args, NULL, NULL) != RAPT_OK;
    failed |= rapt_rope_table_fill(rope, 0, TOKENS, memory, sizeof memory, NULL, &table, NULL) != 0;
    args.table = &table;
    failed |= rapt_rope_rotate(rope, &args, NULL, NULL) != RAPT_OK;
    failed |= rapt_sinusoidal_table(TOKENS, 0, DIM, 0, memory, 4 * DIM, NULL, NULL) != RAPT_OK;
    failed |= rapt_add_positions(&add, NULL, NULL) != RAPT_OK;
    const forbidden_calls calls = interpose_end();
    CHECK(!failed, "%s: a call was refused", isa);
    CHECK(!calls.allocate && !calls.release && !calls.lock && !calls.environment,
          "%s: %ld allocations, %ld releases, %ld locks, %ld getenv", isa, calls.allocate,
          calls.release, calls.lock, calls.environment);
    rapt_rope_destroy(rope);
  }
}
