/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compare.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/reference.h"

#define CONTEXT(text, fmt)                   \
  char text[256];                            \
  do {                                       \
    va_list list;                            \
    va_start(list, fmt);                     \
    vsnprintf(text, sizeof text, fmt, list); \
    va_end(list);                            \
  } while (0)

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

int compare_close(const char *file, int line, const float *got, const double *ref, size_t n,
                  double abs, double rel, const char *fmt, ...) {
  size_t bad = 0, first = 0;
  for (size_t i = n; i-- > 0;)
    if (!reference_close(got[i], ref[i], abs, rel)) first = i, bad++;
  if (!bad) return 1;
  CONTEXT(text, fmt);
  return rapt_test_fail(
      file, line, "close to the reference",
      "%s: element %zu: got %.9g, should be %.9g, off by %.3g > %.3g (%zu of %zu)", text, first,
      (double)got[first], ref[first], fabs((double)got[first] - ref[first]),
      abs + rel * fabs(ref[first]), bad, n);
}

int compare_bits(const char *file, int line, const float *a, const float *b, size_t n,
                 const char *fmt, ...) {
  size_t bad = 0, first = 0;
  for (size_t i = n; i-- > 0;)
    if (bits_of(a[i]) != bits_of(b[i]) && !(isnan(a[i]) && isnan(b[i]))) first = i, bad++;
  if (!bad) return 1;
  CONTEXT(text, fmt);
  return rapt_test_fail(file, line, "equal bits", "%s: element %zu: %.9g and %.9g (%zu of %zu)",
                        text, first, (double)a[first], (double)b[first], bad, n);
}

int compare_untouched(const char *file, int line, const void *p, size_t bytes, const char *fmt,
                      ...) {
  const unsigned char *at = p;
  size_t i = 0;
  while (i < bytes && at[i] == 0xff) i++;
  if (i == bytes) return 1;
  CONTEXT(text, fmt);
  return rapt_test_fail(file, line, "untouched", "%s: byte %zu of %zu was written", text, i, bytes);
}

double compare_ulp(float got, double ref) {
  if (isnan(ref)) return isnan(got) ? 0 : (double)INFINITY;
  if (isinf(ref)) return (double)got == ref ? 0 : (double)INFINITY;
  int exponent;
  frexp(fabs(ref) < (double)FLT_MIN ? (double)FLT_MIN : ref, &exponent);
  return fabs((double)got - ref) / ldexp(1.0, exponent - 24);
}

/* O and LSE of a call, gathered from the caller's strides beside the reference's. */
typedef struct gathered {
  size_t n, rows;
  float *o, *lse;
  double *o_ref, *lse_ref;
} gathered;

static void gather_free(gathered *g) {
  free(g->o);
  free(g->lse);
  free(g->o_ref);
  free(g->lse_ref);
}

static gathered gather(const rapt_attention_desc *d, const rapt_attention_args *a) {
  gathered g = {0};
  size_t most = 1, dv = (size_t)d->head_dim_v;
  for (int32_t b = 0; b < a->batch; b++) most += (size_t)reference_q_len(a, b) * (size_t)d->heads_q;
  g.o = malloc(most * (dv + 1) * sizeof *g.o);
  g.lse = malloc(most * sizeof *g.lse);
  g.o_ref = malloc(most * (dv + 1) * sizeof *g.o_ref);
  g.lse_ref = malloc(most * sizeof *g.lse_ref);
  if (!g.o || !g.lse || !g.o_ref || !g.lse_ref) {
    perror("compare_attention");
    exit(2);
  }
  for (int32_t b = 0; b < a->batch; b++)
    for (int32_t h = 0; h < d->heads_q; h++)
      for (int64_t i = 0; i < reference_q_len(a, b); i++) {
        reference_row(d, a, b, h, i, g.o_ref + g.n, &g.lse_ref[g.rows]);
        if (dv) memcpy(g.o + g.n, reference_o_row(a, b, h, i), dv * sizeof *g.o);
        const float *lse = reference_lse_at(a, b, h, i);
        g.lse[g.rows++] = lse ? *lse : 0;
        g.n += dv;
      }
  return g;
}

int compare_attention(const char *file, int line, const rapt_attention_desc *d,
                      const rapt_attention_args *a, double rel_l2, double abs, double rel,
                      const char *fmt, ...) {
  CONTEXT(text, fmt);
  gathered g = gather(d, a);
  int ok = compare_close(file, line, g.o, g.o_ref, g.n, abs, rel, "%s: O", text);
  double error = reference_rel_l2(g.o, g.o_ref, g.n);
  if (!(error <= rel_l2))
    ok = rapt_test_fail(file, line, "relative L2", "%s: O: %.3g > %.3g", text, error, rel_l2);
  if (a->lse.data)
    ok &= compare_close(file, line, g.lse, g.lse_ref, g.rows, abs, rel, "%s: LSE", text);
  gather_free(&g);
  return ok;
}

double compare_attention_rel_l2(const rapt_attention_desc *d, const rapt_attention_args *a) {
  gathered g = gather(d, a);
  double error = reference_rel_l2(g.o, g.o_ref, g.n);
  gather_free(&g);
  return error;
}
