/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Independent tasks on a caller's executor. */
#ifndef RAPT_API_SHARE_H
#define RAPT_API_SHARE_H

#include "api.h"

/* Nanoseconds of work that are worth waking a thread for. */
enum { RAPT_SHARE_WORTH = 20000 };

/* Calls task(job, 0 .. total-1), each once. `cost` is a guess of the whole in nanoseconds: little work
 * stays on this thread. Workers take the next task when they are free and never wait. */
rapt_status rapt_share(const rapt_executor *executor, int64_t total, double cost,
                       void (*task)(void *job, int64_t index), void *job, rapt_error *error);

#endif
