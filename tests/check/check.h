/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the per-kernel tests share. Every test runs once per kernel set of the build; its name is
 * "<set>.<op>", and it is skipped where the machine cannot run the set.
 *
 * Work per test stays small (CHECK_WORK multiply-adds per case), because the same tests run under
 * emulators that are some 175 times slower than the machine. */
#ifndef RAPT_TESTS_CHECK_H
#define RAPT_TESTS_CHECK_H

#include <math.h>
#include <stdint.h>

#include "dispatch/dispatch.h"
#include "kernels/kernel_set.h"
#include "support/compare.h"
#include "support/guard.h"
#include "support/rapt_test.h"
#include "common/rng.h"

/* SET_TEST(accumulate, "accumulate") { ... set ... }: one test per kernel set. */
#define SET_TEST(id, op)                                                             \
  static void check_body_##id(const rapt_kernel_set *set);                           \
  static void check_entry_##id(const void *set) { check_run(set, check_body_##id); } \
  __attribute__((constructor)) static void check_register_##id(void) {               \
    check_register(op, check_entry_##id);                                            \
  }                                                                                  \
  static void check_body_##id(const rapt_kernel_set *set)

void check_register(const char *op, void (*entry)(const void *set));

/* Skips where the set cannot run; checks that the control bits of the floating point unit are as
 * they were. */
void check_run(const rapt_kernel_set *set, void (*body)(const rapt_kernel_set *set));

/* ---- Bounds ------------------------------------------------------------------------------- */

/* Unit roundoff of float32. A sum of n products by FMA is off by at most n * U * sum |products|; one
 * more U each for a product that is rounded by itself and for slack of second order. */
#define CHECK_U 0x1p-24
/* exp2's relative error: 2 ulp are at most 2 * 2^-23. */
#define CHECK_EXP2 0x1p-22
/* Results below the smallest normal number may flush to 0. */
#define CHECK_TINY 0x1p-126

#define CHECK_WORK 6000 /* keys * head_dim of a case; times lanes gives its multiply-adds */

/* ---- Buffers ------------------------------------------------------------------------------ */

/* Guarded buffers of one case. */
enum { CHECK_BUFFERS = 64 };
typedef struct check_arena {
  int32_t count;
  guard_place place; /* of all buffers of the case */
  guard_buffer buffer[CHECK_BUFFERS];
} check_arena;

/* n floats of the caller's, aligned to 4 bytes: directly at an inaccessible page. */
float *check_floats(check_arena *arena, int32_t n);
/* n floats of scratch, aligned to 64 bytes: canaries in what alignment leaves. */
float *check_scratch(check_arena *arena, int32_t n);
void *check_bytes(check_arena *arena, size_t bytes, size_t alignment);
/* Checks the canaries and releases everything. */
void check_close(check_arena *arena, const char *what);

/* count rows of dim floats at first + i * stride. Bytes between the rows are 0xff. */
typedef struct check_rows {
  char *first;
  int64_t stride;
  int32_t count, dim;
} check_rows;

/* Stride drawn from: dense, padded by 1..19 floats, negative, and (if `repeat`) zero. Elements are
 * unit normal. */
check_rows check_rows_make(check_arena *arena, rng *r, int32_t count, int32_t dim, int repeat);
float *check_row(const check_rows *rows, int32_t i);
/* Fills row i with NaN, +inf, -inf by turns. */
void check_row_poison(const check_rows *rows, int32_t i);
/* 1 if the bytes between the rows still are 0xff. */
int check_gaps_intact(const check_rows *rows);

/* ---- Blocks ------------------------------------------------------------------------------- */

typedef enum check_kind {
  CHECK_FULL,   /* every key for every lane, no permit words */
  CHECK_MIXED,  /* random words with a full stretch somewhere, stops at random */
  CHECK_CAUSAL, /* a diagonal that ends at the last key */
  CHECK_SPARSE, /* few bits; some lanes see nothing at all */
  CHECK_KINDS
} check_kind;

/* lanes: of a panel, or the number of rows; vector: lanes per vector (rows: as many as lanes). Bits
 * nobody may look at are random. */
rapt_block check_block(check_arena *arena, rng *r, check_kind kind, int32_t keys, int32_t lanes,
                       int32_t vector);

/* May lane see key? */
int check_sees(const rapt_block *block, int32_t lane, int32_t key, int32_t vector);

/* NULL or (every other time) a prefetch list full of wild addresses. */
rapt_prefetch *check_prefetch(rapt_prefetch *space, rng *r);

/* ---- Shapes ------------------------------------------------------------------------------- */

/* A head_dim: small ones, tile borders, primes, and now and then a large one up to 1024. */
int32_t check_head_dim(rng *r, int32_t tile, int32_t i);
/* A number of keys from 1 to most, borders of the tile preferred, at most CHECK_WORK / head_dim. */
int32_t check_keys(rng *r, int32_t tile, int32_t most, int32_t head_dim, int32_t i);

/* -0 to +0, for comparisons where the sign of a zero is not promised. */
void check_drop_zero_signs(float *x, int32_t n);

#endif
