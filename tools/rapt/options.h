/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A command's page: from this one table come the parsing of its options, its --help and its part of
 * the man page. */
#ifndef RAPT_TOOL_OPTIONS_H
#define RAPT_TOOL_OPTIONS_H

#include <stdint.h>

#include "failure.h"

typedef struct option {
  const char *name;     /* "scale" for --scale */
  char letter;          /* 'o' for -o, or 0 */
  const char *argument; /* what --help calls the value, e.g. "FILE"; NULL: takes none */
  const char *help;     /* sentences */
} option;

typedef struct example {
  const char *line;    /* a command line as typed */
  const char *meaning; /* what it does */
} example;

typedef struct page {
  const char *name;    /* "run" */
  const char *summary; /* one line for the list of commands, no full stop */
  const char
      *words;       /* what --help calls words that are no options, e.g. "NAME"; NULL: none taken */
  const char *text; /* paragraphs, an empty line between them */
  const option *options; /* without --help, which every command has */
  int32_t n_options;
  const example *examples;
  int32_t n_examples;
} page;

enum { MAX_OPTIONS = 32, MAX_WORDS = 32 };

typedef struct arguments {
  const char *value[MAX_OPTIONS]; /* by place in page.options: NULL if not given, "" for a flag */
  const char *word[MAX_WORDS];
  int32_t n_words;
  int help; /* --help or -h was seen */
} arguments;

/* Parses what follows the command's name: --name VALUE, --name=VALUE, -o VALUE, and -- after which
 * all are words. A value may begin with a dash. 0, or an exit code with a sentence. */
int options_parse(const page *p, int argc, char **argv, arguments *out, failure *why);

/* For a command's main, where argv[0] is the command's name: parses, prints help or the sentence of a
 * failure. GO_ON, or the exit code to return. */
enum { GO_ON = -1 };
int options_begin(const page *p, int argc, char **argv, arguments *out);

/* Values of an option as numbers, all of the text and nothing but a finite decimal number. */
int options_number(const char *name, const char *text, double min, double max, double *out,
                   failure *why);
int options_integer(const char *name, const char *text, int64_t min, int64_t max, int64_t *out,
                    failure *why);

/* Place of `text` among `n` names; the sentence of a failure lists them. */
int options_choice(const char *name, const char *text, const char *const *names, int32_t n,
                   int32_t *out, failure *why);

#endif
