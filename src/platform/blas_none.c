/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Built with -DRAPT_BLAS=OFF: rapt_mha_create refuses, so that nothing here is ever asked to compute. */
#include "blas.h"

int32_t rapt_blas_begin(void) { return 0; }
void rapt_blas_end(int32_t before) { (void)before; }

int rapt_blas_present(void) { return 0; }

rapt_tile rapt_blas_tile(void) { return (rapt_tile){1, 1}; }

void rapt_blas_multiply_add(const rapt_product *product) { (void)product; }

void rapt_blas_describe(rapt_blas_info *info) { info->parallel = RAPT_BLAS_NONE; }
