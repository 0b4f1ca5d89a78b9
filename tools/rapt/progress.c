/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wanted(void) {
  const char *term = getenv("TERM");
  return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

void progress_show(double done, const char *what) {
  const int width = 30;
  if (!wanted()) return;
  fflush(stdout);
  int full = (int)(done * width + 0.5);
  fprintf(stderr, "\r[");
  for (int i = 0; i < width; i++) fputc(i < full ? '#' : '.', stderr);
  fprintf(stderr, "] %3.0f %%  %s\033[K", 100 * done, what);
  fflush(stderr);
}

void progress_clear(void) {
  if (!wanted()) return;
  fprintf(stderr, "\r\033[K");
  fflush(stderr);
}
