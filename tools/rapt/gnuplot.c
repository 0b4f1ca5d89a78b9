/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L
#include "gnuplot.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/npy.h"

int gnuplot_present(const char *option, const char *instead, failure *why) {
  const char *path = getenv("PATH");
  for (size_t length; path && *path; path += length + (path[length] == ':')) {
    char name[4096];
    length = strcspn(path, ":");
    int n = snprintf(name, sizeof name, "%.*s/gnuplot", (int)length, path);
    if (n > 0 && n < (int)sizeof name && access(name, X_OK) == 0) return 0;
  }
  return fail(why, EXIT_RUN_FAILED,
              "%s is drawn by gnuplot, which is not in PATH (Debian: gnuplot-nox); %s", option,
              instead);
}

/* Nothing but the quote itself is special. A leading "./" keeps a name that begins with a bar from being
 * a command to gnuplot. */
void gnuplot_quote(FILE *to, const char *path) {
  fputs(path[0] == '/' ? "'" : "'./", to);
  for (; *path; path++) {
    if (*path == '\'') fputc('\'', to);
    fputc(*path, to);
  }
  fputc('\'', to);
}

int gnuplot_run(const char *option, const char *path,
                int (*script)(FILE *to, const char *path, const void *arg, failure *why),
                const void *arg, failure *why) {
  if (strchr(path, '\n'))
    return fail(why, EXIT_WRONG_USE, "%s takes a file name without line breaks", option);
  /* A gnuplot that is missing or fails must be an error message, not the end of this process. */
  void (*before)(int) = signal(SIGPIPE, SIG_IGN);
  FILE *gnuplot = popen("gnuplot", "w");
  int status = 0;
  if (!gnuplot)
    status = fail(why, EXIT_RUN_FAILED, "gnuplot could not be started: %s", strerror(errno));
  else
    status = script(gnuplot, path, arg, why);
  if (gnuplot && pclose(gnuplot) != 0 && status == 0)
    status = fail(why, EXIT_RUN_FAILED, "%s: gnuplot could not draw %s", option, path);
  signal(SIGPIPE, before);
  if (status) npy_remove(path);
  return status;
}
