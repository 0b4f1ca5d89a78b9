/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "layer.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dispatch/dispatch.h"
#include "platform/platform.h"
#include "threads.h"

static int64_t wide_kv(const bench_layer *l) {
  return (int64_t)l->shape.heads_kv * l->shape.head_dim;
}

static float *weight(const bench_layer *l, int m) {
  int64_t e = l->embed, at[] = {0, e * e, e * (e + wide_kv(l)), e * (e + 2 * wide_kv(l))};
  return (float *)l->weights.data + at[m];
}

double bench_layer_flops(const bench_layer *l) {
  double rows = (double)l->shape.batch * l->shape.q_len;
  return 4 * rows * l->embed * ((double)l->embed + (double)wide_kv(l)) + bench_flops(&l->shape);
}

double bench_layer_bytes(const bench_layer *l) {
  return (double)l->weights.bytes + (l->shape.q_len == 1 ? bench_kv_bytes(&l->shape) : 0);
}

static int allocate(bench_layer *l) {
  const bench_shape *s = &l->shape;
  const size_t f = sizeof(float), e = (size_t)l->embed, n = (size_t)s->batch * (size_t)s->q_len;
  const size_t keys = (size_t)s->batch * (size_t)s->kv_len * (size_t)wide_kv(l);
  int32_t decode = s->q_len == 1;
  if (bench_buffer_open(&l->weights, 2 * e * (e + (size_t)wide_kv(l)) * f, BENCH_PAGES_HUGE) ||
      bench_buffer_open(&l->x, n * e * f, BENCH_PAGES_HUGE) ||
      bench_buffer_open(&l->out, n * e * f, BENCH_PAGES_HUGE) ||
      bench_buffer_open(&l->kv, decode ? 2 * keys * f : f, BENCH_PAGES_HUGE))
    return -1;
  bench_fill(&l->weights, 1, s->threads);
  bench_fill(&l->x, 2, s->threads);
  bench_fill(&l->kv, 3, s->threads);
  const float scale = 1 / sqrtf((float)l->embed);
  for (size_t i = 0; i < l->weights.bytes / f; i++) ((float *)l->weights.data)[i] *= scale;
  if (decode) return 0;
  return bench_buffer_open(&l->q, n * e * f, BENCH_PAGES_HUGE) ||
                 bench_buffer_open(&l->k, keys * f, BENCH_PAGES_HUGE) ||
                 bench_buffer_open(&l->v, keys * f, BENCH_PAGES_HUGE) ||
                 bench_buffer_open(&l->o, n * e * f, BENCH_PAGES_HUGE) ||
                 bench_buffer_open(&l->y, n * e * f, BENCH_PAGES_HUGE) ||
                 bench_unfused_prepare(&l->unfused, s)
             ? -1
             : 0;
}

static int create(bench_layer *l, rapt_error *error) {
  const bench_shape *s = &l->shape;
  rapt_attention_desc attention = {.size = sizeof attention,
                                   .flags = s->causal ? RAPT_CAUSAL : 0,
                                   .heads_q = s->heads_q,
                                   .heads_kv = s->heads_kv,
                                   .head_dim_qk = s->head_dim,
                                   .head_dim_v = s->head_dim,
                                   .align = s->causal ? RAPT_ALIGN_BOTTOM_RIGHT : RAPT_ALIGN_NONE};
  rapt_mha_desc desc = {.size = sizeof desc,
                        .flags = RAPT_MHA_BORROW,
                        .embed_in = l->embed,
                        .wq = {.data = weight(l, 0)},
                        .wk = {.data = weight(l, 1)},
                        .wv = {.data = weight(l, 2)},
                        .wo = {.data = weight(l, 3)},
                        .attention = &attention};
  rapt_plan_info info = {.size = sizeof info};
  if (rapt_plan_check(&attention, &info, error) || rapt_mha_create(&desc, &l->mha, error))
    return -1;
  for (int32_t i = 0; i < rapt_kernel_sets_count(); i++)
    if (strcmp(rapt_kernel_sets_get(i)->name, info.prefill_set) == 0) {
      l->set = rapt_kernel_sets_get(i)->name;
      l->isa = bench_isa_find(rapt_kernel_sets_get(i)->isa);
    }
  const int64_t row = l->embed * (int64_t)sizeof(float);
  l->args = (rapt_mha_args){.size = sizeof l->args,
                            .batch = s->batch,
                            .q_len = s->q_len,
                            .x = l->x.data,
                            .out = l->out.data,
                            .x_stride = {s->q_len * row, row},
                            .out_stride = {s->q_len * row, row}};
  if (s->q_len == 1) {
    const int64_t head = s->head_dim * (int64_t)sizeof(float), token = s->heads_kv * head;
    rapt_tensor k = {l->kv.data, {s->kv_len * token, head, token}}, v = k;
    v.data = (char *)l->kv.data + l->kv.bytes / 2;
    l->length = s->kv_len - 1;
    l->cache = (rapt_mha_cache){
        .size = sizeof l->cache, .capacity = s->kv_len, .k = k, .v = v, .lengths = &l->length};
    l->args.cache = &l->cache;
  }
  rapt_workspace_info need = {.size = sizeof need};
  if (rapt_mha_workspace(l->mha, &l->args, s->threads, &need, error)) return -1;
  l->workspace_bytes = (size_t)need.bytes;
  l->workspace = rapt_memory_get(NULL, l->workspace_bytes, 64);
  bench_executor(s->threads, &l->executor);
  return l->workspace && l->isa ? 0 : -1;
}

static int compare(bench_layer *l, char *why, size_t size) {
  const float *a = l->out.data, *b = l->y.data;
  for (size_t i = 0; i < l->out.bytes / sizeof *a; i++)
    if (!(fabs((double)a[i] - (double)b[i]) <= 2e-5 + 2e-5 * fabs((double)b[i]))) {
      snprintf(why, size, "number %zu is %.9g, the unfused layer says %.9g", i, (double)a[i],
               (double)b[i]);
      return -1;
    }
  return 0;
}

int bench_layer_open(bench_layer *l, const bench_shape *shape, char *why, size_t size) {
  rapt_error error = {.size = sizeof error};
  memset(l, 0, sizeof *l);
  l->shape = *shape;
  l->embed = shape->heads_q * shape->head_dim;
  snprintf(why, size, "no memory");
  if (allocate(l) != 0) return -1;
  if (create(l, &error) != 0) {
    snprintf(why, size, "%s: %s", error.field, error.message);
    return -1;
  }
  bench_layer_run(l);
  if (l->status) {
    snprintf(why, size, "forward: %s", rapt_status_string(l->status));
    return -1;
  }
  if (shape->q_len == 1) return 0;
  bench_layer_unfused_run(l);
  return compare(l, why, size);
}

void bench_layer_close(bench_layer *l) {
  bench_buffer *all[] = {&l->weights, &l->x, &l->out, &l->kv, &l->q, &l->k, &l->v, &l->o, &l->y};
  if (l->workspace) rapt_memory_put(NULL, l->workspace, l->workspace_bytes, 64);
  rapt_mha_destroy(l->mha);
  bench_unfused_release(&l->unfused);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) bench_buffer_close(all[i]);
  memset(l, 0, sizeof *l);
}

void bench_layer_run(void *layer) {
  bench_layer *l = layer;
  rapt_status status = rapt_mha_forward(l->mha, &l->args, l->workspace, l->workspace_bytes,
                                        &l->executor, NULL);
  if (status) l->status = status;
}

static void product(const bench_layer *l, int m, const void *x, void *y) {
  int n = (int)(m == 1 || m == 2 ? wide_kv(l) : l->embed);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, l->shape.batch * l->shape.q_len, n,
              l->embed, 1.0f, x, l->embed, weight(l, m), n, 0.0f, y, n);
}

void bench_layer_unfused_run(void *layer) {
  bench_layer *l = layer;
  openblas_set_num_threads(l->shape.threads);
  product(l, 0, l->x.data, l->q.data);
  product(l, 1, l->x.data, l->k.data);
  product(l, 2, l->x.data, l->v.data);
  l->unfused.q = l->q.data;
  l->unfused.k = l->k.data;
  l->unfused.v = l->v.data;
  l->unfused.o = l->o.data;
  bench_unfused_run(&l->unfused);
  openblas_set_num_threads(l->shape.threads);
  product(l, 3, l->o.data, l->y.data);
  openblas_set_num_threads(bench_threads_max());
}
