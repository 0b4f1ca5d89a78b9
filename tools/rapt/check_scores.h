/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What --weights and --key-sums write, beside float64. */
#ifndef RAPT_TOOL_CHECK_SCORES_H
#define RAPT_TOOL_CHECK_SCORES_H

#include "call.h"

/* Prints errors and verdict, and clears *ok if they exceed the bounds. `loose` is the largest
 * looseness of the call's rows: sums of a key go over them all. */
int check_scores(const call *c, double loose, int *ok, failure *why);

#endif
