/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The wall to BLAS, of librapt only. Every product runs on the calling thread alone: no build of
 * OpenBLAS starts, wakes or waits for another thread in it, inside a parallel region or outside. No setting
 * of the process or of another thread is changed, so workers of any executor may call it at the
 * same time. */
#ifndef RAPT_PLATFORM_BLAS_H
#define RAPT_PLATFORM_BLAS_H

#include <rapt/rapt.h>

/* Around the products of a task, on its thread; the end gets what the beginning returned. */
int32_t rapt_blas_begin(void);
void rapt_blas_end(int32_t before);

/* y[rows][columns] += x[rows][inner] * w, or * w^T. Leading dimensions in floats, at most INT32_MAX. */
typedef struct rapt_product {
  const float *x, *w;
  float *y;
  int64_t ld_x, ld_w, ld_y;
  int32_t out_in; /* w is [columns][inner], else [inner][columns] */
  int32_t rows, columns, inner;
} rapt_product;

/* Product of a tile. What is computed for an element depends on the tile's shape and on its place in
 * it, so tiles are cut at multiples of these sizes, whoever computes them. */
typedef struct rapt_tile {
  int32_t rows, columns;
} rapt_tile;
rapt_tile rapt_blas_tile(void);
void rapt_blas_multiply_add(const rapt_product *product);

/* 0 if this library was built without BLAS. */
int rapt_blas_present(void);

/* Name and manner, for people. */
void rapt_blas_describe(rapt_blas_info *info);

#endif
