/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Softmax of rows of any length: one walk finds maximum and sum, piece by piece, a second one writes the
 * weights. Differences to the maximum are taken before they are scaled, so that large elements keep
 * small differences; only an additive mask needs the scale first. */
#include "softmax.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Elements in work at once. Every row is cut at multiples of it, whatever its strides: it shows in the
 * bits. A multiple of 32, so that pieces begin with a word of bits. */
enum { PIECE = 480, WORDS = PIECE / 32 };
_Static_assert(PIECE % 32 == 0 && PIECE % RAPT_KEY_ALIGN == 0, "piece");

typedef struct scratch {
  _Alignas(64) float x[PIECE];
  _Alignas(64) float bias[PIECE];
  _Alignas(64) char mask[PIECE * sizeof(float)];
  uint32_t words[WORDS * RAPT_MAX_LANES];
} scratch;

typedef struct row {
  const rapt_softmax_call *call;
  const char *x, *mask;
  char *y;
  int64_t mask_step; /* bytes from one key to the next, 0 if there is one for all; not for bits */
  float factor;      /* of an additive mask */
} row;

static const double log2_e = 1.4426950408889634;

void rapt_softmax_plan(rapt_softmax_call *call, float scale) {
  const int32_t kind = call->args.mask_kind;
  const int adds = kind == RAPT_MASK_F32 || kind == RAPT_MASK_F16 || kind == RAPT_MASK_BF16;
  /* A scale too small to divide by (0 above all) would lose the -inf of what is forbidden. */
  const int first = adds || fabsf(scale) < FLT_MIN;
  call->before = first ? scale : scale < 0 ? -1.0f : 1.0f;
  call->after = first ? 1.0f : fabsf(scale);
  call->prepare = kind != RAPT_MASK_NONE || call->before != 1.0f;
}

static int64_t mask_bytes(int32_t kind) {
  return kind == RAPT_MASK_BOOL ? 1 : kind == RAPT_MASK_F32 ? 4 : 2;
}

static void gather(const char *from, int64_t step, int64_t bytes, int32_t n, char *to) {
  if (bytes == 4) /* sizes the compiler knows */
    for (int32_t i = 0; i < n; i++) memcpy(to + (int64_t)i * 4, from + i * step, 4);
  else if (bytes == 2)
    for (int32_t i = 0; i < n; i++) memcpy(to + (int64_t)i * 2, from + i * step, 2);
  else
    for (int32_t i = 0; i < n; i++) to[i] = from[i * step];
}

/* Words of 32 keys from key `at` on. */
static void bits_of(const row *r, int32_t at, int32_t n, uint32_t *words) {
  for (int32_t w = 0; w * 32 < n; w++) {
    /* the caller has a mask of bits */ /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
    memcpy(&words[(int64_t)w * RAPT_MAX_LANES], r->mask + (int64_t)(at / 32 + w) * 4,
           sizeof *words);
  }
}

/* Bias (NULL: none) and words of a piece. */
static const float *read_mask(const row *r, int32_t at, int32_t n, scratch *s) {
  const rapt_mask_ops *ops = &r->call->set->mask;
  const int32_t kind = r->call->args.mask_kind;
  const int64_t bytes = mask_bytes(kind);
  if (kind == RAPT_MASK_BITS) {
    bits_of(r, at, n, s->words);
    return NULL;
  }
  const char *mask = r->mask + at * r->mask_step;
  if (r->mask_step != bytes) {
    gather(mask, r->mask_step, bytes, n, s->mask);
    mask = s->mask;
  }
  if (kind == RAPT_MASK_BOOL) {
    ops->bools(mask, n, s->words);
    return NULL;
  }
  (void)(kind == RAPT_MASK_F32   ? ops->bias_f32
         : kind == RAPT_MASK_F16 ? ops->bias_f16
                                 : ops->bias_bf16)(mask, n, r->factor, s->bias, s->words);
  return s->bias;
}

/* Elements [at, at + n) as the kernels take them: where they are, or in scratch. */
static const float *fetch(const row *r, int32_t at, int32_t n, scratch *s) {
  const rapt_softmax_call *call = r->call;
  const int64_t step = call->args.x.stride[3];
  const float *x = (const float *)(const void *)(r->x + at * step);
  if (step != (int64_t)sizeof *x && n > 1) {
    gather(r->x + at * step, step, sizeof *x, n, (char *)s->x);
    x = s->x;
  }
  if (!call->prepare) return x;
  const int masked = call->args.mask_kind != RAPT_MASK_NONE;
  const float *bias = masked ? read_mask(r, at, n, s) : NULL;
  call->set->softmax.prepare(x, n, call->before, bias, masked ? s->words : NULL, s->x);
  return s->x;
}

static float base_of(float top) { return top == -INFINITY ? 0.0f : top; }

/* Writes a piece from the elements at x, which may be in scratch. */
static void write(const row *r, int32_t at, int32_t n, const float *x, float top, double sum,
                  scratch *s) {
  const rapt_softmax_call *call = r->call;
  const int64_t step = call->args.y.stride[3];
  const int scattered = step != (int64_t)sizeof *x && n > 1;
  char *to = r->y + at * step;
  float *y = scattered ? s->x : (float *)(void *)to;
  if (call->args.flags & RAPT_SOFTMAX_LOG)
    call->set->softmax.logs(x, n, base_of(top), call->after, sum == 0 ? 0.0f : (float)log(sum), y);
  else
    call->set->softmax.weights(x, n, base_of(top), (float)((double)call->after * log2_e),
                               sum == 0 ? 0.0f : (float)(1.0 / sum), y);
  if (scattered)
    for (int32_t i = 0; i < n; i++) memcpy(to + i * step, &y[i], sizeof *y);
}

static void softmax_row(const row *r, scratch *s) {
  const rapt_softmax_call *call = r->call;
  const int32_t length = call->args.length;
  const float factor = (float)((double)call->after * log2_e);
  float top = -INFINITY;
  double sum = 0;
  const float *x = NULL;
  int32_t n = 0;
  for (int32_t at = 0; at < length; at += PIECE) {
    n = length - at < PIECE ? length - at : PIECE;
    x = fetch(r, at, n, s);
    const float here = call->set->softmax.largest(x, n);
    if (here > top) {
      if (sum != 0) sum *= exp2(((double)top - (double)here) * (double)factor);
      top = here;
    }
    sum += (double)call->set->softmax.sum(x, n, base_of(top), factor);
  }
  if (length <= PIECE) { /* still at hand */
    if (n > 0) write(r, 0, n, x, top, sum, s);
    return;
  }
  for (int32_t at = 0; at < length; at += PIECE) {
    n = length - at < PIECE ? length - at : PIECE;
    write(r, at, n, fetch(r, at, n, s), top, sum, s);
  }
}

void rapt_softmax_rows(const void *opaque, int64_t first, int64_t last) {
  const rapt_softmax_call *call = opaque;
  const rapt_softmax_args *a = &call->args;
  scratch s;
  for (int64_t number = first; number < last; number++) {
    const int64_t index[3] = {number / a->extent[2] / a->extent[1],
                              number / a->extent[2] % a->extent[1], number % a->extent[2]};
    row r = {.call = call, .x = (const char *)a->x.data, .y = (char *)a->y.data, .factor = 1.0f};
    for (int i = 0; i < 3; i++) {
      r.x += index[i] * a->x.stride[i];
      r.y += index[i] * a->y.stride[i];
    }
    if (a->mask_kind != RAPT_MASK_NONE) {
      r.mask = a->mask.data;
      for (int i = 0; i < 3; i++)
        if (a->mask.extent[i] > 1) r.mask += index[i] * a->mask.stride[i];
      if (a->mask.extent[3] > 1) r.mask_step = a->mask.stride[3];
      if (a->mask.factors) r.factor = a->mask.factors[index[1]];
    }
    softmax_row(&r, &s);
  }
}
