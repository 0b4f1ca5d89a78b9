/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One call of the layer (rapt_mha_forward), and the same layer by other means: products handed to
 * OpenBLAS whole, with its own threads, around the unfused path. */
#ifndef RAPT_BENCH_LAYER_H
#define RAPT_BENCH_LAYER_H

#include <rapt/rapt.h>

#include "anchors.h"
#include "unfused.h"

typedef struct bench_layer {
  bench_shape shape;    /* of the attention inside; bshd */
  int32_t embed;        /* of x and out: heads_q * head_dim */
  bench_buffer weights; /* wq, wk, wv, wo, [in][out]; the layer borrows them */
  bench_buffer x, out;
  bench_buffer kv;            /* decode: K and V of the cache */
  bench_buffer q, k, v, o, y; /* of the unfused one */
  bench_unfused unfused;
  rapt_mha *mha;
  rapt_mha_cache cache;
  int32_t length;
  rapt_mha_args args;
  void *workspace;
  size_t workspace_bytes;
  rapt_executor executor;
  const bench_isa *isa;
  const char *set;
  int32_t status;
} bench_layer;

/* decode: one token, kv_len - 1 in the cache. 0, or -1 with the reason; either way close it. The two ways
 * have been compared then. */
int bench_layer_open(bench_layer *l, const bench_shape *shape, char *why, size_t size);
void bench_layer_close(bench_layer *l);

void bench_layer_run(void *layer);
void bench_layer_unfused_run(void *layer);

double bench_layer_flops(const bench_layer *l); /* products and attention */
double bench_layer_bytes(const bench_layer *l); /* weights and cache, once */

#endif
