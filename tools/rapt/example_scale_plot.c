/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The figures of the example `scale` as a table in a file, or as a picture by gnuplot. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "examples.h"
#include "gnuplot.h"

static int write_table(FILE *to, failure *why) {
  fprintf(to, "# head_dim, mean entropy in bits with scale 1, with 1/sqrt(head_dim), "
              "of equal weights\n");
  for (int32_t d = EXAMPLE_SCALE_FIRST_DIM; d <= EXAMPLE_SCALE_LAST_DIM; d *= 2) {
    example_scale_figures without, with;
    int status = example_scale(d, 1, &without, why);
    if (status == 0) status = example_scale(d, 0, &with, why);
    if (status) return status;
    fprintf(to, "%d %.6f %.6f %.6f\n", (int)d, without.entropy, with.entropy,
            log2(EXAMPLE_SCALE_KEYS));
  }
  return 0;
}

static int ends_in(const char *text, const char *ending) {
  size_t n = strlen(text), m = strlen(ending);
  return n >= m && strcmp(text + n - m, ending) == 0;
}

static int write_script(FILE *to, const char *path, const void *arg, failure *why) {
  (void)arg;
  fprintf(to, "$entropy << END\n");
  int status = write_table(to, why);
  fprintf(to, "END\nset terminal %s\nset output ",
          ends_in(path, ".png") ? "pngcairo size 1200,800 font 'sans,18'"
                                : "svg size 900,600 font 'sans,16' background 'white'");
  gnuplot_quote(to, path);
  fprintf(
      to,
      "\nset title 'Softmax over %d random keys, with and without the scale'\n"
      "set xlabel 'head\\_dim (channels)'\nset ylabel 'mean entropy of a row of weights (bits)'\n"
      "set logscale x 2\nset yrange [0:9]\nset grid\nset key center right\n"
      "plot $entropy using 1:4 with lines dashtype 2 linecolor 'gray40' title 'equal weights', \\\n"
      "  '' using 1:3 with linespoints linewidth 2 pointtype 7 title 'scale 1/sqrt(head\\_dim)', "
      "\\\n"
      "  '' using 1:2 with linespoints linewidth 2 pointtype 5 title 'scale 1'\n",
      (int)EXAMPLE_SCALE_KEYS);
  return status;
}

static int draw(const char *path, failure *why) {
  int status = gnuplot_present("--plot", "a name that ends in .dat gives the numbers instead", why);
  return status ? status : gnuplot_run("--plot", path, write_script, NULL, why);
}

int example_scale_plot(const char *path, failure *why) {
  if (ends_in(path, ".svg") || ends_in(path, ".png")) return draw(path, why);
  FILE *file = fopen(path, "w");
  if (!file)
    return fail(why, EXIT_RUN_FAILED, "--plot %s cannot be written: %s", path, strerror(errno));
  int status = write_table(file, why);
  int failed = ferror(file);
  if ((fclose(file) != 0 || failed) && status == 0)
    status = fail(why, EXIT_RUN_FAILED, "--plot %s cannot be written: %s", path, strerror(errno));
  return status;
}
