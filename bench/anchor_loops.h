/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Template of an anchor_<isa>.c. Before including it, define
 *   vf                      a vector of floats, VF_LANES of them
 *   VF_EACH(op)             op(a0) op(a1) ...: one accumulator for each register that can hold one
 *   VF_STEP(a)              a = multiply-add of a with the registers x and y, as one volatile asm (or
 *                           followed by one), so that no compiler moves, merges or spills it
 *   VF_KEEP(a)              volatile asm that wants `a` in a vector register
 *   VF_FMA(a, b, c), VF_MAX(a, b)   a * b + c, the larger
 *   ANCHOR_ISA, ANCHOR_TABLE  "isa", bench_isa_<isa>
 * The disassembly of anchor_fma has no load and no store between its labels; bench/README.md says
 * how to look. */
#include <string.h>

#include "isa.h"

#define VF_EACH_12(op) \
  op(a0) op(a1) op(a2) op(a3) op(a4) op(a5) op(a6) op(a7) op(a8) op(a9) op(a10) op(a11)
#define VF_EACH_14(op) VF_EACH_12(op) op(a12) op(a13)
#define VF_EACH_24(op) \
  VF_EACH_14(op) op(a14) op(a15) op(a16) op(a17) op(a18) op(a19) op(a20) op(a21) op(a22) op(a23)

static inline vf anchor_set1(float value) {
  vf a;
  for (int i = 0; i < VF_LANES; i++) a[i] = value;
  return a;
}

#define ANCHOR_DECLARE(a) vf a = anchor_set1(1.0f);
#define ANCHOR_COUNT(a) +1
enum { ANCHOR_REPEAT = 4, ANCHOR_FMAS = ANCHOR_REPEAT * (0 VF_EACH(ANCHOR_COUNT)) };

static __attribute__((noinline)) void anchor_fma(int64_t steps) {
  vf x = anchor_set1(0.99999f), y = anchor_set1(1e-5f);
  VF_EACH(ANCHOR_DECLARE)
  for (int64_t i = 0; i < steps; i++) {
    VF_EACH(VF_STEP)
    VF_EACH(VF_STEP)
    VF_EACH(VF_STEP)
    VF_EACH(VF_STEP)
  }
  VF_EACH(VF_KEEP)
}

/* ---- Reading ---- */

static inline __attribute__((always_inline)) void anchor_read_line(const char *at) {
  for (int i = 0; i < 64; i += (int)sizeof(vf)) {
    vf a = *(const vf *)(const void *)(at + i);
    VF_KEEP(a)
  }
}

static inline __attribute__((always_inline)) size_t anchor_read_streams(
    const char *data, size_t bytes, const int streams, const int ahead, size_t distance) {
  size_t part = bytes / (size_t)streams / 256 * 256;
  for (size_t at = 0; at < part; at += 256)
    for (int s = 0; s < streams; s++) {
      const char *p = data + (size_t)s * part + at;
      for (int line = 0; line < 256; line += 64) {
        if (ahead) __builtin_prefetch(p + distance + line, 0, 3);
        anchor_read_line(p + line);
      }
    }
  return part * (size_t)streams;
}

static __attribute__((noinline)) size_t anchor_read(const char *data, size_t bytes, int32_t streams,
                                                    size_t distance) {
  if (distance == 0) {
    if (streams == 4) return anchor_read_streams(data, bytes, 4, 0, 0);
    if (streams == 2) return anchor_read_streams(data, bytes, 2, 0, 0);
    return anchor_read_streams(data, bytes, 1, 0, 0);
  }
  if (streams == 4) return anchor_read_streams(data, bytes, 4, 1, distance);
  if (streams == 2) return anchor_read_streams(data, bytes, 2, 1, distance);
  return anchor_read_streams(data, bytes, 1, 1, distance);
}

/* ---- The softmax of the unfused baseline ---- */

typedef int32_t vi __attribute__((vector_size(sizeof(vf))));

static inline vf anchor_load(const float *p) {
  vf a;
  memcpy(&a, p, sizeof a);
  return a;
}
static inline void anchor_store(float *p, vf a) { memcpy(p, &a, sizeof a); }

/* 2^x for x <= 0, about 2e-7; 0 from -127 down. */
static inline vf anchor_exp2(vf x) {
  const vf magic = anchor_set1(12582912.0f +
                               127.0f); /* 1.5 * 2^23 + bias: integers in the mantissa */
  x = VF_MAX(x, anchor_set1(-127.0f));
  vf t = x + magic, f = x - (t - magic);
  vf p = anchor_set1(1.32647273e-3f);
  p = VF_FMA(p, f, anchor_set1(9.67151273e-3f));
  p = VF_FMA(p, f, anchor_set1(5.55073374e-2f));
  p = VF_FMA(p, f, anchor_set1(2.40222421e-1f));
  p = VF_FMA(p, f, anchor_set1(6.93146978e-1f));
  p = VF_FMA(p, f, anchor_set1(1.0f));
  return p * (vf)((vi)t << 23);
}

/* e^(x - maximum). */
static inline vf anchor_weight(vf x, vf maximum) {
  return anchor_exp2((x - maximum) * anchor_set1(1.44269504f));
}

static __attribute__((noinline)) float anchor_softmax(float *row, int32_t n) {
  enum { L = VF_LANES, STEP = 4 * VF_LANES };
  float tail[VF_LANES];
  vf m0 = anchor_set1(-3e38f), m1 = m0, m2 = m0, m3 = m0;
  int32_t i = 0;
  for (; i + STEP <= n; i += STEP) {
    m0 = VF_MAX(anchor_load(row + i), m0);
    m1 = VF_MAX(anchor_load(row + i + L), m1);
    m2 = VF_MAX(anchor_load(row + i + 2 * L), m2);
    m3 = VF_MAX(anchor_load(row + i + 3 * L), m3);
  }
  for (; i + L <= n; i += L) m0 = VF_MAX(anchor_load(row + i), m0);
  m0 = VF_MAX(VF_MAX(m0, m1), VF_MAX(m2, m3));
  float maximum = m0[0];
  for (int c = 1; c < L; c++)
    if (m0[c] > maximum) maximum = m0[c];
  for (int32_t j = i; j < n; j++)
    if (row[j] > maximum) maximum = row[j];

  const vf m = anchor_set1(maximum);
  vf s0 = anchor_set1(0.0f), s1 = s0, s2 = s0, s3 = s0;
  for (i = 0; i + STEP <= n; i += STEP) {
    vf e0 = anchor_weight(anchor_load(row + i), m);
    vf e1 = anchor_weight(anchor_load(row + i + L), m);
    vf e2 = anchor_weight(anchor_load(row + i + 2 * L), m);
    vf e3 = anchor_weight(anchor_load(row + i + 3 * L), m);
    s0 += e0, s1 += e1, s2 += e2, s3 += e3;
    anchor_store(row + i, e0);
    anchor_store(row + i + L, e1);
    anchor_store(row + i + 2 * L, e2);
    anchor_store(row + i + 3 * L, e3);
  }
  for (; i + L <= n; i += L) {
    vf e0 = anchor_weight(anchor_load(row + i), m);
    s0 += e0;
    anchor_store(row + i, e0);
  }
  s0 = (s0 + s1) + (s2 + s3);
  float sum = 0;
  for (int c = 0; c < L; c++) sum += s0[c];
  if (i < n) {
    for (int c = 0; c < L; c++) tail[c] = i + c < n ? row[i + c] : -3e38f;
    vf e0 = anchor_weight(anchor_load(tail), m);
    for (int c = 0; i + c < n; c++) row[i + c] = e0[c], sum += e0[c];
  }
  return sum;
}

const bench_isa ANCHOR_TABLE = {
    .isa = ANCHOR_ISA,
    .flops_per_step = (double)(2 * VF_LANES * ANCHOR_FMAS),
    .fma = anchor_fma,
    .read = anchor_read,
    .softmax = anchor_softmax,
};
