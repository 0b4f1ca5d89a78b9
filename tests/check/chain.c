/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 32 };

static void *memory(size_t bytes) {
  void *p = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
  if (!p) {
    perror("chain");
    exit(2);
  }
  memset(p, 0xff, bytes);
  return p;
}

static float *floats(int32_t n) { return memory((size_t)n * sizeof(float)); }

static uint32_t sight_of(rng *r, chain_sight kind, const chain *c, int32_t n, uint32_t blind) {
  uint32_t word = kind == CHAIN_ALL ? ~0u : 0;
  if (kind == CHAIN_RANDOM && n / 23 % 3) /* stretches that nobody sees */
    word = (uint32_t)rng_u64(r) & ~blind;
  if (kind == CHAIN_CAUSAL || kind == CHAIN_WINDOW)
    for (int32_t i = 0; i < c->rows; i++) {
      int32_t p = c->keys - c->rows + i;
      if (n <= p && (kind == CHAIN_CAUSAL || n >= p - 77)) word |= 1u << i;
    }
  return c->rows == 32 ? word : word & ((1u << c->rows) - 1u);
}

chain chain_make(const rapt_kernel_set *set, rng *r, chain_sight sight, int32_t block) {
  chain c = {.set = set, .rows = rng_range(r, 1, MOST_ROWS), .keys = rng_range(r, 1, 4 * block)};
  c.dim_qk = rng_range(r, 1, 40);
  c.dim_v = rng_range(r, 1, 40);
  c.split = 2 * block;
  c.group = RAPT_MAX_ROWS;
  c.q = floats(c.rows * c.dim_qk);
  c.k = floats(c.keys * c.dim_qk);
  c.v = floats(c.keys * c.dim_v);
  c.sight = memory((size_t)c.keys * sizeof *c.sight);
  c.o = floats(c.rows * c.dim_v);
  c.lse = floats(c.rows);
  rng_fill_normal(r, c.q, (size_t)(c.rows * c.dim_qk), 1);
  rng_fill_normal(r, c.k, (size_t)(c.keys * c.dim_qk), 1);
  rng_fill_normal(r, c.v, (size_t)(c.keys * c.dim_v), 1);
  uint32_t blind = 0x11u << rng_below(r, 9);
  for (int32_t n = 0; n < c.keys; n++) c.sight[n] = sight_of(r, sight, &c, n, blind);
  return c;
}

void chain_free(chain *c) {
  free(c->q);
  free(c->k);
  free(c->v);
  free(c->sight);
  free(c->o);
  free(c->lse);
}

void chain_clear(chain *c) {
  memset(c->o, 0xff, (size_t)(c->rows * c->dim_v) * sizeof *c->o);
  memset(c->lse, 0xff, (size_t)c->rows * sizeof *c->lse);
}

float *chain_results(const chain *c) {
  int32_t n = c->rows * c->dim_v;
  float *x = floats(n + c->rows);
  memcpy(x, c->o, (size_t)n * sizeof *x);
  memcpy(x + n, c->lse, (size_t)c->rows * sizeof *x);
  return x;
}

/* A block of keys [*from, to) for rows row0.. of which n exist: words for the kernel into `permit`.
 * Returns 0 if there is nothing to do. */
static int make_block(const chain *c, int32_t *from, int32_t to, int32_t row0, int32_t n,
                      int32_t vector, uint32_t *permit, rapt_block *b) {
  uint32_t all = n == 32 ? ~0u : (1u << n) - 1u;
#define WORD(key) (c->sight[key] >> row0 & all)
  if (c->trim) {
    int32_t first = *from;
    while (first < to && !WORD(first)) first++;
    if (first == to) return 0;
    *from += (first - *from) / RAPT_KEY_ALIGN * RAPT_KEY_ALIGN;
    while (!WORD(to - 1)) to--;
  }
  *b = (rapt_block){.keys = to - *from, .permit = permit};
  int32_t best = 0;
  for (int32_t i = 0, run = 0; i < b->keys; i++) {
    permit[i] = WORD(*from + i);
    run = permit[i] == all ? run + 1 : 0;
    if (run > best) best = run, b->full_begin = i + 1 - run, b->full_end = i + 1;
  }
  for (int32_t v = 0; v < RAPT_MAX_VECTORS; v++) {
    int32_t stop = b->keys;
    /* In trimmed runs vectors end where they see no more. */
    while (c->trim && v < (n - 1) / vector && stop > b->full_end &&
           !(permit[stop - 1] & ((1ull << (v + 1) * vector) - 1)))
      stop--;
    b->stop[v] = stop;
  }
  if (best == b->keys) b->permit = NULL;
  return 1;
#undef WORD
}

static float scale_of(const chain *c) {
  return (float)(1.4426950408889634 / sqrt((double)c->dim_qk));
}

/* Scratch of one pass, as the contract lays it out. */
typedef struct scratch {
  float *q, *s, *alpha, *m_new;
  float *m[2], *l[2], *o[2]; /* [0] joined so far, [1] the split in work */
  uint32_t *permit;
} scratch;

static scratch scratch_make(const chain *c, int32_t lanes, int32_t block) {
  int32_t pad_qk = c->dim_qk + RAPT_KEY_ALIGN, pad_v = c->dim_v + RAPT_KEY_ALIGN;
  scratch t = {floats(pad_qk * lanes),
               floats(block * lanes),
               floats(lanes),
               floats(lanes),
               {0},
               {0},
               {0},
               memory((size_t)(block + RAPT_KEY_ALIGN) * sizeof(uint32_t))};
  for (int i = 0; i < 2; i++) {
    t.m[i] = floats(lanes);
    t.l[i] = floats(lanes);
    t.o[i] = floats(pad_v * lanes);
  }
  return t;
}

static void scratch_free(scratch *t) {
  free(t->q);
  free(t->s);
  free(t->alpha);
  free(t->m_new);
  free(t->permit);
  for (int i = 0; i < 2; i++) {
    free(t->m[i]);
    free(t->l[i]);
    free(t->o[i]);
  }
}

/* Rows row0 .. row0 + n - 1 through a panel, or (panel NULL) the row kernel. */
static void pass(chain *c, const rapt_panel_ops *panel, int32_t row0, int32_t n) {
  const rapt_row_ops *row = &c->set->row;
  int32_t lanes = panel ? panel->lanes : RAPT_MAX_ROWS;
  int32_t block = panel ? c->set->key_block : row->row_block, done = 0;
  int32_t vector = panel ? panel->vector : RAPT_MAX_ROWS;
  int64_t k_stride = c->dim_qk * (int64_t)sizeof *c->k, v_stride = c->dim_v * (int64_t)sizeof *c->v;
  scratch t = scratch_make(c, lanes, block);
  const float *in[MOST_ROWS];
  float *out[MOST_ROWS];
  for (int32_t i = 0; i < n; i++) {
    in[i] = c->q + (row0 + i) * c->dim_qk;
    out[i] = c->o + (row0 + i) * c->dim_v;
  }
  (panel ? panel->pack_q : row->pack_q)(in, n, c->dim_qk, scale_of(c), t.q);
  for (int32_t start = 0; start < c->keys; start += c->split) {
    int at = done ? 1 : 0, first = 1;
    int32_t end = start + c->split < c->keys ? start + c->split : c->keys;
    for (int32_t i = 0; i < lanes; i++) t.m[at][i] = t.m_new[i] = -INFINITY, t.l[at][i] = 0;
    for (int32_t from = start; from < end; from += block - from % block) {
      int32_t to = from + block < end ? from + block : end;
      rapt_block b;
      if (!make_block(c, &from, to, row0, n, vector, t.permit, &b)) continue;
      const char *k = (const char *)(c->k + from * c->dim_qk);
      const char *v = (const char *)(c->v + from * c->dim_v);
      if (panel) {
        panel->scores(t.q, c->dim_qk, k, k_stride, &b, t.s, t.m_new, NULL);
        panel->softmax(&b, 0, t.s, t.m_new, t.m[at], t.l[at], t.alpha);
        panel->accumulate(t.s, &b, v, v_stride, c->dim_v, t.alpha, first, t.o[at], NULL);
      } else {
        row->scores(t.q, n, c->dim_qk, k, k_stride, &b, t.s, NULL);
        row->softmax(&b, n, 0, t.s, t.m[at], t.alpha);
        row->accumulate(t.s, n, &b, v, v_stride, c->dim_v, t.alpha, first, t.l[at], t.o[at], NULL);
      }
      first = 0;
    }
    if (first) continue; /* no block at all: nothing to join */
    if (done && panel)
      panel->join(0, t.m[0], t.l[0], t.o[0], t.m[1], t.l[1], t.o[1], c->dim_v);
    else if (done)
      row->join(n, 0, t.m[0], t.l[0], t.o[0], t.m[1], t.l[1], t.o[1], c->dim_v);
    done = 1;
  }
  float *lse = floats(lanes);
  (panel ? panel->finish : row->finish)(0, t.m[0], t.l[0], t.o[0], NULL, c->dim_v, n, out, lse);
  memcpy(c->lse + row0, lse, (size_t)n * sizeof *lse);
  free(lse);
  scratch_free(&t);
}

void chain_panels(chain *c, const rapt_panel_ops *panel) {
  for (int32_t i = 0; i < c->rows; i += panel->lanes)
    pass(c, panel, i, c->rows - i < panel->lanes ? c->rows - i : panel->lanes);
}

void chain_rows(chain *c) {
  for (int32_t i = 0; i < c->rows; i += c->group)
    pass(c, NULL, i, c->rows - i < c->group ? c->rows - i : c->group);
}

void chain_compare(const chain *c, const char *what) {
  double *s = memory((size_t)c->keys * sizeof *s), *o = memory((size_t)c->dim_v * sizeof *o);
  for (int32_t i = 0; i < c->rows; i++) {
    double most = -(double)INFINITY, sum = 0;
    int poisoned = 0;
    for (int32_t n = 0; n < c->keys; n++) {
      s[n] = 0;
      if (!(c->sight[n] >> i & 1)) continue;
      for (int32_t d = 0; d < c->dim_qk; d++)
        s[n] += (double)c->q[i * c->dim_qk + d] * (double)c->k[n * c->dim_qk + d];
      s[n] /= sqrt((double)c->dim_qk);
      poisoned |= isnan(s[n]);
      if (s[n] > most) most = s[n];
    }
    for (int32_t d = 0; d < c->dim_v; d++) o[d] = 0;
    for (int32_t n = 0; n < c->keys; n++) {
      if (!(c->sight[n] >> i & 1)) continue;
      double w = exp(s[n] - most);
      sum += w;
      for (int32_t d = 0; d < c->dim_v; d++) o[d] += w * (double)c->v[n * c->dim_v + d];
    }
    double lse = poisoned ? (double)NAN : sum > 0 ? most + log(sum) : -(double)INFINITY;
    for (int32_t d = 0; d < c->dim_v; d++) o[d] = poisoned ? (double)NAN : sum > 0 ? o[d] / sum : 0;
    CHECK_CLOSE(c->o + i * c->dim_v, o, (size_t)c->dim_v, RAPT_BOUND_ABS, RAPT_BOUND_REL,
                "%s: row %d of %d, %d keys, dims %d %d", what, i, c->rows, c->keys, c->dim_qk,
                c->dim_v);
    CHECK_CLOSE(c->lse + i, &lse, 1, RAPT_BOUND_ABS, RAPT_BOUND_REL, "%s: LSE of row %d", what, i);
  }
  free(s);
  free(o);
}
