/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef RAPT_API_CHOOSE_SET_H
#define RAPT_API_CHOOSE_SET_H

#include "../dispatch/dispatch.h"
#include "api.h"

/* The set for a path on this machine, capped by `isa` (called `field` in errors) or, where that is
 * NULL or empty, by RAPT_ISA of the environment. */
rapt_status rapt_choose_set(const char *isa, const char *field, int32_t path, int32_t head_dim_qk,
                            int32_t head_dim_v, const rapt_kernel_set **set, rapt_error *error);

#endif
