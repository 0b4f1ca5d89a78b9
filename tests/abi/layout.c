/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Size and every offset of the public structs on 64-bit machines. A line that stops compiling means
 * that the ABI changed: fields are only ever added at the end. */
#include <rapt/rapt.h>

#include "support/rapt_test.h"

#if UINTPTR_MAX == UINT64_MAX

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)
#define AT(type, field, offset) \
  _Static_assert(offsetof(type, field) == (offset), #type "." #field " has moved")

SIZE(rapt_status, 4);

SIZE(rapt_error, 256);
AT(rapt_error, size, 0);
AT(rapt_error, code, 4);
AT(rapt_error, field, 8);
AT(rapt_error, message, 56);

SIZE(rapt_cpu_info, 216);
AT(rapt_cpu_info, size, 0);
AT(rapt_cpu_info, logical_cpus, 4);
AT(rapt_cpu_info, numa_nodes, 8);
AT(rapt_cpu_info, cache_line, 12);
AT(rapt_cpu_info, l1d_bytes, 16);
AT(rapt_cpu_info, l2_bytes, 24);
AT(rapt_cpu_info, l3_bytes, 32);
AT(rapt_cpu_info, isa, 40);
AT(rapt_cpu_info, isa_list, 72);
AT(rapt_cpu_info, topology, 200);

SIZE(rapt_kernel_info, 76);
AT(rapt_kernel_info, size, 0);
AT(rapt_kernel_info, usable, 4);
AT(rapt_kernel_info, name, 8);
AT(rapt_kernel_info, isa, 40);
AT(rapt_kernel_info, panel_queries, 64);
AT(rapt_kernel_info, key_block, 68);
AT(rapt_kernel_info, split_keys, 72);

SIZE(rapt_allocator, 32);
AT(rapt_allocator, size, 0);
AT(rapt_allocator, reserved, 4);
AT(rapt_allocator, ctx, 8);
AT(rapt_allocator, allocate, 16);
AT(rapt_allocator, release, 24);

SIZE(rapt_executor, 24);
AT(rapt_executor, size, 0);
AT(rapt_executor, max_workers, 4);
AT(rapt_executor, ctx, 8);
AT(rapt_executor, parallel, 16);

SIZE(rapt_attention_desc, 88);
AT(rapt_attention_desc, size, 0);
AT(rapt_attention_desc, flags, 4);
AT(rapt_attention_desc, dtype_q, 8);
AT(rapt_attention_desc, dtype_k, 12);
AT(rapt_attention_desc, dtype_v, 16);
AT(rapt_attention_desc, dtype_o, 20);
AT(rapt_attention_desc, heads_q, 24);
AT(rapt_attention_desc, heads_kv, 28);
AT(rapt_attention_desc, head_dim_qk, 32);
AT(rapt_attention_desc, head_dim_v, 36);
AT(rapt_attention_desc, align, 40);
AT(rapt_attention_desc, window_left, 44);
AT(rapt_attention_desc, window_right, 48);
AT(rapt_attention_desc, scale, 52);
AT(rapt_attention_desc, isa, 56);
AT(rapt_attention_desc, allocator, 64);
AT(rapt_attention_desc, softcap, 72);
AT(rapt_attention_desc, mask, 76);
AT(rapt_attention_desc, window_keep, 80);
AT(rapt_attention_desc, reserved, 84);

SIZE(rapt_tensor, 32);
AT(rapt_tensor, data, 0);
AT(rapt_tensor, stride, 8);
SIZE(rapt_const_tensor, 32);
AT(rapt_const_tensor, data, 0);
AT(rapt_const_tensor, stride, 8);

SIZE(rapt_attention_args, 392);
AT(rapt_attention_args, size, 0);
AT(rapt_attention_args, flags, 4);
AT(rapt_attention_args, batch, 8);
AT(rapt_attention_args, q_len, 12);
AT(rapt_attention_args, kv_len, 16);
AT(rapt_attention_args, reserved, 20);
AT(rapt_attention_args, q_lens, 24);
AT(rapt_attention_args, kv_lens, 32);
AT(rapt_attention_args, q_offsets, 40);
AT(rapt_attention_args, kv_offsets, 48);
AT(rapt_attention_args, q_positions, 56);
AT(rapt_attention_args, q, 64);
AT(rapt_attention_args, k, 96);
AT(rapt_attention_args, v, 128);
AT(rapt_attention_args, o, 160);
AT(rapt_attention_args, lse, 192);
AT(rapt_attention_args, cancel, 224);
AT(rapt_attention_args, mask, 232);
AT(rapt_attention_args, alibi_slopes, 296);
AT(rapt_attention_args, sinks, 304);
AT(rapt_attention_args, prefix_lens, 312);
AT(rapt_attention_args, m, 320);
AT(rapt_attention_args, l, 352);
AT(rapt_attention_args, scores, 384);

SIZE(rapt_mask, 64);
AT(rapt_mask, data, 0);
AT(rapt_mask, stride, 8);
AT(rapt_mask, extent, 40);
AT(rapt_mask, factors, 56);

SIZE(rapt_scores_out, 88);
AT(rapt_scores_out, size, 0);
AT(rapt_scores_out, stage, 4);
AT(rapt_scores_out, n_rows, 8);
AT(rapt_scores_out, n_heads, 12);
AT(rapt_scores_out, rows, 16);
AT(rapt_scores_out, heads, 24);
AT(rapt_scores_out, data, 32);
AT(rapt_scores_out, stride, 40);
AT(rapt_scores_out, key_sums, 64);
AT(rapt_scores_out, key_sums_stride, 72);

SIZE(rapt_merge_part, 128);
AT(rapt_merge_part, o, 0);
AT(rapt_merge_part, lse, 32);
AT(rapt_merge_part, m, 64);
AT(rapt_merge_part, l, 96);

SIZE(rapt_merge_args, 176);
AT(rapt_merge_args, size, 0);
AT(rapt_merge_args, flags, 4);
AT(rapt_merge_args, batch, 8);
AT(rapt_merge_args, heads, 12);
AT(rapt_merge_args, q_len, 16);
AT(rapt_merge_args, head_dim, 20);
AT(rapt_merge_args, n, 24);
AT(rapt_merge_args, reserved, 28);
AT(rapt_merge_args, partials, 32);
AT(rapt_merge_args, sinks, 40);
AT(rapt_merge_args, o, 48);
AT(rapt_merge_args, lse, 80);
AT(rapt_merge_args, m, 112);
AT(rapt_merge_args, l, 144);

SIZE(rapt_tensor_4d, 40);
AT(rapt_tensor_4d, data, 0);
AT(rapt_tensor_4d, stride, 8);
SIZE(rapt_const_tensor_4d, 40);
AT(rapt_const_tensor_4d, data, 0);
AT(rapt_const_tensor_4d, stride, 8);

SIZE(rapt_softmax_args, 192);
AT(rapt_softmax_args, size, 0);
AT(rapt_softmax_args, flags, 4);
AT(rapt_softmax_args, extent, 8);
AT(rapt_softmax_args, length, 20);
AT(rapt_softmax_args, x, 24);
AT(rapt_softmax_args, y, 64);
AT(rapt_softmax_args, scale, 104);
AT(rapt_softmax_args, temperature, 108);
AT(rapt_softmax_args, mask_kind, 112);
AT(rapt_softmax_args, reserved, 116);
AT(rapt_softmax_args, mask, 120);
AT(rapt_softmax_args, isa, 184);

SIZE(rapt_workspace_info, 32);
AT(rapt_workspace_info, size, 0);
AT(rapt_workspace_info, reserved, 4);
AT(rapt_workspace_info, bytes, 8);
AT(rapt_workspace_info, bytes_per_worker, 16);
AT(rapt_workspace_info, bytes_shared, 24);

SIZE(rapt_plan_info, 96);
AT(rapt_plan_info, size, 0);
AT(rapt_plan_info, panel_queries, 4);
AT(rapt_plan_info, key_block, 8);
AT(rapt_plan_info, split_keys, 12);
AT(rapt_plan_info, prefill_set, 16);
AT(rapt_plan_info, decode_set, 48);
AT(rapt_plan_info, numerics_id, 80);
AT(rapt_plan_info, decode_rows, 88);
AT(rapt_plan_info, reserved, 92);

SIZE(rapt_rope_desc, 104);
AT(rapt_rope_desc, size, 0);
AT(rapt_rope_desc, flags, 4);
AT(rapt_rope_desc, head_dim, 8);
AT(rapt_rope_desc, rotary_dims, 12);
AT(rapt_rope_desc, scaling, 16);
AT(rapt_rope_desc, original_context, 20);
AT(rapt_rope_desc, base, 24);
AT(rapt_rope_desc, factor, 32);
AT(rapt_rope_desc, beta_fast, 40);
AT(rapt_rope_desc, beta_slow, 48);
AT(rapt_rope_desc, low_freq_factor, 56);
AT(rapt_rope_desc, high_freq_factor, 64);
AT(rapt_rope_desc, attention_factor, 72);
AT(rapt_rope_desc, inv_freq, 80);
AT(rapt_rope_desc, isa, 88);
AT(rapt_rope_desc, allocator, 96);

SIZE(rapt_rope_info, 56);
AT(rapt_rope_info, size, 0);
AT(rapt_rope_info, head_dim, 4);
AT(rapt_rope_info, rotary_dims, 8);
AT(rapt_rope_info, reserved, 12);
AT(rapt_rope_info, attention_factor, 16);
AT(rapt_rope_info, set, 24);

SIZE(rapt_rope_table, 40);
AT(rapt_rope_table, size, 0);
AT(rapt_rope_table, first, 4);
AT(rapt_rope_table, count, 8);
AT(rapt_rope_table, reserved, 12);
AT(rapt_rope_table, cos, 16);
AT(rapt_rope_table, sin, 24);
AT(rapt_rope_table, stride, 32);

SIZE(rapt_rope_args, 120);
AT(rapt_rope_args, size, 0);
AT(rapt_rope_args, flags, 4);
AT(rapt_rope_args, batch, 8);
AT(rapt_rope_args, heads, 12);
AT(rapt_rope_args, tokens, 16);
AT(rapt_rope_args, reserved, 20);
AT(rapt_rope_args, lens, 24);
AT(rapt_rope_args, offsets, 32);
AT(rapt_rope_args, positions, 40);
AT(rapt_rope_args, x, 48);
AT(rapt_rope_args, y, 80);
AT(rapt_rope_args, table, 112);

SIZE(rapt_add_positions_args, 64);
AT(rapt_add_positions_args, size, 0);
AT(rapt_add_positions_args, flags, 4);
AT(rapt_add_positions_args, tokens, 8);
AT(rapt_add_positions_args, dim, 12);
AT(rapt_add_positions_args, table_rows, 16);
AT(rapt_add_positions_args, first, 20);
AT(rapt_add_positions_args, positions, 24);
AT(rapt_add_positions_args, table, 32);
AT(rapt_add_positions_args, table_stride, 40);
AT(rapt_add_positions_args, x, 48);
AT(rapt_add_positions_args, x_stride, 56);
SIZE(rapt_blas_info, 128);
AT(rapt_blas_info, size, 0);
AT(rapt_blas_info, parallel, 4);
AT(rapt_blas_info, name, 8);

SIZE(rapt_weights, 24);
AT(rapt_weights, data, 0);
AT(rapt_weights, stride, 8);
AT(rapt_weights, bias, 16);

SIZE(rapt_mha_desc, 160);
AT(rapt_mha_desc, size, 0);
AT(rapt_mha_desc, flags, 4);
AT(rapt_mha_desc, layout, 8);
AT(rapt_mha_desc, embed_in, 12);
AT(rapt_mha_desc, embed_source, 16);
AT(rapt_mha_desc, embed_out, 20);
AT(rapt_mha_desc, wq, 24);
AT(rapt_mha_desc, wk, 48);
AT(rapt_mha_desc, wv, 72);
AT(rapt_mha_desc, wqkv, 96);
AT(rapt_mha_desc, wo, 120);
AT(rapt_mha_desc, attention, 144);
AT(rapt_mha_desc, rope, 152);

SIZE(rapt_mha_cache, 88);
AT(rapt_mha_cache, size, 0);
AT(rapt_mha_cache, kind, 4);
AT(rapt_mha_cache, capacity, 8);
AT(rapt_mha_cache, reserved, 12);
AT(rapt_mha_cache, k, 16);
AT(rapt_mha_cache, v, 48);
AT(rapt_mha_cache, lengths, 80);

SIZE(rapt_mha_args, 152);
AT(rapt_mha_args, size, 0);
AT(rapt_mha_args, flags, 4);
AT(rapt_mha_args, batch, 8);
AT(rapt_mha_args, q_len, 12);
AT(rapt_mha_args, source_len, 16);
AT(rapt_mha_args, reserved, 20);
AT(rapt_mha_args, q_lens, 24);
AT(rapt_mha_args, q_offsets, 32);
AT(rapt_mha_args, source_lens, 40);
AT(rapt_mha_args, x, 48);
AT(rapt_mha_args, source, 56);
AT(rapt_mha_args, out, 64);
AT(rapt_mha_args, x_stride, 72);
AT(rapt_mha_args, source_stride, 88);
AT(rapt_mha_args, out_stride, 104);
AT(rapt_mha_args, cache, 120);
AT(rapt_mha_args, attention, 128);
AT(rapt_mha_args, positions, 136);
AT(rapt_mha_args, rope_table, 144);

#endif

/* Numbers in compiled programs. */
_Static_assert(RAPT_OK == 0 && RAPT_ERROR_INVALID_ARGUMENT == -1 && RAPT_ERROR_UNSUPPORTED == -2 &&
                   RAPT_ERROR_OUT_OF_MEMORY == -3 && RAPT_ERROR_WORKSPACE == -4 &&
                   RAPT_ERROR_VERSION == -5 && RAPT_ERROR_EXECUTOR == -6 &&
                   RAPT_ERROR_CANCELLED == -7,
               "a status code has changed");
_Static_assert(RAPT_F32 == 0, "a type has changed");
_Static_assert(RAPT_ALIGN_NONE == 0 && RAPT_ALIGN_TOP_LEFT == 1 && RAPT_ALIGN_BOTTOM_RIGHT == 2 &&
                   RAPT_ALIGN_OFFSET == 3,
               "an alignment has changed");
_Static_assert(RAPT_CAUSAL == 1 && RAPT_WINDOW_LEFT == 2 && RAPT_WINDOW_RIGHT == 4 &&
                   RAPT_SCALE_LITERAL == 8 && RAPT_FORCE_LANES == 16 && RAPT_ALIBI == 32 &&
                   RAPT_PREFIX == 64 && RAPT_PARTIAL == 128,
               "a flag has changed");
_Static_assert(RAPT_MASK_NONE == 0 && RAPT_MASK_BOOL == 1 && RAPT_MASK_BITS == 2 &&
                   RAPT_MASK_F32 == 3 && RAPT_MASK_F16 == 4 && RAPT_MASK_BF16 == 5,
               "a kind of mask has changed");
_Static_assert(RAPT_STAGE_RAW == 0 && RAPT_STAGE_SOFTCAP == 1 && RAPT_STAGE_BIAS == 2 &&
                   RAPT_STAGE_WEIGHTS == 3,
               "a stage has changed");
_Static_assert(RAPT_SOFTMAX_LITERAL == 1 && RAPT_SOFTMAX_LOG == 2, "a flag of softmax has changed");
_Static_assert(RAPT_ROPE_PLAIN == 0 && RAPT_ROPE_LINEAR == 1 && RAPT_ROPE_NTK == 2 &&
                   RAPT_ROPE_YARN == 3 && RAPT_ROPE_LLAMA3 == 4 && RAPT_ROPE_GIVEN == 5,
               "a scaling rule has changed");
_Static_assert(RAPT_ROPE_INTERLEAVED == 1 && RAPT_ROPE_YARN_EXACT == 2 && RAPT_ROPE_INVERSE == 1 &&
                   RAPT_ROPE_SHIFT == 2 && RAPT_SINUSOIDAL_HALVES == 1 &&
                   RAPT_SINUSOIDAL_INCLUSIVE == 2,
               "a flag of positions has changed");
_Static_assert(RAPT_BLAS_NONE == 0 && RAPT_BLAS_SEQUENTIAL == 1 && RAPT_BLAS_PTHREAD == 2 &&
                   RAPT_BLAS_OPENMP == 3 && RAPT_BLAS_UNKNOWN == 4,
               "a kind of BLAS has changed");
_Static_assert(RAPT_WEIGHTS_IN_OUT == 0 && RAPT_WEIGHTS_OUT_IN == 1 && RAPT_MHA_BORROW == 1 &&
                   RAPT_MHA_KEEP_KV == 1 && RAPT_CACHE_DENSE == 0,
               "a constant of the layer has changed");
_Static_assert(RAPT_TEAM_HEADER_BYTES == 128, "the team header has changed");

RAPT_TEST(layout_is_pinned) {
  if (sizeof(void *) != 8) SKIP("offsets are pinned for 64-bit machines only");
}
