/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The dictionary at the start of an .npy file. */
#ifndef RAPT_TOOLS_NPY_HEADER_H
#define RAPT_TOOLS_NPY_HEADER_H

#include "npy.h"

/* Fills all of `array` but its data from the `length` bytes at `text`. 0, or -1 with a reason. */
int npy_header_parse(const char *text, size_t length, npy_array *array, char *why, size_t why_size);

/* Writes a reason, and returns -1. */
int npy_fail(char *why, size_t why_size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
