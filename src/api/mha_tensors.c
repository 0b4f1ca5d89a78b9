/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tensors of a layer's call as address ranges (spans.h). Those that only attention sees are checked
 * by it. */
#include "mha.h"

enum { X, SOURCE, K, V, OUT, LSE, OPERANDS, ELEMENT = 4 };

typedef struct tensors {
  rapt_region region[OPERANDS];
  rapt_operand operand[OPERANDS];
  rapt_span span[OPERANDS];
} tensors;

static void find_empty(rapt_region *region) {
  for (int32_t i = 0; i < region->dims; i++)
    if (region->last[i] <= region->first[i]) region->empty = 1;
}

static int all_zero(const int32_t *lens, int32_t batch) {
  if (!lens) return 0;
  for (int32_t b = 0; b < batch; b++)
    if (lens[b] != 0) return 0;
  return 1;
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
  r.empty = all_zero(a->q_lens, a->batch);
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
  at[SOURCE] = (rapt_region){.last = {a->batch, a->source_len},
                             .dims = 2,
                             .uniform = !a->source_lens,
                             .empty = all_zero(a->source_lens, a->batch)};
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
  o[LSE] = operand_of("attention.lse", call->rules.lse.data, call->rules.lse.stride, &at[LSE],
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

static int is_output(const rapt_mha_call *call, int operand) {
  return operand == OUT || operand == LSE || ((operand == K || operand == V) && call->new_keys);
}

/* Pairs of which the first is written while or before the second is needed. Rows of x and source have been
 * read when out is written: it may lie there. */
static rapt_status check_overlaps(const rapt_mha_call *call, const tensors *t, rapt_error *error) {
  static const int8_t pairs[][2] = {{OUT, K}, {OUT, V}, {OUT, LSE},  {V, K},
                                    {K, X},   {V, X},   {K, SOURCE}, {V, SOURCE}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const int8_t a = pairs[i][0], b = pairs[i][1];
    if (a != OUT && !call->new_keys) break; /* the cache is only read */
    if (rapt_spans_overlap(&t->span[a], &t->span[b]))
      return rapt_fail_data(&t->operand[a], "so it overlaps args.", t->operand[b].name, error);
  }
  return RAPT_OK;
}

/* ---- Arrays and the table ----------------------------------------------------------------------- */

enum { ARRAYS = 5 };

static void arrays_of(const rapt_mha_call *call, rapt_array out[ARRAYS]) {
  const rapt_mha_args *a = &call->args;
  out[0] = (rapt_array){"args.q_lens", a->q_lens, a->batch};
  out[1] = (rapt_array){"args.q_offsets", a->q_offsets, (int64_t)a->batch + 1};
  out[2] = (rapt_array){"args.source_lens", a->source_lens, a->batch};
  out[3] = (rapt_array){"args.positions", a->positions, a->batch};
  out[4] = (rapt_array){"args.cache.lengths", call->cache.lengths, a->batch};
}

/* An output is not where lengths, positions or angles are. */
static rapt_status check_beside(const rapt_mha_call *call, const rapt_array arrays[ARRAYS],
                                const rapt_operand *t, const rapt_span *span, rapt_error *error) {
  rapt_status status = rapt_check_beside_arrays(t, span, arrays, ARRAYS, error);
  if (!status && call->args.rope_table)
    status = rapt_check_beside_rope_table(&rapt_mha_table_names, &call->table_spans, t, span,
                                          error);
  return status;
}

static rapt_status check_scratch(const rapt_mha_call *call, const rapt_span *span, const char *name,
                                 rapt_error *error) {
  const rapt_span scratch = rapt_span_of_bytes(call->workspace, call->workspace_bytes);
  if (!rapt_spans_overlap(span, &scratch)) return RAPT_OK;
  return rapt_fail_workspace(call->workspace, call->workspace_bytes, name, error);
}

static const char *const names[OPERANDS] = {"args.x",       "args.source", "args.cache.k",
                                            "args.cache.v", "args.out",    "args.attention.lse"};

/* Nothing of the caller's is in the scratch. */
static rapt_status check_all_scratch(const rapt_mha_call *call, const rapt_array arrays[ARRAYS],
                                     const tensors *t, rapt_error *error) {
  rapt_status status = RAPT_OK;
  if (!call->workspace) return RAPT_OK;
  for (int i = 0; i < OPERANDS && !status; i++)
    status = check_scratch(call, &t->span[i], names[i], error);
  for (int i = 0; i < ARRAYS && !status; i++) {
    const rapt_span array = rapt_span_of_array(arrays[i].data, arrays[i].n, ELEMENT);
    status = check_scratch(call, &array, arrays[i].name, error);
  }
  if (status || !call->args.rope_table) return status;
  status = check_scratch(call, &call->table_spans.cos, rapt_mha_table_names.cos, error);
  return status ? status
                : check_scratch(call, &call->table_spans.sin, rapt_mha_table_names.sin, error);
}

/* Where sequences differ in length the tensor as a whole proves little (spans.h); one by one they do. */
static rapt_status check_sequences(const rapt_mha_call *call, const rapt_array arrays[ARRAYS],
                                   const tensors *t, int which, const int32_t *lens,
                                   rapt_error *error) {
  const rapt_operand *whole = &t->operand[which];
  rapt_status status = RAPT_OK;
  if (!lens || whole->row_bytes == 0 || whole->region->empty) return RAPT_OK;
  for (int32_t b = 0; b < call->args.batch && !status; b++) {
    const rapt_region rows = {.last = {1, lens[b]}, .dims = 2, .uniform = 1, .empty = !lens[b]};
    rapt_operand one = *whole;
    rapt_span span;
    one.region = &rows;
    if (b > 0) one.data = (const char *)whole->data + b * whole->stride[0];
    status = rapt_span_measure(&one, &span, error);
    if (!status && which == OUT) status = check_beside(call, arrays, whole, &span, error);
    if (!status) status = check_scratch(call, &span, names[which], error);
  }
  return status;
}

rapt_status rapt_mha_check_arrays(const rapt_mha_call *call, rapt_error *error) {
  rapt_array arrays[ARRAYS];
  arrays_of(call, arrays);
  return rapt_check_aligned(arrays, ARRAYS, error);
}

/* ---- Entry points ------------------------------------------------------------------------------- */

rapt_status rapt_mha_check_tensors(const rapt_mha_call *call, int kv_only, rapt_error *error) {
  tensors t;
  rapt_array arrays[ARRAYS];
  rapt_status status = RAPT_OK;
  collect(call, kv_only, &t);
  arrays_of(call, arrays);
  for (int i = 0; i < OPERANDS && !status; i++) {
    status = rapt_span_measure(&t.operand[i], &t.span[i], error);
    if (!status && i != LSE) status = check_leading(&t.operand[i], error);
    if (!status && i != LSE && is_output(call, i))
      status = rapt_span_check_output(&t.operand[i], error);
  }
  if (!status) status = check_overlaps(call, &t, error);
  for (int i = 0; i < OPERANDS && !status; i++)
    if (is_output(call, i)) status = check_beside(call, arrays, &t.operand[i], &t.span[i], error);
  if (!status) status = check_sequences(call, arrays, &t, OUT, call->args.q_lens, error);
  if (!status) status = check_sequences(call, arrays, &t, X, call->args.q_lens, error);
  if (!status) status = check_sequences(call, arrays, &t, SOURCE, call->args.source_lens, error);
  return status ? status : check_all_scratch(call, arrays, &t, error);
}

/* New keys and values are written before attention reads its mask and its arrays. */
static rapt_status check_rules_beside_keys(const tensors *t, const rapt_touched *touched,
                                           rapt_error *error) {
  rapt_status status = RAPT_OK;
  for (int i = K; i <= V && !status; i++) {
    if (rapt_spans_overlap(&t->span[i], &touched->tensor[RAPT_AT_MASK]))
      return rapt_fail_data(&t->operand[i], "so it overlaps ", rapt_touched_name(RAPT_AT_MASK),
                            error);
    status = rapt_check_beside_arrays(&t->operand[i], &t->span[i], touched->array, touched->arrays,
                                      error);
  }
  return status;
}

rapt_status rapt_mha_check_touched(const rapt_mha_call *call, const rapt_touched *touched,
                                   const rapt_scores_out *scores, rapt_error *error) {
  const rapt_operand of[2] = {{.data = scores->data, .data_name = "args.scores.data"},
                              {.data = scores->key_sums, .data_name = "args.scores.key_sums"}};
  tensors t;
  rapt_array arrays[ARRAYS];
  rapt_touched others = *touched; /* than those that the layer itself has placed or checked */
  rapt_status status = RAPT_OK;
  collect(call, 0, &t);
  arrays_of(call, arrays);
  for (int i = K; i <= OUT && !status; i++)
    status = rapt_span_measure(&t.operand[i], &t.span[i], error);
  for (int i = 0; i < 2 && !status; i++) {
    const rapt_span *span = &touched->tensor[RAPT_AT_SCORES + i];
    if (rapt_spans_overlap(span, &t.span[OUT]))
      return rapt_fail_data(&of[i], "so it overlaps args.", "out", error);
    status = check_beside(call, arrays, &of[i], span, error);
  }
  if (!status && call->new_keys) status = check_rules_beside_keys(&t, touched, error);
  if (status) return status;
  others.tensor[RAPT_AT_Q] = others.tensor[RAPT_AT_K] = others.tensor[RAPT_AT_V] =
      others.tensor[RAPT_AT_O] = (rapt_span){0};
  return rapt_check_workspace(&others, call->workspace, call->workspace_bytes, error);
}
