/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/dispatch.h"
#include "platform/platform.h"
#include "threads.h"

static void strides(const bench_shape *s, int32_t heads, int32_t length, int64_t stride[3]) {
  const int64_t element = (int64_t)sizeof(float);
  stride[0] = bench_offset(s, heads, length, 1, 0, 0) * element;
  stride[1] = bench_offset(s, heads, length, 0, 1, 0) * element;
  stride[2] = bench_offset(s, heads, length, 0, 0, 1) * element;
}

static int allocate(bench_problem *p) {
  const bench_shape *s = &p->shape;
  size_t q = (size_t)s->batch * (size_t)s->heads_q * (size_t)s->q_len * (size_t)s->head_dim;
  size_t kv = (size_t)s->batch * (size_t)s->heads_kv * (size_t)s->kv_len * (size_t)s->head_dim;
  if (bench_buffer_open(&p->q, q * sizeof(float), s->pages) != 0 ||
      bench_buffer_open(&p->kv, 2 * kv * sizeof(float), s->pages) != 0 ||
      bench_buffer_open(&p->o, q * sizeof(float), s->pages) != 0)
    return -1;
  bench_fill(&p->q, 1, s->threads);
  bench_fill(&p->kv, 2, s->threads);
  bench_fill(&p->o, 3, s->threads);
  return 0;
}

/* The instruction set of the kernel set called `name`. */
static const char *isa_of(const char *name) {
  for (int32_t i = 0; i < rapt_kernel_sets_count(); i++)
    if (strcmp(rapt_kernel_sets_get(i)->name, name) == 0) return rapt_kernel_sets_get(i)->isa;
  return "";
}

static int plan(bench_problem *p, rapt_error *error) {
  const bench_shape *s = &p->shape;
  rapt_attention_desc desc = {
      .size = sizeof desc,
      .flags = s->causal ? RAPT_CAUSAL : 0,
      .heads_q = s->heads_q,
      .heads_kv = s->heads_kv,
      .head_dim_qk = s->head_dim,
      .head_dim_v = s->head_dim,
      .align = s->causal ? RAPT_ALIGN_TOP_LEFT : RAPT_ALIGN_NONE,
  };
  bench_rules_describe(&p->rules, &desc);
  p->info.size = sizeof p->info;
  if (rapt_plan_create(&desc, &p->plan, error) != RAPT_OK) return -1;
  if (rapt_plan_get_info(p->plan, &p->info, error) != RAPT_OK) return -1;
  int64_t rows = (int64_t)s->q_len * (s->heads_q / s->heads_kv);
  p->set = rows <= p->info.decode_rows ? p->info.decode_set : p->info.prefill_set;
  p->isa = bench_isa_find(isa_of(p->set));

  p->args = (rapt_attention_args){
      .size = sizeof p->args,
      .batch = s->batch,
      .q_len = s->q_len,
      .kv_len = s->kv_len,
      .q = {.data = bench_q(p)},
      .k = {.data = bench_k(p)},
      .v = {.data = bench_v(p)},
      .o = {.data = p->o.data},
  };
  strides(s, s->heads_q, s->q_len, p->args.q.stride);
  strides(s, s->heads_kv, s->kv_len, p->args.k.stride);
  strides(s, s->heads_kv, s->kv_len, p->args.v.stride);
  strides(s, s->heads_q, s->q_len, p->args.o.stride);
  bench_rules_apply(&p->rules, &p->args);

  rapt_workspace_info need = {.size = sizeof need};
  if (rapt_plan_workspace(p->plan, &p->args, s->threads, &need, error) != RAPT_OK) return -1;
  p->workspace_bytes = (size_t)need.bytes;
  p->workspace = rapt_memory_get(NULL, p->workspace_bytes, 64);
  if (!p->workspace && p->workspace_bytes) {
    snprintf(error->message, sizeof error->message, "no memory for the workspace");
    return -1;
  }
  bench_executor(s->threads, &p->executor);
  return 0;
}

int bench_problem_open(bench_problem *p, const bench_shape *shape, char *why, size_t size) {
  return bench_problem_open_ruled(p, shape, BENCH_RULE_NONE, why, size);
}

int bench_problem_open_ruled(bench_problem *p, const bench_shape *shape, bench_rule rule, char *why,
                             size_t size) {
  memset(p, 0, sizeof *p);
  p->shape = *shape;
  if (bench_rules_open(&p->rules, rule, shape) != 0 || allocate(p) != 0) {
    snprintf(why, size, "no memory for the tensors");
    return -1;
  }
  rapt_error error = {.size = sizeof error};
  if (plan(p, &error) != 0) {
    snprintf(why, size, "%s: %s", error.field, error.message);
    return -1;
  }
  if (!p->isa) {
    snprintf(why, size, "no anchor for the kernel set %s", p->set);
    return -1;
  }
  return bench_problem_verify(p, why, size);
}

void bench_problem_close(bench_problem *p) {
  if (p->workspace) rapt_memory_put(NULL, p->workspace, p->workspace_bytes, 64);
  rapt_plan_destroy(p->plan);
  bench_buffer_close(&p->q);
  bench_buffer_close(&p->kv);
  bench_buffer_close(&p->o);
  bench_rules_close(&p->rules);
  memset(p, 0, sizeof *p);
}

void bench_problem_run(void *problem) {
  bench_problem *p = problem;
  rapt_status status = rapt_attention_run(p->plan, &p->args, p->workspace, p->workspace_bytes,
                                          &p->executor, NULL);
  if (status != RAPT_OK) p->status = status;
}

int bench_problem_verify(bench_problem *p, char *why, size_t size) {
  bench_problem_run(p);
  if (p->status != RAPT_OK) {
    snprintf(why, size, "run: %s", rapt_status_string(p->status));
    return -1;
  }
  return bench_problem_compare(p, p->o.data, why, size);
}

/* One row in float64: `weights` gets one for each of n keys, `row` head_dim values. *slack: what float32
 * may be off by. Returns n. */
static int32_t reference(const bench_problem *p, int32_t b, int32_t h, int32_t i, double *weights,
                         double *row, double *slack) {
  const bench_shape *s = &p->shape;
  int32_t hkv = (int32_t)((int64_t)h * s->heads_kv / s->heads_q);
  int32_t n = s->causal && i + 1 < s->kv_len ? i + 1 : s->kv_len;
  const float *q = bench_q(p) + bench_offset(s, s->heads_q, s->q_len, b, h, i);
  const double sink = bench_rules_sink(&p->rules, h);
  double maximum = sink;
  for (int32_t j = 0; j < n; j++) {
    const float *k = bench_k(p) + bench_offset(s, s->heads_kv, s->kv_len, b, hkv, j);
    double dot = 0;
    for (int32_t d = 0; d < s->head_dim; d++) dot += (double)q[d] * k[d];
    weights[j] = bench_rules_score(&p->rules, h, i, j, dot / sqrt(s->head_dim));
    if (weights[j] > maximum) maximum = weights[j];
  }
  /* ALiBi far from the query: a score of 1000 is itself rounded by 6e-5, and its weight with it. */
  *slack = 5e-6 + ldexp(fabs(maximum), -23);
  double sum = exp(sink - maximum);
  for (int32_t j = 0; j < n; j++) sum += weights[j] = exp(weights[j] - maximum);
  memset(row, 0, (size_t)s->head_dim * sizeof *row);
  for (int32_t j = 0; j < n; j++) {
    const float *v = bench_v(p) + bench_offset(s, s->heads_kv, s->kv_len, b, hkv, j);
    weights[j] /= sum;
    for (int32_t d = 0; d < s->head_dim; d++) row[d] += weights[j] * v[d];
  }
  return n;
}

/* The weights given out for this row, if any, against n of them and zeros. */
static int compare_weights(const bench_problem *p, int32_t b, int32_t h, int32_t i,
                           const double *weights, int32_t n, char *why, size_t size) {
  const float *got = bench_rules_weights(&p->rules, b, h, i);
  for (int32_t j = 0; got && j < p->shape.kv_len; j++) {
    const double exact = j < n ? weights[j] : 0;
    if (fabs(got[j] - exact) <= 1e-8 + 1e-5 * exact) continue;
    snprintf(why, size, "wrong weight: b %d, head %d, token %d, key %d is %.9g, not %.9g", (int)b,
             (int)h, (int)i, (int)j, (double)got[j], exact);
    return -1;
  }
  return 0;
}

int bench_problem_compare(const bench_problem *p, const float *o, char *why, size_t size) {
  const bench_shape *s = &p->shape;
  const int32_t batches[] = {0, s->batch - 1};
  const int32_t heads[] = {0, s->heads_q / 2, s->heads_q - 1};
  const int32_t tokens[] = {0, s->q_len / 3, s->q_len - 1};
  double *weights = malloc(((size_t)s->kv_len + (size_t)s->head_dim) * sizeof *weights);
  if (!weights) {
    snprintf(why, size, "no memory for the check");
    return -1;
  }
  double *row = weights + s->kv_len;
  int result = 0;
  for (int32_t x = 0; x < 18 && result == 0; x++) {
    int32_t b = batches[x / 9], h = heads[x / 3 % 3], i = tokens[x % 3];
    const float *got = o + bench_offset(s, s->heads_q, s->q_len, b, h, i);
    double slack;
    int32_t n = reference(p, b, h, i, weights, row, &slack);
    result = compare_weights(p, b, h, i, weights, n, why, size);
    const double divisor = bench_rules_divisor(&p->rules, b, h, i);
    for (int32_t d = 0; d < s->head_dim && result == 0; d++)
      if (!(fabs(got[d] / divisor - row[d]) <= slack + slack * fabs(row[d]))) {
        snprintf(why, size, "wrong result: b %d, head %d, token %d, channel %d is %.9g, not %.9g",
                 (int)b, (int)h, (int)i, (int)d, got[d] / divisor, row[d]);
        result = -1;
      }
  }
  free(weights);
  return result;
}
