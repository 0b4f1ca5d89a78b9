/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counting_alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Kept before each block; its own room is rounded up to the block's alignment. */
typedef struct header {
  uint64_t magic;
  size_t bytes, alignment;
} header;

#define MAGIC 0x72617074616c6c6fu

static size_t lead(size_t alignment) {
  return (sizeof(header) + alignment - 1) / alignment * alignment;
}

static void *allocate(void *ctx, size_t bytes, size_t alignment) {
  counting_alloc *c = ctx;
  c->calls++;
  if (c->fail_at > 0 && c->calls >= c->fail_at) return NULL;
  if (alignment < sizeof(void *)) alignment = sizeof(void *);
  size_t room = lead(alignment) + bytes;
  char *base = aligned_alloc(alignment, (room + alignment - 1) / alignment * alignment);
  if (!base) return NULL;
  header h = {MAGIC, bytes, alignment};
  char *block = base + lead(alignment);
  memcpy(block - sizeof h, &h, sizeof h);
  memset(block, 0xff, bytes); /* nobody may rely on zeros */
  c->live++;
  c->live_bytes += bytes;
  if (c->live_bytes > c->peak_bytes) c->peak_bytes = c->live_bytes;
  return block;
}

static void release(void *ctx, void *memory, size_t bytes, size_t alignment) {
  counting_alloc *c = ctx;
  if (!memory) return;
  if (alignment < sizeof(void *)) alignment = sizeof(void *);
  header h;
  memcpy(&h, (char *)memory - sizeof h, sizeof h);
  if (h.magic != MAGIC || h.bytes != bytes || h.alignment != alignment) {
    c->bad_releases++;
    return;
  }
  h.magic = 0;
  memcpy((char *)memory - sizeof h, &h, sizeof h);
  memset(memory, 0xff, bytes); /* use after release shows */
  c->live--;
  c->live_bytes -= bytes;
  free((char *)memory - lead(alignment));
}

void counting_alloc_init(counting_alloc *c) {
  memset(c, 0, sizeof *c);
  c->allocator.size = sizeof c->allocator;
  c->allocator.ctx = c;
  c->allocator.allocate = allocate;
  c->allocator.release = release;
}
