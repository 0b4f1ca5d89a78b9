/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt: attention from the command line. See docs/tool.md. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rapt/rapt.h>

#include "help.h"

static int run_command(int argc, char **argv) {
  failure why;
  const char *name = argc > 1 ? argv[1] : "";
  int help = strcmp(name, "help") == 0;
  const command *found = command_find(help && argc > 2 ? argv[2] : name);
  if (found && help) {
    help_command(found->page);
    return EXIT_FINE;
  }
  if (found) return found->main(argc - 1, argv + 1);
  if ((help && argc == 2) || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    help_tool(stdout);
    return EXIT_FINE;
  }
  if (strcmp(name, "--version") == 0) {
    printf("rapt %s\n", rapt_version_string());
    return EXIT_FINE;
  }
  if (strcmp(name, "--man") == 0) { /* for the build, which installs it as rapt.1 */
    man_print(stdout);
    return EXIT_FINE;
  }
  if (argc < 2) {
    help_tool(stderr);
    return EXIT_WRONG_USE;
  }
  return fail_print("", &why,
                    fail(&why, EXIT_WRONG_USE, "there is no command '%s' (see rapt --help)",
                         help ? argv[2] : name));
}

int main(int argc, char **argv) {
  int status = run_command(argc, argv);
  errno = 0;
  /* A full disk must not look like success. */
  if ((fflush(stdout) || ferror(stdout)) && status == EXIT_FINE) {
    failure why;
    status = fail_print("", &why,
                        fail(&why, EXIT_RUN_FAILED, "the output could not be written: %s",
                             errno ? strerror(errno) : "error"));
  }
  return status;
}
