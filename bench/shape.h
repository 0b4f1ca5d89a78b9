/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sizes of one attention call, and what follows from them alone. */
#ifndef RAPT_BENCH_SHAPE_H
#define RAPT_BENCH_SHAPE_H

#include <stdint.h>

typedef struct bench_shape {
  int32_t batch, heads_q, heads_kv, head_dim;
  int32_t q_len, kv_len;
  int32_t causal; /* top left */
  int32_t bshd;   /* [batch][token][head][channel], else [batch][head][token][channel] */
  int32_t pages;  /* BENCH_PAGES_* */
  int32_t threads;
} bench_shape;

/* 4 * batch * heads_q * pairs * head_dim; causal counts only the permitted pairs. */
double bench_flops(const bench_shape *shape);

/* K and V, once. */
double bench_kv_bytes(const bench_shape *shape);

/* Floats from the start of a tensor with `heads` heads of `length` tokens to one token. */
int64_t bench_offset(const bench_shape *s, int32_t heads, int32_t length, int32_t b, int32_t h,
                     int32_t token);

#endif
