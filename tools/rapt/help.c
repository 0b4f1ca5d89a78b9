/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "help.h"

#include <string.h>

enum { WIDTH = 80 };

const exit_meaning exit_meanings[N_EXIT_MEANINGS] = {
    {EXIT_FINE, "all is well"},
    {EXIT_CHECK_FAILED, "a check that was asked for failed; results were written all the same"},
    {EXIT_WRONG_USE, "wrong use or input: an option, a number, a file; nothing was computed"},
    {EXIT_RUN_FAILED, "the run itself failed: memory, threads, or writing of results"},
};

void help_wrapped(FILE *to, int indent, const char *text) {
  int column = 0;
  while (*text) {
    if (*text == '\n' && text[1] == '\n') {
      fputs("\n\n", to);
      column = 0;
    }
    text += strspn(text, " \n");
    int length = (int)strcspn(text, " \n");
    if (length == 0) break;
    if (column && column + 1 + length > WIDTH) {
      fputc('\n', to);
      column = 0;
    }
    int gap = column ? 1 : indent;
    fprintf(to, "%*s%.*s", gap, "", length, text);
    column += gap + length;
    text += length;
  }
  fputc('\n', to);
}

static void exit_codes(FILE *to) {
  fputs("\nExit codes:\n", to);
  for (int i = 0; i < N_EXIT_MEANINGS; i++)
    fprintf(to, "  %d  %s\n", exit_meanings[i].code, exit_meanings[i].meaning);
}

void help_tool(FILE *to) {
  fputs("Usage: rapt COMMAND [OPTIONS]\n\n"
        "Attention on CPUs, softmax(scale * Q K^T + mask) V, from the command line.\n\n"
        "Commands:\n",
        to);
  for (int32_t i = 0; i < n_commands; i++)
    fprintf(to, "  %-9s %s\n", commands[i].page->name, commands[i].page->summary);
  fputs("\n  rapt COMMAND --help   options and examples of a command\n"
        "  rapt --version        the version of the library\n",
        to);
  exit_codes(to);
}

static void one_option(const option *o) {
  if (o->letter)
    printf("  -%c%s%s, ", o->letter, o->argument ? " " : "", o->argument ? o->argument : "");
  else
    printf("  ");
  printf("--%s%s%s\n", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
  help_wrapped(stdout, 8, o->help);
}

void help_command(const page *p) {
  static const option help = {"help", 'h', NULL, "Prints this text."};
  printf("Usage: rapt %s [OPTIONS]%s%s\n\n", p->name, p->words ? " " : "",
         p->words ? p->words : "");
  help_wrapped(stdout, 0, p->text);
  printf("\nOptions:\n");
  for (int32_t i = 0; i < p->n_options; i++) one_option(&p->options[i]);
  one_option(&help);
  if (p->n_examples) printf("\nExamples:\n");
  for (int32_t i = 0; i < p->n_examples; i++) {
    printf("  %s\n", p->examples[i].line);
    help_wrapped(stdout, 8, p->examples[i].meaning);
  }
  exit_codes(stdout);
}
