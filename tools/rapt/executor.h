/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef RAPT_TOOL_EXECUTOR_H
#define RAPT_TOOL_EXECUTOR_H

#include <rapt/rapt.h>

/* An executor of exactly `threads` workers: the library's own has as many as OpenMP says. */
rapt_executor executor_of_threads(int32_t threads);

#endif
