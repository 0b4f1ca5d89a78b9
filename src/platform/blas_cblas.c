/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * BLAS by its C interface. The only file that knows cblas.h.
 *
 * A build of OpenBLAS with threads decides call by call whether to use them, whoever calls. Two things keep
 * it to the calling thread:
 *
 * - The OpenMP build asks its runtime, which is ours, how many threads a region may have. That is a setting
 *   of the calling task and of nobody else: it is 1 while a worker calls BLAS (executor_openmp.c).
 * - The pthread build has a pool of its own and can be told by nothing but a setter for the whole
 *   process. It does small products on the calling thread: up to 65536 * 4 multiply-adds,
 *   with the build's default of GEMM_MULTITHREAD_THRESHOLD = 4 (interface/gemm.c). So it gets pieces of that
 *   size.
 *
 * A test watches threads and their time with all three builds.
 *
 * Shapes were measured on Zen 5 with OpenBLAS 0.3.21, at 512 x 768 x 768 against one whole product, with its
 * AVX2 / AVX-512 kernels. Tiles of 256 x 256 (and the whole inner dimension) reach 98 / 95 %, 256 x 192 96 / 94 %,
 * 512 x 256 100 / 97 % (but there are too few to share), 128 x 384 93 / 84 %. Pieces of 48 x 128 x 40 reach 84 to 86 / 92 to 93 %,
 * 64 x 128 x 32 80 / 84 %: the kernels of AVX2 take twelve rows at a time.
 *
 * Products are always added to y, because with "y = " OpenBLAS may choose another kernel, by the number
 * of threads it could have used: the bits would depend on it. */
#include "blas.h"

#include <cblas.h>
#include <stdio.h>
#include <string.h>

#include "platform.h"

/* Only OpenBLAS has these. */
extern int openblas_get_parallel(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));
extern char *openblas_get_corename(void) __attribute__((weak));

enum {
  PIECE_ROWS = 48,
  PIECE_COLUMNS = 128,
  PIECE_PRODUCTS = 65536 * 4, /* most multiply-adds of a call */
  WHOLE_ROWS = 256,
  WHOLE_COLUMNS = 256
};

/* What openblas_get_parallel answers: a constant of the loaded library. A BLAS that is not OpenBLAS is taken
 * for one without threads, see RAPT_BLAS_UNKNOWN. */
enum { PTHREAD = 1, OPENMP = 2 };
static int threads_of_blas(void) { return openblas_get_parallel ? openblas_get_parallel() : 0; }

int rapt_blas_present(void) { return 1; }

int32_t rapt_blas_begin(void) { return threads_of_blas() == OPENMP ? rapt_openmp_limit(1) : 0; }

void rapt_blas_end(int32_t before) {
  if (before) (void)rapt_openmp_limit(before);
}

rapt_tile rapt_blas_tile(void) {
  return threads_of_blas() == PTHREAD ? (rapt_tile){PIECE_ROWS, PIECE_COLUMNS}
                                      : (rapt_tile){WHOLE_ROWS, WHOLE_COLUMNS};
}

void rapt_blas_multiply_add(const rapt_product *p) {
  int32_t step = p->inner;
  if (threads_of_blas() == PTHREAD)
    step = PIECE_PRODUCTS / (PIECE_ROWS * (p->columns > 64 ? PIECE_COLUMNS : 64)) / 8 * 8;
  for (int32_t k = 0; k < p->inner; k += step) {
    int32_t inner = p->inner - k < step ? p->inner - k : step;
    const float *w = p->w + (p->out_in ? (int64_t)k : k * p->ld_w);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, p->out_in ? CblasTrans : CblasNoTrans, p->rows,
                p->columns, inner, 1.0f, p->x + k, (int)p->ld_x, w, (int)p->ld_w, 1.0f, p->y,
                (int)p->ld_y);
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
  int parallel = threads_of_blas();
  const char *core = openblas_get_corename ? openblas_get_corename() : "?";
  info->parallel = parallel == PTHREAD  ? RAPT_BLAS_PTHREAD
                   : parallel == OPENMP ? RAPT_BLAS_OPENMP
                                        : RAPT_BLAS_SEQUENTIAL;
  (void)snprintf(info->name, sizeof info->name, "%.*s, %s build, kernels for %s", length, config,
                 builds[parallel == PTHREAD || parallel == OPENMP ? parallel : 0], core);
}
