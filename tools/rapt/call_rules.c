/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Who sees whom, and what becomes of a score: the part of a call behind --causal, --window, --mask,
 * --softcap, --alibi, --sinks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attend.h"
#include "call.h"
#include "common/npy.h"

static int visibility(call *c, const request *r, failure *why) {
  rapt_attention_desc *d = &c->desc;
  d->align = r->align;
  if (r->causal) d->flags |= RAPT_CAUSAL;
  if (r->left >= 0) d->flags |= RAPT_WINDOW_LEFT;
  if (r->right >= 0) d->flags |= RAPT_WINDOW_RIGHT;
  if (r->alibi) d->flags |= RAPT_ALIBI;
  if (r->n_prefix) d->flags |= RAPT_PREFIX;
  d->window_left = r->left >= 0 ? r->left : 0;
  d->window_right = r->right >= 0 ? r->right : 0;
  d->window_keep = r->window_keep;
  if (!d->flags) d->align = RAPT_ALIGN_NONE;
  if (!d->flags || d->align != RAPT_ALIGN_NONE) return 0;
  if (c->q.tokens != c->k.tokens || r->n_q_lens || r->n_kv_lens)
    return fail(why, EXIT_WRONG_USE,
                "%s needs --align top-left or bottom-right%s: there are %d queries and %d keys",
                r->alibi ? "--alibi" : "--window", r->alibi ? ", or --causal" : "",
                (int)c->q.tokens, (int)c->k.tokens);
  d->align = RAPT_ALIGN_TOP_LEFT;
  return 0;
}

static int prefixes(call *c, const request *r, failure *why) {
  if (!r->n_prefix) return 0;
  if (r->n_prefix != 1 && r->n_prefix != c->q.batch)
    return fail(why, EXIT_WRONG_USE, "--prefix has %d numbers, but there are %d sequences",
                (int)r->n_prefix, (int)c->q.batch);
  c->prefix_lens = calloc((size_t)c->q.batch, sizeof *c->prefix_lens);
  if (!c->prefix_lens) return fail(why, EXIT_RUN_FAILED, "out of memory");
  for (int32_t b = 0; b < c->q.batch; b++) c->prefix_lens[b] = r->prefix[r->n_prefix == 1 ? 0 : b];
  c->args.prefix_lens = c->prefix_lens;
  return 0;
}

static int scale(call *c, const request *r, failure *why) {
  if (!r->scale_given && r->temperature == 1) return 0;
  double scale = r->scale_given ? r->scale : 1 / sqrt((double)c->desc.head_dim_qk);
  scale /= r->temperature;
  if (fabs(scale) > 2.3e38)
    return fail(why, EXIT_WRONG_USE,
                "--temperature %g makes the scale %g; at most 2.3e38 is possible", r->temperature,
                scale);
  c->desc.flags |= RAPT_SCALE_LITERAL;
  c->desc.scale = (float)scale;
  return 0;
}

static int tensor_mask(call *c, const request *r, failure *why) {
  if (!r->mask) return 0;
  int status = mask_load(&c->mask, r->mask, &c->q, &c->k, why);
  c->desc.mask = c->mask.kind;
  c->args.mask = c->mask.view;
  return status;
}

static int slopes(call *c, const request *r, failure *why) {
  rapt_error error = {.size = sizeof error};
  if (!r->alibi) return 0;
  c->slopes = calloc((size_t)c->q.heads, sizeof *c->slopes);
  if (!c->slopes) return fail(why, EXIT_RUN_FAILED, "out of memory");
  c->args.alibi_slopes = c->slopes;
  if (rapt_alibi_slopes(c->q.heads, 0, c->q.heads, c->slopes, &error) == RAPT_OK) return 0;
  return attend_refused(&error, why);
}

static int take_sinks(call *c, const npy_array *a, const char *path, failure *why) {
  if (a->dtype[0] != 'f')
    return fail(why, EXIT_WRONG_USE,
                "--sinks %s holds numbers of type %s; f2, f4 and f8 are read here: "
                "save x.astype(numpy.float32) instead",
                path, a->dtype);
  if (a->dims != 1)
    return fail(why, EXIT_WRONG_USE,
                "--sinks %s has %d dimensions; 1 is needed, a number for each query head", path,
                (int)a->dims);
  if (a->shape[0] != c->q.heads)
    return fail(why, EXIT_WRONG_USE, "--sinks %s has %lld numbers, but %s %s has %d heads", path,
                (long long)a->shape[0], c->q.option, c->q.path, (int)c->q.heads);
  c->sinks = calloc(a->count, sizeof *c->sinks);
  if (!c->sinks) return fail(why, EXIT_RUN_FAILED, "out of memory");
  for (size_t i = 0; i < a->count; i++) {
    double x = npy_at(a, i);
    c->sinks[i] = (float)x;
    if (isfinite(x) && !isfinite(c->sinks[i]))
      return fail(why, EXIT_WRONG_USE, "--sinks %s holds %g, which is too large for float32", path,
                  x);
  }
  c->args.sinks = c->sinks;
  return 0;
}

static int sinks(call *c, const request *r, failure *why) {
  npy_array a;
  char reason[300];
  if (!r->sinks) return 0;
  if (npy_load(r->sinks, &a, reason, sizeof reason))
    return fail(why, EXIT_WRONG_USE, "--sinks %s %s", r->sinks, reason);
  int status = take_sinks(c, &a, r->sinks, why);
  npy_free(&a);
  return status;
}

int call_rules(call *c, const request *r, failure *why) {
  int status = visibility(c, r, why);
  c->desc.softcap = (float)r->softcap;
  if (!status) status = scale(c, r, why);
  if (!status) status = prefixes(c, r, why);
  if (!status) status = tensor_mask(c, r, why);
  if (!status) status = slopes(c, r, why);
  if (!status) status = sinks(c, r, why);
  return status;
}
