/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Partial results of the same queries become one. A row is two walks over its partials: the largest
 * maximum, then weights, divisor and channels, the partials in ascending order. Maxima and weights are
 * doubles: a difference of two floats is exact in one, and memory, not exp, takes the time. */
#include "merge.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Partials whose channels are summed from nothing before they are added to the row: bounds the error
 * of long sums, as key blocks do. Empty partials are not counted, so that they show in no bit. */
enum { BLOCK = 32 };

typedef float vec __attribute__((vector_size(16)));
enum { VEC = 4, VECS = 8 };

typedef struct place {
  int64_t batch, head, token;
} place;

typedef struct block {
  int32_t used;
  float weight[BLOCK];
  const float *row[BLOCK];
} block;

static const float *const_at(const rapt_const_tensor *t, const place *p) {
  const char *data = t->data;
  return (const float *)(const void *)(data + p->batch * t->stride[0] + p->head * t->stride[1] +
                                       p->token * t->stride[2]);
}

static float *at(const rapt_tensor *t, const place *p) {
  char *data = t->data;
  return (float *)(void *)(data + p->batch * t->stride[0] + p->head * t->stride[1] +
                           p->token * t->stride[2]);
}

static void read_sums(const rapt_merge_part *partial, const place *p, float *m, float *l) {
  *m = *const_at(partial->lse.data ? &partial->lse : &partial->m, p);
  *l = partial->lse.data ? 1.0f : *const_at(&partial->l, p);
}

static int contributes(float m, float l) { return l != 0.0f && m != -INFINITY; }

/* NaN or +inf. */
static int is_broken(float x) { return !(x < INFINITY); }

/* The largest maximum, NaN if one of the row's numbers is broken. */
static double look(const rapt_merge_args *args, const place *p, double top) {
  int32_t broken = 0;
  for (int32_t i = 0; i < args->n; i++) {
    float m, l;
    read_sums(&args->partials[i], p, &m, &l);
    broken |= is_broken(m) | is_broken(l);
    if (contributes(m, l) && (double)m > top) top = (double)m;
  }
  return broken ? (double)NAN : top;
}

static vec load(const float *x) {
  vec v;
  memcpy(&v, x, sizeof v);
  return v;
}

/* `count` vectors (a constant) of channels at out: the block's sum, onto `out` if it holds earlier
 * blocks, times scale. out may be the first row of the first block. */
static inline __attribute__((always_inline)) void sum_channels(const int count, const block *b,
                                                               int32_t c, int onto, float scale,
                                                               float *out) {
  vec sum[VECS];
  const vec first = (vec){0, 0, 0, 0} + b->weight[0];
  for (int k = 0; k < count; k++) sum[k] = first * load(b->row[0] + c + (ptrdiff_t)k * VEC);
  for (int32_t i = 1; i < b->used; i++) {
    const vec w = (vec){0, 0, 0, 0} + b->weight[i];
    for (int k = 0; k < count; k++) sum[k] += w * load(b->row[i] + c + (ptrdiff_t)k * VEC);
  }
  for (int k = 0; k < count; k++) {
    float *at = out + c + (ptrdiff_t)k * VEC;
    if (onto) sum[k] += load(at);
    sum[k] *= scale;
    memcpy(at, &sum[k], sizeof sum[k]);
  }
}

static void sum_block(const block *b, int32_t head_dim, int onto, float scale, float *out) {
  int32_t c = 0;
  for (; c + VECS * VEC <= head_dim; c += VECS * VEC) sum_channels(VECS, b, c, onto, scale, out);
  for (; c + VEC <= head_dim; c += VEC) sum_channels(1, b, c, onto, scale, out);
  for (; c < head_dim; c++) {
    float sum = b->weight[0] * b->row[0][c];
    for (int32_t i = 1; i < b->used; i++) sum += b->weight[i] * b->row[i][c];
    if (onto) sum += out[c];
    out[c] = sum * scale;
  }
}

static void fill(float *out, int32_t n, float value) {
  for (int32_t c = 0; c < n; c++) out[c] = value;
}

/* Channels of the row at o; answers the divisor. */
static double join(const rapt_merge_args *args, const place *p, double top, double sum, float *o) {
  const int divide = args->m.data == NULL;
  block b = {.used = 0};
  int onto = 0;
  for (int32_t i = 0; i < args->n; i++) {
    const rapt_merge_part *partial = &args->partials[i];
    float m, l;
    read_sums(partial, p, &m, &l);
    if (!contributes(m, l)) continue;
    if (b.used == BLOCK) {
      sum_block(&b, args->head_dim, onto, 1.0f, o);
      onto = 1;
      b.used = 0;
    }
    const double weight = exp((double)m - top);
    sum += weight * (double)l;
    b.weight[b.used] = (float)weight;
    b.row[b.used++] = args->head_dim ? const_at(&partial->o, p) : NULL;
  }
  if (b.used > 0)
    sum_block(&b, args->head_dim, onto, divide ? (float)(1.0 / sum) : 1.0f, o);
  else
    fill(o, args->head_dim, 0.0f);
  return sum;
}

static void merge_row(const rapt_merge_args *args, const place *p) {
  const double sink = args->sinks ? (double)args->sinks[p->head] : (double)-INFINITY;
  float *o = args->head_dim ? at(&args->o, p) : NULL;
  double top = look(args, p, sink), sum = sink > (double)-INFINITY ? exp(sink - top) : 0;
  if (!(top < (double)INFINITY) || isnan(sink)) {
    top = sum = (double)NAN;
    fill(o, args->head_dim, NAN);
  } else {
    sum = join(args, p, top, sum, o);
  }
  if (args->lse.data) *at(&args->lse, p) = sum == 0.0 ? -INFINITY : (float)(top + log(sum));
  if (args->m.data) {
    *at(&args->m, p) = (float)top;
    *at(&args->l, p) = (float)sum;
  }
}

void rapt_merge_rows(const void *call, int64_t first, int64_t last) {
  const rapt_merge_args *args = call;
  if (first >= last) return;
  const int64_t group = first / args->q_len;
  place p = {group / args->heads, group % args->heads, first % args->q_len};
  for (int64_t row = first; row < last; row++) {
    merge_row(args, &p);
    if (++p.token < args->q_len) continue;
    p.token = 0;
    if (++p.head < args->heads) continue;
    p.head = 0;
    p.batch++;
  }
}
