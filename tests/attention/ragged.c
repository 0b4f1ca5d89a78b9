/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Batches of sequences of different lengths: by q_lens/kv_lens in padded tensors and by offsets in
 * packed ones. All bytes beyond a sequence's length are NaN, the buffers end at guard pages. */
#include "problem.h"

enum { BATCH = 9 };

static const int32_t q_lens[BATCH] = {1, 0, 5, 33, 2, 17, 0, 48, 4};
static const int32_t kv_lens[BATCH] = {70, 12, 0, 33, 145, 3, 0, 96, 4};
static const int32_t positions[BATCH] = {69, 0, 3, 0, 143, 0, 1000, 48, 0};

static void offsets_of(const int32_t *lens, int32_t *offsets) {
  offsets[0] = 0;
  for (int b = 0; b < BATCH; b++) offsets[b + 1] = offsets[b] + lens[b];
}

static void run_ragged(int packed_q, int packed_kv, problem_layout layout) {
  int32_t q_offsets[BATCH + 1], kv_offsets[BATCH + 1];
  offsets_of(q_lens, q_offsets);
  offsets_of(kv_lens, kv_offsets);
  rng r = rng_make(rapt_test_seed());
  for (int kind = 0; kind < 5; kind++)
    for (int wild = 0; wild < 2; wild++) {
      problem p = problem_make(4, 2, 8, 12, BATCH, 48, 145);
      p.layout = layout;
      p.wild_strides = wild;
      p.place = kind % 2 ? GUARD_START : GUARD_END;
      if (packed_q)
        p.args.q_offsets = q_offsets;
      else
        p.args.q_lens = q_lens;
      if (packed_kv)
        p.args.kv_offsets = kv_offsets;
      else
        p.args.kv_lens = kv_lens;
      static const int32_t align[] = {RAPT_ALIGN_NONE, RAPT_ALIGN_TOP_LEFT, RAPT_ALIGN_BOTTOM_RIGHT,
                                      RAPT_ALIGN_OFFSET, RAPT_ALIGN_BOTTOM_RIGHT};
      p.desc.align = align[kind];
      if (kind) p.desc.flags = RAPT_CAUSAL;
      if (kind == 3) p.args.q_positions = positions;
      if (kind == 4) p.desc.flags |= RAPT_WINDOW_LEFT, p.desc.window_left = 10;
      problem_build(&p, &r);
      char what[80];
      snprintf(what, sizeof what, "%s, packed q %d kv %d, mask %d%s", problem_layout_names[layout],
               packed_q, packed_kv, kind, wild ? " wild" : "");
      problem_verify_all(&p, what);
      problem_free(&p);
    }
}

RAPT_TEST(ragged_lengths_bhsd) { run_ragged(0, 0, LAYOUT_BHSD); }
RAPT_TEST(ragged_lengths_bshd) { run_ragged(0, 0, LAYOUT_BSHD); }
RAPT_TEST(ragged_lengths_view) { run_ragged(0, 0, LAYOUT_VIEW); }
RAPT_TEST(ragged_packed) { run_ragged(1, 1, LAYOUT_BSHD); }
RAPT_TEST(ragged_packed_heads_first) { run_ragged(1, 1, LAYOUT_BHSD); }
RAPT_TEST(ragged_packed_reversed) { run_ragged(1, 1, LAYOUT_REVERSED); }
RAPT_TEST(ragged_packed_queries) { run_ragged(1, 0, LAYOUT_BSHD); }
RAPT_TEST(ragged_packed_keys) { run_ragged(0, 1, LAYOUT_BSHD); }

/* Packed tokens need not start at 0: offsets[0] > 0 skips what lies before. */
RAPT_TEST(ragged_offsets_start_late) {
  int32_t q_offsets[] = {3, 4, 10}, kv_offsets[] = {5, 25, 31};
  rng r = rng_make(rapt_test_seed());
  problem p = problem_make(2, 2, 8, 8, 2, 6, 20);
  p.layout = LAYOUT_BSHD;
  p.args.q_offsets = q_offsets;
  p.args.kv_offsets = kv_offsets;
  problem_build(&p, &r);
  rapt_error error = {.size = sizeof error};
  rapt_status status = problem_try(&p, NULL, NULL, &error);
  if (status == RAPT_ERROR_INVALID_ARGUMENT) {
    problem_free(&p);
    SKIP("offsets[0] must be 0 here: %s", error.message);
  }
  problem_verify_all(&p, "late start");
  problem_free(&p);
}

/* Ragged keys around block and split lengths, few and many queries. */
RAPT_TEST(ragged_long_keys) {
  int32_t lens[] = {2015, 1, 2016, 144, 2017, 0, 4033, 96};
  rng r = rng_make(rapt_test_seed());
  for (int32_t q = 1; q <= 9; q += 4) {
    problem p = problem_make(1, 1, 8, 8, test_small() ? 4 : 8, q, 4033);
    p.args.kv_lens = lens;
    problem_build(&p, &r);
    problem_verify_all(&p, "long ragged keys");
    problem_free(&p);
  }
}

/* A cache of a large capacity with few valid keys: kv_lens far below kv_len. */
RAPT_TEST(ragged_capacity) {
  int32_t lens[] = {1, 2, 3, 15, 16, 17};
  rng r = rng_make(rapt_test_seed());
  for (int32_t q = 1; q <= 6; q++) {
    problem p = problem_make(2, 1, 24, 40, 6, q, 900);
    p.layout = q % 2 ? LAYOUT_BSHD : LAYOUT_BHSD;
    p.args.kv_lens = lens;
    p.desc.flags = RAPT_CAUSAL;
    p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
    problem_build(&p, &r);
    problem_verify_all(&p, "capacity");
    problem_free(&p);
  }
}
