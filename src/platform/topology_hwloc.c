/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Topology from hwloc. */
#define _GNU_SOURCE
#include <hwloc.h>
#include <limits.h>
#include <unistd.h>

#include "platform.h"

static int32_t to_int32(unsigned long long value) {
  return value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

static hwloc_obj_t cache_above(hwloc_topology_t machine, hwloc_obj_t pu, hwloc_obj_type_t type) {
  return pu ? hwloc_get_ancestor_obj_by_type(machine, type, pu) : NULL;
}

static int64_t bytes_of(hwloc_obj_t cache) {
  return cache && cache->attr ? (int64_t)cache->attr->cache.size : 0;
}

static void describe(hwloc_topology_t machine, rapt_topology *topology) {
  hwloc_obj_t pu = NULL;
  hwloc_cpuset_t allowed = hwloc_bitmap_alloc();
  /* hwloc lists what the machine has; the affinity mask says what of it is ours. */
  if (allowed && hwloc_get_cpubind(machine, allowed, HWLOC_CPUBIND_THREAD) == 0) {
    int count = hwloc_bitmap_weight(allowed), first = hwloc_bitmap_first(allowed);
    if (count > 0) topology->logical_cpus = count;
    if (first >= 0) pu = hwloc_get_pu_obj_by_os_index(machine, (unsigned)first);
  }
  hwloc_bitmap_free(allowed);
  if (!pu) pu = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, 0);

  int nodes = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_NUMANODE);
  topology->numa_nodes = nodes > 0 ? nodes : 0;
  hwloc_obj_t l1 = cache_above(machine, pu, HWLOC_OBJ_L1CACHE);
  topology->l1d_bytes = bytes_of(l1);
  topology->l2_bytes = bytes_of(cache_above(machine, pu, HWLOC_OBJ_L2CACHE));
  topology->l3_bytes = bytes_of(cache_above(machine, pu, HWLOC_OBJ_L3CACHE));
  if (l1 && l1->attr) topology->cache_line = to_int32(l1->attr->cache.linesize);
}

/* Linux without /sys (a bare chroot) tells hwloc nothing, and hwloc complains on the standard error
 * stream, which is the program's. */
static int has_answers(void) {
#ifdef __linux__
  return access("/sys/devices/system/cpu/cpu0/topology", R_OK) == 0 ||
         access("/sys/bus/cpu/devices/cpu0/topology", R_OK) == 0;
#else
  return 1;
#endif
}

void rapt_topology_read(rapt_topology *topology) {
  hwloc_topology_t machine;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  *topology = (rapt_topology){.source = "basic", .logical_cpus = online > 0 ? (int32_t)online : 1};
  if (has_answers() && hwloc_topology_init(&machine) == 0) {
    topology->source = "hwloc";
    unsigned long flags = 0;
#if HWLOC_API_VERSION >= 0x00020500
    /* hwloc would otherwise move the calling thread from CPU to CPU to ask each one. */
    flags |= HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
#endif
    if (hwloc_topology_set_flags(machine, flags) == 0 && hwloc_topology_load(machine) == 0)
      describe(machine, topology);
    hwloc_topology_destroy(machine);
  }
  rapt_topology_fill_from_libc(topology);
}
