/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * kernel/<set>/<op>/...: single operations over scratch that stays in the caches. Operations that
 * multiply are held against the FMA anchor of the set's ISA; the others report elements per second. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/dispatch.h"
#include "options.h"
#include "suites.h"

enum op { SCORES, SOFTMAX, ACCUMULATE, PACK_Q, FINISH, ROW_SCORES, ROW_SOFTMAX, ROW_ACCUMULATE };

typedef struct kernel_case {
  const rapt_kernel_set *set;
  enum op op;
  int32_t panel; /* index */
  int32_t rows;  /* of the row kernel */
  int32_t head_dim;
} kernel_case;

typedef struct scratch {
  const kernel_case *c;
  const rapt_panel_ops *panel;
  rapt_block block;
  bench_buffer memory;
  float *q, *k, *s, *o, *m_new, *m, *l, *alpha, *rows;
  const float *row_in[RAPT_MAX_LANES];
  float *row_out[RAPT_MAX_LANES];
} scratch;

static void run(void *ctx) {
  scratch *x = ctx;
  const rapt_panel_ops *p = x->panel;
  const rapt_row_ops *r = &x->c->set->row;
  const rapt_block *b = &x->block;
  const int32_t d = x->c->head_dim, n = x->c->rows;
  const int64_t stride = (int64_t)d * (int64_t)sizeof(float);
  const char *k = (const char *)x->k;
  switch (x->c->op) {
  case SCORES:
    p->scores(x->q, d, k, stride, b, x->s, x->m_new, NULL);
    break;
  case SOFTMAX:
    p->softmax(b, 0, x->s, x->m_new, x->m, x->l, x->alpha);
    break;
  case ACCUMULATE:
    p->accumulate(x->s, b, k, stride, d, x->alpha, 0, x->o, NULL);
    break;
  case PACK_Q:
    p->pack_q(x->row_in, p->lanes, d, 0.125f, x->q);
    break;
  case FINISH:
    p->finish(0, x->m, x->l, x->o, NULL, d, p->lanes, x->row_out, NULL);
    break;
  case ROW_SCORES:
    r->scores(x->q, n, d, k, stride, b, x->s, NULL);
    break;
  case ROW_SOFTMAX:
    r->softmax(b, n, 0, x->s, x->m, x->alpha);
    break;
  case ROW_ACCUMULATE:
    r->accumulate(x->s, n, b, k, stride, d, x->alpha, 0, x->l, x->o, NULL);
    break;
  }
}

static int open_scratch(scratch *x, const kernel_case *c) {
  const size_t d = (size_t)c->head_dim, lanes = RAPT_MAX_LANES;
  memset(x, 0, sizeof *x);
  x->c = c;
  x->panel = &c->set->panel[c->panel];
  int32_t keys = c->op >= ROW_SCORES ? c->set->row.row_block : c->set->key_block;
  x->block = (rapt_block){.keys = keys, .full_end = keys};
  for (int i = 0; i < RAPT_MAX_VECTORS; i++) x->block.stop[i] = keys;
  const size_t n = (size_t)keys;
  const size_t floats = 3 * d * lanes + n * (d + lanes) + 4 * lanes;
  if (bench_buffer_open(&x->memory, floats * sizeof(float), BENCH_PAGES_4K) != 0) return -1;
  bench_fill(&x->memory, 1, 1);
  float *at = x->memory.data;
  x->q = at, at += d * lanes;
  x->o = at, at += d * lanes;
  x->rows = at, at += d * lanes;
  x->s = at, at += n * lanes;
  x->m_new = at, at += lanes;
  x->m = at, at += lanes;
  x->l = at, at += lanes;
  x->alpha = at, at += lanes;
  x->k = at;
  for (size_t i = 0; i < lanes; i++) {
    x->row_in[i] = x->row_out[i] = x->rows + i * d;
    /* Values that stay finite however often the operation repeats in place. */
    x->m_new[i] = x->m[i] = 3.0f;
    x->l[i] = 1.0f;
    x->alpha[i] = 0.5f;
  }
  return 0;
}

static double work_of(const kernel_case *c, const scratch *x, int32_t *flops) {
  double lanes = c->op >= ROW_SCORES ? c->rows : x->panel->lanes, keys = x->block.keys;
  *flops = c->op == SCORES || c->op == ACCUMULATE || c->op == ROW_SCORES || c->op == ROW_ACCUMULATE;
  if (*flops) return 2 * lanes * keys * c->head_dim;
  return lanes * (c->op == SOFTMAX || c->op == ROW_SOFTMAX ? keys : c->head_dim);
}

static void kernel(gbench_state *state, const void *arg) {
  static bench_rounds r;
  const kernel_case *c = arg;
  scratch x;
  if (open_scratch(&x, c) != 0) {
    gbench_error(state, "no memory");
    return;
  }
  memset(&r, 0, sizeof r);
  int32_t flops;
  double work = work_of(c, &x, &flops);
  bench_call call = {.run = run, .ctx = &x};
  bench_fma fma = {.isa = bench_isa_find(c->set->isa), .threads = 1};
  int32_t subject = bench_rounds_add(&r, bench_call_take, &call, 0);
  if (flops && fma.isa) {
    char label[64];
    int32_t anchor = bench_rounds_add(&r, bench_fma_take, &fma, 1);
    bench_rounds_run(&r);
    bench_rounds_settle(&r, anchor, bench_fma_seen(&fma));
    double share = bench_report_flops(state, &r, subject, anchor, work, 1);
    snprintf(label, sizeof label, "%.1f %% of peak", 100 * share);
    gbench_label(state, label);
  } else {
    bench_rounds_run(&r);
    gbench_time(state, bench_rounds_best(&r, subject));
    gbench_counter(state, "elements", work / bench_rounds_best(&r, subject));
  }
  if (!isfinite(x.o[0]) || !isfinite(x.s[0])) gbench_error(state, "the result is not finite");
  bench_buffer_close(&x.memory);
}

static void add(kernel_case c, const char *op, const char *width, int32_t count) {
  char name[BENCH_NAME];
  kernel_case *kept = malloc(sizeof *kept);
  if (!kept) abort();
  *kept = c;
  snprintf(name, sizeof name, "kernel/%s/%s/%s%d_d%d", c.set->name, op, width, (int)count,
           (int)c.head_dim);
  gbench_register(name, kernel, kept);
}

void bench_suite_kernels(void) {
  static const char *const panel_ops[] = {"scores", "softmax", "accumulate", "pack_q", "finish"};
  static const char *const row_ops[] = {"row.scores", "row.softmax", "row.accumulate"};
  static const int32_t head_dims[] = {64, 128, 80};
  for (int32_t i = 0; i < rapt_kernel_sets_count(); i++) {
    kernel_case c = {.set = rapt_kernel_sets_get(i)};
    if (!rapt_kernel_set_usable(c.set, rapt_features_here())) continue;
    for (int32_t dim = 0; dim < 3; dim++) {
      c.head_dim = head_dims[dim];
      for (int32_t op = 0; op < 5; op++)
        for (c.panel = 0; c.panel < c.set->n_panels; c.panel++) {
          c.op = (enum op)(SCORES + op);
          add(c, panel_ops[op], "w", c.set->panel[c.panel].lanes);
        }
      c.panel = 0;
      for (int32_t op = 0; op < 3; op++)
        for (c.rows = 1; c.rows <= RAPT_MAX_ROWS; c.rows *= 2) {
          c.op = (enum op)(ROW_SCORES + op);
          add(c, row_ops[op], "r", c.rows);
        }
    }
  }
}
