/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>

int fail(failure *why, int exit_code, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(why->sentence, sizeof why->sentence, format, list);
  va_end(list);
  for (char *at = why->sentence; *at; at++)
    if ((unsigned char)*at < ' ' || *at == 127) *at = '?';
  return exit_code;
}

int fail_print(const char *command, const failure *why, int exit_code) {
  fflush(stdout); /* what was said before the failure comes before it */
  fprintf(stderr, "rapt%s%s: %s\n", *command ? " " : "", command, why->sentence);
  return exit_code;
}
