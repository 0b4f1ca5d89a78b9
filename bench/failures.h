/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a run must not end well with. */
#ifndef RAPT_BENCH_FAILURES_H
#define RAPT_BENCH_FAILURES_H

#include <stdint.h>

/* Noted, and printed at the end. */
__attribute__((format(printf, 1, 2))) void bench_fail(const char *format, ...);

/* Prints the failures; returns how many. */
int32_t bench_failures(void);

/* Checks a share of an anchor: above 1.02 the anchor is wrong and the run fails. Returns the share. */
double bench_share(const char *benchmark, const char *counter, double share);
#define BENCH_SHARE_LIMIT 1.02

#endif
