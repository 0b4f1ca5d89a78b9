/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A call in words. */
#ifndef RAPT_TOOL_REPORT_H
#define RAPT_TOOL_REPORT_H

#include "call.h"

/* Lines "mask", "tensor", "scores", as far as there is something to say. */
void report_rules(const call *c);

/* Shapes, rules, kernels, time and the first values of O. */
void report_call(const call *c, const request *r);

#endif
