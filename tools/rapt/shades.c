/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L
#include "shades.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Dark blue to yellow, then black for nothing: lightness rises, so they read without colour sight. */
static const char *const colours[] = {"16", "17", "18",  "24",  "30",
                                      "36", "71", "107", "149", "226"};
static const char *const blocks[] = {" ", "\u2591", "\u2592", "\u2593", "\u2588"};
static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"};

static int set(const char *name) {
  const char *value = getenv(name);
  return value && *value;
}

static int locale_is_utf8(void) {
  const char *locale = set("LC_ALL")     ? getenv("LC_ALL")
                       : set("LC_CTYPE") ? getenv("LC_CTYPE")
                       : set("LANG")     ? getenv("LANG")
                                         : "";
  return strstr(locale, "UTF-8") || strstr(locale, "utf8");
}

shades shades_choose(void) {
  const char *terminal = getenv("TERM");
  int dumb = !terminal || !*terminal || strcmp(terminal, "dumb") == 0;
  if (isatty(STDOUT_FILENO) && !dumb && !set("NO_COLOR"))
    return (shades){colours, sizeof colours / sizeof *colours, 1};
  if (locale_is_utf8()) return (shades){blocks, sizeof blocks / sizeof *blocks, 0};
  return (shades){ascii, sizeof ascii / sizeof *ascii, 0};
}

int32_t shades_level(const shades *s, double weight, double largest) {
  if (!(weight > 0)) return 0;
  int32_t level = 1 + (int32_t)(sqrt(weight / largest) * (s->levels - 1));
  return level < s->levels ? level : s->levels - 1;
}

double shades_from(const shades *s, int32_t level, double largest) {
  double root = (double)(level - 1) / (s->levels - 1);
  return level > 0 ? root * root * largest : 0;
}

void shades_print(const shades *s, int32_t level) {
  if (s->colour)
    printf("\033[48;5;%sm \033[0m", s->mark[level]);
  else
    fputs(s->mark[level], stdout);
}
