/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Buffers that notice every byte read or written outside of them: inaccessible pages lie on both
 * sides, and what alignment leaves between the buffer and a page is filled with a canary. */
#ifndef RAPT_TESTS_GUARD_H
#define RAPT_TESTS_GUARD_H

#include <stddef.h>

typedef enum guard_place {
  GUARD_END, /* the buffer's last byte lies before the inaccessible page (as far as alignment lets) */
  GUARD_START /* the buffer's first byte lies just behind the inaccessible page */
} guard_place;

typedef struct guard_buffer {
  void *data; /* filled with bytes 0xff: a NaN in every floating type */
  size_t bytes;
  void *map; /* private from here on */
  size_t map_bytes;
  size_t room;
} guard_buffer;

/* alignment: a power of two up to a page; with GUARD_END and an alignment that divides `bytes` the
 * placement is exact. bytes may be 0. Ends the program when there is no memory. */
guard_buffer guard_alloc(size_t bytes, guard_place place, size_t alignment);

/* n floats, placed exactly. */
guard_buffer guard_floats(size_t n, guard_place place);

/* 1 if the canaries are intact. */
int guard_intact(const guard_buffer *buffer);

/* Fills the buffer with NaN again. */
void guard_fill_nan(guard_buffer *buffer);

/* Makes the buffer itself read-only: for inputs. */
void guard_read_only(guard_buffer *buffer);

/* Checks canaries (returns guard_intact's answer) and unmaps. */
int guard_free(guard_buffer *buffer);

/* Address space without memory behind it, zero where read, for strides above 2^31 bytes. NULL if the
 * system refuses. */
void *guard_sparse(size_t bytes);
void guard_sparse_free(void *data, size_t bytes);

#endif
