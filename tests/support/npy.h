/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads NumPy's .npy files, versions 1 and 2, little-endian, C order. */
#ifndef RAPT_TESTS_NPY_H
#define RAPT_TESTS_NPY_H

#include <stddef.h>
#include <stdint.h>

enum { NPY_MAX_DIMS = 8 };

typedef struct npy_array {
  char dtype[4]; /* "f4", "f8", "f2", "i4", "i8", "u1", "u2", "b1" */
  int32_t item;  /* bytes per element */
  int32_t dims;
  int64_t shape[NPY_MAX_DIMS];
  size_t count; /* elements */
  void *data;
} npy_array;

/* 0, or -1 with a reason in `why` (of `why_size` bytes). */
int npy_load(const char *path, npy_array *array, char *why, size_t why_size);
void npy_free(npy_array *array);

/* Element i as a number, whatever the type ("u2" stays an integer: see npy_bf16). */
double npy_at(const npy_array *array, size_t i);

/* Element i of a "u2" array that holds bfloat16 bits. */
double npy_bf16(const npy_array *array, size_t i);

/* All elements converted, to be freed by the caller; NULL when out of memory. */
float *npy_to_float(const npy_array *array);
double *npy_to_double(const npy_array *array);

#endif
