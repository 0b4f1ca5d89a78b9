/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A random mask, as a file for the tool and as a mask of the sample's call. */
#ifndef RAPT_TESTS_TOOL_STORED_MASK_H
#define RAPT_TESTS_TOOL_STORED_MASK_H

#include "sample.h"

/* Writes m.npy with elements of `type` ("|b1", "|u1", "<f2", ">f4", "<f8", ...) and the last `dims` of the
 * extents, and gives the sample that mask, made apart from the file. A quarter of the keys is forbidden,
 * query 1 sees none at all. The result is what stored_mask_free wants. */
void *stored_mask(sample *s, const char *type, int32_t dims, const int32_t extent[4]);
void stored_mask_free(sample *s, void *data);

/* Writes an .npy file of one dimension with float32 numbers. */
void stored_floats(const char *name, const float *x, int32_t n);

#endif
