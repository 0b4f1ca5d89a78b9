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

/* Rows of S. */
static int32_t rows_of(const bench_unfused *u) { return u->shape.q_len * u->group; }

/* Floats of S and its sums, one team. */
static size_t scores_size(const bench_unfused *u) {
  return ((size_t)u->shape.kv_len + 1) * (size_t)rows_of(u);
}

/* Products of all heads. */
static int32_t products(const bench_unfused *u) {
  return u->shape.batch * u->shape.heads_q / u->group;
}

int bench_unfused_prepare(bench_unfused *u, const bench_shape *shape) {
  memset(u, 0, sizeof *u);
  u->shape = *shape;
  u->group = shape->q_len == 1 && !shape->causal ? shape->heads_q / shape->heads_kv : 1;
  u->teams = products(u) >= shape->threads ? shape->threads : 1;
  size_t scores = scores_size(u) * (size_t)u->teams * sizeof(float);
  return bench_buffer_open(&u->scores, scores, BENCH_PAGES_HUGE);
}

void bench_unfused_release(bench_unfused *u) { bench_buffer_close(&u->scores); }

typedef struct rows_job {
  const bench_shape *shape;
  const bench_isa *isa;
  float *scores, *sums;
  int32_t rows, parts;
} rows_job;

/* e^(score - maximum) and its sum for part `index` of the rows; what is masked becomes 0. */
static void softmax_rows(void *arg, int32_t index) {
  const rows_job *job = arg;
  const bench_shape *s = job->shape;
  int32_t begin = (int32_t)((int64_t)job->rows * index / job->parts);
  int32_t end = (int32_t)((int64_t)job->rows * (index + 1) / job->parts);
  for (int32_t i = begin; i < end; i++) {
    float *row = job->scores + (int64_t)i * s->kv_len;
    int32_t n = s->causal && i + 1 < s->kv_len ? i + 1 : s->kv_len;
    job->sums[i] = job->isa->softmax(row, n);
    if (n < s->kv_len) memset(row + n, 0, (size_t)(s->kv_len - n) * sizeof *row);
  }
}

/* C = scale * A B, or A B^T; a single row has a routine of its own, twice as fast. */
static void multiply(enum CBLAS_TRANSPOSE b_is, int rows, int columns, int inner, float scale,
                     const float *a, int ld_a, const float *b, int ld_b, float *c, int ld_c) {
  if (rows > 1)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, b_is, rows, columns, inner, scale, a, ld_a, b, ld_b,
                0.0f, c, ld_c);
  else if (b_is == CblasTrans)
    cblas_sgemv(CblasRowMajor, CblasNoTrans, columns, inner, scale, b, ld_b, a, 1, 0.0f, c, 1);
  else
    cblas_sgemv(CblasRowMajor, CblasTrans, inner, columns, scale, b, ld_b, a, 1, 0.0f, c, 1);
}

/* Query head h and, if they are grouped, those after it. */
static void one_product(const bench_unfused *u, int32_t b, int32_t h, float *scores,
                        int32_t parts) {
  const bench_shape *s = &u->shape;
  int32_t hkv = (int32_t)((int64_t)h * s->heads_kv / s->heads_q);
  const float *q = u->q + bench_offset(s, s->heads_q, s->q_len, b, h, 0);
  const float *k = u->k + bench_offset(s, s->heads_kv, s->kv_len, b, hkv, 0);
  const float *v = u->v + bench_offset(s, s->heads_kv, s->kv_len, b, hkv, 0);
  float *o = u->o + bench_offset(s, s->heads_q, s->q_len, b, h, 0);
  const int rows = rows_of(u), grouped = u->group > 1;
  int ld_q = (int)bench_offset(s, s->heads_q, s->q_len, 0, grouped, !grouped);
  int ld_kv = (int)bench_offset(s, s->heads_kv, s->kv_len, 0, 0, 1);
  multiply(CblasTrans, rows, s->kv_len, s->head_dim, 1.0f / sqrtf((float)s->head_dim), q, ld_q, k,
           ld_kv, scores, s->kv_len);
  float *sums = scores + (int64_t)rows * s->kv_len;
  rows_job job = {s, bench_isa_best(), scores, sums, rows, parts};
  bench_parallel(parts, softmax_rows, &job);
  multiply(CblasNoTrans, rows, s->head_dim, s->kv_len, 1.0f, scores, s->kv_len, v, ld_kv, o, ld_q);
  /* Dividing here touches head_dim numbers a row, not kv_len. */
  for (int32_t i = 0; i < rows; i++) {
    float scale = 1.0f / sums[i], *row = o + (int64_t)i * ld_q;
    for (int32_t d = 0; d < s->head_dim; d++) row[d] *= scale;
  }
}

static void some_products(void *arg, int32_t index) {
  const bench_unfused *u = arg;
  const bench_shape *s = &u->shape;
  float *scores = (float *)u->scores.data + (size_t)index * scores_size(u);
  for (int32_t x = index; x < products(u); x += u->teams)
    one_product(u, x * u->group / s->heads_q, x * u->group % s->heads_q, scores,
                u->teams > 1 ? 1 : s->threads);
}

void bench_unfused_run(void *unfused) {
  bench_unfused *u = unfused;
  /* Inside the region of bench_parallel OpenBLAS works serially by itself. */
  openblas_set_num_threads(u->teams > 1 ? 1 : u->shape.threads);
  bench_parallel(u->teams, some_products, u);
  openblas_set_num_threads(bench_threads_max());
}
