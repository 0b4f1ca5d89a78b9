/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "failures.h"

#include <stdarg.h>
#include <stdio.h>

static struct {
  int32_t count;
  char text[16][256];
} failed;

void bench_fail(const char *format, ...) {
  va_list args;
  if (failed.count < 16) {
    va_start(args, format);
    vsnprintf(failed.text[failed.count], sizeof failed.text[0], format, args);
    va_end(args);
  }
  failed.count++;
}

int32_t bench_failures(void) {
  for (int32_t i = 0; i < failed.count && i < 16; i++)
    fprintf(stderr, "FAILED: %s\n", failed.text[i]);
  if (failed.count > 16) fprintf(stderr, "FAILED: and %d more\n", (int)failed.count - 16);
  return failed.count;
}

double bench_share(const char *benchmark, const char *counter, double share) {
  if (share > BENCH_SHARE_LIMIT)
    bench_fail("%s: %s is %.3f: nothing exceeds the machine, so the anchor (or the count) is wrong",
               benchmark, counter, share);
  return share;
}
