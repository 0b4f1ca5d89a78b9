/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "help.h"

/* The option that `word` names, and the value after '=' if there is one; -1 if there is no such. */
static int32_t find(const page *p, const char *word, const char **value) {
  *value = NULL;
  for (int32_t i = 0; i < p->n_options; i++) {
    const option *o = &p->options[i];
    if (o->letter && word[1] == o->letter && word[2] == '\0') return i;
    size_t n = strlen(o->name);
    if (word[1] != '-' || strncmp(word + 2, o->name, n) != 0) continue;
    if (word[2 + n] == '=') *value = word + 3 + n;
    if (word[2 + n] == '=' || word[2 + n] == '\0') return i;
  }
  return -1;
}

static int take_word(const page *p, const char *word, arguments *out, failure *why) {
  if (!p->words)
    return fail(why, EXIT_WRONG_USE, "'%s' is no option, and this command takes nothing else",
                word);
  if (out->n_words == MAX_WORDS)
    return fail(why, EXIT_WRONG_USE, "more than %d words were given, the last '%s'", MAX_WORDS,
                word);
  out->word[out->n_words++] = word;
  return 0;
}

int options_parse(const page *p, int argc, char **argv, arguments *out, failure *why) {
  memset(out, 0, sizeof *out);
  int only_words = 0;
  for (int i = 0; i < argc; i++) {
    const char *word = argv[i], *value;
    int status = 0;
    if (only_words || word[0] != '-' || word[1] == '\0') {
      status = take_word(p, word, out, why);
      if (status) return status;
      continue;
    }
    if (strcmp(word, "--") == 0) {
      only_words = 1;
      continue;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      out->help = 1;
      continue;
    }
    int32_t at = find(p, word, &value);
    if (at < 0)
      return fail(why, EXIT_WRONG_USE, "there is no option %s (see rapt %s --help)", word, p->name);
    const option *o = &p->options[at];
    if (!o->argument && value)
      return fail(why, EXIT_WRONG_USE, "--%s takes no value, but '%s' was given", o->name, value);
    if (o->argument && !value && i + 1 < argc) value = argv[++i];
    if (o->argument && !value)
      return fail(why, EXIT_WRONG_USE, "--%s needs a value: %s", o->name, o->argument);
    if (out->value[at]) return fail(why, EXIT_WRONG_USE, "--%s was given twice", o->name);
    out->value[at] = value ? value : "";
  }
  return 0;
}

int options_begin(const page *p, int argc, char **argv, arguments *out) {
  failure why;
  int status = options_parse(p, argc - 1, argv + 1, out, &why);
  if (status) return fail_print(p->name, &why, status);
  if (!out->help) return GO_ON;
  help_command(p);
  return EXIT_FINE;
}

int options_number(const char *name, const char *text, double min, double max, double *out,
                   failure *why) {
  char *end;
  double x = strtod(text, &end);
  if (end == text || *end || strspn(text, " \t") || strpbrk(text, "xXpP"))
    return fail(why, EXIT_WRONG_USE, "%s %s is not a number", name, text);
  if (!isfinite(x)) return fail(why, EXIT_WRONG_USE, "%s %s is not a finite number", name, text);
  if (x < min || x > max)
    return fail(why, EXIT_WRONG_USE, "%s %s is outside %g..%g", name, text, min, max);
  *out = x;
  return 0;
}

int options_integer(const char *name, const char *text, int64_t min, int64_t max, int64_t *out,
                    failure *why) {
  char *end;
  errno = 0;
  long long x = strtoll(text, &end, 10);
  if (end == text || *end || strspn(text, " \t\n"))
    return fail(why, EXIT_WRONG_USE, "%s %s is not a whole number", name, text);
  if (errno || x < min || x > max)
    return fail(why, EXIT_WRONG_USE, "%s %s is outside %" PRId64 "..%" PRId64, name, text, min,
                max);
  *out = x;
  return 0;
}

int options_choice(const char *name, const char *text, const char *const *names, int32_t n,
                   int32_t *out, failure *why) {
  char list[200] = "";
  size_t used = 0;
  for (int32_t i = 0; i < n; i++) {
    if (strcmp(text, names[i]) == 0) {
      *out = i;
      return 0;
    }
    int wrote = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    if (wrote > 0 && used + (size_t)wrote < sizeof list) used += (size_t)wrote;
  }
  return fail(why, EXIT_WRONG_USE, "%s %s is not one of: %s", name, text, list);
}
