/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rotation against float64: shapes, layouts, layouts of pairs, tables, places. */
#include "rotary.h"

/* Even rotary dims around every vector width, and large ones. */
static int32_t rotary_dims_at(rng *r, int32_t i) {
  static const int32_t some[] = {2,  4,  6,  8,  10, 14, 16, 18,  30,  32,  34,  46,
                                 48, 62, 64, 66, 80, 96, 98, 126, 128, 130, 256, 1024};
  enum { SOME = sizeof some / sizeof *some };
  return i < SOME ? some[i] : 2 * rng_range(r, 1, 150);
}

typedef struct shape {
  rapt_rope_desc desc;
  int32_t batch, heads, tokens;
  rotary_layout layout;
  guard_place place;
} shape;

static shape draw(rng *r, int32_t i) {
  shape s = {.batch = rng_range(r, 1, 3),
             .heads = rng_range(r, 1, 9),
             .tokens = rng_range(r, 1, i % 3 ? 5 : 37),
             .layout = (rotary_layout)rng_below(r, ROTARY_LAYOUTS),
             .place = i % 2 ? GUARD_END : GUARD_START};
  s.desc.rotary_dims = rotary_dims_at(r, i);
  /* Odd head dims, too: what is beyond passes. */
  s.desc.head_dim = s.desc.rotary_dims + (i % 3 == 1 ? rng_range(r, 1, 37) : 0);
  if (s.desc.head_dim > 1024) s.desc.head_dim = s.desc.rotary_dims;
  s.desc.flags = rng_below(r, 2) ? RAPT_ROPE_INTERLEAVED : 0;
  s.desc.attention_factor = rng_below(r, 3) ? 0 : 1.25;
  if (rng_below(r, 2)) s.desc.base = 500000;
  return s;
}

/* Rows below their length against float64, the others as they were. */
static int compare(const shape *s, const rapt_rope *rope, const rapt_rope_args *args,
                   const rotary_tensor *x, const rotary_tensor *y, double factor, double bound) {
  static double f[512], want[1024];
  int ok = CHECK(rapt_rope_frequencies(rope, f, NULL) == RAPT_OK, "frequencies");
  ROTARY_EACH_ROW(y, b, h, i) {
    if (!ok) return 0;
    if (args->lens && i >= args->lens[b]) {
      ok = CHECK_UNTOUCHED(rotary_row(y, b, h, i), 4 * (size_t)y->dim, "token %d of %d", i,
                           args->lens[b]);
      continue;
    }
    double p = args->positions ? args->positions[b * args->tokens + i]
                               : (args->offsets ? args->offsets[b] : 0) +
                                     (args->flags & RAPT_ROPE_SHIFT ? 0 : i);
    if (args->flags & RAPT_ROPE_INVERSE) p = -p;
    rotary_reference(f, s->desc.rotary_dims, s->desc.head_dim,
                     (s->desc.flags & RAPT_ROPE_INTERLEAVED) != 0, p, factor,
                     rotary_row(x, b, h, i), want);
    ok = CHECK_CLOSE(rotary_row(y, b, h, i), want, (size_t)y->dim, bound, 0,
                     "rotary %d of %d, flags %u, sequence %d head %d token %d at %g",
                     s->desc.rotary_dims, s->desc.head_dim, s->desc.flags, b, h, i, p);
    ok &= CHECK_BITS(rotary_row(y, b, h, i) + s->desc.rotary_dims,
                     rotary_row(x, b, h, i) + s->desc.rotary_dims,
                     (size_t)(s->desc.head_dim - s->desc.rotary_dims), "channels beyond");
  }
  return ok;
}

static void run_shape(const shape *s, rng *r, const char *isa) {
  static int32_t positions[3 * 37], lens[3], offsets[3];
  rapt_rope *rope = rotary_create(s->desc, isa);
  if (!rope) return;
  rotary_tensor x = rotary_make(s->batch, s->heads, s->tokens, s->desc.head_dim, s->layout,
                                s->place);
  rotary_tensor y = rotary_make(s->batch, s->heads, s->tokens, s->desc.head_dim,
                                (rotary_layout)rng_below(r, ROTARY_LAYOUTS), s->place);
  rotary_fill(&x, r);
  guard_read_only(&x.buffer);
  for (int32_t b = 0; b < s->batch; b++) {
    lens[b] = rng_range(r, 0, s->tokens);
    offsets[b] = rng_below(r, 100000);
  }
  for (int32_t i = 0; i < s->batch * s->tokens; i++) positions[i] = rng_below(r, 1 << 20);
  rapt_rope_args args = rotary_args(&x, &y);
  if (rng_below(r, 2)) args.lens = lens;
  switch (rng_below(r, 3)) {
  case 0:
    args.positions = positions;
    break;
  case 1:
    args.offsets = offsets;
    break;
  default:
    break;
  }
  args.flags = (uint32_t)rng_below(r, 4);
  double factor = s->desc.attention_factor != 0 ? s->desc.attention_factor : 1;
  if (args.flags & RAPT_ROPE_INVERSE) factor = 1 / factor;
  if (args.flags & RAPT_ROPE_SHIFT) factor = 1;
  if (rotary_run(rope, &args)) compare(s, rope, &args, &x, &y, factor, 2e-6);
  CHECK(guard_free(&y.buffer), "written around y");
  CHECK(guard_free(&x.buffer), "written around x");
  rapt_rope_destroy(rope);
}

RAPT_TEST(rope_random_shapes) {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < smaller(160, 30) && !rapt_test_failed(); i++) {
    shape s = draw(&r, i);
    FOR_EACH_ISA(isa) run_shape(&s, &r, isa);
  }
}

/* In place, from a table, and both: bits of the plain way. */
RAPT_TEST(rope_ways_are_equal) {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < smaller(80, 20) && !rapt_test_failed(); i++) {
    shape s = draw(&r, i);
    FOR_EACH_ISA(isa) {
      rapt_rope *rope = rotary_create(s.desc, isa);
      if (!rope) return;
      rotary_tensor x = rotary_make(s.batch, s.heads, s.tokens, s.desc.head_dim, s.layout, s.place);
      rotary_tensor plain = rotary_make(s.batch, s.heads, s.tokens, s.desc.head_dim, ROTARY_BHSD,
                                        s.place);
      rotary_tensor other = rotary_make(s.batch, s.heads, s.tokens, s.desc.head_dim, s.layout,
                                        s.place);
      rotary_fill(&x, &r);
      int32_t offsets[3] = {1000, 1011, 1003};
      rapt_rope_args args = rotary_args(&x, &plain);
      args.offsets = offsets;
      args.flags = (uint32_t)rng_below(&r, 2);
      if (!rotary_run(rope, &args)) return;

      rotary_copy(&other, &x);
      rapt_rope_args inside = rotary_args(&other, &other);
      inside.offsets = offsets;
      inside.flags = args.flags;
      rotary_run(rope, &inside);
      rotary_same(&other, &plain, "in place");

      uint64_t bytes = 0;
      rapt_rope_table table = {.size = sizeof table};
      CHECK(rapt_rope_table_bytes(rope, 60, &bytes, NULL) == RAPT_OK, "table_bytes");
      guard_buffer memory = guard_alloc((size_t)bytes, s.place, 4);
      CHECK(rapt_rope_table_fill(rope, 990, 60, memory.data, memory.bytes, NULL, &table, NULL) ==
                RAPT_OK,
            "table_fill");
      guard_read_only(&memory);
      rotary_copy(&other, &x);
      inside.table = &table;
      rotary_run(rope, &inside);
      rotary_same(&other, &plain, "in place from a table");
      CHECK(guard_free(&memory), "written around the table");
      CHECK(guard_free(&x.buffer) && guard_free(&plain.buffer) && guard_free(&other.buffer),
            "written around a tensor");
      rapt_rope_destroy(rope);
    }
  }
}

/* The two layouts of pairs are one another's permutation, to the bit. */
RAPT_TEST(rope_layouts_of_pairs_agree) {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < 40 && !rapt_test_failed(); i++) {
    const int32_t rotary = rotary_dims_at(&r, i % 24), half = rotary / 2;
    FOR_EACH_ISA(isa) {
      rapt_rope *halves = rotary_create((rapt_rope_desc){.head_dim = rotary}, isa);
      rapt_rope *pairs = rotary_create(
          (rapt_rope_desc){.head_dim = rotary, .flags = RAPT_ROPE_INTERLEAVED}, isa);
      if (!halves || !pairs) return;
      rotary_tensor a = rotary_make(1, 5, 3, rotary, ROTARY_BSHD, GUARD_END);
      rotary_tensor b = rotary_make(1, 5, 3, rotary, ROTARY_BSHD, GUARD_END);
      rotary_fill(&a, &r);
      ROTARY_EACH_ROW(&a, s, h, t)
      for (int32_t c = 0; c < rotary; c++)
        rotary_row(&b, s, h, t)[c < half ? 2 * c : 2 * (c - half) + 1] = rotary_row(&a, s, h, t)[c];
      const int32_t offset = 777;
      rapt_rope_args args = rotary_args(&a, &a);
      args.offsets = &offset;
      rotary_run(halves, &args);
      args = rotary_args(&b, &b);
      args.offsets = &offset;
      rotary_run(pairs, &args);
      int bad = 0;
      ROTARY_EACH_ROW(&a, s, h, t)
      for (int32_t c = 0; c < rotary; c++)
        bad += rotary_row(&b, s, h, t)[c < half ? 2 * c : 2 * (c - half) + 1] !=
               rotary_row(&a, s, h, t)[c];
      CHECK(!bad, "%s: rotary %d: %d channels differ", isa, rotary, bad);
      guard_free(&a.buffer);
      guard_free(&b.buffer);
      rapt_rope_destroy(halves);
      rapt_rope_destroy(pairs);
    }
  }
}

/* Broadcast and reversed inputs. */
RAPT_TEST(rope_input_strides) {
  rng r = rng_make(rapt_test_seed());
  FOR_EACH_ISA(isa) {
    rapt_rope *rope = rotary_create((rapt_rope_desc){.head_dim = 24, .rotary_dims = 20}, isa);
    if (!rope) return;
    const shape s = {.desc = {.head_dim = 24, .rotary_dims = 20}};
    rotary_tensor x = rotary_make(2, 3, 4, 24, ROTARY_BHSD, GUARD_END), view = x;
    rotary_tensor y = rotary_make(2, 3, 4, 24, ROTARY_BSHD, GUARD_END);
    rotary_fill(&x, &r);
    view.stride[1] = 0;            /* one head for all */
    view.stride[2] = -x.stride[2]; /* last token first */
    view.buffer.data = (char *)x.buffer.data + 3 * x.stride[2];
    rapt_rope_args args = rotary_args(&view, &y);
    if (rotary_run(rope, &args)) compare(&s, rope, &args, &view, &y, 1, 2e-6);
    guard_free(&x.buffer);
    guard_free(&y.buffer);
    rapt_rope_destroy(rope);
  }
}

/* A NaN stays in its pair. */
RAPT_TEST(rope_keeps_nan_to_its_pair) {
  FOR_EACH_ISA(isa)
  for (uint32_t flags = 0; flags < 2; flags++) {
    rapt_rope *rope = rotary_create(
        (rapt_rope_desc){.head_dim = 40, .rotary_dims = 38, .flags = flags}, isa);
    if (!rope) return;
    for (int32_t c = 0; c < 40; c++) {
      float x[40];
      for (int32_t i = 0; i < 40; i++) x[i] = i == c ? NAN : 1.0f;
      rapt_rope_args args = {
          .size = sizeof args, .batch = 1, .heads = 1, .tokens = 1, .x.data = x, .y.data = x};
      rotary_run(rope, &args);
      const int32_t mate = c >= 38 ? c : flags ? c ^ 1 : c < 19 ? c + 19 : c - 19;
      for (int32_t i = 0; i < 40; i++)
        CHECK(isnan(x[i]) == (i == c || i == mate), "%s flags %u: NaN in %d, channel %d is %g", isa,
              flags, c, i, (double)x[i]);
    }
    rapt_rope_destroy(rope);
  }
}
