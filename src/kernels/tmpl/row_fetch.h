/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the row kernel fetches while it reads a block of K or V: as many rows as the block has, `lead`
 * rows ahead, in the order of memory and spread evenly over the work, so that memory is never idle while
 * the FMAs run nor the FMAs while it delivers. */

enum { ROW_FETCH_CHANNELS = 64 }; /* scores asks once in so many channels of each key ... */
enum { ROW_FETCH_LINES = 4 };     /* ... for the lines they fill */

typedef struct row_fetch { /* addresses are numbers: they may lie anywhere */
  uint64_t row, line;      /* in work */
  uint64_t stride, after_stride;
  uint64_t after;       /* first row of what is read after the block */
  int32_t until_after;  /* rows before it */
  int32_t rows;         /* left to fetch, 0: nothing */
  int32_t lines, to_go; /* per row, left of the row */
} row_fetch;

RAPT_INLINE row_fetch row_fetch_begin(const rapt_prefetch *p, const char *block, int64_t stride,
                                      int32_t rows, int32_t head_dim) {
  row_fetch f = {0};
  const int32_t line = RAPT_PREFETCH_LINE / (int32_t)sizeof(float);
  if (!p || head_dim == 0 || !p->after) return f;
  f.lines = f.to_go = (head_dim + line - 1) / line;
  f.rows = rows;
  f.stride = (uint64_t)stride;
  f.after = (uintptr_t)p->after;
  f.after_stride = (uint64_t)p->after_stride;
  f.until_after = rows - p->lead;
  f.row = (uintptr_t)block + (uint64_t)p->lead * f.stride;
  if (f.until_after <= 0) {
    f.row = f.after + (uint64_t)-f.until_after * f.after_stride;
    f.stride = f.after_stride;
  }
  f.line = f.row;
  return f;
}

RAPT_INLINE void row_fetch_next_row(row_fetch *f) {
  f->row += f->stride;
  if (--f->until_after == 0) {
    f->row = f->after;
    f->stride = f->after_stride;
  }
  f->line = f->row;
  f->to_go = f->lines;
  f->rows--;
}

/* Fetches the next `count` lines. */
RAPT_INLINE void row_fetch_lines(row_fetch *f, const int32_t count) {
  for (int32_t left = count; left > 0 && f->rows > 0;) {
    const int32_t take = f->to_go < left ? f->to_go : left;
    if (take == ROW_FETCH_LINES) {
      RAPT_UNROLL
      for (int i = 0; i < ROW_FETCH_LINES; i++)
        rapt_prefetch_once((const char *)(uintptr_t)(f->line + (uint64_t)i * RAPT_PREFETCH_LINE));
      f->line += ROW_FETCH_LINES * RAPT_PREFETCH_LINE;
    } else {
      for (int32_t i = 0; i < take; i++, f->line += RAPT_PREFETCH_LINE)
        rapt_prefetch_once((const char *)(uintptr_t)f->line);
    }
    left -= take;
    if ((f->to_go -= take) == 0) row_fetch_next_row(f);
  }
}
