/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How the tool fails: with one sentence and an exit code. Functions that can fail return the exit
 * code and leave the sentence in a `failure`; only the outermost one prints it. */
#ifndef RAPT_TOOL_FAILURE_H
#define RAPT_TOOL_FAILURE_H

enum {
  EXIT_FINE = 0,
  EXIT_CHECK_FAILED = 1, /* --check or --expect found errors beyond the bound */
  EXIT_WRONG_USE = 2,    /* options or input files */
  EXIT_RUN_FAILED = 3    /* memory, threads, writing */
};

typedef struct failure {
  char sentence[800];
} failure;

/* Writes the sentence, control characters replaced so that it stays one line, and returns
 * `exit_code`. */
int fail(failure *why, int exit_code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints "rapt COMMAND: sentence" to stderr and returns `exit_code`. */
int fail_print(const char *command, const failure *why, int exit_code);

#endif
