/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory the engine will need soon, fetched between the FMAs of a kernel.
 *
 * Cold misses are the main loss after the exponential: a head's K and V come from DRAM or L3 once.
 *   - Panels: `k_ahead`, `v_ahead` are bytes from each row of the block in work to a row of the next
 *     one; the tiles fetch that row's line into L2 (in L1 it would evict the block in work) while they
 *     read their own. 0: the next block is near already. Streams are whatever else comes next (the
 *     next task's queries and outputs), some lines per tile.
 *   - The row kernel reads everything once: it fetches into L1, `lead` rows ahead of the row in work,
 *     and at the end of the block the first rows of `after`, which is what will be read next: the
 *     block's V after its K, the next block's K after this V (tmpl/row_fetch.h). */
#ifndef RAPT_KERNELS_PREFETCH_H
#define RAPT_KERNELS_PREFETCH_H

#include <stdint.h>

enum { RAPT_PREFETCH_STREAMS = 4, RAPT_PREFETCH_LINE = 64 };

typedef struct rapt_prefetch_stream {
  const char *at; /* next row */
  int64_t stride; /* bytes from row to row */
  int32_t rows;   /* rows left */
  int32_t bytes;  /* bytes per row */
} rapt_prefetch_stream;

typedef struct rapt_prefetch {
  int64_t k_ahead, v_ahead;
  int32_t lead;
  const char *after; /* NULL: nothing is fetched */
  int64_t after_stride;
  rapt_prefetch_stream stream[RAPT_PREFETCH_STREAMS];
  int32_t count;          /* streams */
  int32_t current;        /* stream in work */
  int32_t offset;         /* bytes done of its row */
  int32_t lines_per_tile; /* of the streams, after each register tile */
} rapt_prefetch;

static inline void rapt_prefetch_line(const char *at) { __builtin_prefetch(at, 0, 2); }

/* Data that is read once: past L2, straight to where it is used. */
static inline void rapt_prefetch_once(const char *at) { __builtin_prefetch(at, 0, 0); }

/* Fetches up to lines_per_tile lines of the streams. */
static inline void rapt_prefetch_step(rapt_prefetch *p) {
  for (int32_t left = p->lines_per_tile; left > 0 && p->current < p->count;) {
    rapt_prefetch_stream *s = &p->stream[p->current];
    const char *at = s->at + p->offset;
    int32_t lines = (s->bytes - p->offset + RAPT_PREFETCH_LINE - 1) / RAPT_PREFETCH_LINE;
    if (lines > left) lines = left;
    for (int32_t i = 0; i < lines; i++) rapt_prefetch_line(at + i * RAPT_PREFETCH_LINE);
    left -= lines;
    p->offset += lines * RAPT_PREFETCH_LINE;
    if (p->offset >= s->bytes) {
      p->offset = 0;
      s->at += s->stride;
      if (--s->rows <= 0) p->current++;
    }
  }
}

#endif
