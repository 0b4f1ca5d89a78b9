/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A rapt_allocator that counts, and that can be told to fail at the n-th call. */
#ifndef RAPT_TESTS_COUNTING_ALLOC_H
#define RAPT_TESTS_COUNTING_ALLOC_H

#include <rapt/rapt.h>

typedef struct counting_alloc {
  rapt_allocator allocator; /* pass &x.allocator; do not move the struct afterwards */
  long calls;               /* allocations asked for */
  long fail_at;             /* this call (from 1) and all later ones return NULL; 0 = never */
  long live;                /* blocks not yet released */
  size_t live_bytes;
  size_t peak_bytes;
  long bad_releases; /* released with another size or alignment than allocated, or twice */
} counting_alloc;

void counting_alloc_init(counting_alloc *counting);

#endif
