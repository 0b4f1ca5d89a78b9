/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random numbers for tests and tools: splitmix64 (a counter through a mixer: any seed is a good seed). */
#ifndef RAPT_TOOLS_RNG_H
#define RAPT_TOOLS_RNG_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rng {
  uint64_t state;
} rng;

static inline rng rng_make(uint64_t seed) { return (rng){seed}; }

static inline uint64_t rng_u64(rng *r) {
  uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* 0 .. n-1, n > 0. */
static inline int32_t rng_below(rng *r, int32_t n) {
  return (int32_t)(((rng_u64(r) >> 32) * (uint64_t)(uint32_t)n) >> 32);
}

/* lo .. hi, both included. */
static inline int32_t rng_range(rng *r, int32_t lo, int32_t hi) {
  return lo + rng_below(r, hi - lo + 1);
}

/* In [0, 1). */
static inline double rng_unit(rng *r) { return (double)(rng_u64(r) >> 11) * 0x1p-53; }

/* Unit normal by the sum of four uniforms (each with 16 bits) would be quicker, but its tails end
 * at 3.5 sigma; Box-Muller has real ones. */
static inline double rng_normal(rng *r) {
  double u = 1.0 - rng_unit(r), v = rng_unit(r);
  return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

static inline void rng_fill_normal(rng *r, float *x, size_t n, double sigma) {
  for (size_t i = 0; i < n; i++) x[i] = (float)(sigma * rng_normal(r));
}

static inline void rng_fill_uniform(rng *r, float *x, size_t n, double lo, double hi) {
  for (size_t i = 0; i < n; i++) x[i] = (float)(lo + (hi - lo) * rng_unit(r));
}

#endif
