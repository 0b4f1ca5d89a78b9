/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check_register(const char *op, void (*entry)(const void *set)) {
  for (int32_t i = 0; i < rapt_kernel_sets_count(); i++) {
    const rapt_kernel_set *set = rapt_kernel_sets_get(i);
    char name[96];
    snprintf(name, sizeof name, "%s.%s", set->name, op);
    rapt_test_add(name, entry, set);
  }
}

/* Rounding mode, flush modes and exception masks; not the sticky flags, which arithmetic sets. */
static uint64_t control_bits(void) {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr() & 0xffc0u;
#elif defined(__aarch64__)
  uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
#else
  return 0;
#endif
}

void check_run(const rapt_kernel_set *set, void (*body)(const rapt_kernel_set *set)) {
  if (!rapt_kernel_set_usable(set, rapt_features_here()))
    SKIP("this machine cannot run %s", set->name);
  uint64_t before = control_bits();
  body(set);
  CHECK(control_bits() == before, "floating point control: %#llx before, %#llx after",
        (unsigned long long)before, (unsigned long long)control_bits());
}

void *check_bytes(check_arena *arena, size_t bytes, size_t alignment) {
  if (arena->count == CHECK_BUFFERS) {
    fprintf(stderr, "check_bytes: too many buffers\n");
    exit(2);
  }
  guard_buffer *b = &arena->buffer[arena->count++];
  *b = guard_alloc(bytes, arena->place, alignment);
  return b->data;
}

float *check_floats(check_arena *arena, int32_t n) {
  return check_bytes(arena, (size_t)n * sizeof(float), sizeof(float));
}

float *check_scratch(check_arena *arena, int32_t n) {
  return check_bytes(arena, (size_t)n * sizeof(float), 64);
}

void check_close(check_arena *arena, const char *what) {
  for (int32_t i = 0; i < arena->count; i++)
    CHECK(guard_free(&arena->buffer[i]), "%s: bytes beside buffer %d were written", what, i);
  arena->count = 0;
}

check_rows check_rows_make(check_arena *arena, rng *r, int32_t count, int32_t dim, int repeat) {
  check_rows rows = {.stride = dim, .count = count, .dim = dim};
  int32_t kind = rng_below(r, repeat ? 8 : 7);
  if (kind == 2 || kind == 3) rows.stride = dim + rng_range(r, 1, 19);
  if (kind == 4) rows.stride = -dim;
  if (kind == 5) rows.stride = -(dim + rng_range(r, 1, 5));
  if (kind == 7) rows.stride = 0;
  int64_t span = (rows.stride < 0 ? -rows.stride : rows.stride) * (count - 1);
  float *x = check_floats(arena, (int32_t)span + dim);
  rows.first = (char *)(rows.stride < 0 ? x + span : x);
  rows.stride *= (int64_t)sizeof *x;
  for (int32_t i = 0; i < count; i++) rng_fill_normal(r, check_row(&rows, i), (size_t)dim, 1);
  return rows;
}

float *check_row(const check_rows *rows, int32_t i) {
  return (float *)(void *)(rows->first + i * rows->stride);
}

void check_row_poison(const check_rows *rows, int32_t i) {
  static const float bad[3] = {NAN, INFINITY, -INFINITY};
  float *x = check_row(rows, i);
  for (int32_t c = 0; c < rows->dim; c++) x[c] = bad[(i + c) % 3];
}

int check_gaps_intact(const check_rows *rows) {
  int64_t pitch = rows->stride < 0 ? -rows->stride : rows->stride;
  int64_t used = (int64_t)rows->dim * (int64_t)sizeof(float);
  const char *low = rows->stride < 0 ? rows->first + (rows->count - 1) * rows->stride : rows->first;
  for (int32_t i = 0; i + 1 < rows->count; i++)
    for (int64_t at = i * pitch + used; at < (i + 1) * pitch; at++)
      if ((unsigned char)low[at] != 0xff) return 0;
  return 1;
}

static void make_stops(rapt_block *b, rng *r, check_kind kind, int32_t lanes, int32_t vector) {
  int32_t vectors = (lanes + vector - 1) / vector, before = 0;
  for (int32_t c = 0; c < RAPT_MAX_VECTORS; c++) {
    int32_t stop = b->keys;
    if (kind == CHECK_CAUSAL) stop = b->keys - lanes + (c + 1) * vector;
    if (kind == CHECK_MIXED && rng_below(r, 2)) stop = rng_range(r, before, b->keys);
    if (stop < before) stop = before;
    if (stop > b->keys || c >= vectors - 1) stop = b->keys;
    b->stop[c] = before = stop;
  }
}

rapt_block check_block(check_arena *arena, rng *r, check_kind kind, int32_t keys, int32_t lanes,
                       int32_t vector) {
  rapt_block b = {.keys = keys, .full_end = keys};
  make_stops(&b, r, kind, lanes, vector);
  if (kind == CHECK_FULL) return b;
  if (kind == CHECK_CAUSAL) {
    b.full_end = keys - lanes + 1 > 0 ? keys - lanes + 1 : 0;
  } else {
    b.full_begin = rng_range(r, 0, b.stop[0]);
    b.full_end = kind == CHECK_SPARSE ? b.full_begin : rng_range(r, b.full_begin, b.stop[0]);
  }
  /* The row kernel reads whole vectors of words. */
  int32_t room = (keys + RAPT_KEY_ALIGN - 1) / RAPT_KEY_ALIGN * RAPT_KEY_ALIGN;
  uint32_t *permit = check_bytes(arena, (size_t)(vector == lanes ? room : keys) * sizeof *permit,
                                 sizeof *permit);
  uint32_t all = lanes == 32 ? ~0u : (1u << lanes) - 1u, blind = (uint32_t)rng_u64(r);
  for (int32_t n = 0; n < (vector == lanes ? room : keys); n++) {
    uint32_t random = (uint32_t)rng_u64(r), word = random;
    if (kind == CHECK_SPARSE) word &= (uint32_t)rng_u64(r) & (uint32_t)rng_u64(r) & ~blind;
    if (kind == CHECK_MIXED && n % 5 == 0) word = 0; /* keys nobody sees */
    if (kind == CHECK_CAUSAL)
      for (int32_t i = 0; i < lanes; i++)
        word = n <= keys - lanes + i ? word | 1u << i : word & ~(1u << i);
    if (n >= b.full_begin && n < b.full_end) word |= all;
    for (int32_t i = 0; i < lanes; i++) /* bits of vectors that take no part */
      if (n >= b.stop[i / vector]) word = (word & ~(1u << i)) | (random & 1u << i);
    permit[n] = (word & all) | (random & ~all);
  }
  b.permit = permit;
  return b;
}

int check_sees(const rapt_block *b, int32_t lane, int32_t key, int32_t vector) {
  if (key >= b->stop[lane / vector]) return 0;
  if (key >= b->full_begin && key < b->full_end) return 1;
  return !b->permit || (b->permit[key] >> lane & 1);
}

rapt_prefetch *check_prefetch(rapt_prefetch *p, rng *r) {
  if (rng_below(r, 2)) return NULL;
  memset(p, 0, sizeof *p);
  p->count = rng_range(r, 0, RAPT_PREFETCH_STREAMS);
  p->lines_per_tile = rng_range(r, 0, 5);
  /* Anywhere, not aligned to a line. */
  p->k_ahead = rng_below(r, 2) ? (int64_t)(rng_u64(r) >> 4) : 0;
  p->v_ahead = rng_below(r, 2) ? -(int64_t)rng_range(r, 0, 1 << 30) : 0;
  for (int32_t i = 0; i < p->count; i++) {
    /* Nowhere mapped; far from the ends of the address space so that no step wraps. */
    uintptr_t at = (uintptr_t)1 << rng_range(r, 40, 60);
    p->stream[i] = (rapt_prefetch_stream){(const char *)at, rng_range(r, -4096, 4096),
                                          rng_range(r, 1, 50), rng_range(r, 1, 600)};
  }
  return p;
}

int32_t check_head_dim(rng *r, int32_t tile, int32_t i) {
  static const int32_t common[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33, 40, 64, 80};
  int32_t n = (int32_t)(sizeof common / sizeof *common);
  if (i < n) return common[i];
  switch (rng_below(r, 6)) {
  case 0:
    return tile * rng_range(r, 1, 3) + rng_range(r, -1, 1);
  case 1:
    return 128;
  case 2:
    return rng_range(r, 1, 1024);
  case 3:
    return 1024 - rng_below(r, 3);
  default:
    return rng_range(r, 1, 130);
  }
}

int32_t check_keys(rng *r, int32_t tile, int32_t most, int32_t head_dim, int32_t i) {
  int32_t keys = i % 3 == 0   ? tile * rng_range(r, 1, 4) + rng_range(r, -1, 1)
                 : i % 3 == 1 ? rng_range(r, 1, most)
                              : most - rng_below(r, 3);
  int32_t limit = CHECK_WORK / head_dim;
  if (keys > limit) keys = limit;
  return keys < 1 ? 1 : keys > most ? most : keys;
}

void check_drop_zero_signs(float *x, int32_t n) {
  for (int32_t i = 0; i < n; i++)
    if (x[i] == 0) x[i] = 0;
}
