/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Topology from plain system calls and /sys, for builds without hwloc. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform.h"

enum { MASK_WORDS = 1024, WORD_BITS = (int)(8 * sizeof(unsigned long)) };

/* One line of a small file; 0 if it cannot be read. */
static int read_line(const char *path, char *out, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t got = read(file, out, size - 1);
  (void)close(file);
  if (got <= 0) return 0;
  out[got] = '\0';
  out[strcspn(out, "\n")] = '\0';
  return 1;
}

/* CPUs this thread may run on; *first is one of them. */
static int32_t allowed_cpus(int32_t *first) {
  static const int32_t limit = MASK_WORDS * WORD_BITS;
  unsigned long mask[MASK_WORDS] = {0};
  int32_t count = 0;
  *first = 0;
  /* A mask of its own size, because cpu_set_t ends at 1024 CPUs. */
  if (sched_getaffinity(0, sizeof mask, (cpu_set_t *)(void *)mask) == 0) {
    for (int32_t cpu = 0; cpu < limit; cpu++) {
      if (!(mask[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1ul)) continue;
      if (count++ == 0) *first = cpu;
    }
  }
  if (count == 0) count = (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? count : 1;
}

/* Members of a kernel list such as "0-3,8". */
static int32_t count_list(const char *list) {
  int32_t count = 0;
  while (*list) {
    char *end;
    long low = strtol(list, &end, 10), high = low;
    if (end == list) break;
    if (*end == '-') high = strtol(end + 1, &end, 10);
    count += (int32_t)(high - low) + 1;
    list = *end == ',' ? end + 1 : end;
  }
  return count;
}

static int64_t read_size(const char *path) {
  char text[32], *end;
  if (!read_line(path, text, sizeof text)) return 0;
  int64_t value = strtoll(text, &end, 10);
  if (*end == 'K') value *= 1024;
  if (*end == 'M') value *= 1 << 20;
  return value > 0 ? value : 0;
}

static void read_caches(int32_t cpu, rapt_topology *topology) {
  for (int index = 0; index < 8; index++) {
    char path[96], type[16];
    int used = snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/", cpu,
                        index);
    if (used < 0 || (size_t)used + 24 > sizeof path) return;
    char *name = path + used;
    strcpy(name, "type");
    if (!read_line(path, type, sizeof type)) return; /* the last one is behind us */
    if (strcmp(type, "Instruction") == 0) continue;
    strcpy(name, "level");
    int64_t level = read_size(path);
    strcpy(name, "coherency_line_size");
    int64_t line = read_size(path);
    strcpy(name, "size");
    int64_t bytes = read_size(path);
    if (level == 1) topology->l1d_bytes = bytes;
    if (level == 2) topology->l2_bytes = bytes;
    if (level == 3) topology->l3_bytes = bytes;
    if (level == 1 && line > 0) topology->cache_line = (int32_t)line;
  }
}

void rapt_topology_read(rapt_topology *topology) {
  char nodes[256];
  int32_t cpu;
  *topology = (rapt_topology){.source = "basic"};
  topology->logical_cpus = allowed_cpus(&cpu);
  if (read_line("/sys/devices/system/node/online", nodes, sizeof nodes))
    topology->numa_nodes = count_list(nodes);
  read_caches(cpu, topology);
  rapt_topology_fill_from_libc(topology);
}
