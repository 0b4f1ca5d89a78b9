/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attention in float64, written from the rules of the header (who sees what, empty rows, NaN) and
 * sharing no code with the library. It reads the very structs a call gets; it trusts them, so pass
 * only calls that are valid. */
#ifndef RAPT_TESTS_REFERENCE_H
#define RAPT_TESTS_REFERENCE_H

#include <rapt/rapt.h>

/* Lengths of sequence b. */
int64_t reference_q_len(const rapt_attention_args *args, int32_t b);
int64_t reference_kv_len(const rapt_attention_args *args, int32_t b);

/* Largest q_len over the batch. */
int64_t reference_max_q_len(const rapt_attention_args *args);

/* Visible keys of query i of sequence b: [begin, end), empty as begin = end. */
void reference_range(const rapt_attention_desc *desc, const rapt_attention_args *args, int32_t b,
                     int64_t i, int64_t *begin, int64_t *end);

/* Where the caller's tensors hold a row. h counts query heads for q, o, lse and KV heads for k, v. */
const float *reference_q_row(const rapt_attention_args *args, int32_t b, int32_t h, int64_t i);
const float *reference_k_row(const rapt_attention_args *args, int32_t b, int32_t h, int64_t j);
const float *reference_v_row(const rapt_attention_args *args, int32_t b, int32_t h, int64_t j);
float *reference_o_row(const rapt_attention_args *args, int32_t b, int32_t h, int64_t i);
float *reference_lse_at(const rapt_attention_args *args, int32_t b, int32_t h, int64_t i);

/* One row: o[head_dim_v] and *lse. NaN where the row must be NaN, INFINITY where a channel must be
 * non-finite of any kind (a permitted V is), which is how compare_close reads them. */
void reference_row(const rapt_attention_desc *desc, const rapt_attention_args *args, int32_t b,
                   int32_t h, int64_t i, double *o, double *lse);

/* The whole call: o[batch][heads_q][max q_len][head_dim_v], lse[batch][heads_q][max q_len]. Rows
 * beyond a sequence's own q_len are left as they are. lse may be NULL. */
void reference_attention(const rapt_attention_desc *desc, const rapt_attention_args *args,
                         double *o, double *lse);

#endif
