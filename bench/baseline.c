/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L
#include "baseline.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dispatch/dispatch.h"

/* OpenBLAS reads its environment when it is loaded, so a change means starting over. */
void bench_blas_open(char **argv) {
  const char *marker = "RAPT_BENCH_BLAS";
  if (getenv(marker)) return;
  setenv(marker, "chosen", 1);
  if (getenv("OPENBLAS_CORETYPE") || getenv("OPENBLAS_L2_SIZE")) {
    unsetenv("OPENBLAS_CORETYPE");
    unsetenv("OPENBLAS_L2_SIZE");
    unsetenv(marker);
    execv("/proc/self/exe", argv);
  }
  const char *core = openblas_get_corename();
  rapt_features avx512 = rapt_level_by_name("avx512");
  if (avx512 == 0 || (rapt_features_here() & avx512) != avx512) return;
  if (strcmp(core, "Haswell") == 0 || strcmp(core, "Zen") == 0) {
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
    execv("/proc/self/exe", argv);
  }
}

int bench_baseline_open(bench_baseline *b, const bench_problem *p, char *why, size_t size) {
  memset(b, 0, sizeof *b);
  if (bench_unfused_prepare(&b->unfused, &p->shape) != 0 ||
      bench_buffer_open(&b->o, p->o.bytes, p->shape.pages) != 0) {
    snprintf(why, size, "no memory for the matrix of scores");
    return -1;
  }
  b->unfused.q = bench_q(p);
  b->unfused.k = bench_k(p);
  b->unfused.v = bench_v(p);
  b->unfused.o = b->o.data;
  bench_unfused_run(&b->unfused);
  return bench_problem_compare(p, b->o.data, why, size);
}

void bench_baseline_close(bench_baseline *b) {
  bench_unfused_release(&b->unfused);
  bench_buffer_close(&b->o);
}

void bench_naive(const bench_problem *p, float *scores, float *o) {
  const bench_shape *s = &p->shape;
  const float scale = 1.0f / sqrtf((float)s->head_dim);
  for (int32_t b = 0; b < s->batch; b++)
    for (int32_t h = 0; h < s->heads_q; h++)
      for (int32_t i = 0; i < s->q_len; i++) {
        int32_t hkv = (int32_t)((int64_t)h * s->heads_kv / s->heads_q);
        int32_t n = s->causal && i + 1 < s->kv_len ? i + 1 : s->kv_len;
        const float *q = bench_q(p) + bench_offset(s, s->heads_q, s->q_len, b, h, i);
        float *row = o + bench_offset(s, s->heads_q, s->q_len, b, h, i);
        float maximum = -INFINITY, sum = 0;
        for (int32_t j = 0; j < n; j++) {
          const float *k = bench_k(p) + bench_offset(s, s->heads_kv, s->kv_len, b, hkv, j);
          float dot = 0;
          for (int32_t d = 0; d < s->head_dim; d++) dot += q[d] * k[d];
          scores[j] = dot * scale;
          if (scores[j] > maximum) maximum = scores[j];
        }
        for (int32_t d = 0; d < s->head_dim; d++) row[d] = 0;
        for (int32_t j = 0; j < n; j++) {
          const float *v = bench_v(p) + bench_offset(s, s->heads_kv, s->kv_len, b, hkv, j);
          float w = expf(scores[j] - maximum);
          sum += w;
          for (int32_t d = 0; d < s->head_dim; d++) row[d] += w * v[d];
        }
        for (int32_t d = 0; d < s->head_dim; d++) row[d] /= sum;
      }
}
