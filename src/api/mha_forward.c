/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The layer's calls: projections, attention, output projection. */
#include <inttypes.h>
#include <string.h>

#include "../attention/call.h"
#include "../attention/scratch.h"
#include "../platform/platform.h"
#include "mha.h"
#include "rename.h"
#include "share.h"

static const int64_t element = (int64_t)sizeof(float);

/* Strides of [batch][token][head][channel] without gaps. */
static void dense(int64_t stride[3], int32_t tokens, int32_t heads, int32_t dim) {
  stride[1] = dim * element;
  stride[2] = heads * stride[1];
  stride[0] = tokens * stride[2];
}

/* Where token 0 would lie, if the workspace began with it; it begins with the first token of the call. */
static void *from_first(char *data, const int32_t *offsets, int64_t token_stride) {
  int64_t before = offsets ? offsets[0] * token_stride : 0;
  return (void *)((uintptr_t)data - (uintptr_t)before); /* NOLINT(performance-no-int-to-ptr) */
}

/* Keys that attention sees of sequence b. */
static int32_t kv_len_of(const rapt_mha_call *call, int32_t b) {
  const int32_t held = call->has_cache && call->cache.lengths ? call->cache.lengths[b] : 0;
  return held + rapt_mha_new_len(call, b);
}

/* How attention sees the call, but for the lengths of keys: as if all sequences had as many as the longest
 * (place_lengths). Data pointers lead into the workspace, the caller's cache and, without an output
 * matrix, to out. Nothing is written yet. */
static void compose(const rapt_mha_call *call, char *workspace, rapt_attention_args *to) {
  const rapt_mha_args *a = &call->args;
  const rapt_attention_desc *d = &call->mha->attention;
  int32_t packed = !call->has_cache && !call->cross && a->q_offsets;
  *to = call->rules;
  to->batch = a->batch;
  to->q_len = a->q_len;
  to->q_lens = a->q_lens;
  to->q_offsets = a->q_offsets;
  to->kv_len = 0;
  for (int32_t b = 0; b < a->batch; b++) {
    const int32_t len = kv_len_of(call, b);
    if (len > to->kv_len) to->kv_len = len;
  }
  to->kv_lens = NULL;
  to->kv_offsets = packed ? a->q_offsets : NULL;
  dense(to->q.stride, a->q_len, d->heads_q, d->head_dim_qk);
  dense(to->k.stride, call->extent.new_len, d->heads_kv, d->head_dim_qk);
  dense(to->v.stride, call->extent.new_len, d->heads_kv, d->head_dim_v);
  to->q.data = from_first(workspace + call->layout.q, to->q_offsets, to->q.stride[2]);
  to->k.data = from_first(workspace + call->layout.k, to->kv_offsets, to->k.stride[2]);
  to->v.data = from_first(workspace + call->layout.v, to->kv_offsets, to->v.stride[2]);
  if (call->has_cache) {
    to->k.data = call->cache.k.data;
    memcpy(to->k.stride, call->cache.k.stride, sizeof to->k.stride);
    to->v.data = call->cache.v.data;
    memcpy(to->v.stride, call->cache.v.stride, sizeof to->v.stride);
  }
  dense(to->o.stride, a->q_len, d->heads_q, d->head_dim_v);
  to->o.data = from_first(workspace + call->layout.o, to->q_offsets, to->o.stride[2]);
  if (!call->mha->o.data) {
    to->o.data = a->out;
    to->o.stride[0] = a->out_stride[0];
    to->o.stride[1] = d->head_dim_v * element;
    to->o.stride[2] = a->out_stride[1];
  }
}

/* The first writing to the workspace. Prefixes are what depends on the lengths one by one. */
static rapt_status place_lengths(const rapt_mha_call *call, char *workspace,
                                 rapt_attention_args *to, rapt_error *error) {
  rapt_scores_out scores;
  int32_t *kv_lens = (int32_t *)(void *)(workspace + call->layout.kv_lens);
  if (to->kv_offsets) return RAPT_OK;
  for (int32_t b = 0; b < to->batch; b++) kv_lens[b] = kv_len_of(call, b);
  to->kv_lens = kv_lens;
  if (!(call->mha->attention.flags & RAPT_PREFIX)) return RAPT_OK;
  return rapt_check_rules(&call->mha->attention, to, &scores, error);
}

/* Rows of x or source, or of the heads' results. */
static rapt_projection from_queries(const rapt_mha_args *a, const void *x, const int64_t stride[2],
                                    const rapt_matrix *matrix) {
  return (rapt_projection){.matrix = matrix,
                           .x = x,
                           .x_stride = {stride[0], stride[1]},
                           .heads = 1,
                           .dim = matrix->out,
                           .lens = a->q_lens,
                           .offsets = a->q_offsets,
                           .len = a->q_len,
                           .y_packed = 1};
}

static void add_keys(const rapt_mha_call *call, const rapt_matrix *matrix,
                     const rapt_const_tensor *to, int32_t dim, rapt_projections *p) {
  const rapt_mha_args *a = &call->args;
  rapt_projection item = from_queries(a, a->x, a->x_stride, matrix);
  if (call->cross) {
    item.x = (const char *)a->source;
    memcpy(item.x_stride, a->source_stride, sizeof item.x_stride);
    item.lens = a->source_lens;
    item.offsets = NULL;
    item.len = a->source_len;
  }
  item.y_packed = !call->has_cache;
  item.y_first = call->has_cache ? call->cache.lengths : NULL;
  item.y = (char *)(uintptr_t)to->data;
  memcpy(item.y_stride, to->stride, sizeof item.y_stride);
  item.heads = call->mha->attention.heads_kv;
  item.dim = dim;
  rapt_projections_add(p, &item);
}

static void add_new_keys(const rapt_mha_call *call, const rapt_const_tensor *k,
                         const rapt_const_tensor *v, rapt_projections *p) {
  if (!call->new_keys) return;
  add_keys(call, &call->mha->k, k, call->mha->attention.head_dim_qk, p);
  add_keys(call, &call->mha->v, v, call->mha->attention.head_dim_v, p);
}

static rapt_projections projections_of(const rapt_mha_call *call, const rapt_executor *executor) {
  return (rapt_projections){.batch = call->args.batch,
                            .workers = executor->max_workers,
                            .gemv = &call->mha->plan->decode->gemv};
}

static rapt_status project(rapt_projections *p, const rapt_executor *executor, rapt_error *error) {
  return rapt_share(executor, p->total, p->cost, rapt_projections_task, p, error);
}

/* Items `first` to last - 1, whose rows are the same tokens. */
static rapt_status rotate(const rapt_mha_call *call, const rapt_projections *p, int32_t first,
                          int32_t last, const int32_t *positions, const rapt_executor *executor,
                          rapt_error *error) {
  rapt_rotations r = {.rope = call->mha->rope,
                      .table = call->args.rope_table ? &call->table : NULL,
                      .n = last - first,
                      .batch = p->batch,
                      .first = positions};
  for (int32_t i = first; i < last; i++) r.item[i - first] = &p->item[i];
  rapt_rotations_begin(&r);
  return rapt_share(executor, r.total, r.cost, rapt_rotations_task, &r, error);
}

/* The keys among p's items are number `keys`; queries, if any, come before. */
static rapt_status rotate_all(const rapt_mha_call *call, const rapt_projections *p, int32_t keys,
                              const rapt_executor *executor, rapt_error *error) {
  const int32_t *held = call->has_cache ? call->cache.lengths : NULL;
  const int32_t *positions = call->args.positions ? call->args.positions : held;
  if (!call->mha->rope) return RAPT_OK;
  if (!call->new_keys) return rotate(call, p, 0, 1, positions, executor, error);
  if (!call->cross) return rotate(call, p, 0, keys + 1, positions, executor, error);
  rapt_status status = RAPT_OK;
  if (keys > 0) status = rotate(call, p, 0, keys, positions, executor, error);
  return status ? status : rotate(call, p, keys, keys + 1, held, executor, error);
}

static rapt_status check_workspace(const rapt_mha_call *call, const void *workspace, size_t bytes,
                                   rapt_error *error) {
  rapt_layout attention;
  rapt_layout_for(call->mha->plan, call->extent.batch, call->extent.q_len, call->extent.kv_len, 1,
                  &attention);
  if (!workspace) return rapt_fail(error, RAPT_ERROR_WORKSPACE, "workspace", "is NULL");
  if ((uintptr_t)workspace % 64 != 0)
    return rapt_fail(error, RAPT_ERROR_WORKSPACE, "workspace", "is at %p, must be 64-byte aligned",
                     workspace);
  if ((uint64_t)bytes < (uint64_t)call->layout.attention + (uint64_t)attention.bytes)
    return rapt_fail(error, RAPT_ERROR_WORKSPACE, "workspace_bytes",
                     "is %zu, one worker needs %" PRId64, bytes,
                     call->layout.attention + attention.bytes);
  return RAPT_OK;
}

static rapt_status run(const rapt_mha_call *call, const rapt_attention_args *attention,
                       char *workspace, size_t bytes, const rapt_executor *executor,
                       rapt_error *error) {
  const rapt_mha *mha = call->mha;
  const rapt_mha_args *a = &call->args;
  rapt_projections first = projections_of(call, executor), last = first;
  rapt_projection q = from_queries(a, a->x, a->x_stride, &mha->q);
  q.y = (char *)(uintptr_t)attention->q.data;
  memcpy(q.y_stride, attention->q.stride, sizeof q.y_stride);
  q.heads = mha->attention.heads_q;
  q.dim = mha->attention.head_dim_qk;
  rapt_projections_add(&first, &q);
  add_new_keys(call, &attention->k, &attention->v, &first);
  rapt_status status = project(&first, executor, error);
  if (!status) status = rotate_all(call, &first, 1, executor, error);
  if (!status)
    status = rapt_attention_run(mha->plan, attention, workspace + call->layout.attention,
                                bytes - (size_t)call->layout.attention, executor, error);
  if (status || !mha->o.data) return status;
  const int64_t rows[2] = {attention->o.stride[0], attention->o.stride[2]};
  rapt_projection o = from_queries(a, attention->o.data, rows, &mha->o);
  o.y = (char *)a->out;
  o.y_stride[0] = a->out_stride[0];
  o.y_stride[2] = a->out_stride[1];
  rapt_projections_add(&last, &o);
  return project(&last, executor, error);
}

/* What attention calls its arguments, and where the layer's caller has put them: without a cache keys and
 * values are in the workspace, as queries always are. */
static rapt_status fail_inner(const rapt_mha_call *call, const rapt_error *inner,
                              rapt_error *error) {
  const rapt_renaming names[] = {
      {"args.mask", "args.attention.mask"},
      {"args.alibi_slopes", "args.attention.alibi_slopes"},
      {"args.sinks", "args.attention.sinks"},
      {"args.prefix_lens", "args.attention.prefix_lens"},
      {"args.q_positions", "args.attention.q_positions"},
      {"args.lse", "args.attention.lse"},
      {"args.scores", "args.attention.scores"},
      {"args.cancel", "args.attention.cancel"},
      {"args.q.data", "workspace"},
      {"args.q", "the workspace"},
      {"args.k", call->has_cache ? "args.cache.k" : "the workspace"},
      {"args.v", call->has_cache ? "args.cache.v" : "the workspace"},
      {"args.o.data", "args.out"},
      {"args.o", "args.out"},
      {"desc", "desc.attention"},
  };
  return rapt_fail_renamed(error, inner, names, sizeof names / sizeof *names);
}

rapt_status rapt_mha_forward(const rapt_mha *mha, const rapt_mha_args *args, void *workspace,
                             size_t workspace_bytes, const rapt_executor *executor,
                             rapt_error *error) {
  rapt_mha_call call;
  rapt_executor with;
  rapt_attention_args attention, checked;
  rapt_scores_out scores;
  rapt_touched touched;
  rapt_status status = rapt_mha_load(mha, args, 0, &call, error);
  call.workspace = workspace;
  call.workspace_bytes = workspace_bytes;
  if (!status) status = rapt_mha_check(&call, 0, error);
  if (!status) status = rapt_load_executor(executor, &with, error);
  if (!status) status = check_workspace(&call, workspace, workspace_bytes, error);
  if (status) return status;
  compose(&call, workspace, &attention);
  rapt_error inner = {.size = sizeof inner};
  status = rapt_load_args(&mha->attention, &attention, &checked, &scores, &touched, &inner);
  if (!status) status = rapt_mha_check_touched(&call, &touched, &scores, &inner);
  if (!status) status = place_lengths(&call, workspace, &attention, &inner);
  if (!status) status = run(&call, &attention, workspace, workspace_bytes, &with, &inner);
  if (!status) return RAPT_OK;
  return fail_inner(&call, &inner, error);
}

rapt_status rapt_mha_project_kv(const rapt_mha *mha, const rapt_mha_args *args,
                                const rapt_executor *executor, rapt_error *error) {
  rapt_mha_call call;
  rapt_executor with;
  rapt_status status = rapt_mha_load(mha, args, 1, &call, error);
  if (!status) status = rapt_mha_check(&call, 1, error);
  if (!status) status = rapt_load_executor(executor, &with, error);
  if (status) return status;
  if (!call.has_cache)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.cache",
                     "is NULL: there is nowhere to put keys and values");
  if (!call.new_keys)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.flags",
                     "has RAPT_MHA_KEEP_KV: nothing would be projected");
  rapt_projections p = projections_of(&call, &with);
  rapt_const_tensor k = {.data = call.cache.k.data}, v = {.data = call.cache.v.data};
  memcpy(k.stride, call.cache.k.stride, sizeof k.stride);
  memcpy(v.stride, call.cache.v.stride, sizeof v.stride);
  add_new_keys(&call, &k, &v, &p);
  status = project(&p, &with, error);
  return status ? status : rotate_all(&call, &p, 0, &with, error);
}

rapt_status rapt_mha_workspace(const rapt_mha *mha, const rapt_mha_args *args, int32_t workers,
                               rapt_workspace_info *info, rapt_error *error) {
  rapt_mha_call call;
  rapt_layout attention;
  rapt_status status = rapt_mha_load(mha, args, 0, &call, error);
  if (!status) status = rapt_check_range(workers, 1, RAPT_MOST_WORKERS, "workers", error);
  if (status) return status;
  rapt_layout_for(mha->plan, call.extent.batch, call.extent.q_len, call.extent.kv_len, workers,
                  &attention);
  rapt_workspace_info out = {.size = sizeof out,
                             .bytes = (uint64_t)call.layout.attention + (uint64_t)attention.bytes,
                             .bytes_per_worker = (uint64_t)attention.worker_bytes,
                             .bytes_shared = (uint64_t)attention.workers};
  return rapt_store_workspace_info(&out, info, error);
}
