/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mha_case.h"

#include <math.h>

static float *floats(size_t n) {
  float *p = malloc((n + 1) * sizeof *p);
  if (!p) exit(2);
  return p;
}

static float *random_floats(rng *r, size_t n, double sigma) {
  float *p = floats(n);
  rng_fill_normal(r, p, n, sigma);
  return p;
}

/* Columns column .. column + out-1 of a given matrix of `width` columns. */
static void give(const mha_case *c, int m, guard_buffer *to, guard_buffer *bias, int32_t column,
                 int32_t width) {
  float *w = to->data, *b = bias->data;
  for (int32_t i = 0; i < c->in[m]; i++)
    for (int32_t o = 0; o < c->out[m]; o++) {
      int64_t at = c->layout == RAPT_WEIGHTS_OUT_IN
                       ? (int64_t)(column + o) * (c->in[m] + c->gap) + i
                       : (int64_t)i * (width + c->gap) + column + o;
      w[at] = c->weight[m][(int64_t)i * c->out[m] + o];
    }
  for (int32_t o = 0; c->bias && o < c->out[m]; o++) b[column + o] = c->bias_of[m][o];
}

static void give_all(mha_case *c) {
  int32_t first = c->fused ? 3 : 0, column = 0;
  rapt_weights *fields[] = {&c->desc.wq, &c->desc.wk, &c->desc.wv, &c->desc.wo, &c->desc.wqkv};
  for (int m = first; m <= MHA_MATRICES - !c->fused; m++) {
    if (m == 3 && c->no_output) continue;
    int32_t in = m == 4 ? c->in[0] : c->in[m];
    int32_t out = m == 4 ? c->out[0] + c->out[1] + c->out[2] : c->out[m];
    int32_t rows = c->layout == RAPT_WEIGHTS_OUT_IN ? out : in;
    int32_t row = (c->layout == RAPT_WEIGHTS_OUT_IN ? in : out) + c->gap;
    size_t n = (size_t)rows * (size_t)row - (size_t)c->gap; /* no gap behind the last row */
    c->given[m] = guard_floats(n, GUARD_END);
    c->given_bias[m] = guard_floats(c->bias ? (size_t)out : 0, GUARD_END);
    if (m < 4) give(c, m, &c->given[m], &c->given_bias[m], 0, out);
    for (int i = 0; m == 4 && i < 3; column += c->out[i++])
      give(c, i, &c->given[m], &c->given_bias[m], column, out);
    *fields[m] = (rapt_weights){.data = c->given[m].data,
                                .stride = c->gap ? row * (int64_t)sizeof(float) : 0,
                                .bias = c->bias ? c->given_bias[m].data : NULL};
    guard_read_only(&c->given[m]);
  }
}

int mha_case_create(mha_case *c, rng *r) {
  if (!c->embed_source) c->embed_source = c->embed_in;
  if (!c->embed_out) c->embed_out = c->embed_in;
  const int32_t in[] = {c->embed_in, c->embed_source, c->embed_source, c->heads_q * c->dv};
  const int32_t out[] = {c->heads_q * c->dqk, c->heads_kv * c->dqk, c->heads_kv * c->dv,
                         c->embed_out};
  c->attention = (rapt_attention_desc){.size = sizeof c->attention,
                                       .flags = c->attention_flags,
                                       .heads_q = c->heads_q,
                                       .heads_kv = c->heads_kv,
                                       .head_dim_qk = c->dqk,
                                       .head_dim_v = c->dv,
                                       .align = c->align,
                                       .mask = c->mask,
                                       .softcap = c->softcap,
                                       .window_left = c->window_left,
                                       .window_right = c->window_right,
                                       .window_keep = c->window_keep};
  c->desc = (rapt_mha_desc){.size = sizeof c->desc,
                            .flags = c->borrow ? RAPT_MHA_BORROW : 0,
                            .layout = c->layout,
                            .embed_in = c->embed_in,
                            .embed_source = c->embed_source,
                            .embed_out = c->no_output ? 0 : c->embed_out,
                            .attention = &c->attention,
                            .rope = c->rope};
  for (int m = 0; m < MHA_MATRICES; m++) {
    c->in[m] = in[m];
    c->out[m] = out[m];
    c->weight[m] = random_floats(r, (size_t)in[m] * (size_t)out[m], 1 / sqrt(in[m]));
    c->bias_of[m] = random_floats(r, (size_t)out[m], 0.5);
  }
  give_all(c);
  rapt_error error = {.size = sizeof error};
  int ok = CHECK(rapt_mha_create(&c->desc, &c->mha, &error) == RAPT_OK, "create: %s %s",
                 error.field, error.message);
  /* A copy must not look back. */
  for (int m = 0; ok && !c->borrow && m <= MHA_MATRICES; m++)
    if (c->given[m].map) guard_free(&c->given[m]), c->given[m].map = NULL;
  return ok;
}

void mha_case_destroy(mha_case *c) {
  rapt_mha_destroy(c->mha);
  for (int m = 0; m < MHA_MATRICES; m++) {
    free(c->weight[m]);
    free(c->bias_of[m]);
  }
  for (int m = 0; m <= MHA_MATRICES; m++) {
    if (c->given[m].map) guard_free(&c->given[m]);
    if (c->given_bias[m].map) guard_free(&c->given_bias[m]);
  }
}

guard_buffer mha_case_workspace(const mha_case *c, const rapt_mha_args *args, int32_t workers) {
  rapt_workspace_info info = {.size = sizeof info};
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_mha_workspace(c->mha, args, workers, &info, &error) == RAPT_OK, "workspace: %s %s",
        error.field, error.message);
  return guard_alloc((size_t)info.bytes, GUARD_END, 64);
}

rapt_status mha_case_run(const mha_case *c, const rapt_mha_args *args,
                         const rapt_executor *executor, rapt_error *error) {
  int32_t workers = executor ? executor->max_workers : rapt_default_workers();
  guard_buffer workspace = mha_case_workspace(c, args, workers);
  rapt_status status = rapt_mha_forward(c->mha, args, workspace.data, workspace.bytes, executor,
                                        error);
  CHECK(guard_free(&workspace), "wrote beside the workspace");
  return status;
}

void mha_case_row(const mha_case *c, int m, const double *x, double *y) {
  for (int32_t o = 0; o < c->out[m]; o++) y[o] = c->bias ? (double)c->bias_of[m][o] : 0;
  for (int32_t i = 0; i < c->in[m]; i++)
    for (int32_t o = 0; o < c->out[m]; o++)
      y[o] += x[i] * (double)c->weight[m][(int64_t)i * c->out[m] + o];
}

/* n rows of matrix m, rounded to float. */
static float *project(const mha_case *c, int m, const float *x, int64_t stride, int32_t n) {
  float *y = floats((size_t)n * (size_t)c->out[m]);
  double *in = malloc((size_t)(c->in[m] + c->out[m]) * sizeof *in);
  if (!in) exit(2);
  double *out = in + c->in[m];
  for (int32_t t = 0; t < n; t++) {
    for (int32_t i = 0; i < c->in[m]; i++) in[i] = (double)x[t * stride + i];
    mha_case_row(c, m, in, out);
    for (int32_t o = 0; o < c->out[m]; o++) y[(int64_t)t * c->out[m] + o] = (float)out[o];
  }
  free(in);
  return y;
}

void mha_case_reference(const mha_case *c, const float *x, int64_t x_stride, int32_t n,
                        const float *keys, int64_t key_stride, int32_t n_keys, double *out) {
  const int64_t f = (int64_t)sizeof(float);
  float *q = project(c, 0, x, x_stride, n), *k = project(c, 1, keys, key_stride, n_keys);
  float *v = project(c, 2, keys, key_stride, n_keys);
  rapt_attention_args a = {.size = sizeof a,
                           .batch = 1,
                           .q_len = n,
                           .kv_len = n_keys,
                           .q = {q, {0, c->dqk * f, c->out[0] * f}},
                           .k = {k, {0, c->dqk * f, c->out[1] * f}},
                           .v = {v, {0, c->dv * f, c->out[2] * f}}};
  double *heads = calloc((size_t)n * (size_t)(c->in[3] + c->in[3] / c->dv) + 1, sizeof *heads);
  double *row = malloc((size_t)c->in[3] * sizeof *row);
  if (!heads || !row) exit(2);
  if (c->rules) {
    a.mask = c->rules->mask;
    a.sinks = c->rules->sinks;
    a.alibi_slopes = c->rules->alibi_slopes;
    a.prefix_lens = c->rules->prefix_lens;
    a.q_positions = c->rules->q_positions;
  }
  reference_attention(&c->attention, &a, heads, c->lse);
  for (int32_t i = 0; c->weights && i < c->heads_q * n; i++)
    reference_stage_row(&c->attention, &a, 0, i / n, i % n, RAPT_STAGE_WEIGHTS,
                        c->weights + (int64_t)i * n_keys);
  for (int32_t t = 0; t < n; t++) {
    for (int32_t h = 0; h < c->heads_q; h++)
      memcpy(row + h * c->dv, heads + ((int64_t)h * n + t) * c->dv, (size_t)c->dv * sizeof *row);
    if (c->no_output)
      memcpy(out + (int64_t)t * c->in[3], row, (size_t)c->in[3] * sizeof *row);
    else
      mha_case_row(c, 3, row, out + (int64_t)t * c->out[3]);
  }
  free(row);
  free(heads);
  free(v);
  free(k);
  free(q);
}

int mha_case_compare(const mha_case *c, const float *out, int64_t stride, int32_t n,
                     const double *ref, const char *what) {
  int32_t width = mha_case_width(c);
  int ok = 1;
  for (int32_t t = 0; t < n; t++)
    ok &= CHECK_CLOSE(out + t * stride, ref + (int64_t)t * width, (size_t)width, MHA_BOUND,
                      MHA_BOUND, "%s: token %d of %d", what, t, n);
  return ok;
}
