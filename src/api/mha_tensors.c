/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tensors of a layer's call as address ranges (spans.h). Those that only attention sees are checked
 * by it. */
#include "mha.h"
#include "spans.h"

enum { X, SOURCE, K, V, OUT, LSE, OPERANDS, ELEMENT = 4 };

typedef struct tensors {
  rapt_region region[OPERANDS];
  rapt_operand operand[OPERANDS];
} tensors;

static void find_empty(rapt_region *region) {
  for (int32_t i = 0; i < region->dims; i++)
    if (region->last[i] <= region->first[i]) region->empty = 1;
}

/* Tokens of x, out and lse; with offsets those of all sequences are one. */
static rapt_region region_of_queries(const rapt_mha_args *a, int32_t heads) {
  const int32_t token = heads > 0 ? 2 : 1;
  rapt_region r = {.last = {a->batch, heads}, .dims = token + 1, .uniform = !a->q_lens};
  r.last[token] = a->q_len;
  if (a->q_offsets && a->batch > 0) {
    r.last[0] = 1;
    r.first[token] = a->q_offsets[0];
    r.last[token] = a->q_offsets[a->batch];
  }
  find_empty(&r);
  return r;
}

static rapt_operand operand_of(const char *name, const void *data, const int64_t *stride,
                               const rapt_region *region, int64_t floats) {
  return (rapt_operand){.name = name,
                        .element = ELEMENT,
                        .data = data,
                        .stride = stride,
                        .region = region,
                        .row_bytes = floats * ELEMENT};
}

/* Operands that the call does not touch have no bytes. */
static void collect(const rapt_mha_call *call, int kv_only, tensors *t) {
  const rapt_mha_args *a = &call->args;
  const rapt_mha *mha = call->mha;
  const rapt_attention_desc *d = &mha->attention;
  const rapt_mha_cache *c = &call->cache;
  rapt_region *at = t->region;
  const int self_keys = call->new_keys && !call->cross;
  const int cached = call->has_cache;
  at[X] = at[OUT] = region_of_queries(a, 0);
  at[LSE] = region_of_queries(a, d->heads_q);
  at[SOURCE] = (rapt_region){
      .last = {a->batch, a->source_len}, .dims = 2, .uniform = !a->source_lens};
  at[K] = (rapt_region){.last = {a->batch, d->heads_kv, c->capacity}, .dims = 3, .uniform = 1};
  find_empty(&at[SOURCE]);
  find_empty(&at[K]);
  at[V] = at[K];
  rapt_operand *o = t->operand;
  o[X] = operand_of("x", a->x, a->x_stride, &at[X], !kv_only || self_keys ? mha->q.in : 0);
  o[SOURCE] = operand_of("source", a->source, a->source_stride, &at[SOURCE],
                         call->cross && call->new_keys ? mha->k.in : 0);
  o[K] = operand_of("cache.k", c->k.data, c->k.stride, &at[K], cached ? d->head_dim_qk : 0);
  o[V] = operand_of("cache.v", c->v.data, c->v.stride, &at[V], cached ? d->head_dim_v : 0);
  o[OUT] = operand_of("out", a->out, a->out_stride, &at[OUT], kv_only ? 0 : mha->o.out);
  o[LSE] = operand_of("lse", call->rules.lse.data, call->rules.lse.stride, &at[LSE],
                      kv_only || !call->rules.lse.data ? 0 : 1);
  o[X].data_name = "args.x", o[X].stride_name = "args.x_stride";
  o[SOURCE].data_name = "args.source", o[SOURCE].stride_name = "args.source_stride";
  o[OUT].data_name = "args.out", o[OUT].stride_name = "args.out_stride";
}

/* The distance of tokens is a leading dimension of BLAS. */
static rapt_status check_leading(const rapt_operand *t, rapt_error *error) {
  const int32_t dim = t->region->dims - 1;
  const int64_t most = (int64_t)INT32_MAX * ELEMENT, size = t->stride[dim];
  if (t->row_bytes == 0 || t->region->empty || t->region->last[dim] <= 1) return RAPT_OK;
  if (size >= t->row_bytes && size <= most) return RAPT_OK;
  return rapt_fail_stride(t, dim,
                          size < t->row_bytes ? "must be at least a row of" : "must be at most",
                          size < t->row_bytes ? t->row_bytes : most, error);
}

/* Pairs of which the first is written while or before the second is needed. Rows of x and source have been
 * read when out is written: it may lie there. */
static rapt_status check_overlaps(const rapt_mha_call *call, const tensors *t,
                                  const rapt_span *spans, rapt_error *error) {
  static const int8_t pairs[][2] = {{OUT, K}, {OUT, V}, {OUT, LSE},  {V, K},
                                    {K, X},   {V, X},   {K, SOURCE}, {V, SOURCE}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const int8_t a = pairs[i][0], b = pairs[i][1];
    if (a != OUT && !call->new_keys) break; /* the cache is only read */
    if (rapt_spans_overlap(&spans[a], &spans[b]))
      return rapt_fail_data(&t->operand[a], "so it overlaps args.", t->operand[b].name, error);
  }
  return RAPT_OK;
}

rapt_status rapt_mha_check_tensors(const rapt_mha_call *call, int kv_only, rapt_error *error) {
  tensors t;
  rapt_span spans[OPERANDS];
  rapt_status status = RAPT_OK;
  collect(call, kv_only, &t);
  for (int i = 0; i < OPERANDS && !status; i++) {
    const int is_output = i == OUT || ((i == K || i == V) && call->new_keys);
    status = rapt_span_measure(&t.operand[i], &spans[i], error);
    if (!status && i != LSE) status = check_leading(&t.operand[i], error);
    if (!status && is_output) status = rapt_span_check_output(&t.operand[i], error);
  }
  return status ? status : check_overlaps(call, &t, spans, error);
}

rapt_status rapt_mha_check_scores(const rapt_mha_call *call, const rapt_scores_out *scores,
                                  int32_t kv_len, rapt_error *error) {
  const rapt_mha_args *a = &call->args;
  const int32_t heads = scores->heads ? scores->n_heads : call->mha->attention.heads_q;
  const int32_t rows = scores->rows ? scores->n_rows : a->q_len;
  rapt_region each = {.last = {a->batch, heads, rows}, .dims = 3, .uniform = 1},
              sums = {.last = {a->batch, heads}, .dims = 2, .uniform = 1};
  find_empty(&each);
  find_empty(&sums);
  rapt_operand of[2] = {operand_of("attention.scores", scores->data, scores->stride, &each,
                                   scores->data ? kv_len : 0),
                        operand_of("attention.scores", scores->key_sums, scores->key_sums_stride,
                                   &sums, scores->key_sums ? kv_len : 0)};
  of[1].data_name = "args.attention.scores.key_sums";
  tensors t;
  rapt_span out, span;
  collect(call, 0, &t);
  rapt_status status = rapt_span_measure(&t.operand[OUT], &out, error);
  for (int i = 0; i < 2 && !status; i++) {
    status = rapt_span_measure(&of[i], &span, error);
    if (!status && rapt_spans_overlap(&span, &out))
      status = rapt_fail_data(&of[i], "so it overlaps args.", "out", error);
  }
  return status;
}
