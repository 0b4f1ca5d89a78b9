/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What rapt bench counts and fits, and that it measures. */
#include <math.h>
#include <string.h>

#include "common/power_fit.h"
#include "rapt/growth.h"
#include "support/rapt_test.h"

RAPT_TEST(fit_finds_the_exponent) {
  for (double exponent = 0.5; exponent <= 3; exponent += 0.5) {
    power_fit fit = {0};
    CHECK(power_fit_exponent(&fit) == 0, "an exponent from nothing");
    for (double x = 64; x <= 4096; x *= 2) power_fit_add(&fit, x, 3e-9 * pow(x, exponent));
    CHECK(fit.points == 7, "%d points", (int)fit.points);
    CHECK(fabs(power_fit_exponent(&fit) - exponent) < 1e-9, "%g, not %g", power_fit_exponent(&fit),
          exponent);
  }
}

RAPT_TEST(models_are_what_their_names_say) {
  /* flops of one call at the length the model is known for: 4 * heads * queries * keys * channels;
   * bytes of K and V there */
  static const struct {
    const char *name;
    int32_t length;
    double flops, bytes;
  } expected[GROWTH_MODELS] = {
      {"llama", 4096, 4.0 * 32 * 4096 * 128, 2.0 * 8 * 4096 * 128 * 4},
      {"whisper", 1500, 4.0 * 8 * 1500 * 1500 * 64, 2.0 * 8 * 1500 * 64 * 4},
      {"bert", 512, 4.0 * 12 * 512 * 512 * 64, 2.0 * 12 * 512 * 64 * 4}};
  for (int32_t i = 0; i < GROWTH_MODELS; i++) {
    const growth_model *m = &growth_models[i];
    REQUIRE(strcmp(m->name, expected[i].name) == 0, "%s", m->name);
    CHECK(m->own == expected[i].length, "%s: %d", m->name, (int)m->own);
    CHECK(growth_flops(m, m->own) == expected[i].flops, "%s", m->name);
    CHECK(growth_bytes(m, m->own) == expected[i].bytes, "%s", m->name);
    int32_t length = m->shortest; /* doubling meets the model's own length and the longest */
    while (length < m->own) length *= 2;
    CHECK(length == m->own, "%s: %d is passed over", m->name, (int)m->own);
    while (length < m->longest) length *= 2;
    CHECK(length == m->longest, "%s: %d is passed over", m->name, (int)m->longest);
  }
}

RAPT_TEST(growth_is_measured) {
  failure why = {""};
  for (int32_t i = 0; i < GROWTH_MODELS; i++) {
    const growth_model *m = &growth_models[i];
    growth g;
    growth_point p = {0};
    REQUIRE(growth_open(&g, m, 2, m->shortest, &why) == 0, "%s", why.sentence);
    const size_t outputs = (size_t)m->heads_q * (size_t)(m->decode ? 1 : m->shortest) *
                           (size_t)m->head_dim;
    for (size_t x = 0; x < outputs; x++) g.o[x] = NAN;
    CHECK(growth_measure(&g, m->shortest, 0.001, &p, &why) == 0, "%s", why.sentence);
    CHECK(p.length == m->shortest && p.runs >= 1 && p.seconds > 0, "%s: %d runs, %g s", m->name,
          (int)p.runs, p.seconds);
    size_t written = 0;
    double squares = 0;
    for (size_t x = 0; x < outputs; x++) {
      if (!isnan(g.o[x])) written++;
      squares += (double)g.o[x] * (double)g.o[x];
    }
    CHECK(written == outputs, "%s: %zu of %zu outputs", m->name, written, outputs);
    /* Averages of values of variance 1: neither zero nor as large as one value. */
    CHECK(squares > 0 && squares < (double)outputs / 4, "%s: mean square %g", m->name,
          squares / (double)outputs);
    growth_close(&g);
  }
}
