/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The arguments of a run: the scalars, then lengths (check_lengths.c), then tensors
 * (check_tensors.c). */
#include "touched.h"

static rapt_status check_scalars(const rapt_attention_args *args, rapt_error *error) {
  /* One test for the common case; the order of the reports below is the order of the fields. */
  if ((args->flags | (uint32_t)args->reserved) == 0 &&
      (args->batch | args->q_len | args->kv_len) >= 0)
    return RAPT_OK;
  rapt_status status = rapt_check_range(args->flags, 0, 0, "args.flags", error);
  if (!status) status = rapt_check_range(args->batch, 0, INT32_MAX, "args.batch", error);
  if (!status) status = rapt_check_range(args->q_len, 0, INT32_MAX, "args.q_len", error);
  if (!status) status = rapt_check_range(args->kv_len, 0, INT32_MAX, "args.kv_len", error);
  if (!status) status = rapt_check_range(args->reserved, 0, 0, "args.reserved", error);
  return status;
}

rapt_status rapt_load_args(const rapt_attention_desc *desc, const rapt_attention_args *in,
                           rapt_attention_args *out, rapt_scores_out *scores, rapt_touched *touched,
                           rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_attention_args, "args", o);
  rapt_token_range queries, keys;
  rapt_status status = rapt_load_struct(&type, in, out, error);
  if (!status) status = check_scalars(out, error);
  if (!status) status = rapt_check_arrays(desc, out, error);
  if (!status) status = rapt_check_lengths(desc, out, &queries, &keys, error);
  if (!status) status = rapt_check_rules(desc, out, scores, error);
  if (!status) status = rapt_check_tensors(desc, out, &queries, &keys, scores, touched, error);
  return status;
}

rapt_status rapt_load_workspace_args(const rapt_attention_args *in, rapt_attention_args *out,
                                     rapt_error *error) {
  static const rapt_struct_type type = RAPT_STRUCT_TYPE(rapt_attention_args, "args", reserved);
  rapt_status status = rapt_load_struct(&type, in, out, error);
  return status ? status : check_scalars(out, error);
}
