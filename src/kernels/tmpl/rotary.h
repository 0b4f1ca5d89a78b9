/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Positions: rotation of pairs of channels, and the addition of a table's row.
 *
 * Rows share the cosines and sines of their token: one load of these serves up to four rows, whose
 * channels are all loaded before the first is stored (rows a multiple of 4096 bytes apart would else
 * wait for stores they only seem to meet). */
#include <string.h>

enum { ROTARY_ROWS = 4 };

/* 2 * RAPT_VL channels of a row: two vectors at `at` and, RAPT_VL or `second` floats on, at the other
 * half. PARTIAL: n pairs are left, 0 < n < RAPT_VL. */
RAPT_INLINE void rotary_load(const int INTERLEAVED, const int PARTIAL, const float *at,
                             int32_t second, int32_t n, vf *a, vf *b) {
  if (!INTERLEAVED) {
    *a = PARTIAL ? vf_load_first(at, n) : vf_loadu(at);
    *b = PARTIAL ? vf_load_first(at + second, n) : vf_loadu(at + second);
    return;
  }
  vf low = PARTIAL ? vf_load_first(at, 2 * n < RAPT_VL ? 2 * n : RAPT_VL) : vf_loadu(at);
  vf high = vf_zero();
  if (!PARTIAL)
    high = vf_loadu(at + RAPT_VL);
  else if (2 * n > RAPT_VL)
    high = vf_load_first(at + RAPT_VL, 2 * n - RAPT_VL);
  vf_split_pairs(low, high, a, b);
}

RAPT_INLINE void rotary_store(const int INTERLEAVED, const int PARTIAL, float *at, int32_t second,
                              int32_t n, vf a, vf b) {
  vf low, high;
  if (!INTERLEAVED && !PARTIAL) {
    vf_storeu(at, a);
    vf_storeu(at + second, b);
  } else if (!INTERLEAVED) {
    vf_store_first(at, n, a);
    vf_store_first(at + second, n, b);
  } else if (!PARTIAL) {
    vf_join_pairs(a, b, &low, &high);
    vf_storeu(at, low);
    vf_storeu(at + RAPT_VL, high);
  } else {
    vf_join_pairs(a, b, &low, &high);
    vf_store_first(at, 2 * n < RAPT_VL ? 2 * n : RAPT_VL, low);
    if (2 * n > RAPT_VL) vf_store_first(at + RAPT_VL, 2 * n - RAPT_VL, high);
  }
}

/* Pairs i .. of R rows. */
RAPT_INLINE void rotary_step(const int INTERLEAVED, const int PARTIAL, const int R,
                             const rapt_rotation *by, int32_t i, const char *x, int64_t x_stride,
                             char *y, int64_t y_stride) {
  const int32_t n = by->pairs - i, second = by->pairs, at = INTERLEAVED ? 2 * i : i;
  vf c = PARTIAL ? vf_load_first(by->cos + i, n) : vf_loadu(by->cos + i);
  vf s = PARTIAL ? vf_load_first(by->sin + i, n) : vf_loadu(by->sin + i);
  if (INTERLEAVED) {
    c = vf_pair_order(c);
    s = vf_pair_order(s);
  }
  c = vf_mul(c, vf_set1(by->factor));
  const vf minus = vf_mul(s, vf_set1(-by->sine));
  s = vf_mul(s, vf_set1(by->sine));
  vf a[ROTARY_ROWS], b[ROTARY_ROWS];
  if (by->ahead) {
    const int32_t other = INTERLEAVED ? RAPT_VL : second;
    RAPT_UNROLL
    for (int r = 0; r < R; r++) {
      /* A number, because it may be no address of the tensor. */
      const uintptr_t next = (uintptr_t)x + (uintptr_t)(r + by->ahead) * (uintptr_t)x_stride;
      rapt_prefetch_once((const char *)(next + (uintptr_t)at * sizeof(float)));
      rapt_prefetch_once((const char *)(next + ((uintptr_t)at + (uintptr_t)other) * sizeof(float)));
    }
  }
  RAPT_UNROLL
  for (int r = 0; r < R; r++)
    rotary_load(INTERLEAVED, PARTIAL, (const float *)(const void *)(x + r * x_stride) + at, second,
                n, &a[r], &b[r]);
  RAPT_UNROLL
  for (int r = 0; r < R; r++) {
    vf turned = vf_fma(a[r], c, vf_mul(b[r], minus));
    b[r] = vf_fma(b[r], c, vf_mul(a[r], s));
    a[r] = turned;
  }
  RAPT_UNROLL
  for (int r = 0; r < R; r++)
    rotary_store(INTERLEAVED, PARTIAL, (float *)(void *)(y + r * y_stride) + at, second, n, a[r],
                 b[r]);
}

/* The whole vectors of R rows. */
RAPT_INLINE void rotary_group(const int INTERLEAVED, const int R, const rapt_rotation *by,
                              const char *x, int64_t x_stride, char *y, int64_t y_stride) {
  const rapt_rotation with = *by; /* a copy that no store can change */
  for (int32_t i = 0; i + RAPT_VL <= with.pairs; i += RAPT_VL)
    rotary_step(INTERLEAVED, 0, R, &with, i, x, x_stride, y, y_stride);
}

/* What whole vectors leave, row by row: common dims leave nothing. */
RAPT_INLINE void rotary_tail(const int INTERLEAVED, const rapt_rotation *by, int32_t n_rows,
                             const char *x, int64_t x_stride, char *y, int64_t y_stride) {
  const int32_t done = by->pairs - by->pairs % RAPT_VL;
  const size_t turned = (size_t)by->pairs * 2 * sizeof(float);
  for (int32_t r = 0; r < n_rows; r++) {
    const char *from = x + r * x_stride;
    char *to = y + r * y_stride;
    if (done < by->pairs) rotary_step(INTERLEAVED, 1, 1, by, done, from, 0, to, 0);
    if (from != to) memcpy(to + turned, from + turned, (size_t)by->rest * sizeof(float));
  }
}

RAPT_INLINE void rotary_rows(const int INTERLEAVED, const rapt_rotation *by, int32_t n_rows,
                             const char *x, int64_t x_stride, char *y, int64_t y_stride) {
  int32_t r = 0;
  for (; r + ROTARY_ROWS <= n_rows; r += ROTARY_ROWS)
    rotary_group(INTERLEAVED, ROTARY_ROWS, by, x + r * x_stride, x_stride, y + r * y_stride,
                 y_stride);
  for (; r < n_rows; r++)
    rotary_group(INTERLEAVED, 1, by, x + r * x_stride, x_stride, y + r * y_stride, y_stride);
  if (by->pairs % RAPT_VL || by->rest)
    rotary_tail(INTERLEAVED, by, n_rows, x, x_stride, y, y_stride);
}

static void rotary_halves(const rapt_rotation *by, int32_t n_rows, const char *x, int64_t x_stride,
                          char *y, int64_t y_stride) {
  rotary_rows(0, by, n_rows, x, x_stride, y, y_stride);
}

static void rotary_pairs(const rapt_rotation *by, int32_t n_rows, const char *x, int64_t x_stride,
                         char *y, int64_t y_stride) {
  rotary_rows(1, by, n_rows, x, x_stride, y, y_stride);
}

static void position_add(float *x, const float *p, int64_t n) {
  int64_t i = 0;
  for (; i + RAPT_VL <= n; i += RAPT_VL) vf_storeu(x + i, vf_add(vf_loadu(x + i), vf_loadu(p + i)));
  if (i < n) {
    const int32_t left = (int32_t)(n - i);
    vf_store_first(x + i, left, vf_add(vf_load_first(x + i, left), vf_load_first(p + i, left)));
  }
}
