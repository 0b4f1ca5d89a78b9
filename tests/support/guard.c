/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "guard.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static uint8_t canary(const uint8_t *at) { return (uint8_t)(0xa5u ^ ((uintptr_t)at * 31u)); }

guard_buffer guard_alloc(size_t bytes, guard_place place, size_t alignment) {
  size_t page = page_size();
  guard_buffer b = {.bytes = bytes};
  b.room = (bytes + alignment + page - 1) / page * page;
  b.map_bytes = b.room + 2 * page;
  b.map = mmap(NULL, b.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (b.map == MAP_FAILED || mprotect((char *)b.map + page, b.room, PROT_READ | PROT_WRITE)) {
    perror("guard_alloc");
    exit(2);
  }
  uint8_t *first = (uint8_t *)b.map + page, *end = first + b.room;
  uintptr_t at = (uintptr_t)end - bytes;
  uint8_t *data = place == GUARD_START ? first : end - bytes - (at & (alignment - 1));
  for (uint8_t *c = first; c < data; c++) *c = canary(c);
  for (uint8_t *c = data + bytes; c < end; c++) *c = canary(c);
  b.data = data;
  guard_fill_nan(&b);
  return b;
}

guard_buffer guard_floats(size_t n, guard_place place) {
  return guard_alloc(n * sizeof(float), place, sizeof(float));
}

int guard_intact(const guard_buffer *b) {
  const uint8_t *first = (const uint8_t *)b->map + page_size(), *end = first + b->room;
  const uint8_t *data = b->data;
  for (const uint8_t *c = first; c < data; c++)
    if (*c != canary(c)) return 0;
  for (const uint8_t *c = data + b->bytes; c < end; c++)
    if (*c != canary(c)) return 0;
  return 1;
}

void guard_fill_nan(guard_buffer *b) { memset(b->data, 0xff, b->bytes); }

void guard_read_only(guard_buffer *b) {
  if (mprotect((char *)b->map + page_size(), b->room, PROT_READ)) {
    perror("guard_read_only");
    exit(2);
  }
}

int guard_free(guard_buffer *b) {
  int intact = guard_intact(b);
  munmap(b->map, b->map_bytes);
  memset(b, 0, sizeof *b);
  return intact;
}

void *guard_sparse(size_t bytes) {
  void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return data == MAP_FAILED ? NULL : data;
}

void guard_sparse_free(void *data, size_t bytes) {
  if (data) munmap(data, bytes);
}
