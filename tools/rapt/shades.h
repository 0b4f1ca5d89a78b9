/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shades of a terminal: from nothing to the largest weight. */
#ifndef RAPT_TOOL_SHADES_H
#define RAPT_TOOL_SHADES_H

#include <stdint.h>

typedef struct shades {
  const char *const *mark; /* by level; level 0 stands for nothing at all */
  int32_t levels;
  int colour; /* marks are numbers of the 256 colours, printed as backgrounds */
} shades;

/* Colours on a terminal unless NO_COLOR is set or TERM is dumb; else block characters in a UTF-8
 * locale; else ASCII. */
shades shades_choose(void);

/* The level of a weight: 0 only for 0, the others by the square root, so that small ones show. */
int32_t shades_level(const shades *s, double weight, double largest);

/* Smallest weight of a level. */
double shades_from(const shades *s, int32_t level, double largest);

void shades_print(const shades *s, int32_t level);

#endif
