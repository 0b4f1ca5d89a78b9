/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What rotary positions are for: only distance matters, at any position an int32 can name; and what was
 * done can be undone or moved. */
#include "rotary.h"

enum { DIM = 128 };

static void turn(const rapt_rope *rope, int32_t position, uint32_t flags, const float *x,
                 float *y) {
  rapt_rope_args args = {.size = sizeof args,
                         .flags = flags,
                         .batch = 1,
                         .heads = 1,
                         .tokens = 1,
                         .positions = &position,
                         .x.data = x,
                         .y.data = y};
  rotary_run(rope, &args);
}

static double dot(const float *a, const float *b) {
  double sum = 0;
  for (int32_t c = 0; c < DIM; c++) sum += (double)a[c] * (double)b[c];
  return sum;
}

static void unit_vector(rng *r, float *x) {
  rng_fill_normal(r, x, DIM, 1);
  const double length = sqrt(dot(x, x));
  for (int32_t c = 0; c < DIM; c++) x[c] = (float)((double)x[c] / length);
}

/* Unit-normal rows at every power of two, its neighbours, and the last position there is. */
RAPT_TEST(rope_accurate_at_every_position) {
  rng r = rng_make(rapt_test_seed());
  static double f[DIM / 2], want[DIM];
  float x[DIM], y[DIM];
  FOR_EACH_ISA(isa)
  for (uint32_t flags = 0; flags < 2; flags++) {
    rapt_rope *rope = rotary_create((rapt_rope_desc){.head_dim = DIM, .flags = flags}, isa);
    if (!rope) return;
    /* Frequencies of its own, in more digits than double has. */
    for (int32_t i = 0; i < DIM / 2; i++)
      f[i] = (double)powl(10000.0L, -2.0L * i / (long double)DIM);
    for (int bit = 0; bit < 32; bit++)
      for (int near = -1; near <= 1; near++) {
        const int64_t p = (INT64_C(1) << bit) + near;
        if (p > INT32_MAX) continue;
        rng_fill_normal(&r, x, DIM, 1);
        turn(rope, (int32_t)p, 0, x, y);
        rotary_reference(f, DIM, DIM, (int)flags, (double)p, 1, x, want);
        CHECK_CLOSE(y, want, DIM, 2e-6, 0, "%s: position %lld", isa, (long long)p);
      }
    rapt_rope_destroy(rope);
  }
}

/* q at p + d and k at p: the same score for every p. */
RAPT_TEST(rope_only_distance_matters) {
  rng r = rng_make(rapt_test_seed());
  float q[DIM], k[DIM], a[DIM], b[DIM];
  FOR_EACH_ISA(isa)
  for (uint32_t flags = 0; flags < 2; flags++) {
    rapt_rope *rope = rotary_create((rapt_rope_desc){.head_dim = DIM, .flags = flags}, isa);
    if (!rope) return;
    for (int32_t i = 0; i < 200; i++) {
      const int32_t distance = rng_below(&r, i % 2 ? 10 : 100000);
      const int32_t p = rng_below(&r, 1 << rng_range(&r, 1, 30));
      unit_vector(&r, q);
      unit_vector(&r, k);
      turn(rope, distance, 0, q, a);
      turn(rope, 0, 0, k, b);
      const double near = dot(a, b);
      turn(rope, p + distance, 0, q, a);
      turn(rope, p, 0, k, b);
      CHECK(fabs(dot(a, b) - near) <= 1e-6, "%s: distance %d at %d: %.9g, at 0: %.9g", isa,
            distance, p, dot(a, b), near);
    }
    rapt_rope_destroy(rope);
  }
}

/* Undone, a row is what it was; moved, it is what it would be elsewhere. YaRN's factor is in both. */
RAPT_TEST(rope_undone_and_moved) {
  rng r = rng_make(rapt_test_seed());
  const rapt_rope_desc yarn = {
      .head_dim = DIM, .scaling = RAPT_ROPE_YARN, .factor = 16, .original_context = 4096};
  float x[DIM], y[DIM], back[DIM];
  double want[DIM];
  FOR_EACH_ISA(isa) {
    rapt_rope *rope = rotary_create(yarn, isa);
    if (!rope) return;
    for (int32_t i = 0; i < 100; i++) {
      const int32_t p = rng_below(&r, 50000), d = rng_below(&r, 50000);
      rng_fill_normal(&r, x, DIM, 1);
      turn(rope, p, 0, x, y);
      turn(rope, p, RAPT_ROPE_INVERSE, y, back);
      for (int32_t c = 0; c < DIM; c++) want[c] = (double)x[c];
      CHECK_CLOSE(back, want, DIM, 4e-6, 0, "%s: undone at %d", isa, p);

      turn(rope, p + d, 0, x, back); /* straight there */
      for (int32_t c = 0; c < DIM; c++) want[c] = (double)back[c];
      turn(rope, d, RAPT_ROPE_SHIFT, y, back);
      CHECK_CLOSE(back, want, DIM, 4e-6, 0, "%s: moved from %d by %d", isa, p, d);
      turn(rope, d, RAPT_ROPE_SHIFT | RAPT_ROPE_INVERSE, back, back);
      for (int32_t c = 0; c < DIM; c++) want[c] = (double)y[c];
      CHECK_CLOSE(back, want, DIM, 6e-6, 0, "%s: and back", isa);
    }
    rapt_rope_destroy(rope);
  }
}

/* One distance for all tokens of a sequence. */
RAPT_TEST(rope_shift_takes_one_distance_per_sequence) {
  rng r = rng_make(rapt_test_seed());
  rapt_rope *rope = rotary_create((rapt_rope_desc){.head_dim = DIM}, NULL);
  if (!rope) return;
  rotary_tensor x = rotary_make(2, 2, 20, DIM, ROTARY_BHSD, GUARD_END);
  rotary_tensor y = rotary_make(2, 2, 20, DIM, ROTARY_BHSD, GUARD_END);
  rotary_fill(&x, &r);
  const int32_t by[2] = {5, 300};
  rapt_rope_args args = rotary_args(&x, &y);
  args.offsets = by;
  args.flags = RAPT_ROPE_SHIFT;
  rotary_run(rope, &args);
  float want[DIM];
  ROTARY_EACH_ROW(&x, b, h, i) {
    turn(rope, by[b], 0, rotary_row(&x, b, h, i), want);
    CHECK_BITS(rotary_row(&y, b, h, i), want, DIM, "sequence %d head %d token %d", b, h, i);
  }
  guard_free(&x.buffer);
  guard_free(&y.buffer);
  rapt_rope_destroy(rope);
}
