/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A heat map as a PNG file, drawn by gnuplot. */
#include <math.h>
#include <stdio.h>

#include "gnuplot.h"
#include "heatmap.h"

enum { LABELS = 8 };

/* set xtics ("0" 0, "20" 16, ...): cells are numbered, labels are keys and queries. */
static void write_tics(FILE *to, const heatmap *m, char axis) {
  int32_t cells = axis == 'x' ? m->columns : m->rows, n = cells < LABELS ? cells : LABELS;
  fprintf(to, "set %ctics (", axis);
  for (int32_t i = 0; i < n; i++) {
    int32_t at = i * cells / n;
    fprintf(to, "%s'%d' %d", i ? ", " : "",
            (int)(axis == 'x' ? heatmap_first_key(m, at) : heatmap_first_query(m, at)), (int)at);
  }
  fputs(") out\n", to);
}

/* Shades by the square root, so that small weights show; the colour box says weights. */
static int write_script(FILE *to, const char *path, const void *arg, failure *why) {
  const heatmap *m = arg;
  char title[120];
  (void)why;
  fprintf(to, "$weights << END\n");
  for (int32_t r = 0; r < m->rows; r++) {
    for (int32_t x = 0; x < m->columns; x++) {
      double cell = m->cell[r * m->columns + x];
      if (isnan(cell))
        fputs("NaN ", to);
      else
        fprintf(to, "%.5g ", sqrt(cell));
    }
    fputc('\n', to);
  }
  fprintf(to, "END\nset terminal pngcairo size 1200,1100 font 'sans,16'\nset output ");
  gnuplot_quote(to, path);
  fprintf(to,
          "\nset title 'Attention weights of %s'\nset xlabel 'key'\nset ylabel 'query'\n"
          "unset key\nset xrange [-0.5:%d.5]\nset yrange [%d.5:-0.5]\n",
          heatmap_title(m, title, sizeof title), (int)m->columns - 1, (int)m->rows - 1);
  write_tics(to, m, 'x');
  write_tics(to, m, 'y');
  double most = m->largest > 0 ? m->largest : 1;
  fprintf(to,
          "set palette defined (0 '#000000', 0.02 '#14143c', 0.26 '#1e468c', 0.51 '#1e8c8c', "
          "0.75 '#82be5a', 1 '#ffeb50')\nset cbrange [0:%.9g]\nset cbtics (",
          sqrt(most));
  for (int i = 0; i <= 4; i++)
    fprintf(to, "%s'%.2g' %.9g", i ? ", " : "", most * i * i / 16, sqrt(most) * i / 4);
  fputs(")\nplot $weights matrix with image\n", to);
  return 0;
}

int heatmap_save_png(const heatmap *m, const char *path, failure *why) {
  return gnuplot_run("--png", path, write_script, m, why);
}
