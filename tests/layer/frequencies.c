/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Scaling rules: against the papers' formulas in terms of wavelengths, in more digits than double, and
 * against what must hold whatever the formula. */
#include "rotary.h"

enum { MOST = 512 };

static const long double pi = 3.141592653589793238462643L;

static long double wavelength(const rapt_rope_desc *d, int32_t i) {
  return 2 * pi * powl((long double)d->base, 2.0L * i / d->rotary_dims);
}

static long double clamped(long double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* YaRN: the share of interpolation. The corners are found as the first and last pair that qualify
 * rather than by logarithms, where they are rounded. */
static long double yarn_share(const rapt_rope_desc *d, int32_t i) {
  long double low = 0, high = d->rotary_dims - 1;
  const long double length = d->original_context;
  if (d->flags & RAPT_ROPE_YARN_EXACT) {
    low = d->rotary_dims * logl(length / (32 * 2 * pi)) / (2 * logl((long double)d->base));
    high = d->rotary_dims * logl(length / (2 * pi)) / (2 * logl((long double)d->base));
  } else {
    /* The formula goes on before the first pair and behind the last. */
    int32_t from = -4 * MOST, to = 4 * MOST;
    while (from < 4 * MOST && length / wavelength(d, from + 1) >= 32) from++;
    while (to > -4 * MOST && length / wavelength(d, to - 1) <= 1) to--;
    if (to <= 0) return 1;     /* every pair makes less than a turn */
    if (from > high) return 0; /* every pair makes more than 32 */
    if (from > low) low = from;
    if (to < high) high = to;
    if (low == high) return i > low;
  }
  return clamped((i - low) / (high - low));
}

static long double llama3_share(const rapt_rope_desc *d, int32_t i) {
  const long double w = wavelength(d, i), length = d->original_context;
  const long double low = (long double)d->low_freq_factor, high = (long double)d->high_freq_factor;
  if (w < length / high) return 0;
  if (w > length / low) return 1;
  return 1 - (length / w - low) / (high - low);
}

static long double expected(const rapt_rope_desc *d, int32_t i) {
  const long double f = 2 * pi / wavelength(d, i), factor = (long double)d->factor;
  if (d->scaling == RAPT_ROPE_LINEAR) return f / factor;
  if (d->scaling == RAPT_ROPE_NTK) {
    const long double r = d->rotary_dims, base = (long double)d->base * powl(factor, r / (r - 2));
    return 1 / powl(base, 2 * i / r);
  }
  if (d->scaling == RAPT_ROPE_PLAIN) return f;
  const long double share = d->scaling == RAPT_ROPE_YARN ? yarn_share(d, i) : llama3_share(d, i);
  return share * f / factor + (1 - share) * f;
}

static void compare(rapt_rope_desc desc, double attention_factor, const char *what) {
  double f[MOST];
  rapt_rope_info info = {.size = sizeof info};
  rapt_rope *rope = rotary_create(desc, NULL);
  if (!rope) return;
  CHECK(rapt_rope_frequencies(rope, f, NULL) == RAPT_OK, "frequencies");
  CHECK(rapt_rope_get_info(rope, &info, NULL) == RAPT_OK, "info");
  CHECK(info.head_dim == desc.head_dim && info.set[0], "info: %d %s", info.head_dim, info.set);
  CHECK(fabs(info.attention_factor - attention_factor) <= 1e-12, "%s: attention factor %.15g", what,
        info.attention_factor);
  if (desc.base == 0) desc.base = 10000;
  if (desc.rotary_dims == 0) desc.rotary_dims = desc.head_dim;
  if (desc.low_freq_factor == 0) desc.low_freq_factor = 1;
  if (desc.high_freq_factor == 0) desc.high_freq_factor = 4;
  CHECK(info.rotary_dims == desc.rotary_dims, "rotary_dims %d", info.rotary_dims);
  for (int32_t i = 0; i < desc.rotary_dims / 2; i++) {
    const long double want = expected(&desc, i);
    CHECK(fabsl(f[i] - want) <= 4e-15L * want, "%s: pair %d is %.17g, not %.17Lg", what, i, f[i],
          want);
  }
  rapt_rope_destroy(rope);
}

RAPT_TEST(rope_frequencies_plain) {
  compare((rapt_rope_desc){.head_dim = 128}, 1, "plain");
  compare((rapt_rope_desc){.head_dim = 2}, 1, "one pair");
  compare((rapt_rope_desc){.head_dim = 1024, .base = 1e6}, 1, "large");
  compare((rapt_rope_desc){.head_dim = 81, .rotary_dims = 32, .base = 500}, 1, "partial");
}

RAPT_TEST(rope_frequencies_linear_and_ntk) {
  compare((rapt_rope_desc){.head_dim = 128, .scaling = RAPT_ROPE_LINEAR, .factor = 4}, 1, "linear");
  compare((rapt_rope_desc){.head_dim = 96, .scaling = RAPT_ROPE_NTK, .factor = 8}, 1, "ntk");
  /* What NTK-aware scaling was made for: the slowest pair is interpolated fully, the first not at all. */
  double f[64], plain[64];
  rapt_rope *ntk = rotary_create(
      (rapt_rope_desc){.head_dim = 128, .scaling = RAPT_ROPE_NTK, .factor = 8}, NULL);
  rapt_rope *none = rotary_create((rapt_rope_desc){.head_dim = 128}, NULL);
  if (!ntk || !none) return;
  rapt_rope_frequencies(ntk, f, NULL);
  rapt_rope_frequencies(none, plain, NULL);
  CHECK(f[0] == 1 && fabs(f[63] * 8 / plain[63] - 1) < 1e-13, "%.17g %.17g", f[0],
        f[63] * 8 / plain[63]);
  rapt_rope_destroy(ntk);
  rapt_rope_destroy(none);
  /* One pair has no exponent to stretch. */
  rapt_rope *one = rotary_create(
      (rapt_rope_desc){.head_dim = 2, .scaling = RAPT_ROPE_NTK, .factor = 8}, NULL);
  if (!one) return;
  rapt_rope_frequencies(one, f, NULL);
  CHECK(f[0] == 1, "%g", f[0]);
  rapt_rope_destroy(one);
}

/* Configurations of released models. */
RAPT_TEST(rope_frequencies_yarn) {
  rapt_rope_desc d = {.head_dim = 128,
                      .scaling = RAPT_ROPE_YARN,
                      .factor = 4,
                      .base = 1e6,
                      .original_context = 32768};
  compare(d, 0.1 * log(4) + 1, "yarn 4");
  d = (rapt_rope_desc){.head_dim = 64,
                       .scaling = RAPT_ROPE_YARN,
                       .factor = 40,
                       .original_context = 4096,
                       .attention_factor = 1};
  compare(d, 1, "yarn 40, factor given");
  d = (rapt_rope_desc){.head_dim = 64,
                       .scaling = RAPT_ROPE_YARN,
                       .flags = RAPT_ROPE_YARN_EXACT,
                       .factor = 32,
                       .base = 150000,
                       .original_context = 4096};
  compare(d, 0.1 * log(32) + 1, "yarn 32, exact");
  /* Ends of the ramp beyond the pairs there are. */
  d = (rapt_rope_desc){
      .head_dim = 4, .scaling = RAPT_ROPE_YARN, .factor = 2, .original_context = 1 << 30};
  compare(d, 0.1 * log(2) + 1, "yarn with few pairs");
  d.factor = 0.5;
  compare(d, 1, "yarn that shrinks");
}

/* Contexts so short or so long that the ramp lies beside the pairs: all of them are on one side of it. */
RAPT_TEST(rope_frequencies_yarn_beside_the_pairs) {
  rapt_rope_desc d = {.head_dim = 64, .scaling = RAPT_ROPE_YARN, .factor = 4};
  const double attention = 0.1 * log(4) + 1;
  for (d.original_context = 1; d.original_context <= 12; d.original_context++)
    compare(d, attention, "yarn, a few tokens");
  d.original_context = 4096;
  static const double bases[] = {1.01, 1.2, 1.5, 2, 5, 50};
  for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
    d.base = bases[i];
    compare(d, attention, "yarn, base far below the context");
  }
  d.base = 10000;
  d.original_context = INT32_MAX;
  for (d.head_dim = 2; d.head_dim <= 64; d.head_dim += 2)
    compare(d, attention, "yarn, the longest context");
  /* And in so many words: f / factor throughout, f throughout. */
  double f[32], plain[32];
  for (int exact = 0; exact < 2; exact++)
    for (int longer = 0; longer < 2; longer++) {
      d = (rapt_rope_desc){.head_dim = 64,
                           .scaling = RAPT_ROPE_YARN,
                           .flags = exact ? RAPT_ROPE_YARN_EXACT : 0,
                           .factor = 4,
                           .base = longer ? 1.5 : 10000,
                           .original_context = longer ? 4096 : 3};
      rapt_rope *yarn = rotary_create(d, NULL);
      d.scaling = RAPT_ROPE_PLAIN, d.flags = 0;
      rapt_rope *none = rotary_create(d, NULL);
      if (!yarn || !none) return;
      rapt_rope_frequencies(yarn, f, NULL);
      rapt_rope_frequencies(none, plain, NULL);
      for (int i = 0; i < 32; i++)
        CHECK(fabs(f[i] / plain[i] - (longer ? 1 : 0.25)) < 1e-15, "pair %d: %.17g, plain %.17g", i,
              f[i], plain[i]);
      rapt_rope_destroy(yarn);
      rapt_rope_destroy(none);
    }
}

RAPT_TEST(rope_frequencies_llama3) {
  rapt_rope_desc d = {.head_dim = 128,
                      .scaling = RAPT_ROPE_LLAMA3,
                      .factor = 8,
                      .base = 500000,
                      .original_context = 8192};
  compare(d, 1, "llama 3.1");
  d.head_dim = 64;
  d.factor = 32;
  compare(d, 1, "llama 3.2");
  d.low_freq_factor = 2;
  d.high_freq_factor = 3;
  compare(d, 1, "other corners");
}

RAPT_TEST(rope_frequencies_given) {
  const double own[3] = {0.5, 0, -2};
  double f[3];
  rapt_rope *rope = rotary_create((rapt_rope_desc){.head_dim = 7,
                                                   .rotary_dims = 6,
                                                   .scaling = RAPT_ROPE_GIVEN,
                                                   .attention_factor = 1.19,
                                                   .inv_freq = own},
                                  NULL);
  if (!rope) return;
  rapt_rope_frequencies(rope, f, NULL);
  CHECK(f[0] == own[0] && f[1] == own[1] && f[2] == own[2], "%g %g %g", f[0], f[1], f[2]);
  const float x[7] = {1, 2, 3, 4, 5, 6, 7};
  double want[7];
  float y[7];
  const int32_t three = 3;
  rapt_rope_args args = {.size = sizeof args,
                         .batch = 1,
                         .heads = 1,
                         .tokens = 1,
                         .offsets = &three,
                         .x.data = x,
                         .y.data = y};
  rotary_run(rope, &args);
  rotary_reference(own, 6, 7, 0, 3, 1.19, x, want);
  CHECK_CLOSE(y, want, 7, 2e-6, 0, "given frequencies");
  rapt_rope_destroy(rope);
}
