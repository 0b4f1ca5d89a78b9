/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef RAPT_TOOLS_CPU_NAME_H
#define RAPT_TOOLS_CPU_NAME_H

#include <stddef.h>

/* The processor's name for itself, or "unknown". */
void cpu_name(char *out, size_t size);

#endif
