/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instruction set levels of kernels.def as a table, best first. */
#ifndef RAPT_DISPATCH_ISA_LEVELS_H
#define RAPT_DISPATCH_ISA_LEVELS_H

#include "dispatch.h"

enum {
#define RAPT_LEVEL(name, ...) RAPT_LEVEL_##name,
#define RAPT_KERNEL_SET(isa, type)
#include "../kernels/kernels.def"
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
