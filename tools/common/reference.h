/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attention in float64, written from the rules of the header (who sees what, empty rows, NaN) and
 * sharing no code with the library. It reads the very structs a call gets; it trusts them, so pass
 * only calls that are valid. */
#ifndef RAPT_TOOLS_REFERENCE_H
#define RAPT_TOOLS_REFERENCE_H

#include <stddef.h>

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

/* scale * q.k of the visible keys [begin, end) of one row, into score[end - begin]. */
void reference_scores(const rapt_attention_desc *desc, const rapt_attention_args *args, int32_t b,
                      int32_t h, int64_t i, double *score);

/* The row that follows from these scores, which become its weights before they are normalised. See
 * reference_row. */
void reference_row_of_scores(const rapt_attention_desc *desc, const rapt_attention_args *args,
                             int32_t b, int32_t h, int64_t i, double *score, double *o,
                             double *lse);

/* One row: o[head_dim_v] and *lse. NaN where the row must be NaN, INFINITY where a channel must be
 * non-finite of any kind (a permitted V is), which is how reference_close reads them. */
void reference_row(const rapt_attention_desc *desc, const rapt_attention_args *args, int32_t b,
                   int32_t h, int64_t i, double *o, double *lse);

/* The whole call: o[batch][heads_q][max q_len][head_dim_v], lse[batch][heads_q][max q_len]. Rows
 * beyond a sequence's own q_len are left as they are. lse may be NULL. */
void reference_attention(const rapt_attention_desc *desc, const rapt_attention_args *args,
                         double *o, double *lse);

/* |got - ref| <= abs + rel * |ref|. A NaN in ref asks for a NaN, an infinity for anything that is not
 * finite, except that -inf (of an LSE) asks for -inf. */
int reference_close(float got, double ref, double abs, double rel);

/* sqrt(sum (got - ref)^2 / sum ref^2) over the elements whose ref is finite; 0 if there is none. */
double reference_rel_l2(const float *got, const double *ref, size_t n);

#endif
