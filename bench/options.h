/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The flags rapt-bench adds to Google Benchmark's. */
#ifndef RAPT_BENCH_OPTIONS_H
#define RAPT_BENCH_OPTIONS_H

#include <stdint.h>

enum { BENCH_UNFUSED_LENGTH = 4096, BENCH_PEERS = 4 };

typedef struct bench_options_t {
  double seconds;  /* measuring time per benchmark, about */
  int32_t unfused; /* prefill also times the unfused path, up to UNFUSED_LENGTH tokens */
  int32_t quick;   /* short turns, few shapes: does everything work? */
  int32_t n_peers; /* paths given by --peer */
  const char *peers[BENCH_PEERS];
} bench_options_t;

extern bench_options_t bench_options;

/* Takes --peer and the --rapt_* flags out of argv and returns the new argc, or -1 after printing what
 * is wrong. */
int bench_options_parse(int argc, char **argv);

#endif
