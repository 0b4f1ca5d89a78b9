/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The flags rapt-bench adds to Google Benchmark's, and what made a run fail. */
#ifndef RAPT_BENCH_OPTIONS_H
#define RAPT_BENCH_OPTIONS_H

#include <stdint.h>

typedef struct bench_options_t {
  double seconds;  /* measuring time per benchmark, about */
  int32_t unfused; /* prefill also times the unfused path, up to UNFUSED_LENGTH tokens */
  int32_t quick;   /* short turns, few shapes: does everything work? */
} bench_options_t;

enum { BENCH_UNFUSED_LENGTH = 4096 };

extern bench_options_t bench_options;

/* Takes the --rapt_* flags out of argv and returns the new argc, or -1 after printing what is wrong. */
int bench_options_parse(int argc, char **argv);

/* Something the run must not end well with; printed at the end. */
__attribute__((format(printf, 1, 2))) void bench_fail(const char *format, ...);

/* Prints the failures; returns how many. */
int32_t bench_failures(void);

/* Checks a share of an anchor: above 1.02 the anchor is wrong and the run fails. Returns the share. */
double bench_share(const char *benchmark, const char *counter, double share);
#define BENCH_SHARE_LIMIT 1.02

#endif
