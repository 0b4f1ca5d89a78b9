/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The commands of the tool. Each has a file (or more) of its own with its page and its main. To add
 * one: declare both here and add a line to the table in commands.c. */
#ifndef RAPT_TOOL_COMMANDS_H
#define RAPT_TOOL_COMMANDS_H

#include "options.h"

typedef struct command {
  const page *page;                   /* name, one-line summary, options, help */
  int (*main)(int argc, char **argv); /* argv[0] is the command's name; returns the exit code */
} command;

extern const command commands[];
extern const int32_t n_commands;

/* The command of that name, or NULL. */
const command *command_find(const char *name);

extern const page info_page;
int cmd_info(int argc, char **argv);

extern const page run_page;
int cmd_run(int argc, char **argv);

extern const page explain_page;
int cmd_explain(int argc, char **argv);

extern const page bench_page;
int cmd_bench(int argc, char **argv);

extern const page example_page;
int cmd_example(int argc, char **argv);

#endif
