/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Running the program as a user does, in a scratch folder of its own. */
#ifndef RAPT_TESTS_TOOL_H
#define RAPT_TESTS_TOOL_H

#include <stddef.h>

#include "support/rapt_test.h"

enum { OUTCOME_BYTES = 1 << 16 };

typedef struct outcome {
  int code; /* exit code, or -1 if it died of a signal */
  char out[OUTCOME_BYTES], err[OUTCOME_BYTES];
} outcome;

/* Runs `rapt` with words separated by spaces; "" is an empty word. {} in a word stands for the scratch
 * folder. The outcome is static: it lasts until the next call. */
const outcome *tool(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Can programs here be given a terminal? */
int tool_has_terminal(void);

/* tool() with variables set in the environment, "NAME=value NAME=value", and standard output a
 * terminal if asked for. */
const outcome *tool_with(const char *environment, int terminal, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails the running test unless the program said nothing on stdout and one sentence with `part` on
 * stderr, and ended with `code`. */
int tool_refuses(const outcome *o, int code, const char *part, const char *what);

/* Path of a file in the scratch folder. Static, four at a time. The folder is removed at exit. */
const char *scratch(const char *name);

/* Writes bytes to a file in the scratch folder. */
void scratch_write(const char *name, const void *bytes, size_t n);

/* Writes an .npy file with any header: `dictionary` as it stands, and `n` bytes of data. */
void scratch_npy(const char *name, int version, const char *dictionary, const void *data, size_t n);

#endif
