/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One attention call with all its memory: tensors of a chosen layout between guard pages, every byte
 * that holds no valid element a NaN; runs it on any instruction set level and compares it with
 * float64. Header only, because several suites use it.
 *
 *   problem p = problem_make(heads_q, heads_kv, head_dim_qk, head_dim_v, batch, q_len, kv_len);
 *   p.desc.flags = ...; p.args.q_lens = ...; p.layout = ...;   (defaults are fine, too)
 *   problem_build(&p, &random);
 *   FOR_EACH_ISA(isa) problem_verify(&p, isa, "what this is");
 *   problem_free(&p);
 */
#ifndef RAPT_TESTS_ATTENTION_PROBLEM_H
#define RAPT_TESTS_ATTENTION_PROBLEM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rapt/rapt.h>

#include "common/reference.h"
#include "common/rng.h"
#include "support/compare.h"
#include "support/guard.h"
#include "support/rapt_test.h"

typedef enum problem_layout {
  LAYOUT_BHSD,
  LAYOUT_BSHD,
  LAYOUT_SBHD,     /* token outermost */
  LAYOUT_VIEW,     /* BHSD in a larger buffer: gaps after rows, heads and sequences */
  LAYOUT_REVERSED, /* inputs with negative token and head strides */
  LAYOUT_PACKED,   /* q, k, v side by side in one row per token (needs q_len = kv_len) */
  LAYOUTS
} problem_layout;

static const char *const problem_layout_names[LAYOUTS] = {"bhsd", "bshd",     "sbhd",
                                                          "view", "reversed", "packed"};

enum { TENSOR_Q, TENSOR_K, TENSOR_V, TENSOR_O, TENSOR_LSE, TENSORS };

typedef struct problem {
  rapt_attention_desc desc;
  rapt_attention_args args;
  problem_layout layout;
  guard_place place;
  double sigma;     /* of q and k; v is unit normal */
  double loose;     /* factor on the accuracy bounds: 1 for unit-normal inputs */
  int no_lse;       /* call without LSE */
  int kv_shared;    /* K and V once for all sequences: batch stride 0 */
  int wild_strides; /* garbage where a stride must be ignored */
  int32_t workers;  /* 0 = as many as the executor has */
  void (*change_plan)(rapt_plan *plan, const void *to); /* NULL, or called before each run */
  const void *change_to;

  guard_buffer buffer[TENSORS];
  double *ref_o, *ref_lse; /* computed once, at the first comparison */
} problem;

/* ---- Levels ------------------------------------------------------------------------------- */

/* The i-th distinct usable level, best first; NULL behind the last. */
static inline const char *level_at(int32_t i) {
  static char names[16][24];
  static int32_t n = -1;
  if (n < 0) {
    n = 0;
    for (int32_t s = 0; s < rapt_kernel_count() && n < 16; s++) {
      rapt_kernel_info info = {.size = sizeof info};
      if (rapt_kernel_get(s, &info, NULL) != RAPT_OK || !info.usable) continue;
      int32_t known = 0;
      while (known < n && strcmp(names[known], info.isa) != 0) known++;
      if (known == n) memcpy(names[n++], info.isa, sizeof info.isa);
    }
  }
  return i < n ? names[i] : NULL;
}

#define FOR_EACH_ISA(isa)                                           \
  for (int32_t isa##_level = 0; isa##_level >= 0; isa##_level = -1) \
    for (const char *isa = level_at(isa##_level); isa; isa = level_at(++isa##_level))

/* 1 where arithmetic is emulated: sizes shrink. */
static inline int test_small(void) {
  static int small = -1;
  const char *text = small < 0 ? getenv("RAPT_TEST_SMALL") : NULL;
  if (small < 0) small = text && *text && strcmp(text, "0") != 0;
  return small;
}

static inline int32_t smaller(int32_t usual, int32_t small) { return test_small() ? small : usual; }

/* ---- Serial executor ----------------------------------------------------------------------- */

static inline int32_t serial_parallel(void *ctx, int32_t n, void (*fn)(void *, int32_t),
                                      void *arg) {
  (void)ctx;
  for (int32_t i = 0; i < n; i++) fn(arg, i);
  return 0;
}

static const rapt_executor serial_executor = {
    .size = sizeof serial_executor, .max_workers = 1, .parallel = serial_parallel};

/* ---- Building ------------------------------------------------------------------------------ */

static inline problem problem_make(int32_t heads_q, int32_t heads_kv, int32_t dqk, int32_t dv,
                                   int32_t batch, int32_t q_len, int32_t kv_len) {
  problem p = {.sigma = 1, .loose = 1};
  p.desc = (rapt_attention_desc){.size = sizeof p.desc,
                                 .heads_q = heads_q,
                                 .heads_kv = heads_kv,
                                 .head_dim_qk = dqk,
                                 .head_dim_v = dv};
  p.args = (rapt_attention_args){
      .size = sizeof p.args, .batch = batch, .q_len = q_len, .kv_len = kv_len};
  return p;
}

typedef struct problem_shape {
  int64_t n[3]; /* batch, heads, tokens */
  int64_t row;  /* bytes of a row */
} problem_shape;

static inline problem_shape problem_shape_of(const problem *p, int tensor) {
  const rapt_attention_args *a = &p->args;
  int kv = tensor == TENSOR_K || tensor == TENSOR_V;
  const int32_t *offsets = kv ? a->kv_offsets : a->q_offsets;
  problem_shape s = {{a->batch, kv ? p->desc.heads_kv : p->desc.heads_q, kv ? a->kv_len : a->q_len},
                     4};
  if (offsets) {
    s.n[0] = 1;
    s.n[2] = offsets[a->batch];
  } else if (kv && p->kv_shared) {
    s.n[0] = 1;
  }
  if (tensor == TENSOR_Q || tensor == TENSOR_K) s.row = 4 * (int64_t)p->desc.head_dim_qk;
  if (tensor == TENSOR_V || tensor == TENSOR_O) s.row = 4 * (int64_t)p->desc.head_dim_v;
  return s;
}

static inline void problem_strides(const problem *p, int tensor, const problem_shape *s,
                                   int64_t stride[3]) {
  problem_layout layout = p->layout;
  int output = tensor == TENSOR_O || tensor == TENSOR_LSE;
  if (output && (layout == LAYOUT_REVERSED || layout == LAYOUT_PACKED)) layout = LAYOUT_BSHD;
  int64_t row = s->row;
  switch (layout) {
  case LAYOUT_BSHD:
    stride[1] = row, stride[2] = s->n[1] * row, stride[0] = s->n[2] * stride[2];
    break;
  case LAYOUT_SBHD:
    stride[1] = row, stride[0] = s->n[1] * row, stride[2] = s->n[0] * stride[0];
    break;
  case LAYOUT_VIEW:
    stride[2] = row + 12, stride[1] = s->n[2] * stride[2] + 8;
    stride[0] = s->n[1] * stride[1] + 20;
    break;
  case LAYOUT_PACKED:
    stride[1] = row;
    stride[2] = 4 * ((int64_t)p->desc.heads_q * p->desc.head_dim_qk +
                     (int64_t)p->desc.heads_kv * (p->desc.head_dim_qk + p->desc.head_dim_v));
    stride[0] = s->n[2] * stride[2];
    break;
  default:
    stride[2] = row, stride[1] = s->n[2] * row, stride[0] = s->n[1] * stride[1];
    break;
  }
  if (layout == LAYOUT_REVERSED) stride[1] = -stride[1], stride[2] = -stride[2];
}

/* Where the tensor's first element lies in its buffer, and the buffer's bytes. */
static inline int64_t problem_extent(const problem_shape *s, const int64_t stride[3],
                                     int64_t *bytes) {
  int64_t lo = 0, hi = s->row;
  for (int i = 0; i < 3; i++) {
    int64_t reach = (s->n[i] - 1) * stride[i];
    if (reach < 0) lo += reach;
    if (reach > 0) hi += reach;
  }
  *bytes = s->n[0] && s->n[1] && s->n[2] ? hi - lo : 0;
  return *bytes ? -lo : 0;
}

static inline void problem_place(problem *p, int tensor, char *data, const int64_t stride[3]) {
  rapt_const_tensor *in[] = {&p->args.q, &p->args.k, &p->args.v};
  rapt_tensor *out[] = {&p->args.o, &p->args.lse};
  if (tensor < TENSOR_O) {
    in[tensor]->data = data;
    memcpy(in[tensor]->stride, stride, sizeof in[tensor]->stride);
  } else {
    out[tensor - TENSOR_O]->data = data;
    memcpy(out[tensor - TENSOR_O]->stride, stride, sizeof out[0]->stride);
  }
}

static inline void problem_allocate(problem *p) {
  int packed = p->layout == LAYOUT_PACKED;
  for (int t = 0; t < TENSORS; t++) {
    if (t == TENSOR_LSE && p->no_lse) continue;
    problem_shape s = problem_shape_of(p, t);
    int64_t stride[3], bytes;
    problem_strides(p, t, &s, stride);
    int64_t first = problem_extent(&s, stride, &bytes);
    char *data;
    if (packed && (t == TENSOR_K || t == TENSOR_V)) {
      data = (char *)p->buffer[TENSOR_Q].data + 4 * (int64_t)p->desc.heads_q * p->desc.head_dim_qk;
      if (t == TENSOR_V) data += 4 * (int64_t)p->desc.heads_kv * p->desc.head_dim_qk;
    } else {
      if (packed && t == TENSOR_Q) bytes = s.n[0] * stride[0];
      p->buffer[t] = guard_alloc((size_t)bytes, p->place, sizeof(float));
      data = (char *)p->buffer[t].data + first;
    }
    int kv = t == TENSOR_K || t == TENSOR_V;
    if (kv && p->kv_shared) stride[0] = 0;
    if (p->wild_strides) {
      int64_t wild = (int64_t)987654321987654323;
      if ((kv ? p->args.kv_offsets : p->args.q_offsets) || p->args.batch == 1) stride[0] = wild;
      if (s.n[1] == 1) stride[1] = -wild;
      if (s.n[2] == 1) stride[2] = wild + 2;
    }
    problem_place(p, t, data, stride);
  }
}

static inline float *problem_writable(const float *row) { return (float *)(uintptr_t)row; }

/* Allocates all tensors and fills the valid part of the inputs. */
static inline void problem_build(problem *p, rng *r) {
  problem_allocate(p);
  size_t dqk = (size_t)p->desc.head_dim_qk, dv = (size_t)p->desc.head_dim_v;
  for (int32_t b = 0; b < p->args.batch; b++) {
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++)
        rng_fill_normal(r, problem_writable(reference_q_row(&p->args, b, h, i)), dqk, p->sigma);
    for (int32_t h = 0; h < p->desc.heads_kv; h++)
      for (int64_t j = 0; j < reference_kv_len(&p->args, b); j++) {
        rng_fill_normal(r, problem_writable(reference_k_row(&p->args, b, h, j)), dqk, p->sigma);
        rng_fill_normal(r, problem_writable(reference_v_row(&p->args, b, h, j)), dv, 1);
      }
  }
}

static inline void problem_free(problem *p) {
  for (int t = 0; t < TENSORS; t++)
    if (p->buffer[t].map) CHECK(guard_free(&p->buffer[t]), "canary of tensor %d is broken", t);
  free(p->ref_o);
  free(p->ref_lse);
  p->ref_o = p->ref_lse = NULL;
}

/* ---- Running ------------------------------------------------------------------------------- */

/* Fills O and LSE with NaN again, then plans and runs; returns the first status that is not OK. */
static inline rapt_status problem_try(problem *p, const char *isa, const rapt_executor *executor,
                                      rapt_error *error) {
  for (int t = TENSOR_O; t < TENSORS; t++)
    if (p->buffer[t].map) guard_fill_nan(&p->buffer[t]);
  rapt_plan *plan = NULL;
  rapt_workspace_info info = {.size = sizeof info};
  int32_t workers = p->workers ? p->workers
                    : executor ? executor->max_workers
                               : rapt_default_workers();
  p->desc.isa = isa;
  rapt_status status = rapt_plan_create(&p->desc, &plan, error);
  p->desc.isa = NULL;
  if (status != RAPT_OK) return status;
  if (p->change_plan) p->change_plan(plan, p->change_to);
  status = rapt_plan_workspace(plan, &p->args, workers, &info, error);
  if (status == RAPT_OK) {
    guard_buffer workspace = guard_alloc((size_t)info.bytes, GUARD_END, 64);
    status = rapt_attention_run(plan, &p->args, workspace.data, workspace.bytes, executor, error);
    CHECK(guard_free(&workspace), "written around the workspace of %llu bytes",
          (unsigned long long)info.bytes);
  }
  rapt_plan_destroy(plan);
  return status;
}

/* Runs and requires success. */
static inline int problem_run(problem *p, const char *isa, const rapt_executor *executor) {
  rapt_error error = {.size = sizeof error};
  rapt_status status = problem_try(p, isa, executor, &error);
  return CHECK(status == RAPT_OK, "%s: %s: %s: %s", isa, rapt_status_string(status), error.field,
               error.message);
}

/* ---- Comparing ------------------------------------------------------------------------------ */

/* Valid rows of the batch: sum of query lengths times heads. */
static inline size_t problem_rows(const problem *p) {
  size_t rows = 0;
  for (int32_t b = 0; b < p->args.batch; b++)
    rows += (size_t)reference_q_len(&p->args, b) * (size_t)p->desc.heads_q;
  return rows;
}

/* Row r counts (b, h, i), i innermost, valid rows only: O rows, then all LSE. Caller frees. */
static inline float *problem_gather(const problem *p, size_t *n) {
  size_t rows = problem_rows(p), dv = (size_t)p->desc.head_dim_v, r = 0;
  *n = rows * (dv + (p->args.lse.data != NULL));
  float *x = malloc((*n + 1) * sizeof *x);
  if (!x) exit(2);
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++, r++) {
        if (dv) memcpy(x + r * dv, reference_o_row(&p->args, b, h, i), dv * sizeof *x);
        if (p->args.lse.data) x[rows * dv + r] = *reference_lse_at(&p->args, b, h, i);
      }
  return x;
}

static inline void problem_reference(problem *p) {
  if (p->ref_o) return;
  size_t rows = problem_rows(p), dv = (size_t)p->desc.head_dim_v, r = 0;
  p->ref_o = malloc((rows * dv + 1) * sizeof *p->ref_o);
  p->ref_lse = malloc((rows + 1) * sizeof *p->ref_lse);
  if (!p->ref_o || !p->ref_lse) exit(2);
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++, r++)
        reference_row(&p->desc, &p->args, b, h, i, p->ref_o + r * dv, &p->ref_lse[r]);
}

/* Bytes of an output buffer that belong to no valid row are as they were. */
static inline int problem_gaps_untouched(const problem *p, int tensor, const char *what) {
  const guard_buffer *g = &p->buffer[tensor];
  size_t row = tensor == TENSOR_O ? 4 * (size_t)p->desc.head_dim_v : 4, bad = 0;
  unsigned char *copy = malloc(g->bytes + 1);
  if (!copy) exit(2);
  memcpy(copy, g->data, g->bytes);
  for (int32_t b = 0; b < p->args.batch; b++)
    for (int32_t h = 0; h < p->desc.heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(&p->args, b); i++) {
        float *at = tensor == TENSOR_O ? reference_o_row(&p->args, b, h, i)
                                       : reference_lse_at(&p->args, b, h, i);
        if (row) memset(copy + ((char *)at - (char *)g->data), 0xff, row);
      }
  while (bad < g->bytes && copy[bad] == 0xff) bad++;
  int ok = CHECK(bad == g->bytes, "%s: %s written outside of its valid rows, byte %zu of %zu", what,
                 tensor == TENSOR_O ? "O" : "LSE", bad, g->bytes);
  free(copy);
  return ok;
}

/* What was computed against float64: each element, the L2 error (of enough elements that it means
 * something), and that nothing else was written. */
static inline int problem_compare(problem *p, const char *isa, const char *what) {
  char text[200];
  snprintf(text, sizeof text, "%s %s", isa, what);
  problem_reference(p);
  size_t n, rows = problem_rows(p), dv = (size_t)p->desc.head_dim_v;
  float *got = problem_gather(p, &n);
  double bar = (p->desc.head_dim_qk == 64 && p->args.kv_len <= 4096 ? 5e-7 : 2e-6) * p->loose;
  int ok = CHECK_CLOSE(got, p->ref_o, rows * dv, RAPT_BOUND_ABS * p->loose,
                       RAPT_BOUND_REL * p->loose, "%s: O", text);
  double error = reference_rel_l2(got, p->ref_o, rows * dv);
  ok &= CHECK(rows * dv < 64 || error <= bar, "%s: O: relative L2 error %.3g > %.3g", text, error,
              bar);
  if (p->args.lse.data)
    ok &= CHECK_CLOSE(got + rows * dv, p->ref_lse, rows, RAPT_BOUND_ABS * p->loose,
                      RAPT_BOUND_REL * p->loose, "%s: LSE", text);
  for (int t = TENSOR_O; t < TENSORS; t++)
    if (p->buffer[t].map) ok &= problem_gaps_untouched(p, t, text);
  free(got);
  return ok;
}

static inline int problem_verify(problem *p, const char *isa, const char *what) {
  return problem_run(p, isa, NULL) && problem_compare(p, isa, what);
}

/* The same for every level. */
static inline int problem_verify_all(problem *p, const char *what) {
  int ok = 1;
  FOR_EACH_ISA(isa) ok &= problem_verify(p, isa, what);
  return ok;
}

#endif
