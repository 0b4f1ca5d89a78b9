/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Dimensions of size zero, each in turn, with 1, 2 and 64 workers, with and without LSE: success and
 * nothing written, or (no keys) empty rows; never a signal. */
#include <math.h>

#include "problem.h"

enum { ZERO_BATCH, ZERO_HEADS, ZERO_QUERIES, ZERO_KEYS, ZERO_DV, ZERO_ALL, ZEROS };

static const char *const names[ZEROS] = {"batch", "heads", "queries", "keys", "dv", "all"};

static problem zero_problem(int kind, int32_t rows) {
  problem p = problem_make(2, 1, 7, 9, 3, rows, 5);
  if (kind == ZERO_BATCH || kind == ZERO_ALL) p.args.batch = 0;
  if (kind == ZERO_HEADS || kind == ZERO_ALL) p.desc.heads_q = p.desc.heads_kv = 0;
  if (kind == ZERO_QUERIES || kind == ZERO_ALL) p.args.q_len = 0;
  if (kind == ZERO_KEYS || kind == ZERO_ALL) p.args.kv_len = 0;
  if (kind == ZERO_DV || kind == ZERO_ALL) p.desc.head_dim_v = 0;
  return p;
}

static void run_zero(int kind) {
  static const int32_t workers[] = {1, 2, 64};
  rng r = rng_make(rapt_test_seed());
  for (int w = 0; w < 3; w++)
    for (int lse = 0; lse < 2; lse++)
      for (int mask = 0; mask < 3; mask++)
        for (int32_t rows = 1; rows < 40; rows += 19) {
          problem p = zero_problem(kind, rows);
          rapt_executor executor = serial_executor;
          executor.max_workers = workers[w];
          p.no_lse = !lse;
          if (mask) p.desc.flags = RAPT_CAUSAL, p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
          if (mask == 2) p.desc.flags |= RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT;
          problem_build(&p, &r);
          char what[60];
          snprintf(what, sizeof what, "no %s, %d workers, mask %d", names[kind], workers[w], mask);
          FOR_EACH_ISA(isa)
          if (problem_run(&p, isa, &executor)) problem_compare(&p, isa, what);
          problem_free(&p);
        }
}

RAPT_TEST(zero_batch) { run_zero(ZERO_BATCH); }
RAPT_TEST(zero_heads) { run_zero(ZERO_HEADS); }
RAPT_TEST(zero_queries) { run_zero(ZERO_QUERIES); }
RAPT_TEST(zero_keys) { run_zero(ZERO_KEYS); }
RAPT_TEST(zero_head_dim_v) { run_zero(ZERO_DV); }
RAPT_TEST(zero_everything) { run_zero(ZERO_ALL); }

/* Tensors of zero elements may be NULL pointers. */
RAPT_TEST(zero_null_pointers) {
  for (int kind = 0; kind < ZEROS; kind++) {
    if (kind == ZERO_KEYS || kind == ZERO_DV || kind == ZERO_QUERIES) continue; /* K has elements */
    problem p = zero_problem(kind, 3);
    FOR_EACH_ISA(isa) problem_run(&p, isa, NULL);
  }
  problem p = zero_problem(ZERO_KEYS, 3);
  rng r = rng_make(1);
  problem_build(&p, &r);
  p.args.k.data = p.args.v.data = NULL;
  problem_verify_all(&p, "keys and values NULL");
  problem_free(&p);
}

/* Without channels V and O may be NULL beside keys; their strides lead nowhere (the sanitizers see it). */
RAPT_TEST(zero_head_dim_v_null_pointers) {
  problem p = problem_make(1, 1, 4, 0, 1, 2, 30);
  rng r = rng_make(1);
  problem_build(&p, &r);
  p.args.v = (rapt_const_tensor){NULL, {0, 0, -8}};
  p.args.o.data = NULL;
  FOR_EACH_ISA(isa) {
    rapt_error error = {.size = sizeof error};
    p.desc.isa = isa;
    CHECK(rapt_attention(&p.desc, &p.args, NULL, &error) == RAPT_OK, "%s: %s", isa, error.message);
  }
  problem_free(&p);
}

/* head_dim_qk = 0 is refused with a reason. */
RAPT_TEST(zero_head_dim_qk_is_an_error) {
  problem p = problem_make(1, 1, 0, 4, 1, 2, 3);
  rng r = rng_make(1);
  problem_build(&p, &r);
  rapt_error error = {.size = sizeof error};
  rapt_status status = problem_try(&p, NULL, NULL, &error);
  CHECK(status == RAPT_ERROR_INVALID_ARGUMENT, "status %d", status);
  CHECK(strstr(error.field, "head_dim_qk") != NULL, "field %s", error.field);
  CHECK_UNTOUCHED(p.buffer[TENSOR_O].data, p.buffer[TENSOR_O].bytes, "O");
  problem_free(&p);
}

/* All lengths zero although the tensors have room. */
RAPT_TEST(zero_lengths) {
  static const int32_t none[4];
  for (int side = 0; side < 3; side++) {
    problem p = problem_make(2, 2, 8, 8, 4, 20, 30);
    rng r = rng_make(1);
    if (side != 1) p.args.q_lens = none;
    if (side != 0) p.args.kv_lens = none;
    problem_build(&p, &r);
    problem_verify_all(&p, side == 0 ? "no queries" : side == 1 ? "no keys" : "neither");
    problem_free(&p);
  }
}
