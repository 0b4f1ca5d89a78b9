/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pages as --help and as the man page. */
#ifndef RAPT_TOOL_HELP_H
#define RAPT_TOOL_HELP_H

#include <stdio.h>

#include "commands.h"

/* Exit codes, one sentence each, as --help and the man page list them. */
typedef struct exit_meaning {
  int code;
  const char *meaning;
} exit_meaning;
enum { N_EXIT_MEANINGS = 4 };
extern const exit_meaning exit_meanings[N_EXIT_MEANINGS];

/* Prints `text` in lines of 80 columns at most, each indented; paragraphs stay apart. */
void help_wrapped(FILE *to, int indent, const char *text);

/* `rapt --help`, and `rapt COMMAND --help`. */
void help_tool(FILE *to);
void help_command(const page *p);

/* The whole man page, as troff. */
void man_print(FILE *to);

#endif
