/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Positions on executors of every temper: the bits of one thread, or an error. */
#include "executors.h"
#include "layer/rotary.h"

enum { BATCH = 3, HEADS = 8, TOKENS = 331, DIM = 64, WIDTH = 192 };

static const parallel_fn sound[] = {parallel_ascending, parallel_reversed, parallel_scrambled,
                                    parallel_threads,   parallel_late,     parallel_two};

/* Large enough that work is shared: checked by the number of workers an executor sees. */
RAPT_TEST(rope_bits_do_not_depend_on_threads) {
  rng r = rng_make(rapt_test_seed());
  rapt_rope *rope = rotary_create((rapt_rope_desc){.head_dim = DIM}, NULL);
  if (!rope) return;
  rotary_tensor x = rotary_make(BATCH, HEADS, TOKENS, DIM, ROTARY_BHSD, GUARD_END);
  rotary_tensor want = rotary_make(BATCH, HEADS, TOKENS, DIM, ROTARY_BSHD, GUARD_END);
  rotary_tensor y = rotary_make(BATCH, HEADS, TOKENS, DIM, ROTARY_BSHD, GUARD_END);
  rotary_fill(&x, &r);
  const int32_t offsets[BATCH] = {0, 77, 9}, lens[BATCH] = {TOKENS, 100, 0};
  rapt_rope_args args = rotary_args(&x, &want);
  args.offsets = offsets;
  args.lens = lens;
  rapt_executor one = executor_of(parallel_ascending, 1, NULL);
  CHECK(rapt_rope_rotate(rope, &args, &one, NULL) == RAPT_OK, "one worker");
  args.y.data = y.buffer.data;
  for (size_t i = 0; i < sizeof sound / sizeof *sound; i++)
    for (int32_t workers = 2; workers <= 9; workers += 7) {
      guard_fill_nan(&y.buffer);
      rapt_executor executor = executor_of(sound[i], workers, NULL);
      CHECK(rapt_rope_rotate(rope, &args, &executor, NULL) == RAPT_OK, "executor %zu", i);
      rotary_same(&y, &want, "threads");
    }
  call_note note = {0};
  rapt_executor noting = executor_of(parallel_noting, 5, &note);
  CHECK(rapt_rope_rotate(rope, &args, &noting, NULL) == RAPT_OK, "noting");
  CHECK(note.calls == 1 && note.largest == 5, "%d calls, %d workers", note.calls, note.largest);
  rapt_executor nobody = executor_of(parallel_nobody, 5, NULL),
                failing = executor_of(parallel_failing, 5, NULL);
  CHECK(rapt_rope_rotate(rope, &args, &nobody, NULL) == RAPT_ERROR_EXECUTOR, "nobody");
  CHECK(rapt_rope_rotate(rope, &args, &failing, NULL) == RAPT_ERROR_EXECUTOR, "failing");
  guard_free(&x.buffer);
  guard_free(&y.buffer);
  guard_free(&want.buffer);
  rapt_rope_destroy(rope);
}

RAPT_TEST(position_tables_do_not_depend_on_threads) {
  static float want[3000 * WIDTH], got[3000 * WIDTH], x[3000 * WIDTH];
  rapt_rope *rope = rotary_create((rapt_rope_desc){.head_dim = WIDTH}, NULL);
  if (!rope) return;
  rapt_executor one = executor_of(parallel_ascending, 1, NULL);
  for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
    rapt_executor executor = executor_of(sound[i], 4, NULL);
    rapt_rope_table table = {.size = sizeof table};
    CHECK(!rapt_rope_table_fill(rope, 5, 3000, want, sizeof want, &one, &table, NULL), "rope");
    memset(got, 0xff, sizeof got);
    CHECK(!rapt_rope_table_fill(rope, 5, 3000, got, sizeof got, &executor, &table, NULL), "rope");
    CHECK_BITS(got, want, 3000 * WIDTH, "rotary table, executor %zu", i);

    CHECK(!rapt_sinusoidal_table(3000, 5, WIDTH, 0, want, 4 * WIDTH, &one, NULL), "table");
    memset(got, 0xff, sizeof got);
    CHECK(!rapt_sinusoidal_table(3000, 5, WIDTH, 0, got, 4 * WIDTH, &executor, NULL), "table");
    CHECK_BITS(got, want, 3000 * WIDTH, "sinusoidal table, executor %zu", i);

    memset(x, 0, sizeof x);
    rapt_add_positions_args add = {.size = sizeof add,
                                   .tokens = 3000,
                                   .dim = WIDTH,
                                   .table_rows = 3000,
                                   .table = want,
                                   .table_stride = 4 * WIDTH,
                                   .x = x,
                                   .x_stride = 4 * WIDTH};
    CHECK(!rapt_add_positions(&add, &executor, NULL), "add");
    CHECK_BITS(x, want, 3000 * WIDTH, "addition, executor %zu", i);
  }
  rapt_executor nobody = executor_of(parallel_nobody, 5, NULL);
  CHECK(rapt_sinusoidal_table(3000, 5, WIDTH, 0, got, 4 * WIDTH, &nobody, NULL) ==
            RAPT_ERROR_EXECUTOR,
        "nobody");
  rapt_rope_destroy(rope);
}
