/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * O beside float64, and beside a recorded one. */
#ifndef RAPT_TOOL_CHECK_H
#define RAPT_TOOL_CHECK_H

#include "call.h"

/* Prints errors and verdict. EXIT_CHECK_FAILED if O or LSE exceed the bounds of docs/numerics.md. */
int check_reference(const call *c, failure *why);

/* The same against the file of --expect, whose shape must be that of O. */
int check_expected(const call *c, const tensor *expected, double tolerance, failure *why);

/* Refuses an expected tensor of another shape; called before any work. */
int check_expected_shape(const call *c, const tensor *expected, int tokens_first, failure *why);

#endif
