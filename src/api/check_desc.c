/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The attention description, field by field. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api.h"

enum { MAX_HEAD_DIM = 1024, MAX_ISA_NAME = 24 };

static const uint32_t positional = RAPT_CAUSAL | RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT | RAPT_ALIBI;
static const uint32_t known_flags = RAPT_CAUSAL | RAPT_WINDOW_LEFT | RAPT_WINDOW_RIGHT |
                                    RAPT_SCALE_LITERAL | RAPT_FORCE_LANES | RAPT_ALIBI |
                                    RAPT_PREFIX | RAPT_PARTIAL;

static rapt_status check_dtypes(const rapt_attention_desc *desc, rapt_error *error) {
  static const char *const names[4] = {"desc.dtype_q", "desc.dtype_k", "desc.dtype_v",
                                       "desc.dtype_o"};
  const int32_t types[4] = {desc->dtype_q, desc->dtype_k, desc->dtype_v, desc->dtype_o};
  for (int i = 0; i < 4; i++)
    if (types[i] != RAPT_F32)
      return rapt_fail(error, RAPT_ERROR_UNSUPPORTED, names[i],
                       "is %" PRId32 ", this library knows RAPT_F32 (%d) only", types[i], RAPT_F32);
  return RAPT_OK;
}

static rapt_status check_heads(const rapt_attention_desc *desc, rapt_error *error) {
  rapt_status status = rapt_check_range(desc->heads_q, 0, INT32_MAX, "desc.heads_q", error);
  if (!status) status = rapt_check_range(desc->heads_kv, 0, INT32_MAX, "desc.heads_kv", error);
  if (status) return status;
  if (desc->heads_kv == 0) {
    if (desc->heads_q == 0) return RAPT_OK;
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.heads_kv",
                     "is 0, which is allowed only when heads_q (%" PRId32 ") is 0", desc->heads_q);
  }
  if (desc->heads_q % desc->heads_kv != 0)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.heads_q",
                     "is %" PRId32 ", must be a multiple of heads_kv (%" PRId32 ")", desc->heads_q,
                     desc->heads_kv);
  return RAPT_OK;
}

static rapt_status check_head_dim(int32_t dim, int32_t low, const char *field, rapt_error *error) {
  if (dim >= low && dim <= MAX_HEAD_DIM) return RAPT_OK;
  /* A larger one makes sense, only not here. */
  return rapt_fail(error, dim < low ? RAPT_ERROR_INVALID_ARGUMENT : RAPT_ERROR_UNSUPPORTED, field,
                   "is %" PRId32 ", allowed is %" PRId32 " to %d", dim, low, MAX_HEAD_DIM);
}

static rapt_status check_positions(const rapt_attention_desc *desc, rapt_error *error) {
  rapt_status status = rapt_check_range(desc->align, RAPT_ALIGN_NONE, RAPT_ALIGN_OFFSET,
                                        "desc.align", error);
  if (status) return status;
  int placed = (desc->flags & positional) != 0;
  if (placed && desc->align == RAPT_ALIGN_NONE)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.align",
                     "is RAPT_ALIGN_NONE (0), but causal, windows and ALiBi need an explicit "
                     "alignment");
  if (!placed && desc->align != RAPT_ALIGN_NONE)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.align",
                     "is %" PRId32 ", but without causal, window or ALiBi flags it must be "
                     "RAPT_ALIGN_NONE (0)",
                     desc->align);
  if (desc->flags & RAPT_WINDOW_LEFT)
    status = rapt_check_range(desc->window_left, 0, INT32_MAX, "desc.window_left", error);
  if (!status && desc->flags & RAPT_WINDOW_RIGHT)
    status = rapt_check_range(desc->window_right, 0, INT32_MAX, "desc.window_right", error);
  if (!status && desc->flags & RAPT_WINDOW_LEFT)
    status = rapt_check_range(desc->window_keep, 0, INT32_MAX, "desc.window_keep", error);
  if (!status && desc->flags & RAPT_PREFIX && !(desc->flags & RAPT_CAUSAL))
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.flags",
                     "has RAPT_PREFIX without RAPT_CAUSAL: a prefix is the part of the keys that "
                     "causal rows see anyway");
  return status;
}

/* Scores are computed in base 2: a finite scale must stay finite times log2 e. */
static rapt_status check_scale(const rapt_attention_desc *desc, rapt_error *error) {
  const double most = FLT_MAX / 1.4426950408889634;
  const int infinite = isinf(desc->scale) && desc->flags & RAPT_SCALE_LITERAL;
  if (!infinite && !(fabs((double)desc->scale) <= most))
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.scale",
                     "is %g, allowed is any number up to %g (0: 1/sqrt(head_dim_qk)); with "
                     "RAPT_SCALE_LITERAL also an infinite one",
                     (double)desc->scale, most);
  return RAPT_OK;
}

static rapt_status check_rules(const rapt_attention_desc *desc, rapt_error *error) {
  const float cap = desc->softcap;
  if (cap != 0 && !(cap >= 1e-20f && cap <= 1e20f))
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.softcap",
                     "is %g, allowed is 0 (none) or 1e-20 to 1e20", (double)cap);
  rapt_status status = rapt_check_range(desc->mask, RAPT_MASK_NONE, RAPT_MASK_BF16, "desc.mask",
                                        error);
  if (!status) status = rapt_check_range(desc->reserved, 0, 0, "desc.reserved", error);
  return status;
}

/* Only the form; whether this machine has the level is the dispatcher's business. */
static rapt_status check_isa(const char *isa, rapt_error *error) {
  if (!isa || memchr(isa, '\0', MAX_ISA_NAME)) return RAPT_OK;
  return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.isa",
                   "begins with \"%.*s\" and is longer than any instruction set level's name",
                   MAX_ISA_NAME, isa);
}

rapt_status rapt_load_desc(const rapt_attention_desc *in, rapt_attention_desc *out,
                           rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_attention_desc, "desc", head_dim_v);
  rapt_allocator allocator;
  rapt_status status = rapt_load_struct(&type, in, out, error);
  if (status) return status;
  if (out->flags & ~known_flags)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "desc.flags",
                     "is 0x%" PRIx32 ", of which 0x%" PRIx32 " is unknown to this library (%s)",
                     out->flags, out->flags & ~known_flags, rapt_version_string());
  status = check_dtypes(out, error);
  if (!status) status = check_heads(out, error);
  if (!status) status = check_head_dim(out->head_dim_qk, 1, "desc.head_dim_qk", error);
  if (!status) status = check_head_dim(out->head_dim_v, 0, "desc.head_dim_v", error);
  if (!status) status = check_positions(out, error);
  if (!status) status = check_scale(out, error);
  if (!status) status = check_rules(out, error);
  if (!status) status = check_isa(out->isa, error);
  if (!status) status = rapt_load_allocator(out->allocator, &allocator, error);
  return status;
}
