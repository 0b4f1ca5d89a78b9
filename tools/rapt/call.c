/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "call.h"

#include <stdlib.h>
#include <string.h>

#include "attend.h"
#include "executor.h"

static int same(const char *what, const tensor *a, int32_t x, const tensor *b, int32_t y,
                failure *why) {
  if (x == y) return 0;
  return fail(why, EXIT_WRONG_USE, "%s %s has %d %s, but %s %s has %d", a->option, a->path, (int)x,
              what, b->option, b->path, (int)y);
}

static int check_shapes(const tensor *q, const tensor *k, const tensor *v, failure *why) {
  int status = same("dimensions", k, k->dims, q, q->dims, why);
  if (!status) status = same("dimensions", v, v->dims, q, q->dims, why);
  if (!status) status = same("sequences", k, k->batch, q, q->batch, why);
  if (!status) status = same("sequences", v, v->batch, q, q->batch, why);
  if (!status) status = same("channels", k, k->channels, q, q->channels, why);
  if (!status) status = same("heads", v, v->heads, k, k->heads, why);
  if (!status) status = same("tokens", v, v->tokens, k, k->tokens, why);
  if (!status && q->heads % k->heads)
    status = fail(why, EXIT_WRONG_USE, "%s %s has %d heads, not a multiple of the %d of %s %s",
                  q->option, q->path, (int)q->heads, (int)k->heads, k->option, k->path);
  return status;
}

static int check_lens(const char *name, const int32_t *lens, int32_t n, int32_t batch, int32_t most,
                      failure *why) {
  if (n && n != batch)
    return fail(why, EXIT_WRONG_USE, "%s has %d numbers, but there are %d sequences", name, (int)n,
                (int)batch);
  for (int32_t b = 0; b < n; b++)
    if (lens[b] > most)
      return fail(why, EXIT_WRONG_USE, "%s has %d for sequence %d, but there are only %d tokens",
                  name, (int)lens[b], (int)b, (int)most);
  return 0;
}

static rapt_const_tensor input(const tensor *t) {
  return (rapt_const_tensor){t->data, {t->stride[0], t->stride[1], t->stride[2]}};
}

static int describe(call *c, const request *r, failure *why) {
  const tensor *q = &c->q, *k = &c->k, *v = &c->v;
  c->desc = (rapt_attention_desc){.size = sizeof c->desc,
                                  .heads_q = q->heads,
                                  .heads_kv = k->heads,
                                  .head_dim_qk = q->channels,
                                  .head_dim_v = v->channels,
                                  .isa = r->isa};
  c->args = (rapt_attention_args){.size = sizeof c->args,
                                  .batch = q->batch,
                                  .q_len = q->tokens,
                                  .kv_len = k->tokens,
                                  .q_lens = r->n_q_lens ? r->q_lens : NULL,
                                  .kv_lens = r->n_kv_lens ? r->kv_lens : NULL,
                                  .q = input(q),
                                  .k = input(k),
                                  .v = input(v)};
  rapt_error error = {.size = sizeof error};
  c->info.size = sizeof c->info;
  int status = call_rules(c, r, why);
  if (!status) status = check_lens("--q-lens", r->q_lens, r->n_q_lens, q->batch, q->tokens, why);
  if (!status) status = check_lens("--kv-lens", r->kv_lens, r->n_kv_lens, q->batch, k->tokens, why);
  if (!status && rapt_plan_check(&c->desc, &c->info, &error)) status = attend_refused(&error, why);
  return status;
}

/* Zeros for `what`, [batch][head][a][b]. */
static int zeros(float **out, const call *c, int64_t a, int64_t b, const char *what, failure *why) {
  int64_t n = c->q.batch, bytes = sizeof **out;
  int wraps = __builtin_mul_overflow(n, (int64_t)c->q.heads, &n);
  wraps |= __builtin_mul_overflow(n, a, &n);
  wraps |= __builtin_mul_overflow(n, b, &n);
  wraps |= __builtin_mul_overflow(bytes, n, &bytes);
  *out = wraps ? NULL : calloc((size_t)n + 1, sizeof **out);
  if (*out) return 0;
  return fail(why, EXIT_RUN_FAILED, "out of memory: %s of %d x %d rows of %lld numbers", what,
              (int)c->q.batch, (int)c->q.heads, (long long)(a > 1 ? a : b));
}

static int make_scores(call *c, const request *r, failure *why) {
  int32_t rows = r->n_rows ? r->n_rows : c->q.tokens, keys = c->k.tokens;
  int status = 0;
  c->scores = (rapt_scores_out){.size = sizeof c->scores,
                                .stage = r->stage,
                                .n_rows = r->n_rows,
                                .rows = r->n_rows ? r->rows : NULL};
  if (r->weights) status = zeros(&c->weights, c, rows, keys, "the weights", why);
  if (!status && r->key_sums) status = zeros(&c->key_sums, c, 1, keys, "the sums", why);
  int64_t key = (int64_t)sizeof *c->weights * keys, head = key * rows;
  c->scores.data = c->weights;
  memcpy(c->scores.stride, (int64_t[3]){head * c->q.heads, head, key}, sizeof c->scores.stride);
  c->scores.key_sums = c->key_sums;
  c->scores.key_sums_stride[0] = key * c->q.heads;
  c->scores.key_sums_stride[1] = key;
  if (r->weights || r->key_sums) c->args.scores = &c->scores;
  return status;
}

int call_make_outputs(call *c, const request *r, failure *why) {
  int status = tensor_make_like(&c->o, &c->q, c->v.channels, r->tokens_first, why);
  if (!status) status = make_scores(c, r, why);
  if (status) return status;
  c->args.o = (rapt_tensor){c->o.data, {c->o.stride[0], c->o.stride[1], c->o.stride[2]}};
  if (!r->lse && !r->check) return 0;
  int64_t token = sizeof *c->lse, head = token * c->q.tokens, all = head * c->q.heads;
  status = zeros(&c->lse, c, c->q.tokens, 1, "the LSE", why);
  c->args.lse = (rapt_tensor){c->lse, {all, head, token}};
  return status;
}

/* The numbers of a worked example instead of files; values are optional, as with files. */
static int load_example(call *c, const example_tensors *e, failure *why) {
  int status = tensor_of(&c->q, "example", e->name, e->q, e->queries, e->head_dim, why);
  if (!status) status = tensor_of(&c->k, "example", e->name, e->k, e->keys, e->head_dim, why);
  if (!status) status = tensor_of(&c->v, "example", e->name, NULL, e->keys, 0, why);
  return status;
}

static int load_files(call *c, const request *r, failure *why) {
  int status = tensor_load(&c->q, "--q", r->q, r->tokens_first, why);
  if (!status) status = tensor_load(&c->k, "--k", r->k, r->tokens_first, why);
  if (!status && r->v) status = tensor_load(&c->v, "--v", r->v, r->tokens_first, why);
  if (!status && !r->v) { /* values of no channels, which are never read */
    c->v = c->k;
    c->v.data = NULL;
    c->v.channels = 0;
  }
  return status;
}

int call_make(call *c, const request *r, failure *why) {
  memset(c, 0, sizeof *c);
  c->executor = executor_of_threads(r->threads ? r->threads : rapt_default_workers());
  int status = r->example ? load_example(c, r->example, why) : load_files(c, r, why);
  if (!status) status = check_shapes(&c->q, &c->k, &c->v, why);
  if (!status) status = describe(c, r, why);
  return status;
}

void call_free(call *c) {
  tensor_free(&c->q);
  tensor_free(&c->k);
  tensor_free(&c->v);
  tensor_free(&c->o);
  mask_free(&c->mask);
  free(c->sinks);
  free(c->slopes);
  free(c->prefix_lens);
  free(c->lse);
  free(c->weights);
  free(c->key_sums);
  memset(c, 0, sizeof *c);
}

int call_run(call *c, failure *why) {
  return attend(&c->desc, &c->args, &c->executor, 10, 0.2, &c->seconds, &c->runs, why);
}

const char *call_kernel_set(const call *c) {
  int64_t rows = (int64_t)c->q.tokens * (c->q.heads / c->k.heads);
  return rows <= c->info.decode_rows ? c->info.decode_set : c->info.prefill_set;
}
