/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports about shapes, head groups, lengths and bounds. */
#include "bug.h"

/* Shapes that do not fit together are refused before anything is read (K at a guard page). */
RAPT_TEST(bug_18_heads_that_do_not_divide) {
  static const int32_t heads[][2] = {{3, 2}, {1, 2}, {4, 3}, {5, 0}, {-1, 1}, {2, -1}};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    problem p = problem_make(1, 1, 8, 8, 1, 3, 5);
    bug_build(&p);
    p.desc.heads_q = heads[i][0];
    p.desc.heads_kv = heads[i][1];
    rapt_status status = problem_try(&p, NULL, NULL, NULL);
    CHECK(status == RAPT_ERROR_INVALID_ARGUMENT, "heads %d/%d: status %d", heads[i][0], heads[i][1],
          status);
    CHECK_UNTOUCHED(p.buffer[TENSOR_O].data, p.buffer[TENSOR_O].bytes, "O");
    problem_free(&p);
  }
}

/* The same with V one token longer than kv_len: only kv_len tokens are read. */
RAPT_TEST(bug_18_longer_value_tensor) {
  problem p = problem_make(1, 1, 8, 8, 1, 3, 5);
  bug_build(&p);
  guard_buffer longer = guard_floats((size_t)6 * 8, GUARD_END); /* token 5 stays NaN */
  memcpy(longer.data, p.args.v.data, (size_t)5 * 32);
  p.args.v.data = longer.data;
  FOR_EACH_ISA(isa)
  if (problem_run(&p, isa, NULL))
    for (int64_t i = 0; i < 3; i++) bug_row(&p, isa, i, 2, log(5));
  problem_free(&p);
  guard_free(&longer);
}

/* Strides of dimensions of size 1 are ignored. */
RAPT_TEST(bug_19_stride_of_size_one) {
  for (int64_t wild = -987654321; wild <= 987654321; wild += 987654321) {
    problem p = problem_make(1, 1, 4, 4, 1, 1, 4);
    bug_build(&p);
    p.args.q.stride[0] = p.args.q.stride[1] = p.args.q.stride[2] = wild;
    p.args.k.stride[0] = p.args.k.stride[1] = wild * 3;
    p.args.v.stride[0] = p.args.v.stride[1] = wild * 5;
    p.args.o.stride[0] = p.args.o.stride[1] = p.args.o.stride[2] = wild;
    p.args.lse.stride[0] = p.args.lse.stride[1] = p.args.lse.stride[2] = wild;
    FOR_EACH_ISA(isa)
    if (problem_run(&p, isa, NULL)) bug_row(&p, isa, 0, 1.5, log(4));
    problem_free(&p);
  }
}

/* q of shape 7,9,0,7 ended a process with SIGFPE. */
RAPT_TEST(bug_21_zero_size_dimensions) {
  static const int32_t workers[] = {1, 2, 64};
  for (int which = 0; which < 6; which++)
    for (int w = 0; w < 3; w++)
      for (int lse = 0; lse < 2; lse++) {
        int32_t n[6] = {7, 9, 3, 5, 7, 7}; /* B, H, Sq, Skv, D, Dv */
        n[which] = 0;
        rapt_executor executor = serial_executor;
        executor.max_workers = workers[w];
        problem p = problem_make(n[1], n[1], n[4], n[5], n[0], n[2], n[3]);
        p.no_lse = !lse;
        bug_build(&p);
        FOR_EACH_ISA(isa) {
          if (which == 4) { /* D = 0: a documented error */
            rapt_status status = problem_try(&p, isa, &executor, NULL);
            CHECK(status == RAPT_ERROR_INVALID_ARGUMENT, "D = 0: status %d", status);
            CHECK_UNTOUCHED(p.buffer[TENSOR_O].data, p.buffer[TENSOR_O].bytes, "O");
          } else if (problem_run(&p, isa, &executor) && which == 3) {
            for (int32_t b = 0; b < 7; b++)
              for (int32_t h = 0; h < 9; h++)
                for (int64_t i = 0; i < 3; i++) bug_row_of(&p, isa, b, h, i, 0, BUG_EMPTY);
          }
        }
        problem_free(&p);
      }
}

/* Sequences without queries and without keys in a packed batch whose longest query is 1. */
RAPT_TEST(bug_22_packed_with_empty_sequences) {
  static const int32_t cu_q[] = {0, 1, 1, 2, 2}, cu_k[] = {0, 3, 5, 5, 5};
  for (int heads_first = 0; heads_first < 2; heads_first++) {
    problem p = problem_make(2, 1, 4, 4, 4, 1, 3);
    p.layout = heads_first ? LAYOUT_BHSD : LAYOUT_BSHD;
    p.args.q_offsets = cu_q;
    p.args.kv_offsets = cu_k;
    bug_build(&p);
    FOR_EACH_ISA(isa)
    if (problem_run(&p, isa, NULL))
      for (int32_t h = 0; h < 2; h++) {
        bug_row_of(&p, isa, 0, h, 0, 1, log(3));
        bug_row_of(&p, isa, 2, h, 0, 0, BUG_EMPTY);
      }
    problem_free(&p);
  }
}

/* Head dims that are no multiple of a vector, for keys and values, in decode and prefill. */
RAPT_TEST(bug_23_any_head_dim) {
  static const int32_t dims[] = {1,  2,  3,  5,  8,  13,  15,  16,  17,  24,  31, 33,
                                 40, 48, 72, 80, 96, 112, 128, 192, 256, 512, 576};
  for (int i = 0; i < 23; i++)
    for (int j = 0; j < 23; j += test_small() ? 5 : 1)
      for (int prefill = 0; prefill < 2; prefill++) {
        problem p = problem_make(1, 1, dims[i], dims[j], 1, prefill ? 7 : 1, 9);
        rng r = rng_make(rapt_test_seed());
        problem_build(&p, &r);
        for (int64_t n = 0; n < 9; n++)
          for (int32_t c = 0; c < dims[j]; c++) bug_set(&p, TENSOR_V, 0, 0, n, c, 1);
        FOR_EACH_ISA(isa) {
          if (!problem_run(&p, isa, NULL)) break;
          for (int64_t row = 0; row < p.args.q_len; row++)
            for (int32_t c = 0; c < dims[j]; c++) {
              float o = reference_o_row(&p.args, 0, 0, row)[c];
              CHECK(fabsf(o - 1) <= 0x1p-23f, "%s dims %d %d row %lld: %.9g", isa, dims[i], dims[j],
                    (long long)row, (double)o);
            }
        }
        problem_free(&p);
      }
}

/* Head h reads KV head h * Hkv / Hq. */
RAPT_TEST(bug_24_groups_are_blocks_of_heads) {
  static const int32_t heads[][2] = {{4, 2}, {6, 3}, {6, 2}};
  for (int n = 0; n < 3; n++)
    for (int32_t q_len = 1; q_len <= 9; q_len += 4) {
      problem p = problem_make(heads[n][0], heads[n][1], 4, 4, 1, q_len, 5);
      bug_build(&p);
      for (int32_t h = 0; h < heads[n][1]; h++)
        for (int64_t j = 0; j < 5; j++)
          for (int32_t c = 0; c < 4; c++) bug_set(&p, TENSOR_V, 0, h, j, c, (float)h);
      FOR_EACH_ISA(isa)
      if (problem_run(&p, isa, NULL))
        for (int32_t h = 0; h < heads[n][0]; h++)
          for (int64_t i = 0; i < q_len; i++) {
            int32_t kv_head = h * heads[n][1] / heads[n][0];
            bug_row_of(&p, isa, 0, h, i, kv_head, log(5));
          }
      problem_free(&p);
    }
}

/* Lengths outside of 0..capacity, in the first or only in the second sequence. */
RAPT_TEST(bug_26_length_over_capacity) {
  static const int32_t lengths[] = {-1, 0, 4, 5, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 6; i++)
    for (int32_t batch = 1; batch <= 2; batch++) {
      int32_t kv_lens[2] = {2, 2};
      problem p = problem_make(1, 1, 8, 4, batch, 1, 4);
      bug_build(&p);
      p.args.kv_lens = kv_lens;
      kv_lens[batch - 1] = lengths[i];
      FOR_EACH_ISA(isa) {
        rapt_error error = {.size = sizeof error};
        if (lengths[i] == 0 || lengths[i] == 4) {
          if (problem_run(&p, isa, NULL))
            bug_row_of(&p, isa, batch - 1, 0, 0, lengths[i] ? 1.5 : 0,
                       lengths[i] ? log(4) : BUG_EMPTY);
          continue;
        }
        rapt_status status = problem_try(&p, isa, NULL, &error);
        CHECK(status == RAPT_ERROR_INVALID_ARGUMENT, "length %d: status %d", lengths[i], status);
        CHECK(strstr(error.field, "kv_lens") != NULL, "length %d: field %s", lengths[i],
              error.field);
        CHECK_UNTOUCHED(p.buffer[TENSOR_O].data, p.buffer[TENSOR_O].bytes, "O");
      }
      problem_free(&p);
    }
}
