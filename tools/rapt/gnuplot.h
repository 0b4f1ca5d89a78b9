/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gnuplot, run as a program that reads a script. */
#ifndef RAPT_TOOL_GNUPLOT_H
#define RAPT_TOOL_GNUPLOT_H

#include <stdio.h>

#include "failure.h"

/* Is there a gnuplot to run? `option` and `instead` are for the sentence: "--png", "--svg needs none". */
int gnuplot_present(const char *option, const char *instead, failure *why);

/* Runs it with what `script` writes. `path` is the picture that the script makes: it must be a name that
 * gnuplot can be told, and is removed after a failure. */
int gnuplot_run(const char *option, const char *path,
                int (*script)(FILE *to, const char *path, const void *arg, failure *why),
                const void *arg, failure *why);

/* The name in the quotes of gnuplot. */
void gnuplot_quote(FILE *to, const char *path);

#endif
