/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef RAPT_API_RUN_H
#define RAPT_API_RUN_H

#include "../attention/call.h"
#include "touched.h"

/* Puts a call with plan and args set into a workspace for as many of `workers` as it holds. touched: what
 * the workspace must not overlap, or NULL if it is new memory. */
rapt_status rapt_call_place(rapt_call *call, const rapt_touched *touched, void *workspace,
                            size_t bytes, int32_t workers, rapt_error *error);

#endif
