/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The files that rapt run writes: all of them, or none. */
#ifndef RAPT_TOOL_OUTPUTS_H
#define RAPT_TOOL_OUTPUTS_H

#include "call.h"

/* Writes what was asked for. After a failure nothing of it is left. */
int outputs_write(const call *c, const request *r, failure *why);

/* Removes what outputs_write has written. */
void outputs_remove(const request *r);

#endif
