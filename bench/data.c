/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "data.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "threads.h"

int bench_buffer_open(bench_buffer *buffer, size_t bytes, int32_t pages) {
  const size_t huge = (size_t)2 << 20;
  memset(buffer, 0, sizeof *buffer);
  size_t mapped = (bytes + huge - 1) / huge * huge + huge;
  void *mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return -1;
  madvise(mapping, mapped, pages == BENCH_PAGES_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  buffer->mapping = mapping;
  buffer->mapped = mapped;
  buffer->data = (char *)mapping + (huge - (uintptr_t)mapping % huge) % huge;
  buffer->bytes = bytes;
  return 0;
}

void bench_buffer_close(bench_buffer *buffer) {
  if (buffer->mapping) munmap(buffer->mapping, buffer->mapped);
  memset(buffer, 0, sizeof *buffer);
}

float bench_normal(uint64_t seed, uint64_t index) {
  /* A counter through a mixer of multiplications and shifts; four 16-bit uniforms of it. */
  uint64_t z = (index + seed * 0x100000001b3u) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 32)) * 0x94d049bb133111ebu;
  z ^= z >> 30;
  int32_t sum = (int32_t)(z & 0xffff) + (int32_t)(z >> 16 & 0xffff) + (int32_t)(z >> 32 & 0xffff) +
                (int32_t)(z >> 48) - 2 * 0xffff;
  return (float)sum * (1.7320508f / 65536.0f); /* four of variance 1/12 */
}

typedef struct fill_job {
  float *data;
  size_t count;
  uint64_t seed;
  int32_t threads;
} fill_job;

static void fill_part(void *arg, int32_t index) {
  const fill_job *job = arg;
  const size_t page = 4096 / sizeof(float), pages = (job->count + page - 1) / page;
  size_t begin = pages * (size_t)index / (size_t)job->threads * page;
  size_t end = pages * ((size_t)index + 1) / (size_t)job->threads * page;
  if (end > job->count) end = job->count;
  for (size_t i = begin; i < end; i++) job->data[i] = bench_normal(job->seed, i);
}

void bench_fill(bench_buffer *buffer, uint64_t seed, int32_t threads) {
  fill_job job = {buffer->data, buffer->bytes / sizeof(float), seed, threads};
  bench_parallel(threads, fill_part, &job);
}

const char *bench_huge_pages(void) {
  static char text[64];
  FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
  if (!file || !fgets(text, sizeof text, file)) strcpy(text, "unknown");
  if (file) fclose(file);
  text[strcspn(text, "\n")] = 0;
  return text;
}
