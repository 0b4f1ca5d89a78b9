/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What --weights and --key-sums write, beside float64. */
#ifndef RAPT_TOOL_CHECK_SCORES_H
#define RAPT_TOOL_CHECK_SCORES_H

#include "call.h"

/* Prints errors and verdict, and clears *ok if they exceed the bounds. The bounds of the call's rows are
 * wider than for unit-normal scores by a factor of `least` to `most`; sums of a key go over all rows. */
int check_scores(const call *c, double least, double most, int *ok, failure *why);

#endif
