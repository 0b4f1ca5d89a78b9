/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A stored case of a softmax operator. */
#ifndef RAPT_TESTS_CONFORMANCE_SOFTMAX_H
#define RAPT_TESTS_CONFORMANCE_SOFTMAX_H

#include "data.h"

/* Runs it on every level, out of place and in place. 1: all is well. */
int softmax_case(const data_case *c);

#endif
