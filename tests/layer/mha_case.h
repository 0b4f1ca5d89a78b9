/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A layer with random weights, its inputs between guard pages, and what it must answer in float64. */
#ifndef RAPT_TESTS_MHA_CASE_H
#define RAPT_TESTS_MHA_CASE_H

#include "attention/problem.h"

enum { MHA_MAX_BATCH = 8, MHA_MATRICES = 4 };

/* ||got - ref|| / ||ref|| of out, and |got - ref| per element for outputs of about unit size. Sums of a few
 * hundred products in another order than float64's. */
#define MHA_BOUND 4e-6

typedef struct mha_case {
  /* set before mha_case_create; zeros are defaults */
  int32_t embed_in, embed_source, embed_out; /* 0: as in */
  int32_t heads_q, heads_kv, dqk, dv;
  int32_t layout, fused, bias, borrow, no_output, gap; /* gap: floats behind each row of weights */
  uint32_t attention_flags;
  int32_t align, mask, window_left, window_right, window_keep;
  float softcap;
  const rapt_rope *rope;
  /* NULL, or what mha_case_reference is to take from it: mask, sinks, alibi_slopes, prefix_lens and
   * q_positions of its sequence; and where it puts, head by head, [n] log-sum-exps and [n][n_keys] weights */
  const rapt_attention_args *rules;
  double *lse, *weights;
  /* made by it: [in][out] without gaps, and as the layer gets them */
  float *weight[MHA_MATRICES], *bias_of[MHA_MATRICES];
  int32_t in[MHA_MATRICES], out[MHA_MATRICES];
  guard_buffer given[MHA_MATRICES + 1], given_bias[MHA_MATRICES + 1]; /* the last: wqkv */
  rapt_attention_desc attention;
  rapt_mha_desc desc;
  rapt_mha *mha;
} mha_case;

/* 1, or 0 after a failed check. Either way destroy it. */
int mha_case_create(mha_case *c, rng *r);
void mha_case_destroy(mha_case *c);

/* A workspace for args and workers, NaN in every byte. */
guard_buffer mha_case_workspace(const mha_case *c, const rapt_mha_args *args, int32_t workers);

/* Forward with a workspace of its own on `executor`; the status. */
rapt_status mha_case_run(const mha_case *c, const rapt_mha_args *args,
                         const rapt_executor *executor, rapt_error *error);

/* y[rows of out] = x W + b in float64 of matrix m (0..3: q, k, v, o). */
void mha_case_row(const mha_case *c, int m, const double *x, double *y);

/* A whole sequence in float64: n queries from x (stride in floats) at positions first and on, keys from
 * rows of `keys` (n_keys, stride). out[n][width of out]. The rules are those of the case with
 * RAPT_ALIGN_BOTTOM_RIGHT. No rope. */
void mha_case_reference(const mha_case *c, const float *x, int64_t x_stride, int32_t n,
                        const float *keys, int64_t key_stride, int32_t n_keys, double *out);

/* Rows of out against the reference. */
int mha_case_compare(const mha_case *c, const float *out, int64_t stride, int32_t n,
                     const double *ref, const char *what);

static inline int32_t mha_case_width(const mha_case *c) {
  return c->no_output ? c->heads_q * c->dv : c->out[3];
}

#endif
