/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What libc knows of the caches, for machines (virtual ones, mostly) that show none under /sys. */
#include <unistd.h>

#include "platform.h"

#ifdef _SC_LEVEL1_DCACHE_SIZE
static int64_t system_value(int name) {
  long value = sysconf(name);
  return value > 0 ? value : 0;
}
#endif

/* Not for the third level: there glibc's figure is per machine on some CPUs and per core on others. */
void rapt_topology_fill_from_libc(rapt_topology *topology) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  if (!topology->l1d_bytes) topology->l1d_bytes = system_value(_SC_LEVEL1_DCACHE_SIZE);
  if (!topology->l2_bytes) topology->l2_bytes = system_value(_SC_LEVEL2_CACHE_SIZE);
  if (!topology->cache_line)
    topology->cache_line = (int32_t)system_value(_SC_LEVEL1_DCACHE_LINESIZE);
#else
  (void)topology;
#endif
}
