/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The man page, from the same tables as --help. */
#include <string.h>

#include <rapt/rapt.h>

#include "help.h"

/* Text as troff: no character of it may act as a request or an escape. */
static void text(FILE *to, const char *s) {
  int line_start = 1;
  for (; *s; s++) {
    if (*s == '\n' && s[1] == '\n') {
      fputs("\n.PP\n", to);
      while (s[1] == '\n') s++;
      line_start = 1;
      continue;
    }
    if (line_start && (*s == '.' || *s == '\'')) fputs("\\&", to);
    line_start = *s == '\n';
    if (*s == '\\')
      fputs("\\e", to);
    else if (*s == '-')
      fputs("\\-", to);
    else
      fputc(*s, to);
  }
  fputc('\n', to);
}

static void heading(FILE *to, const char *request, const char *title) {
  fprintf(to, "%s \"%s\"\n", request, title);
}

static void option_entry(FILE *to, const option *o) {
  fputs(".TP\n", to);
  if (o->letter) fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
  fputs("\\fB\\-\\-", to);
  for (const char *c = o->name; *c; c++) fputs(*c == '-' ? "\\-" : (char[]){*c, 0}, to);
  fprintf(to, "\\fR%s%s%s\n", o->argument ? " \\fI" : "", o->argument ? o->argument : "",
          o->argument ? "\\fR" : "");
  text(to, o->help);
}

static void command_entry(FILE *to, const page *p) {
  char title[100];
  snprintf(title, sizeof title, "rapt %s [OPTIONS]%s%s", p->name, p->words ? " " : "",
           p->words ? p->words : "");
  heading(to, ".SS", title);
  text(to, p->text);
  for (int32_t i = 0; i < p->n_options; i++) option_entry(to, &p->options[i]);
}

static void examples_of(FILE *to, const page *p) {
  for (int32_t i = 0; i < p->n_examples; i++) {
    fputs(".TP\n\\fB", to);
    for (const char *c = p->examples[i].line; *c; c++)
      fputs(*c == '-' ? "\\-" : *c == '\\' ? "\\e" : (char[]){*c, 0}, to);
    fputs("\\fR\n", to);
    text(to, p->examples[i].meaning);
  }
}

void man_print(FILE *to) {
  fprintf(to, ".TH RAPT 1 \"\" \"rapt %s\" \"User Commands\"\n", rapt_version_string());
  heading(to, ".SH", "NAME");
  fputs("rapt \\- attention on CPUs from the command line\n", to);
  heading(to, ".SH", "SYNOPSIS");
  fputs(".B rapt\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.br\n.B rapt \\-\\-help\n.br\n"
        ".B rapt \\-\\-version\n",
        to);
  heading(to, ".SH", "DESCRIPTION");
  text(to,
       "Computes attention, softmax(scale * Q K^T + mask) V, with the rapt library. Every command "
       "explains itself with --help.");
  heading(to, ".SH", "COMMANDS");
  for (int32_t i = 0; i < n_commands; i++) command_entry(to, commands[i].page);
  heading(to, ".SH", "EXIT STATUS");
  for (int i = 0; i < N_EXIT_MEANINGS; i++) {
    fprintf(to, ".TP\n.B %d\n", exit_meanings[i].code);
    text(to, exit_meanings[i].meaning);
  }
  heading(to, ".SH", "EXAMPLES");
  for (int32_t i = 0; i < n_commands; i++) examples_of(to, commands[i].page);
}
