/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Strides above 2^31 (and 2^32) bytes between sequences, heads and tokens, in address space without
 * memory behind it. */
#include "problem.h"

enum { BATCH = 2, HEADS = 2, QUERIES = 3, KEYS = 4, DIM = 8 };

static const int64_t row_bytes = 4 * DIM;

/* Fills the rows of one input; address space is sparse, so only these become memory. */
static void fill(const rapt_const_tensor *t, int32_t tokens, rng *r) {
  for (int64_t b = 0; b < BATCH; b++)
    for (int64_t h = 0; h < HEADS; h++)
      for (int64_t i = 0; i < tokens; i++) {
        const char *row = (const char *)t->data + b * t->stride[0] + h * t->stride[1] +
                          i * t->stride[2];
        rng_fill_normal(r, problem_writable((const float *)(const void *)row), DIM, 1);
      }
}

/* The dimension `wide` of all tensors has the stride, the others are dense. */
static void run_sparse(int wide, int64_t stride) {
  if (sizeof(void *) < 8) SKIP("32-bit address space");
  int64_t tokens = KEYS, bytes = (wide == 2 ? KEYS : 2) * stride + 4096;
  void *map[5];
  problem p = problem_make(HEADS, HEADS, DIM, DIM, BATCH, QUERIES, KEYS);
  rapt_const_tensor *in[] = {&p.args.q, &p.args.k, &p.args.v};
  rapt_tensor *out[] = {&p.args.o, &p.args.lse};
  rng r = rng_make(rapt_test_seed());
  int missing = 0;
  for (int t = 0; t < 5; t++) missing |= !(map[t] = guard_sparse((size_t)bytes));
  if (!missing) {
    int64_t dense[3] = {HEADS * tokens * row_bytes, tokens * row_bytes, row_bytes};
    dense[wide] = stride;
    for (int t = 0; t < 3; t++) {
      in[t]->data = map[t];
      memcpy(in[t]->stride, dense, sizeof dense);
      fill(in[t], t ? KEYS : QUERIES, &r);
    }
    for (int t = 0; t < 2; t++) {
      out[t]->data = map[3 + t];
      memcpy(out[t]->stride, dense, sizeof dense);
    }
    FOR_EACH_ISA(isa)
    if (problem_run(&p, isa, NULL)) CHECK_ATTENTION(&p.desc, &p.args, 2e-6, "%s sparse", isa);
  }
  for (int t = 0; t < 5; t++) guard_sparse_free(map[t], (size_t)bytes);
  if (missing) SKIP("the system refuses %lld bytes of address space", (long long)bytes);
}

RAPT_TEST(sparse_batch_stride_2g) { run_sparse(0, ((int64_t)1 << 31) + 64); }
RAPT_TEST(sparse_head_stride_2g) { run_sparse(1, ((int64_t)1 << 31) + 64); }
RAPT_TEST(sparse_token_stride_2g) { run_sparse(2, ((int64_t)1 << 31) + 64); }
RAPT_TEST(sparse_batch_stride_6g) { run_sparse(0, ((int64_t)3 << 31) + 4096); }
RAPT_TEST(sparse_head_stride_6g) { run_sparse(1, ((int64_t)3 << 31) + 4096); }
RAPT_TEST(sparse_token_stride_6g) { run_sparse(2, ((int64_t)3 << 31) + 4096); }
