/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Comparisons that report the first mismatch. The CHECK_* macros take a printf format and arguments
 * that tell which case it was; they are expressions: 1 if all is well. */
#ifndef RAPT_TESTS_COMPARE_H
#define RAPT_TESTS_COMPARE_H

#include <stddef.h>

#include <rapt/rapt.h>

#include "rapt_test.h"

/* Bounds every float32 call keeps on unit-normal inputs (docs: semantics, Precision). */
#define RAPT_BOUND_ABS 2e-6
#define RAPT_BOUND_REL 2e-6

/* |got - ref| <= abs + rel * |ref| for each element. A NaN in ref asks for a NaN, an infinity in ref
 * for anything that is not finite, except that -inf (of an LSE) asks for -inf. */
#define CHECK_CLOSE(got, ref, n, abs, rel, ...) \
  compare_close(__FILE__, __LINE__, got, ref, n, abs, rel, __VA_ARGS__)

/* Equal bits; NaNs are all alike. */
#define CHECK_BITS(a, b, n, ...) compare_bits(__FILE__, __LINE__, a, b, n, __VA_ARGS__)

/* Every byte is 0xff, as guard buffers start: nothing was written. */
#define CHECK_UNTOUCHED(p, bytes, ...) compare_untouched(__FILE__, __LINE__, p, bytes, __VA_ARGS__)

/* The whole result of a call (O, and LSE if it has one) against the float64 reference: the bound per
 * element, and a bound of the relative L2 error. */
#define CHECK_ATTENTION(desc, args, rel_l2, ...)                                            \
  compare_attention(__FILE__, __LINE__, desc, args, rel_l2, RAPT_BOUND_ABS, RAPT_BOUND_REL, \
                    __VA_ARGS__)

int compare_close(const char *file, int line, const float *got, const double *ref, size_t n,
                  double abs, double rel, const char *fmt, ...) RAPT_TEST_PRINTF(8, 9);
int compare_bits(const char *file, int line, const float *a, const float *b, size_t n,
                 const char *fmt, ...) RAPT_TEST_PRINTF(6, 7);
int compare_untouched(const char *file, int line, const void *p, size_t bytes, const char *fmt, ...)
    RAPT_TEST_PRINTF(5, 6);
int compare_attention(const char *file, int line, const rapt_attention_desc *desc,
                      const rapt_attention_args *args, double rel_l2, double abs, double rel,
                      const char *fmt, ...) RAPT_TEST_PRINTF(8, 9);

/* Distance in units of the last place of float32 at |ref| (normal range); 0 for two NaNs, two equal
 * infinities; HUGE_VAL for a class mismatch. */
double compare_ulp(float got, double ref);

/* Relative L2 error of a whole call: for benchmarks and bounds of one's own. */
double compare_attention_rel_l2(const rapt_attention_desc *desc, const rapt_attention_args *args);

#endif
