/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Score rules of a run: tensor mask, slopes, sinks, prefixes; and which scores are asked for. Their memory
 * as far as it is a tensor is looked at in check_tensors.c. */
#include <inttypes.h>
#include <string.h>

#include "api.h"

/* An array that a rule reads, `count` elements of it, or that nothing would read. */
static rapt_status check_array(const void *pointer, int32_t rule, int32_t count, const char *field,
                               const char *rule_name, rapt_error *error) {
  if (rule && count > 0 && !pointer)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field, "is NULL, but %s needs it",
                     rule_name);
  if (!rule && pointer)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field, "must be NULL without %s",
                     rule_name);
  if ((uintptr_t)pointer % 4 != 0)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field, "is %p, must be a multiple of 4",
                     pointer);
  return RAPT_OK;
}

/* ---- Lengths ---------------------------------------------------------------------------------- */

static int32_t length_of(const int32_t *offsets, const int32_t *lens, int32_t len, int32_t b) {
  return offsets ? offsets[b + 1] - offsets[b] : lens ? lens[b] : len;
}

static int32_t longest(const int32_t *offsets, const int32_t *lens, int32_t len, int32_t batch) {
  if (!offsets && !lens) return len;
  int32_t most = 0;
  for (int32_t b = 0; b < batch; b++) {
    int32_t one = length_of(offsets, lens, len, b);
    if (one > most) most = one;
  }
  return most;
}

int32_t rapt_longest_q(const rapt_attention_args *a) {
  return longest(a->q_offsets, a->q_lens, a->q_len, a->batch);
}

int32_t rapt_longest_kv(const rapt_attention_args *a) {
  return longest(a->kv_offsets, a->kv_lens, a->kv_len, a->batch);
}

/* ---- Rules ------------------------------------------------------------------------------------ */

/* Extents: 1, or all that the call may look at. */
static rapt_status check_extents(const rapt_attention_desc *desc, const rapt_attention_args *args,
                                 rapt_error *error) {
  static const char *const of[4] = {"args.batch", "desc.heads_q", "the longest query length",
                                    "the longest key length"};
  const int32_t needed[4] = {args->batch, desc->heads_q, rapt_longest_q(args),
                             rapt_longest_kv(args)};
  for (int i = 0; i < 4; i++) {
    const int32_t extent = args->mask.extent[i];
    /* One bit is no broadcast: the words of a row hold what its extent says. */
    const int32_t broadcast = extent == 1 && !(i == 3 && desc->mask == RAPT_MASK_BITS);
    if (!broadcast && extent < needed[i])
      return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, "args.mask.extent", i,
                          "is %" PRId32 ", must be %s%s (%" PRId32 ")", extent,
                          i == 3 && desc->mask == RAPT_MASK_BITS ? "" : "1 or at least ", of[i],
                          needed[i]);
  }
  return RAPT_OK;
}

static rapt_status check_mask(const rapt_attention_desc *desc, const rapt_attention_args *args,
                              rapt_error *error) {
  const rapt_mask *m = &args->mask;
  const int32_t wanted = desc->mask != RAPT_MASK_NONE;
  if (!wanted && m->data)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.mask.data",
                     "must be NULL: desc.mask is RAPT_MASK_NONE (0)");
  rapt_status status = check_array(m->factors, desc->mask >= RAPT_MASK_F32, 0, "args.mask.factors",
                                   "an additive desc.mask", error);
  return status || !wanted ? status : check_extents(desc, args, error);
}

static rapt_status check_prefixes(const rapt_attention_args *a, rapt_error *error) {
  for (int32_t b = 0; b < a->batch; b++) {
    int32_t most = length_of(a->kv_offsets, a->kv_lens, a->kv_len, b);
    if (a->prefix_lens[b] < 0 || a->prefix_lens[b] > most)
      return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, "args.prefix_lens", b,
                          "is %" PRId32 ", allowed is 0 to the sequence's key length (%" PRId32 ")",
                          a->prefix_lens[b], most);
  }
  return RAPT_OK;
}

/* ---- Scores out -------------------------------------------------------------------------------- */

static rapt_status check_list(const int32_t *list, int32_t n, int32_t low, int32_t high,
                              const char *list_name, const char *n_name, rapt_error *error) {
  if (!list) {
    if (n == 0) return RAPT_OK;
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, n_name,
                     "is %" PRId32 ", must be 0 without a list (which means all)", n);
  }
  rapt_status status = rapt_check_range(n, 0, INT32_MAX, n_name, error);
  for (int32_t i = 0; i < n && !status; i++)
    if (list[i] < low || list[i] >= high)
      status = rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, list_name, i,
                            "is %" PRId32 ", allowed is %" PRId32 " to %" PRId32, list[i], low,
                            high - 1);
  return status;
}

static rapt_status load_scores(const rapt_attention_desc *desc, const rapt_attention_args *args,
                               rapt_scores_out *out, rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_scores_out, "args.scores", stride);
  memset(out, 0, sizeof *out);
  if (!args->scores) return RAPT_OK;
  rapt_status status = rapt_load_struct(&type, args->scores, out, error);
  if (!status)
    status = rapt_check_range(out->stage, RAPT_STAGE_RAW, RAPT_STAGE_WEIGHTS, "args.scores.stage",
                              error);
  if (!status)
    status = check_list(out->rows, out->n_rows, -args->q_len, args->q_len, "args.scores.rows",
                        "args.scores.n_rows", error);
  if (!status)
    status = check_list(out->heads, out->n_heads, 0, desc->heads_q, "args.scores.heads",
                        "args.scores.n_heads", error);
  return status;
}

static rapt_status check_sinks(const rapt_attention_desc *desc, const rapt_attention_args *args,
                               rapt_error *error) {
  if (args->sinks && desc->flags & RAPT_PARTIAL)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.sinks",
                     "must be NULL with RAPT_PARTIAL: sinks are applied once, at the merge");
  return check_array(args->sinks, 1, 0, "args.sinks", "", error);
}

rapt_status rapt_check_rules(const rapt_attention_desc *desc, const rapt_attention_args *args,
                             rapt_scores_out *scores, rapt_error *error) {
  const int32_t prefix = (desc->flags & RAPT_PREFIX) != 0, alibi = (desc->flags & RAPT_ALIBI) != 0;
  rapt_status status = check_mask(desc, args, error);
  if (!status)
    status = check_array(args->alibi_slopes, alibi, desc->heads_q, "args.alibi_slopes",
                         "RAPT_ALIBI", error);
  if (!status) status = check_sinks(desc, args, error);
  if (!status)
    status = check_array(args->prefix_lens, prefix, args->batch, "args.prefix_lens", "RAPT_PREFIX",
                         error);
  if (!status && prefix) status = check_prefixes(args, error);
  if (!status) status = load_scores(desc, args, scores, error);
  return status;
}
