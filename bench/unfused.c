/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "unfused.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "isa.h"
#include "threads.h"

const char *bench_blas_name(void) {
  static char name[64];
  snprintf(name, sizeof name, "OpenBLAS %s", openblas_get_corename());
  return name;
}

/* Floats of S and its sums, one team. */
static size_t scores_size(const bench_shape *s) {
  return ((size_t)s->kv_len + 1) * (size_t)s->q_len;
}

int bench_unfused_prepare(bench_unfused *u, const bench_shape *shape) {
  memset(u, 0, sizeof *u);
  u->shape = *shape;
  u->teams = (int64_t)shape->batch * shape->heads_q >= shape->threads ? shape->threads : 1;
  size_t scores = scores_size(shape) * (size_t)u->teams * sizeof(float);
  return bench_buffer_open(&u->scores, scores, BENCH_PAGES_HUGE);
}

void bench_unfused_release(bench_unfused *u) { bench_buffer_close(&u->scores); }

typedef struct rows_job {
  const bench_shape *shape;
  const bench_isa *isa;
  float *scores, *sums;
  int32_t parts;
} rows_job;

/* e^(score - maximum) and its sum for part `index` of the rows; what is masked becomes 0. */
static void softmax_rows(void *arg, int32_t index) {
  const rows_job *job = arg;
  const bench_shape *s = job->shape;
  int32_t begin = (int32_t)((int64_t)s->q_len * index / job->parts);
  int32_t end = (int32_t)((int64_t)s->q_len * (index + 1) / job->parts);
  for (int32_t i = begin; i < end; i++) {
    float *row = job->scores + (int64_t)i * s->kv_len;
    int32_t n = s->causal && i + 1 < s->kv_len ? i + 1 : s->kv_len;
    job->sums[i] = job->isa->softmax(row, n);
    if (n < s->kv_len) memset(row + n, 0, (size_t)(s->kv_len - n) * sizeof *row);
  }
}

static void one_head(const bench_unfused *u, int32_t b, int32_t h, float *scores, int32_t parts) {
  const bench_shape *s = &u->shape;
  int32_t hkv = (int32_t)((int64_t)h * s->heads_kv / s->heads_q);
  const float *q = u->q + bench_offset(s, s->heads_q, s->q_len, b, h, 0);
  const float *k = u->k + bench_offset(s, s->heads_kv, s->kv_len, b, hkv, 0);
  const float *v = u->v + bench_offset(s, s->heads_kv, s->kv_len, b, hkv, 0);
  float *o = u->o + bench_offset(s, s->heads_q, s->q_len, b, h, 0);
  int ld_q = (int)bench_offset(s, s->heads_q, s->q_len, 0, 0, 1);
  int ld_kv = (int)bench_offset(s, s->heads_kv, s->kv_len, 0, 0, 1);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, s->q_len, s->kv_len, s->head_dim,
              1.0f / sqrtf((float)s->head_dim), q, ld_q, k, ld_kv, 0.0f, scores, s->kv_len);
  float *sums = scores + (int64_t)s->q_len * s->kv_len;
  rows_job job = {s, bench_isa_best(), scores, sums, parts};
  bench_parallel(parts, softmax_rows, &job);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s->q_len, s->head_dim, s->kv_len, 1.0f,
              scores, s->kv_len, v, ld_kv, 0.0f, o, ld_q);
  /* Dividing here touches head_dim numbers a row, not kv_len. */
  for (int32_t i = 0; i < s->q_len; i++) {
    float scale = 1.0f / sums[i], *row = o + (int64_t)i * ld_q;
    for (int32_t d = 0; d < s->head_dim; d++) row[d] *= scale;
  }
}

static void some_heads(void *arg, int32_t index) {
  const bench_unfused *u = arg;
  const bench_shape *s = &u->shape;
  float *scores = (float *)u->scores.data + (size_t)index * scores_size(s);
  for (int32_t x = index; x < s->batch * s->heads_q; x += u->teams)
    one_head(u, x / s->heads_q, x % s->heads_q, scores, u->teams > 1 ? 1 : s->threads);
}

void bench_unfused_run(void *unfused) {
  bench_unfused *u = unfused;
  /* Inside the region of bench_parallel OpenBLAS works serially by itself. */
  openblas_set_num_threads(u->teams > 1 ? 1 : u->shape.threads);
  bench_parallel(u->teams, some_heads, u);
  openblas_set_num_threads(bench_threads_max());
}
