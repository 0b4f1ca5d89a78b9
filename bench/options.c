/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bench_options_t bench_options = {.seconds = 1.0, .unfused = 1, .quick = 0};

static const char help[] =
    "rapt-bench [--rapt_seconds=<seconds per benchmark>]   default 1\n"
    "           [--rapt_unfused={1|0}]   prefill also times the unfused OpenBLAS path\n"
    "           [--rapt_quick]           short turns and small sizes\n"
    "RAPT_ISA=<isa> limits the kernel set, OMP_NUM_THREADS the workers.\n";

/* The value of --name=value or --name (as "1"), or NULL. */
static const char *value_of(const char *arg, const char *name) {
  size_t n = strlen(name);
  if (strncmp(arg, name, n) != 0) return NULL;
  if (arg[n] == 0) return "1";
  return arg[n] == '=' ? arg + n + 1 : NULL;
}

static int32_t truth(const char *value) {
  return strcmp(value, "0") != 0 && strcmp(value, "false") != 0;
}

int bench_options_parse(int argc, char **argv) {
  int kept = 1;
  int32_t seconds_given = 0;
  for (int i = 1; i < argc; i++) {
    const char *value;
    if ((value = value_of(argv[i], "--rapt_seconds"))) {
      char *end;
      bench_options.seconds = strtod(value, &end);
      seconds_given = 1;
      if (*end || !(bench_options.seconds > 0)) {
        fprintf(stderr, "rapt-bench: --rapt_seconds=%s is not a positive number\n", value);
        return -1;
      }
    } else if ((value = value_of(argv[i], "--rapt_unfused"))) {
      bench_options.unfused = truth(value);
    } else if ((value = value_of(argv[i], "--rapt_quick"))) {
      bench_options.quick = truth(value);
    } else if (strncmp(argv[i], "--rapt_", 7) == 0) {
      fprintf(stderr, "rapt-bench: unknown flag %s\n%s", argv[i], help);
      return -1;
    } else {
      if (strcmp(argv[i], "--help") == 0) fputs(help, stdout);
      argv[kept++] = argv[i];
    }
  }
  argv[kept] = NULL;
  if (bench_options.quick && !seconds_given) bench_options.seconds = 0.1;
  return kept;
}

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
