/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef RAPT_API_RUN_H
#define RAPT_API_RUN_H

#include "../attention/call.h"

/* Puts a call with plan and args set into a workspace for as many of `workers` as it holds. */
rapt_status rapt_call_place(rapt_call *call, void *workspace, size_t bytes, int32_t workers,
                            rapt_error *error);

#endif
