/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A few rows of x by a matrix w that comes from memory (decode): how fast it comes is all that counts.
 *
 * GEMV_STREAMS parts of w, far apart, are read side by side, each from its beginning to its end, without
 * prefetch instructions: hardware follows four long streams best. On a core of Zen 5 that is what the best
 * of plain reading gets from memory, 1.5 times one stream; rows cut to 512 columns get three quarters of it,
 * four neighbouring rows as streams 0.7 to 0.9 (docs/benchmarks.md). With several rows of x there is more to do
 * per byte than the core looks ahead, and the next row of w is fetched.
 *
 * Registers, for R rows of a group:
 *   in_out   R x V products (at most 16), V of w, 1 of x
 *   out_in   R x KEYS sums (at most 16), KEYS of w, 1 of x */
#include <string.h>

enum {
  GEMV_STREAMS = 4,
  GEMV_BLOCK = 64 /* steps summed by themselves: no sum of in_out has a long chain of additions */
};

/* sums[r][0 .. V vectors) += the sum over s of x[r][s] * w[s], which has an accumulator of its own. PARTIAL: of
 * the last vector `tail` lanes. `apart`: floats from w[s] to w[s + 1]. */
RAPT_INLINE void gemv_in_out_tile(const int R, const int V, const int S, const int PARTIAL,
                                  int32_t tail, const float *w, int64_t apart, int64_t ld,
                                  const float x[ROW_GROUP][GEMV_STREAMS], float *sums,
                                  int64_t stride) {
  vf a[ROW_GROUP][ROW_VECTORS], b[ROW_VECTORS];
  RAPT_UNROLL
  for (int s = 0; s < S; s++) {
    RAPT_UNROLL
    for (int i = 0; i < V; i++) {
      const float *at = w + s * apart + i * RAPT_VL;
      b[i] = PARTIAL && i == V - 1 ? vf_load_first(at, tail) : vf_loadu(at);
      if (R > 1) /* the next row; a number, because there may be none */
        rapt_prefetch_line((const char *)((uintptr_t)at + (uintptr_t)ld * sizeof(float)));
    }
    RAPT_UNROLL
    for (int r = 0; r < R; r++) {
      const vf f = vf_set1(x[r][s]);
      RAPT_UNROLL
      for (int i = 0; i < V; i++) a[r][i] = s ? vf_fma(f, b[i], a[r][i]) : vf_mul(f, b[i]);
    }
  }
  RAPT_UNROLL
  for (int r = 0; r < R; r++) {
    RAPT_UNROLL
    for (int i = 0; i < V; i++) {
      float *at = sums + r * stride + i * RAPT_VL;
      if (PARTIAL && i == V - 1)
        vf_store_first(at, tail, vf_add(vf_load_first(at, tail), a[r][i]));
      else
        vf_storeu(at, vf_add(vf_loadu(at), a[r][i]));
    }
  }
}

/* S rows of w, `step` rows from each other, to all columns of R rows of block sums. */
RAPT_INLINE void gemv_in_out_group(const int R, const int S, const rapt_gemv *g, int32_t row,
                                   int64_t k, int64_t step) {
  const int MOST = ROW_VECTORS_FOR(R);
  const int64_t apart = step * g->ld, stride = g->y_stride;
  const float *w = g->w + k * g->ld;
  float *sums = g->block + row * stride, x[ROW_GROUP][GEMV_STREAMS];
  for (int r = 0; r < R; r++)
    for (int s = 0; s < S; s++) x[r][s] = g->x[row + r][k + s * step];
  int32_t c = 0;
#define TILE(V, PARTIAL, tail)                                                                     \
  do {                                                                                             \
    gemv_in_out_tile(R, V, S, PARTIAL, tail, w + c, apart, g->ld, (const float(*)[GEMV_STREAMS])x, \
                     sums + c, stride);                                                            \
    c += (V) * RAPT_VL;                                                                            \
  } while (0)
  while (c + MOST * RAPT_VL <= g->columns) TILE(MOST, 0, 0);
  while (c + RAPT_VL <= g->columns) TILE(1, 0, 0);
  if (c < g->columns) TILE(1, 1, g->columns - c);
#undef TILE
}

/* y += block sums, which start again. */
static void gemv_end_block(const rapt_gemv *g) {
  for (int32_t r = 0; r < g->n_rows; r++) {
    float *y = g->y + r * g->y_stride, *sums = g->block + r * g->y_stride;
    for (int32_t c = 0; c < g->columns; c += RAPT_VL) {
      const int32_t n = g->columns - c < RAPT_VL ? g->columns - c : RAPT_VL;
      vf_store_first(y + c, n, vf_add(vf_load_first(y + c, n), vf_load_first(sums + c, n)));
      vf_store_first(sums + c, n, vf_zero());
    }
  }
}

#define GEMV_GROUPS(n_rows, CALL)                           \
  for (int32_t row = 0; row < (n_rows); row += ROW_GROUP) { \
    switch ((n_rows) - row) {                               \
    case 1:                                                 \
      CALL(1);                                              \
      break;                                                \
    case 2:                                                 \
      CALL(2);                                              \
      break;                                                \
    case 3:                                                 \
      CALL(3);                                              \
      break;                                                \
    default:                                                \
      CALL(4);                                              \
      break;                                                \
    }                                                       \
  }

static void gemv_in_out(const rapt_gemv *g) {
  const int64_t part = g->inner / GEMV_STREAMS;
  for (int32_t r = 0; r < g->n_rows; r++)
    memset(g->block + r * g->y_stride, 0, (size_t)g->columns * sizeof *g->block);
  for (int64_t k = 0; k < part; k++) {
#define CALL(R) gemv_in_out_group(R, GEMV_STREAMS, g, row, k, part)
    GEMV_GROUPS(g->n_rows, CALL)
#undef CALL
    if (k % GEMV_BLOCK == GEMV_BLOCK - 1) gemv_end_block(g);
  }
  for (int64_t k = part * GEMV_STREAMS; k < g->inner; k++) {
#define CALL(R) gemv_in_out_group(R, 1, g, row, k, 0)
    GEMV_GROUPS(g->n_rows, CALL)
#undef CALL
  }
  gemv_end_block(g);
}

/* acc[i][r] = x[r] . w_i for KEYS rows of w: one accumulator each, channels ascending. */
RAPT_INLINE void gemv_out_in_dots(const int R, const int KEYS, const float *const *x, int32_t inner,
                                  const float *const *w, vf acc[GEMV_STREAMS][ROW_GROUP]) {
  vf b[GEMV_STREAMS];
  RAPT_UNROLL
  for (int i = 0; i < KEYS * R; i++) acc[i / R][i % R] = vf_zero();
  int64_t d = 0;
#define STEP(LOAD)                                                                    \
  do {                                                                                \
    RAPT_UNROLL                                                                       \
    for (int i_ = 0; i_ < KEYS; i_++) b[i_] = LOAD(w[i_] + d);                        \
    RAPT_UNROLL                                                                       \
    for (int r_ = 0; r_ < R; r_++) {                                                  \
      const vf f_ = LOAD(x[r_] + d);                                                  \
      RAPT_UNROLL                                                                     \
      for (int i_ = 0; i_ < KEYS; i_++) acc[i_][r_] = vf_fma(b[i_], f_, acc[i_][r_]); \
    }                                                                                 \
  } while (0)
#define REST(at) vf_load_first(at, (int32_t)(inner - d))
  for (; d + RAPT_VL <= inner; d += RAPT_VL) STEP(vf_loadu);
  if (d < inner) STEP(REST);
#undef REST
#undef STEP
}

/* Four rows of w for R rows of x; `used` of them are columns of their own. */
RAPT_INLINE void gemv_out_in_group(const int R, const rapt_gemv *g, int32_t row,
                                   const float *const *w, const int32_t *column, int used) {
  const int KEYS = R > 2 ? ROW_KEYS_FOR(R) : GEMV_STREAMS;
  vf acc[GEMV_STREAMS][ROW_GROUP];
  RAPT_UNROLL
  for (int i = 0; i < GEMV_STREAMS; i += KEYS)
    gemv_out_in_dots(R, KEYS, g->x + row, g->inner, w + i, acc + i);
  RAPT_UNROLL
  for (int r = 0; r < R; r++) {
    const vf dots[GEMV_STREAMS] = {acc[0][r], acc[1][r], acc[2][r], acc[3][r]};
    float sum[GEMV_STREAMS];
    vf_sum4(dots, sum);
    for (int i = 0; i < used; i++) g->y[(row + r) * g->y_stride + column[i]] += sum[i];
  }
}

/* What the parts leave is done four columns at a time, a missing one read as the last. */
static void gemv_out_in(const rapt_gemv *g) {
  const int32_t part = g->columns / GEMV_STREAMS;
  const float *w[GEMV_STREAMS];
  int32_t column[GEMV_STREAMS];
  for (int32_t c = 0; c < part + (g->columns % GEMV_STREAMS != 0); c++) {
    const int used = c < part ? GEMV_STREAMS : g->columns % GEMV_STREAMS;
    for (int i = 0; i < GEMV_STREAMS; i++) {
      column[i] = c < part ? c + i * part : part * GEMV_STREAMS + (i < used ? i : used - 1);
      w[i] = g->w + column[i] * g->ld;
    }
#define CALL(R) gemv_out_in_group(R, g, row, w, column, used)
    GEMV_GROUPS(g->n_rows, CALL)
#undef CALL
  }
}
#undef GEMV_GROUPS
