/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef RAPT_ATTENTION_MERGE_H
#define RAPT_ATTENTION_MERGE_H

#include <rapt/rapt.h>

/* Joins rows [first, last) of the call; row (b * heads + h) * q_len + i. `args` is a checked
 * rapt_merge_args. */
void rapt_merge_rows(const void *args, int64_t first, int64_t last);

#endif
