/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * NumPy's .npy files: reads versions 1 and 2 in C order and either byte order, writes float32. */
#ifndef RAPT_TOOLS_NPY_H
#define RAPT_TOOLS_NPY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NPY_MAX_DIMS = 8 };

typedef struct npy_array {
  char dtype[4];      /* "f4", "f8", "f2", "i4", "i8", "u1", "u2", "b1", "i1", "i2" */
  int32_t big_endian; /* 1: the bytes of an element are stored highest first */
  int32_t item;       /* bytes per element */
  int32_t dims;
  int64_t shape[NPY_MAX_DIMS];
  size_t count; /* elements */
  void *data;   /* as in the file; see npy_at */
} npy_array;

/* 0, or -1 with a reason in `why` (of `why_size` bytes) that reads well behind the file's name, and
 * the array empty. The file must end with the data. */
int npy_load(const char *path, npy_array *array, char *why, size_t why_size);
int npy_read(FILE *file, npy_array *array, char *why, size_t why_size);
void npy_free(npy_array *array);

/* Element i as a number, whatever the type ("u2" stays an integer: see npy_bf16). */
double npy_at(const npy_array *array, size_t i);

/* Element i of a "u2" array that holds bfloat16 bits. */
double npy_bf16(const npy_array *array, size_t i);

/* Writes float32 in C order. 0, or -1 with a reason, and no half file is left. */
int npy_save(const char *path, const float *data, const int64_t *shape, int32_t dims, char *why,
             size_t why_size);

/* Removes a file that could not be finished; what is no plain file (a device, a pipe) stays. */
void npy_remove(const char *path);

#endif
