/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cpu_name.h"

#include <stdio.h>
#include <string.h>

void cpu_name(char *out, size_t size) {
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(out, size, "unknown");
  while (file && fgets(line, sizeof line, file)) {
    char *value = strchr(line, ':');
    if (!value || (strncmp(line, "model name", 10) != 0 && strncmp(line, "CPU part", 8) != 0))
      continue;
    value += strspn(value, ": \t");
    value[strcspn(value, "\n")] = 0;
    snprintf(out, size, "%s", value);
    break;
  }
  if (file) fclose(file);
}
