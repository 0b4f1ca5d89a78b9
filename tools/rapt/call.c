/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "call.h"

#include <math.h>
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

static int describe_mask(rapt_attention_desc *d, const request *r, const tensor *q, const tensor *k,
                         failure *why) {
  d->align = r->align;
  if (r->causal) d->flags |= RAPT_CAUSAL;
  if (r->left >= 0) d->flags |= RAPT_WINDOW_LEFT;
  if (r->right >= 0) d->flags |= RAPT_WINDOW_RIGHT;
  d->window_left = r->left >= 0 ? r->left : 0;
  d->window_right = r->right >= 0 ? r->right : 0;
  if (!d->flags) d->align = RAPT_ALIGN_NONE;
  if (!d->flags || d->align != RAPT_ALIGN_NONE) return 0;
  if (q->tokens != k->tokens || r->n_q_lens || r->n_kv_lens)
    return fail(why, EXIT_WRONG_USE,
                "--window needs --align top-left or bottom-right: there are %d queries and %d keys",
                (int)q->tokens, (int)k->tokens);
  d->align = RAPT_ALIGN_TOP_LEFT;
  return 0;
}

static int describe_scale(rapt_attention_desc *d, const request *r, failure *why) {
  if (!r->scale_given && r->temperature == 1) return 0;
  double scale = r->scale_given ? r->scale : 1 / sqrt((double)d->head_dim_qk);
  scale /= r->temperature;
  if (fabs(scale) > 2.3e38)
    return fail(why, EXIT_WRONG_USE,
                "--temperature %g makes the scale %g; at most 2.3e38 is possible", r->temperature,
                scale);
  d->flags |= RAPT_SCALE_LITERAL;
  d->scale = (float)scale;
  return 0;
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
  int status = describe_mask(&c->desc, r, q, k, why);
  if (!status) status = describe_scale(&c->desc, r, why);
  if (!status) status = check_lens("--q-lens", r->q_lens, r->n_q_lens, q->batch, q->tokens, why);
  if (!status) status = check_lens("--kv-lens", r->kv_lens, r->n_kv_lens, q->batch, k->tokens, why);
  if (!status && rapt_plan_check(&c->desc, &c->info, &error)) status = attend_refused(&error, why);
  return status;
}

static int make_outputs(call *c, const request *r, failure *why) {
  int status = tensor_make_like(&c->o, &c->q, c->v.channels, r->tokens_first, why);
  if (status) return status;
  c->args.o = (rapt_tensor){c->o.data, {c->o.stride[0], c->o.stride[1], c->o.stride[2]}};
  if (!r->lse && !r->check) return 0;
  int64_t token = sizeof *c->lse, head = token * c->q.tokens, all = head * c->q.heads;
  c->lse = calloc((size_t)c->q.batch, (size_t)all);
  if (!c->lse)
    return fail(why, EXIT_RUN_FAILED, "out of memory: the LSE has %lld bytes per sequence",
                (long long)all);
  c->args.lse = (rapt_tensor){c->lse, {all, head, token}};
  return 0;
}

int call_make(call *c, const request *r, failure *why) {
  memset(c, 0, sizeof *c);
  c->executor = executor_of_threads(r->threads ? r->threads : rapt_default_workers());
  int status = tensor_load(&c->q, "--q", r->q, r->tokens_first, why);
  if (!status) status = tensor_load(&c->k, "--k", r->k, r->tokens_first, why);
  if (!status) status = tensor_load(&c->v, "--v", r->v, r->tokens_first, why);
  if (!status) status = check_shapes(&c->q, &c->k, &c->v, why);
  if (!status) status = describe(c, r, why);
  if (!status && r->heatmap >= c->q.heads)
    status = fail(why, EXIT_WRONG_USE, "--heatmap %d: the heads of --q %s are 0..%d",
                  (int)r->heatmap, r->q, (int)c->q.heads - 1);
  if (!status) status = make_outputs(c, r, why);
  return status;
}

void call_free(call *c) {
  tensor_free(&c->q);
  tensor_free(&c->k);
  tensor_free(&c->v);
  tensor_free(&c->o);
  free(c->lse);
  c->lse = NULL;
}

int call_run(call *c, failure *why) {
  return attend(&c->desc, &c->args, &c->executor, 10, 0.2, &c->seconds, &c->runs, why);
}

const char *call_kernel_set(const call *c) {
  int64_t rows = (int64_t)c->q.tokens * (c->q.heads / c->k.heads);
  return rows <= c->info.decode_rows ? c->info.decode_set : c->info.prefill_set;
}
