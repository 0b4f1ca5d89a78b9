/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "commands.h"

#include <string.h>

/* In the order of --help and the man page. */
const command commands[] = {
    {&info_page, cmd_info},   {&run_page, cmd_run},         {&explain_page, cmd_explain},
    {&bench_page, cmd_bench}, {&example_page, cmd_example},
};
const int32_t n_commands = (int32_t)(sizeof commands / sizeof *commands);

const command *command_find(const char *name) {
  for (int32_t i = 0; i < n_commands; i++)
    if (strcmp(commands[i].page->name, name) == 0) return &commands[i];
  return NULL;
}
