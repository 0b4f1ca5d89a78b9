/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A heat map as an SVG file that needs nothing else: no script, no font, no other file. Cells of one
 * shade are one path, so the size is bounded by the number of cells. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/npy.h"
#include "heatmap.h"

enum { LEVELS = 24, LEFT = 70, TOP = 60, PLOT = 640, LEGEND = 110, BELOW = 50, LABELS = 8 };

typedef struct rgb {
  double r, g, b;
} rgb;

/* Black for nothing, then dark blue to yellow: lightness rises, as in the terminal. */
static rgb shade(int32_t level) {
  static const rgb stop[] = {
      {20, 20, 60}, {30, 70, 140}, {30, 140, 140}, {130, 190, 90}, {255, 235, 80}};
  if (level == 0) return (rgb){0, 0, 0};
  double at = 4.0 * (level - 1) / (LEVELS - 2);
  int i = at >= 4 ? 3 : (int)at;
  double t = at - i;
  return (rgb){stop[i].r + t * (stop[i + 1].r - stop[i].r),
               stop[i].g + t * (stop[i + 1].g - stop[i].g),
               stop[i].b + t * (stop[i + 1].b - stop[i].b)};
}

/* By the square root, so that small weights show; -1 for NaN, 0 only for 0. */
static int32_t level_of(double weight, double largest) {
  if (isnan(weight)) return -1;
  if (!(weight > 0)) return 0;
  int32_t level = 1 + (int32_t)(sqrt(weight / largest) * (LEVELS - 1));
  return level < LEVELS ? level : LEVELS - 1;
}

static void write_colour(FILE *to, int32_t level) {
  if (level < 0) {
    fputs("#f0f", to);
    return;
  }
  rgb c = shade(level);
  fprintf(to, "#%02x%02x%02x", (unsigned)lround(c.r), (unsigned)lround(c.g), (unsigned)lround(c.b));
}

/* Runs of equal shade, as strokes one cell high. */
static int32_t write_cells_of(FILE *to, const heatmap *m, int32_t level) {
  int32_t found = 0;
  for (int32_t r = 0; r < m->rows; r++)
    for (int32_t x = 0, end; x < m->columns; x = end) {
      const double *row = m->cell + r * m->columns;
      int32_t here = level_of(row[x], m->largest);
      for (end = x + 1; end < m->columns && level_of(row[end], m->largest) == here;) end++;
      if (here != level) continue;
      if (!found++) {
        fputs("<path stroke=\"", to);
        write_colour(to, level);
        fputs("\" d=\"", to);
      }
      fprintf(to, "M%d %dh%d", (int)x, (int)r, (int)(end - x));
    }
  if (found) fputs("\"/>\n", to);
  return found;
}

static void write_labels(FILE *to, const heatmap *m) {
  int32_t across = m->columns < LABELS ? m->columns : LABELS,
          down = m->rows < LABELS ? m->rows : LABELS;
  for (int32_t i = 0; i < across; i++) {
    int32_t x = i * m->columns / across;
    fprintf(to, "<text x=\"%.1f\" y=\"%d\">%d</text>\n",
            (double)LEFT + (x + 0.5) * (double)PLOT / m->columns, TOP + PLOT + 18,
            (int)heatmap_first_key(m, x));
  }
  for (int32_t i = 0; i < down; i++) {
    int32_t r = i * m->rows / down;
    fprintf(to, "<text class=\"q\" x=\"%d\" y=\"%.1f\">%d</text>\n", LEFT - 6,
            (double)TOP + (r + 0.5) * (double)PLOT / m->rows + 4, (int)heatmap_first_query(m, r));
  }
  fprintf(to, "<text x=\"%d\" y=\"%d\">key</text>\n", LEFT + PLOT / 2, TOP + PLOT + 38);
  fprintf(to, "<text transform=\"translate(16 %d) rotate(-90)\">query</text>\n", TOP + PLOT / 2);
}

static void write_legend(FILE *to, const heatmap *m, int32_t nans) {
  const int32_t x = LEFT + PLOT + 20, high = 16;
  for (int32_t level = LEVELS - 1; m->largest > 0 && level >= 0; level--) {
    int32_t y = TOP + (LEVELS - 1 - level) * high;
    fprintf(to, "<rect x=\"%d\" y=\"%d\" width=\"20\" height=\"%d\" fill=\"", (int)x, (int)y,
            (int)high);
    write_colour(to, level);
    fputs("\"/>\n", to);
    double root = level > 1 ? (double)(level - 1) / (LEVELS - 1) : 0;
    if (level % 4 == 3 || level == 0)
      fprintf(to, "<text class=\"l\" x=\"%d\" y=\"%d\">%s%.2g</text>\n", (int)x + 26, (int)y + 12,
              level == 0 ? "" : "from ", root * root * m->largest);
  }
  if (nans)
    fprintf(to,
            "<rect x=\"%d\" y=\"%d\" width=\"20\" height=\"%d\" fill=\"#f0f\"/>\n"
            "<text class=\"l\" x=\"%d\" y=\"%d\">NaN</text>\n",
            (int)x, TOP + LEVELS * high + 8, (int)high, (int)x + 26, TOP + LEVELS * high + 20);
}

static void write_picture(FILE *to, const heatmap *m) {
  char title[120];
  const int wide = LEFT + PLOT + LEGEND, high = TOP + PLOT + BELOW;
  heatmap_title(m, title, sizeof title);
  fprintf(to,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
          "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" "
          "text-anchor=\"middle\">\n<title>Attention weights of %s</title>\n"
          "<style>.q{text-anchor:end}.l{text-anchor:start}</style>\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
          "<text class=\"l\" x=\"%d\" y=\"24\" font-size=\"15\">Attention weights of %s</text>\n",
          wide, high, wide, high, title, LEFT, title);
  fprintf(to, "<text class=\"l\" x=\"%d\" y=\"44\">", LEFT);
  if (m->rows < m->queries || m->columns < m->keys)
    fprintf(to, "a cell is the mean of %.3g x %.3g weights; ", (double)m->queries / m->rows,
            (double)m->keys / m->columns);
  fprintf(to, "largest %.3g</text>\n", m->largest);
  /* The strokes' middle is half a cell down. Black is the ground, and not drawn again. */
  fprintf(to,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n"
          "<g transform=\"translate(%d %d) scale(%.6g %.6g) translate(0 .5)\" fill=\"none\" "
          "shape-rendering=\"crispEdges\">\n",
          LEFT, TOP, PLOT, PLOT, LEFT, TOP, (double)PLOT / m->columns, (double)PLOT / m->rows);
  int32_t nans = write_cells_of(to, m, -1);
  for (int32_t level = 1; level < LEVELS; level++) write_cells_of(to, m, level);
  fputs("</g>\n", to);
  write_labels(to, m);
  write_legend(to, m, nans);
  fputs("</svg>\n", to);
}

int heatmap_save_svg(const heatmap *m, const char *path, failure *why) {
  FILE *file = fopen(path, "w");
  if (!file)
    return fail(why, EXIT_RUN_FAILED, "--svg %s cannot be created: %s", path, strerror(errno));
  errno = 0;
  write_picture(file, m);
  int failed = fflush(file) != 0 || ferror(file), error = errno;
  if (fclose(file) == 0 && !failed) return 0;
  if (!error) error = errno;
  npy_remove(path);
  return fail(why, EXIT_RUN_FAILED, "--svg %s cannot be written: %s", path,
              strerror(error ? error : EIO));
}
