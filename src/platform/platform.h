/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The walls to the outside: threads, topology, memory. Each third-party header is included by exactly
 * one .c file of this folder; the link picks the file (serial or OpenMP, basic or hwloc). */
#ifndef RAPT_PLATFORM_PLATFORM_H
#define RAPT_PLATFORM_PLATFORM_H

#include <rapt/rapt.h>

/* What a NULL executor means in this library; max_workers is filled for the calling thread now. */
void rapt_default_executor(rapt_executor *executor);

/* librapt only. Parallel regions that the calling OpenMP task opens from now on have at most n threads, and
 * no other task's do (the ICV nthreads-var belongs to a task; a thread outside of regions is one).
 * Returns the limit before, to put back; 0 if nothing was to be done, because it was n or because regions
 * inside this one have one thread anyway. */
int32_t rapt_openmp_limit(int32_t n);

typedef struct rapt_topology {
  int32_t logical_cpus, numa_nodes, cache_line;
  int64_t l1d_bytes, l2_bytes, l3_bytes; /* 0 = unknown */
  const char *source;                    /* "hwloc" or "basic" */
} rapt_topology;

/* Reads the machine (slow: milliseconds). */
void rapt_topology_read(rapt_topology *topology);

/* First and second level caches and the line, where they are still 0. */
void rapt_topology_fill_from_libc(rapt_topology *topology);

/* rapt_topology_read, once per process; safe from any thread. */
void rapt_topology_here(rapt_topology *topology);

/* allocator NULL = aligned malloc, with huge-page advice for large blocks. */
void *rapt_memory_get(const rapt_allocator *allocator, size_t bytes, size_t alignment);
void rapt_memory_put(const rapt_allocator *allocator, void *memory, size_t bytes, size_t alignment);

#endif
