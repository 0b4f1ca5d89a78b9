/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Per-sequence lengths, offsets and positions. */
#include <inttypes.h>

#include "api.h"

/* Queries or keys: the same rules under two sets of names. */
typedef struct side {
  const char *len_name, *lens_name, *offsets_name;
  int32_t len;
  const int32_t *lens, *offsets;
} side;

static int64_t length_of(const side *s, int32_t b) {
  if (s->offsets) return (int64_t)s->offsets[b + 1] - s->offsets[b];
  return s->lens ? s->lens[b] : s->len;
}

static rapt_status check_offsets(const side *s, int32_t batch, rapt_error *error) {
  rapt_status status = RAPT_OK;
  if (s->offsets[0] < 0)
    status = rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, s->offsets_name, 0,
                          "is %" PRId32 ", must not be negative", s->offsets[0]);
  for (int32_t b = 0; b < batch && !status; b++) {
    int32_t from = s->offsets[b], to = s->offsets[b + 1];
    if (to < from)
      status = rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, s->offsets_name, b + 1,
                            "is %" PRId32 ", less than the one before (%" PRId32 ")", to, from);
    else if (to - from > s->len)
      status = rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, s->offsets_name, b + 1,
                            "is %" PRId32 ", %" PRId32 " tokens after the one before: more than "
                            "%s (%" PRId32 ")",
                            to, to - from, s->len_name, s->len);
  }
  return status;
}

static rapt_status check_lens(const side *s, int32_t batch, int64_t *longest, rapt_error *error) {
  for (int32_t b = 0; b < batch; b++) {
    int32_t len = s->lens[b];
    if (len < 0 || len > s->len)
      return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, s->lens_name, b,
                          "is %" PRId32 ", allowed is 0 to %s (%" PRId32 ")", len, s->len_name,
                          s->len);
    if (len > *longest) *longest = len;
  }
  return RAPT_OK;
}

static rapt_status check_side(const side *s, int32_t batch, rapt_token_range *range,
                              rapt_error *error) {
  *range = (rapt_token_range){.last = s->len, .batch = batch, .uniform = 1};
  if (!s->offsets) {
    if (!s->lens) return RAPT_OK;
    range->last = 0;
    range->uniform = 0;
    return check_lens(s, batch, &range->last, error);
  }
  if (s->lens)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, s->lens_name,
                     "must be NULL when %s are given", s->offsets_name);
  rapt_status status = check_offsets(s, batch, error);
  if (status) return status;
  range->first = s->offsets[0];
  range->last = s->offsets[batch];
  range->batch = 1;
  return RAPT_OK;
}

static rapt_status check_positions(const side *queries, int32_t batch, const int32_t *positions,
                                   rapt_error *error) {
  for (int32_t b = 0; b < batch; b++) {
    int64_t room = INT32_MAX - length_of(queries, b);
    if (positions[b] < 0 || positions[b] > room)
      return rapt_fail_at(error, RAPT_ERROR_INVALID_ARGUMENT, "args.q_positions", b,
                          "is %" PRId32 ", allowed is 0 to %" PRId64
                          " (so that the last of %" PRId64 " queries has a 32-bit position)",
                          positions[b], room, length_of(queries, b));
  }
  return RAPT_OK;
}

rapt_status rapt_check_lengths(const rapt_attention_desc *desc, const rapt_attention_args *args,
                               rapt_token_range *queries, rapt_token_range *keys,
                               rapt_error *error) {
  const side q = {"q_len",     "args.q_lens", "args.q_offsets",
                  args->q_len, args->q_lens,  args->q_offsets};
  const side kv = {"kv_len",     "args.kv_lens", "args.kv_offsets",
                   args->kv_len, args->kv_lens,  args->kv_offsets};
  rapt_status status = check_side(&q, args->batch, queries, error);
  if (!status) status = check_side(&kv, args->batch, keys, error);
  if (status) return status;
  if (desc->align != RAPT_ALIGN_OFFSET) {
    if (!args->q_positions) return RAPT_OK;
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.q_positions",
                     "must be NULL: desc.align is %" PRId32 ", not RAPT_ALIGN_OFFSET", desc->align);
  }
  if (!args->q_positions && args->batch > 0)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "args.q_positions",
                     "is NULL, but RAPT_ALIGN_OFFSET needs one position per sequence");
  return check_positions(&q, args->batch, args->q_positions, error);
}
