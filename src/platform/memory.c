/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Aligned memory: the caller's allocator, or malloc with huge-page advice for large blocks. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "platform.h"

/* Below this, a huge page would mostly be padding. */
#define HUGE_FROM ((size_t)4 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

static void *default_get(size_t bytes, size_t alignment) {
  void *memory = NULL;
  if (alignment < sizeof(void *)) alignment = sizeof(void *);
  if (bytes >= HUGE_FROM && alignment < HUGE_PAGE) alignment = HUGE_PAGE;
  if (posix_memalign(&memory, alignment, bytes ? bytes : 1)) return NULL;
#ifdef MADV_HUGEPAGE
  /* Whole huge pages only, so that no neighbour is advised. Refusal does not matter. */
  if (bytes >= HUGE_FROM) (void)madvise(memory, bytes & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
#endif
  return memory;
}

void *rapt_memory_get(const rapt_allocator *allocator, size_t bytes, size_t alignment) {
  if (!allocator || !allocator->allocate) return default_get(bytes, alignment);
  void *memory = allocator->allocate(allocator->ctx, bytes, alignment);
  if ((uintptr_t)memory & (alignment - 1)) {
    /* An allocator that breaks its promise has none of our data to lose. */
    allocator->release(allocator->ctx, memory, bytes, alignment);
    return NULL;
  }
  return memory;
}

void rapt_memory_put(const rapt_allocator *allocator, void *memory, size_t bytes,
                     size_t alignment) {
  if (!memory) return;
  if (!allocator || !allocator->allocate)
    free(memory);
  else
    allocator->release(allocator->ctx, memory, bytes, alignment);
}
