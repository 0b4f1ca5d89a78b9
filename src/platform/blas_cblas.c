/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * BLAS by its C interface. The only file that knows cblas.h.
 *
 * A build of OpenBLAS with threads decides call by call whether to use them. The decision cannot be
 * taken from it without a setter: with the OpenMP build it depends on the region we are in and on the
 * caller's settings, with the pthread build on a pool of its own. What it does (seen with the three
 * builds of 0.3.21) is to stay on the calling thread for small products (interface/gemm.c and gemv.c: up to
 * 65536 * 4 multiply-adds, and below 2304 * 4 elements of a matrix, with the build's default of
 * GEMM_MULTITHREAD_THRESHOLD = 4). So products are handed over in pieces of that size; the executor's
 * workers, and nobody else, share the pieces. A test counts the threads with all three builds.
 *
 * On Zen 5 pieces of 64 x 128 x 32 cost nothing with the AVX-512 kernels of OpenBLAS 0.3.21 (which have
 * a path of their own for small products) and 8 to 10 % with its AVX2 kernels. A BLAS without threads
 * gets whole tiles.
 *
 * Products are always added to y, because with "y = " OpenBLAS may choose another kernel, by the number
 * of threads it could have used: the bits would depend on it. */
#include "blas.h"

#include <cblas.h>
#include <stdio.h>
#include <string.h>

/* Only OpenBLAS has these. */
extern int openblas_get_parallel(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));
extern char *openblas_get_corename(void) __attribute__((weak));

enum {
  PIECE_ROWS = 64,
  PIECE_COLUMNS = 128,
  PIECE_PRODUCTS = 65536 * 4, /* most multiply-adds of a call */
  ROW_ELEMENTS = 8192,        /* most elements of a matrix in a call by a row, a multiple of 512 */
  ROWS_AT_ONCE = 4, /* with w^T: the kernels of OpenBLAS take four dot products at a time */
  WHOLE_ROWS = 128,
  WHOLE_COLUMNS = 384
};

/* Whether it could start some. A constant of the loaded library; a BLAS that is not OpenBLAS is taken at
 * its documentation's word, see RAPT_BLAS_UNKNOWN. */
static int has_threads(void) { return openblas_get_parallel && openblas_get_parallel() != 0; }

int rapt_blas_present(void) { return 1; }

rapt_tile rapt_blas_tile(void) {
  return has_threads() ? (rapt_tile){PIECE_ROWS, PIECE_COLUMNS}
                       : (rapt_tile){WHOLE_ROWS, WHOLE_COLUMNS};
}

void rapt_blas_multiply_add(const rapt_product *p) {
  int32_t step = p->inner;
  if (has_threads()) step = PIECE_PRODUCTS / (PIECE_ROWS * (p->columns > 64 ? PIECE_COLUMNS : 64));
  for (int32_t k = 0; k < p->inner; k += step) {
    int32_t inner = p->inner - k < step ? p->inner - k : step;
    const float *w = p->w + (p->out_in ? (int64_t)k : k * p->ld_w);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, p->out_in ? CblasTrans : CblasNoTrans, p->rows,
                p->columns, inner, 1.0f, p->x + k, (int)p->ld_x, w, (int)p->ld_w, 1.0f, p->y,
                (int)p->ld_y);
  }
}

int32_t rapt_blas_row_step(int32_t columns, int32_t out_in) {
  int32_t step = ROW_ELEMENTS / (out_in ? ROWS_AT_ONCE : columns);
  return step / 8 * 8;
}

void rapt_blas_row_add(const rapt_product *p, int32_t first, int32_t last) {
  const float *x = p->x + first;
  int32_t inner = last - first;
  if (!p->out_in) {
    cblas_sgemv(CblasRowMajor, CblasTrans, inner, p->columns, 1.0f, p->w + first * p->ld_w,
                (int)p->ld_w, x, 1, 1.0f, p->y, 1);
    return;
  }
  for (int32_t c = 0; c < p->columns; c += ROWS_AT_ONCE) {
    int32_t n = p->columns - c < ROWS_AT_ONCE ? p->columns - c : ROWS_AT_ONCE;
    cblas_sgemv(CblasRowMajor, CblasNoTrans, n, inner, 1.0f, p->w + first + c * p->ld_w,
                (int)p->ld_w, x, 1, 1.0f, p->y + c, 1);
  }
}

void rapt_blas_describe(rapt_blas_info *info) {
  static const char *const builds[] = {"sequential", "pthread", "OpenMP"};
  info->parallel = RAPT_BLAS_UNKNOWN;
  (void)snprintf(info->name, sizeof info->name, "CBLAS");
  if (!openblas_get_parallel || !openblas_get_config) return;
  const char *config = openblas_get_config(); /* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..." */
  const char *first = strchr(config, ' ');
  const char *second = first ? strchr(first + 1, ' ') : NULL;
  int length = second ? (int)(second - config) : (int)strlen(config);
  int parallel = openblas_get_parallel();
  const char *core = openblas_get_corename ? openblas_get_corename() : "?";
  info->parallel = parallel == 1   ? RAPT_BLAS_PTHREAD
                   : parallel == 2 ? RAPT_BLAS_OPENMP
                                   : RAPT_BLAS_SEQUENTIAL;
  (void)snprintf(info->name, sizeof info->name, "%.*s, %s build, kernels for %s", length, config,
                 builds[parallel == 1 || parallel == 2 ? parallel : 0], core);
}
