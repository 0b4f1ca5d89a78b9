/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instruction set levels, best first. A level is a fixed bundle of features under one name, never
 * a free combination: what is built, tested and forced with RAPT_ISA is one of these. To add one: a
 * line here and its needs in levels.c. */
#ifndef RAPT_DISPATCH_ISA_LEVELS_H
#define RAPT_DISPATCH_ISA_LEVELS_H

#include "dispatch.h"

/* clang-format off */
#define RAPT_LEVELS(X) \
  X(avx512)            \
  X(avx2)              \
  X(neon)              \
  X(generic)
/* clang-format on */

enum {
#define RAPT_LEVEL_INDEX(name) RAPT_LEVEL_##name,
  RAPT_LEVELS(RAPT_LEVEL_INDEX)
#undef RAPT_LEVEL_INDEX
      RAPT_LEVEL_COUNT
};

/* Bits that must all be set. A level without needs runs everywhere. */
typedef struct rapt_level {
  const char *name;
  rapt_cpu_raw needs;
  rapt_features implies; /* levels below it, all listed after it */
} rapt_level;

extern const rapt_level rapt_levels[RAPT_LEVEL_COUNT];

#endif
