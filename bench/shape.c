/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shape.h"

static double pairs(const bench_shape *s) {
  if (!s->causal) return (double)s->q_len * s->kv_len;
  double sum = 0;
  for (int32_t i = 0; i < s->q_len; i++) sum += i + 1 < s->kv_len ? i + 1 : s->kv_len;
  return sum;
}

double bench_flops(const bench_shape *s) {
  return 4.0 * s->batch * s->heads_q * s->head_dim * pairs(s);
}

double bench_kv_bytes(const bench_shape *s) {
  return 2.0 * (double)sizeof(float) * s->batch * s->heads_kv * s->head_dim * s->kv_len;
}

int64_t bench_offset(const bench_shape *s, int32_t heads, int32_t length, int32_t b, int32_t h,
                     int32_t token) {
  int64_t at = s->bshd ? ((int64_t)b * length + token) * heads + h
                       : ((int64_t)b * heads + h) * length + token;
  return at * s->head_dim;
}
