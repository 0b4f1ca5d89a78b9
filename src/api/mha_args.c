/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The arguments of the layer: structs and counts, lengths, positions. What attention has of its own is
 * checked by it, with the tensors the layer gives it (mha_forward.c). */
#include <inttypes.h>
#include <string.h>

#include "mha.h"

/* ---- Structs and counts ------------------------------------------------------------------------- */

static rapt_status load_cache(rapt_mha_call *call, rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_mha_cache, "args.cache", lengths);
  rapt_mha_cache *c = &call->cache;
  call->has_cache = call->args.cache != NULL;
  *c = (rapt_mha_cache){.size = 0};
  if (!call->has_cache) return RAPT_OK;
  rapt_status status = rapt_load_struct(&type, call->args.cache, c, error);
  if (!status) status = rapt_check_range(c->reserved, 0, 0, "args.cache.reserved", error);
  if (!status && c->kind != RAPT_CACHE_DENSE)
    return rapt_fail(error, RAPT_ERROR_UNSUPPORTED, "args.cache.kind",
                     "is %" PRId32 ", this version knows RAPT_CACHE_DENSE (0)", c->kind);
  if (!status) status = rapt_check_range(c->capacity, 0, INT32_MAX, "args.cache.capacity", error);
  return status;
}

static rapt_status load_rules(rapt_mha_call *call, rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_attention_args, "args.attention", o);
  rapt_attention_args loaded;
  call->rules = (rapt_attention_args){.size = sizeof call->rules};
  if (!call->args.attention) return RAPT_OK;
  rapt_status status = rapt_load_struct(&type, call->args.attention, &loaded, error);
  if (status) return status;
  call->rules.mask = loaded.mask;
  call->rules.alibi_slopes = loaded.alibi_slopes;
  call->rules.sinks = loaded.sinks;
  call->rules.prefix_lens = loaded.prefix_lens;
  call->rules.q_positions = loaded.q_positions;
  call->rules.lse = loaded.lse;
  call->rules.scores = loaded.scores;
  call->rules.cancel = loaded.cancel;
  return RAPT_OK;
}

const rapt_rope_table_names rapt_mha_table_names = RAPT_ROPE_TABLE_NAMES("args.rope_table");

static rapt_status load_table(rapt_mha_call *call, rapt_error *error) {
  if (!call->args.rope_table) return RAPT_OK;
  if (!call->mha->rope)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.rope_table",
                     "is given, but the layer has no rope");
  return rapt_load_rope_table(&rapt_mha_table_names, call->mha->rope, call->args.rope_table,
                              &call->table, &call->table_spans, error);
}

static rapt_status check_counts(const rapt_mha_args *a, rapt_error *error) {
  if (a->flags & ~(uint32_t)RAPT_MHA_KEEP_KV)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.flags",
                     "is 0x%" PRIx32 ", known is 0x%" PRIx32, a->flags, (uint32_t)RAPT_MHA_KEEP_KV);
  rapt_status status = rapt_check_range(a->batch, 0, INT32_MAX, "args.batch", error);
  if (!status) status = rapt_check_range(a->q_len, 0, INT32_MAX, "args.q_len", error);
  if (!status) status = rapt_check_range(a->source_len, 0, INT32_MAX, "args.source_len", error);
  if (!status) status = rapt_check_range(a->reserved, 0, 0, "args.reserved", error);
  return status;
}

/* For keys and values alone: outputs are none, and with a source of its own there are no queries. */
static void forget_queries(rapt_mha_args *a) {
  a->out = NULL;
  a->attention = NULL;
  if (a->source_len == 0 && !a->source) return; /* keys come from x */
  a->x = NULL;
  a->q_len = 0;
  a->q_lens = a->q_offsets = NULL;
  a->positions = NULL;
}

rapt_status rapt_mha_load(const rapt_mha *mha, const rapt_mha_args *in, int kv_only,
                          rapt_mha_call *call, rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_mha_args, "args", out_stride);
  if (!mha) return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "mha", "is NULL");
  call->mha = mha;
  call->workspace = NULL;
  call->workspace_bytes = 0;
  rapt_status status = rapt_load_struct(&type, in, &call->args, error);
  if (!status && kv_only) forget_queries(&call->args);
  if (!status) status = check_counts(&call->args, error);
  if (!status) status = load_cache(call, error);
  if (!status) status = load_rules(call, error);
  if (!status) status = load_table(call, error);
  if (status) return status;
  const rapt_mha_args *a = &call->args;
  call->cross = a->source_len > 0 || a->source != NULL;
  call->new_keys = !(a->flags & RAPT_MHA_KEEP_KV);
  if (!call->new_keys && !call->has_cache)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.cache",
                     "is NULL, RAPT_MHA_KEEP_KV needs one");
  int32_t fresh = call->cross ? a->source_len : a->q_len;
  call->extent = (rapt_mha_extent){.batch = a->batch,
                                   .q_len = a->q_len,
                                   .new_len = call->has_cache ? 0 : fresh,
                                   .kv_len = call->has_cache ? call->cache.capacity : fresh,
                                   .q_tokens = (int64_t)a->batch * a->q_len};
  call->extent.new_tokens = (int64_t)a->batch * call->extent.new_len;
  if (rapt_mha_layout_for(mha, &call->extent, &call->layout))
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.q_len",
                     "is %" PRId32 " for %" PRId32
                     " sequences: the scratch would exceed 2^60 bytes",
                     a->q_len, a->batch);
  return RAPT_OK;
}

/* ---- Lengths and tensors --------------------------------------------------------------------------- */

static rapt_status check_lens(const int32_t *lens, int32_t batch, int32_t most, const char *field,
                              rapt_error *error) {
  for (int32_t b = 0; lens && b < batch; b++)
    if (lens[b] < 0 || lens[b] > most)
      return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, field, b,
                          "is %" PRId32 ", allowed is 0 to %" PRId32, lens[b], most);
  return RAPT_OK;
}

static rapt_status check_offsets(const rapt_mha_args *a, rapt_error *error) {
  if (!a->q_offsets) return RAPT_OK;
  if (a->q_lens)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.q_lens",
                     "must be NULL, q_offsets say the lengths");
  if (a->q_offsets[0] < 0)
    return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, "args.q_offsets", 0,
                        "is %" PRId32 ", must be at least 0", a->q_offsets[0]);
  for (int32_t b = 0; b < a->batch; b++) {
    int64_t n = (int64_t)a->q_offsets[b + 1] - a->q_offsets[b];
    const int64_t most = (int64_t)a->q_offsets[b] + a->q_len;
    if (n < 0 || n > a->q_len)
      return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, "args.q_offsets", b + 1,
                          "is %" PRId32 ", allowed is %" PRId32 " to %" PRId64, a->q_offsets[b + 1],
                          a->q_offsets[b], most < INT32_MAX ? most : INT32_MAX);
  }
  return RAPT_OK;
}

/* Room for the new tokens behind those the cache holds. */
static rapt_status check_room(const rapt_mha_call *call, rapt_error *error) {
  const rapt_mha_cache *c = &call->cache;
  rapt_status status = check_lens(c->lengths, call->args.batch, c->capacity, "args.cache.lengths",
                                  error);
  for (int32_t b = 0; !status && b < call->args.batch; b++) {
    int32_t held = c->lengths ? c->lengths[b] : 0, more = rapt_mha_new_len(call, b);
    if (more > c->capacity - held)
      return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, "args.cache.lengths", b,
                          "is %" PRId32 ", with %" PRId32
                          " new tokens that exceeds the capacity of %" PRId32,
                          held, more, c->capacity);
  }
  return status;
}

/* Positions that tokens of a sequence get, and that they are in the table. */
static rapt_status check_position(const rapt_mha_call *call, int32_t b, int64_t first, int64_t n,
                                  const char *field, rapt_error *error) {
  const rapt_rope_table *t = call->args.rope_table ? &call->table : NULL;
  int64_t low = t ? t->first : 0, high = t ? (int64_t)t->first + t->count - 1 : INT32_MAX;
  if (n == 0 || (first >= low && first + n - 1 <= high)) return RAPT_OK;
  return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, field, b,
                      "makes positions %" PRId64 " to %" PRId64 ", allowed is %" PRId64
                      " to %" PRId64 "%s",
                      first, first + n - 1, low, high, t ? ", the table's" : "");
}

static rapt_status check_positions(const rapt_mha_call *call, int kv_only, rapt_error *error) {
  const rapt_mha_args *a = &call->args;
  const int32_t *held = call->has_cache ? call->cache.lengths : NULL;
  if (!call->mha->rope) return RAPT_OK;
  if (!call->new_keys && !a->positions)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.positions",
                     "is NULL: with RAPT_MHA_KEEP_KV and rotary positions they must be given");
  rapt_status status = RAPT_OK;
  for (int32_t b = 0; !status && b < a->batch; b++) {
    int64_t from = held ? held[b] : 0, first = a->positions ? a->positions[b] : from;
    int64_t n = a->q_offsets ? a->q_offsets[b + 1] - a->q_offsets[b]
                : a->q_lens  ? a->q_lens[b]
                             : a->q_len;
    if (!kv_only || !call->cross)
      status = check_position(call, b, first, n, "args.positions", error);
    if (!status && call->cross)
      status = check_position(call, b, from, rapt_mha_new_len(call, b), "args.cache.lengths",
                              error);
  }
  return status;
}

rapt_status rapt_mha_check(rapt_mha_call *call, int kv_only, rapt_error *error) {
  const rapt_mha_args *a = &call->args;
  const rapt_mha *mha = call->mha;
  rapt_status status = rapt_mha_check_arrays(call, error);
  if (!status) status = check_offsets(a, error);
  if (!status) status = check_lens(a->q_lens, a->batch, a->q_len, "args.q_lens", error);
  if (!status)
    status = check_lens(a->source_lens, a->batch, a->source_len, "args.source_lens", error);
  if (!status && call->has_cache) status = check_room(call, error);
  if (!status) status = check_positions(call, kv_only, error);
  if (!status && call->new_keys && !call->cross && mha->k.in != mha->q.in)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.source",
                     "is NULL, but keys come from rows of %" PRId32 " and x has %" PRId32,
                     mha->k.in, mha->q.in);
  return status ? status : rapt_mha_check_tensors(call, kv_only, error);
}
