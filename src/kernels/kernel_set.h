/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The contract between the engine and a kernel set.
 *
 * A kernel set is one instruction set level times one compute type ("avx512_f32"). It is a table of
 * pure functions over pointers: no allocation, no locks, no threads, no environment, no knowledge of
 * batches, tensor masks or pages. The engine cuts the problem into panels (queries in the vector
 * lanes) or rows (few queries, vectors along head_dim) and key blocks, and prepares everything per
 * block; kernels only compute.
 *
 * Arithmetic every set keeps (docs/numerics.md):
 *   - one accumulator per (key, lane) and chunk of channels with the channel ascending, one per (channel, lane) and block
 *     with the key ascending, added to O when the block ends: blocks are cut at absolute key positions,
 *     so how work is cut into tiles, panels and tasks never shows in the bits;
 *   - scores arrive in base 2 (scale * log2 e is folded into the packed queries) or, where something
 *     is done to them before softmax, in natural units (`natural`: m and the differences s - m are
 *     multiplied by log2 e only inside the exponential, so that neither 1e30 nor the lowest float
 *     overflows);
 *   - a forbidden score is -inf before the maximum is taken; forbidden keys never touch O, whatever
 *     bits their V holds.
 */
#ifndef RAPT_KERNELS_KERNEL_SET_H
#define RAPT_KERNELS_KERNEL_SET_H

#include <stdint.h>

#include "prefetch.h"

enum {
  RAPT_MAX_LANES = 32,       /* widest panel of any set; a permit word has one bit per lane */
  RAPT_MAX_VECTORS = 4,      /* vectors per panel */
  RAPT_MAX_ROWS = 12,        /* most rows that the row kernel of any set takes */
  RAPT_PANEL_WIDTHS = 3,     /* panel widths a set may offer, widest first */
  RAPT_CHANNEL_CHUNK = 128,  /* channels of a score that one accumulator sums */
  RAPT_MOST_KEY_BLOCK = 160, /* no set's key_block or row_block is longer */
  RAPT_KEY_ALIGN = 16,       /* a block starts at a multiple of this inside its key block */
  RAPT_SPLIT_KEYS = 2016     /* split length; a multiple of every set's key_block */
};

/* One key block as one panel (or group of rows) sees it. Keys count from the block's first key. */
typedef struct rapt_block {
  int32_t keys;       /* 1..key_block */
  int32_t full_begin; /* keys in [full_begin, full_end) are permitted to every lane ... */
  int32_t full_end;   /* ... and need no look at permit; 0 <= full_begin <= full_end <= stop[0] */
  int32_t
      stop[RAPT_MAX_VECTORS]; /* panel vector c takes part in keys < stop[c]: ascending, the last
                                     one is `keys`. Causal diagonals end lower vectors early. */
  const uint32_t *permit; /* bit i = lane (row) i may see the key; NULL if all is full. Words of the
                             full range are all ones; there is room for keys rounded up to
                             RAPT_KEY_ALIGN words (the row kernel reads whole vectors of them). */
  int32_t
      values_finite; /* 1: V of every key of the block is finite, so that p = 0 keeps a forbidden
                             one out; -1: it is not; 0: unknown, accumulate sees to it */
} rapt_block;

/* Score rules. Between scores and softmax the engine may call, in this order, softcap, add_bias and
 * adjust (panels) or add_alibi (rows). They work in place on natural scores. A block with rules is
 * given to `scores` as if every key were permitted; forbidden scores are taken out after the rules. */

/* ALiBi of one block: s += slope[i] * (distance[i] + key[n]) for lane (row) i, where distance is the
 * position of the block's first key less that of the query, and key[n] the key's number in the block
 * (floats: keys may have been left out). */
typedef struct rapt_alibi {
  const float *slope, *distance, *key;
} rapt_alibi;

/* Tensor masks, one row (a query's keys) at a time: bit n % 32 of word n / 32 says whether key n is
 * permitted. Word w of row i is words[w * RAPT_MAX_LANES + i], so that `permit` can turn a block. */
enum { RAPT_BIAS_F32, RAPT_BIAS_F16, RAPT_BIAS_BF16 };
enum { RAPT_BIAS_ADDS = 1 }; /* answer of a bias_*: some permitted key's bias is not 0 */

/* What permit words say: keys that some lane may see, keys that all lanes may see, and bits that the mask
 * took away from the range. */
typedef struct rapt_permits {
  int32_t kept, full;
  uint32_t missing;
} rapt_permits;

typedef struct rapt_mask_ops {
  /* `keys` bytes, nonzero = permitted. Bits beyond keys are 0. Reads no byte beyond. */
  void (*bools)(const void *row, int32_t keys, uint32_t *words);
  /* bias[n] = factor * row[n], permitted unless row[n] is -inf (then bias is -inf whatever the factor).
   * bias is aligned scratch with room for keys rounded up to RAPT_KEY_ALIGN, zeros beyond keys. */
  int32_t (*bias_f32)(const void *row, int32_t keys, float factor, float *bias, uint32_t *words);
  int32_t (*bias_f16)(const void *row, int32_t keys, float factor, float *bias, uint32_t *words);
  int32_t (*bias_bf16)(const void *row, int32_t keys, float factor, float *bias, uint32_t *words);
  /* The same without the copy: words only, RAPT_BIAS_ADDS if some row[n] is neither -inf nor 0. */
  int32_t (*look_f32)(const void *row, int32_t keys, uint32_t *words);
  int32_t (*look_f16)(const void *row, int32_t keys, uint32_t *words);
  int32_t (*look_bf16)(const void *row, int32_t keys, uint32_t *words);
  /* permit[n], n < keys: bit i = bit n of row i, i < lanes, ANDed with range[n] (NULL: all lanes). All
   * RAPT_MAX_LANES words of each 32 keys are readable, whatever lanes. permit may be range. */
  rapt_permits (*permit)(const uint32_t *words, int32_t lanes, int32_t keys, const uint32_t *range,
                         uint32_t *permit);
} rapt_mask_ops;

/* Panels: `lanes` queries. Scratch, 64-byte aligned, is laid out lane-innermost:
 *   qt[head_dim_qk][lanes]  s[key_block][lanes]  o[head_dim_v][lanes]  m, l, alpha[lanes]
 * A fresh panel has m = -inf, l = 0; accumulate with first = 1 ignores the old o. */
typedef struct rapt_panel_ops {
  int32_t lanes;
  int32_t vector; /* lanes per vector: block->stop[] has lanes / vector entries */

  /* qt = transposed rows * scale; lanes >= n_rows become 0. rows[i] points to head_dim floats. */
  void (*pack_q)(const float *const *rows, int32_t n_rows, int32_t head_dim, float scale,
                 float *qt);

  /* s[n][lane] = sum_d k[n][d] * qt[d][lane], -inf where forbidden; m_new = max(m_new, s). */
  void (*scores)(const float *qt, int32_t head_dim, const char *k, int64_t k_stride,
                 const rapt_block *block, float *s, float *m_new, rapt_prefetch *prefetch);

  /* s[n][lane] += bias[lane * stride + n]; stride 0: one bias row for all lanes. Rows are aligned and
   * readable to keys rounded up to RAPT_KEY_ALIGN. */
  void (*add_bias)(const rapt_block *block, const float *bias, int64_t stride, float *s);

  /* s[n][lane] += factors[lane] * rows[lane][n], straight from elements of type RAPT_BIAS_*, key n < stop.
   * 1: something was not finite, so that keys may be forbidden, and s is of no meaning. NULL in narrow
   * panels. */
  int32_t (*add_mask)(int32_t type, const rapt_block *block, const char *const *rows,
                      const float *factors, float *s);

  /* ALiBi (NULL: none), then -inf where forbidden; m_new = max(m_new, s). */
  void (*adjust)(const rapt_block *block, const rapt_alibi *alibi, float *s, float *m_new);

  /* alpha = 2^(m - m_new); s = 2^(s - m_new); l = l * alpha + sum s; m = m_new; e for 2 if natural. */
  void (*softmax)(const rapt_block *block, int32_t natural, float *s, const float *m_new, float *m,
                  float *l, float *alpha);

  /* o[c][lane] = o * alpha + sum_n v[n][c] * p[n][lane]. */
  void (*accumulate)(const float *p, const rapt_block *block, const char *v, int64_t v_stride,
                     int32_t head_dim, const float *alpha, int32_t first, float *o,
                     rapt_prefetch *prefetch);

  /* (m, l, o) joined with a later split (m2, l2, o2); each has seen a block. */
  void (*join)(int32_t natural, float *m, float *l, float *o, const float *m2, const float *l2,
               const float *o2, int32_t head_dim);

  /* rows[i][c] = o[c][i] / l[i], 0 for rows without a key; lse (natural log) is NULL or aligned
   * scratch of `lanes` floats. sink: NULL, or a natural logit per lane (aligned, `lanes` floats) that
   * joins m and l only; -inf is none. */
  void (*finish)(int32_t natural, const float *m, const float *l, const float *o, const float *sink,
                 int32_t head_dim, int32_t n_rows, float *const *rows, float *lse);

  /* rows[i][c] = o[c][i], 0 for rows without a key. */
  void (*copy_out)(const float *m, const float *l, const float *o, int32_t head_dim, int32_t n_rows,
                   float *const *rows);
} rapt_panel_ops;

/* Rows: 1..RAPT_MAX_ROWS queries against keys streamed once. Scratch is row-outermost:
 *   q[row][stride_qk]  s[row][row_block]  o[row][stride_v]  m, l, alpha[RAPT_MAX_ROWS]
 * where stride_x = head_dim rounded up to RAPT_KEY_ALIGN floats, the padding zero in q. block->stop is
 * not read; permit bit i = row i. A row's bits do not depend on its companions. */
typedef struct rapt_row_ops {
  int32_t row_block; /* most keys per block, divides RAPT_SPLIT_KEYS, multiple of RAPT_KEY_ALIGN */
  int32_t most_rows; /* beyond, a narrow panel is faster (measured); at most RAPT_MAX_ROWS */

  void (*pack_q)(const float *const *rows, int32_t n_rows, int32_t head_dim, float scale, float *q);
  void (*scores)(const float *q, int32_t n_rows, int32_t head_dim, const char *k, int64_t k_stride,
                 const rapt_block *block, float *s, rapt_prefetch *prefetch);
  void (*add_bias)(const rapt_block *block, int32_t n_rows, const float *bias, int64_t stride,
                   float *s);
  void (*add_alibi)(const rapt_block *block, int32_t n_rows, const rapt_alibi *alibi, float *s);
  /* Takes the forbidden scores out, finds the new maximum, s = 2^(s - m), e for 2 if natural. */
  void (*softmax)(const rapt_block *block, int32_t n_rows, int32_t natural, float *s, float *m,
                  float *alpha);
  /* As in panels; l = l * alpha + sum p here, in the order of o, so that V = ones gives 1. */
  void (*accumulate)(const float *p, int32_t n_rows, const rapt_block *block, const char *v,
                     int64_t v_stride, int32_t head_dim, const float *alpha, int32_t first,
                     float *l, float *o, rapt_prefetch *prefetch);
  void (*join)(int32_t n_rows, int32_t natural, float *m, float *l, float *o, const float *m2,
               const float *l2, const float *o2, int32_t head_dim);
  void (*finish)(int32_t natural, const float *m, const float *l, const float *o, const float *sink,
                 int32_t head_dim, int32_t n_rows, float *const *rows, float *lse);
  void (*copy_out)(const float *m, const float *l, const float *o, int32_t head_dim, int32_t n_rows,
                   float *const *rows);
} rapt_row_ops;

/* Softmax of one row, a piece at a time (rapt_softmax; the engine keeps the maximum and the sum). x, y
 * and out are aligned to 4 bytes only, not a byte beyond n elements is touched, n >= 1. y may be x. An
 * element that is NaN or +inf makes `sum` NaN. */
typedef struct rapt_softmax_ops {
  /* out[i] = x[i] * scale + bias[i] where permitted, -inf elsewhere. bias and words (word w at
   * words[w * RAPT_MAX_LANES]) NULL: 0, all permitted. */
  void (*prepare)(const float *x, int32_t n, float scale, const float *bias, const uint32_t *words,
                  float *out);
  /* The largest element, or any of -inf and the elements if one is NaN. */
  float (*largest)(const float *x, int32_t n);
  /* Sum of 2^((x[i] - base) * factor). */
  float (*sum)(const float *x, int32_t n, float base, float factor);
  /* y[i] = 2^((x[i] - base) * factor) * inverse, the exponential with the bits of `sum`. */
  void (*weights)(const float *x, int32_t n, float base, float factor, float inverse, float *y);
  /* y[i] = (x[i] - base) * factor - ln_sum. */
  void (*logs)(const float *x, int32_t n, float base, float factor, float ln_sum, float *y);
} rapt_softmax_ops;

/* Positions. Rows of one token, n_rows of them: x and y are the same rows or share no byte. Strides of
 * a single row say where the rows of the next call are. */
typedef struct rapt_rotation {
  const float *cos, *sin; /* [pairs] */
  int32_t pairs;          /* channels 0 .. 2 * pairs - 1 of a row are turned */
  int32_t rest;           /* channels after them are copied, unless x is y */
  int32_t ahead;          /* fetch this many x_strides ahead; 0: x is in cache */
  float factor, sine;     /* cosines are multiplied by factor, sines by sine (+factor or -factor) */
} rapt_rotation;

typedef struct rapt_position_ops {
  /* (a, b) = (fma(a, c, b * -s), fma(b, c, a * s)) with c = cos * factor, s = sin * sine; pair i is
   * channels (i, pairs + i) in halves, (2i, 2i + 1) in pairs: the same bits in either layout. */
  void (*rotate_halves)(const rapt_rotation *by, int32_t n_rows, const char *x, int64_t x_stride,
                        char *y, int64_t y_stride);
  void (*rotate_pairs)(const rapt_rotation *by, int32_t n_rows, const char *x, int64_t x_stride,
                       char *y, int64_t y_stride);
  /* x[i] += p[i], i < n. */
  void (*add)(float *x, const float *p, int64_t n);
} rapt_position_ops;

/* Rows of x by a matrix, for few rows: y[r][c] += sum over k of x[r][k] * w, r < n_rows. A sum depends on
 * the inner dimension alone, neither on the columns that are done together nor on the row's companions. */
typedef struct rapt_gemv {
  const float *const *x; /* [n_rows] rows of `inner` floats */
  const float *w;
  int64_t ld; /* floats from row to row of w */
  int32_t n_rows, inner, columns;
  float *y;     /* rows of `columns` floats */
  float *block; /* scratch like y, for in_out */
  int64_t y_stride;
} rapt_gemv;

typedef struct rapt_gemv_ops {
  void (*in_out)(const rapt_gemv *g); /* w[inner][columns] */
  void (*out_in)(const rapt_gemv *g); /* w[columns][inner] */
} rapt_gemv_ops;

typedef struct rapt_kernel_set {
  const char *name; /* "<isa>_<compute type>" */
  const char *isa;  /* "<isa>" */
  int32_t
      key_block; /* keys per block of a panel, divides RAPT_SPLIT_KEYS, multiple of RAPT_KEY_ALIGN */
  int32_t key_tile; /* keys per register tile: paces prefetch, shapes tests and benchmarks */
  int32_t dv_tile;  /* channels per register tile */
  int32_t n_panels; /* entries of panel[], widest first */
  rapt_panel_ops panel[RAPT_PANEL_WIDTHS];
  rapt_row_ops row;
  rapt_mask_ops mask;
  rapt_softmax_ops softmax;
  /* s[i] = cap * tanh(s[i] / cap), i < n: whole vectors are touched. s is aligned, 1e-20 <= cap <= 1e20. */
  void (*softcap)(float *s, int32_t n, float cap);
  /* 1 if all rows of V are finite, else -1: for block->values_finite. NULL where a masked FMA is as quick as
   * another, so that the answer is not worth having. */
  int32_t (*finite)(const char *v, int64_t v_stride, int32_t keys, int32_t head_dim);
  /* out[i] = 2^x[i], the set's own exponential (for tests). */
  void (*exp2)(const float *x, float *out, int32_t n);
  rapt_position_ops position;
  rapt_gemv_ops gemv;
} rapt_kernel_set;

#endif
