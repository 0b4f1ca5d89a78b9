/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attention in float64, written from the rules of the header (who sees what, score stages, empty
 * rows, NaN) and sharing no code with the library. It reads the very structs a call gets; it trusts
 * them, so pass only calls that are valid. */
#ifndef RAPT_TOOLS_REFERENCE_H
#define RAPT_TOOLS_REFERENCE_H

#include <stddef.h>

#include <rapt/rapt.h>

/* ---- Tensors (reference_tensors.c) ---- */

/* Lengths of sequence b. */
int64_t reference_q_len(const rapt_attention_args *args, int32_t b);
int64_t reference_kv_len(const rapt_attention_args *args, int32_t b);

/* Largest q_len over the batch. */
int64_t reference_max_q_len(const rapt_attention_args *args);

/* Where the caller's tensors hold a row. h counts query heads for q, o, lse, m, l and KV heads for k,
 * v. lse, m, l: NULL where the call has none. */
const float *reference_q_row(const rapt_attention_args *args, int32_t b, int32_t h, int64_t i);
const float *reference_k_row(const rapt_attention_args *args, int32_t b, int32_t h, int64_t j);
const float *reference_v_row(const rapt_attention_args *args, int32_t b, int32_t h, int64_t j);
float *reference_o_row(const rapt_attention_args *args, int32_t b, int32_t h, int64_t i);
float *reference_lse_at(const rapt_attention_args *args, int32_t b, int32_t h, int64_t i);
float *reference_m_at(const rapt_attention_args *args, int32_t b, int32_t h, int64_t i);
float *reference_l_at(const rapt_attention_args *args, int32_t b, int32_t h, int64_t i);

/* Of scores_out: how many heads and rows it has, the x-th head, the query that its y-th row is for
 * sequence b (-1: the sequence has no such row), and where its keys begin. */
int32_t reference_scores_heads(const rapt_attention_desc *desc, const rapt_attention_args *args);
int32_t reference_scores_rows(const rapt_attention_args *args);
int32_t reference_scores_head(const rapt_attention_args *args, int32_t x);
int64_t reference_scores_query(const rapt_attention_args *args, int32_t b, int32_t y);
float *reference_scores_at(const rapt_attention_args *args, int32_t b, int32_t x, int32_t y);
float *reference_key_sums_at(const rapt_attention_args *args, int32_t b, int32_t x);

/* ---- Visibility (reference_visible.c) ---- */

/* The key position at which query i of sequence b stands. */
int64_t reference_position(const rapt_attention_desc *desc, const rapt_attention_args *args,
                           int32_t b, int64_t i);

/* Keys of query i of sequence b that length, causal, window and prefix may permit all lie in
 * [begin, end), empty as begin = end. Without window_keep and prefix, all of these are permitted. */
void reference_range(const rapt_attention_desc *desc, const rapt_attention_args *args, int32_t b,
                     int64_t i, int64_t *begin, int64_t *end);

/* 1 if the mask and all other rules permit the key. */
int reference_visible(const rapt_attention_desc *desc, const rapt_attention_args *args, int32_t b,
                      int32_t h, int64_t i, int64_t j);

/* The additive mask times its factor, rounded to float32 as the header's types are; 0 without one. */
double reference_mask_bias(const rapt_attention_desc *desc, const rapt_attention_args *args,
                           int32_t b, int32_t h, int64_t i, int64_t j);

/* ---- Scores (reference_scores.c) ---- */

/* The score at RAPT_STAGE_RAW, _SOFTCAP or _BIAS of a key j < the sequence's kv_len. */
double reference_score(const rapt_attention_desc *desc, const rapt_attention_args *args, int32_t b,
                       int32_t h, int64_t i, int64_t j, int stage);

/* The scores at RAPT_STAGE_BIAS of the keys of reference_range, into score[end - begin]. */
void reference_scores(const rapt_attention_desc *desc, const rapt_attention_args *args, int32_t b,
                      int32_t h, int64_t i, double *score);

/* What scores_out shows of one row, into out[args->kv_len]. i = -1: a row that the sequence does not
 * have. */
void reference_stage_row(const rapt_attention_desc *desc, const rapt_attention_args *args,
                         int32_t b, int32_t h, int64_t i, int stage, double *out);

/* key_sums of the x-th head of scores_out, into out[args->kv_len]. */
void reference_key_sums(const rapt_attention_desc *desc, const rapt_attention_args *args, int32_t b,
                        int32_t x, double *out);

/* ---- Rows (reference_row.c) ---- */

/* The row that follows from these scores, which become its weights before they are normalised: o
 * (sum of e^(score - m) * v), m and l, without the sink. See reference_row. */
void reference_partial_of_scores(const rapt_attention_desc *desc, const rapt_attention_args *args,
                                 int32_t b, int32_t h, int64_t i, double *score, double *o,
                                 double *m, double *l);

/* Likewise with the sink and divided, unless the call is RAPT_PARTIAL. */
void reference_row_of_scores(const rapt_attention_desc *desc, const rapt_attention_args *args,
                             int32_t b, int32_t h, int64_t i, double *score, double *o,
                             double *lse);

/* One row: o[head_dim_v] as the call leaves it, and *lse. NaN where the row must be NaN, INFINITY
 * where a channel must be non-finite of any kind (a permitted V is), which is how reference_close
 * reads them. */
void reference_row(const rapt_attention_desc *desc, const rapt_attention_args *args, int32_t b,
                   int32_t h, int64_t i, double *o, double *lse);

/* One row as RAPT_PARTIAL gives it, whether or not the call asks for that. */
void reference_partial_row(const rapt_attention_desc *desc, const rapt_attention_args *args,
                           int32_t b, int32_t h, int64_t i, double *o, double *m, double *l);

/* The whole call: o[batch][heads_q][max q_len][head_dim_v], lse[batch][heads_q][max q_len]. Rows
 * beyond a sequence's own q_len are left as they are. lse may be NULL. */
void reference_attention(const rapt_attention_desc *desc, const rapt_attention_args *args,
                         double *o, double *lse);

/* ---- Comparing (reference_close.c) ---- */

/* |got - ref| <= abs + rel * |ref|. A NaN in ref asks for a NaN, an infinity for anything that is not
 * finite, except that -inf (of an LSE) asks for -inf. */
int reference_close(float got, double ref, double abs, double rel);

/* sqrt(sum (got - ref)^2 / sum ref^2) over the elements whose ref is finite; 0 if there is none. */
double reference_rel_l2(const float *got, const double *ref, size_t n);

#endif
