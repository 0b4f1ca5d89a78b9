/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The figures of the worked examples against the same sums in float64, computed apart from this
 * project and written here with their digits. */
#include <math.h>

#include "rapt/examples.h"
#include "support/compare.h"

#define BOUND 2e-6

RAPT_TEST(temperature) {
  static const struct {
    double temperature, weights[EXAMPLE_TEMPERATURE_SCORES];
  } expected[] = {
      {0.25,
       {3.039738575475285e-05, 0.9988467173828328, 1.2390644385443179e-06, 0.001112490650327362,
        9.155516646593974e-06}},
      {0.5,
       {0.005288973723617305, 0.9587441240988742, 0.0010678253785635602, 0.03199642647642812,
        0.0029026503225167265}},
      {1,
       {0.055207477528826425, 0.7432990150213612, 0.024806318689552357, 0.13578848348902883,
        0.0408987052712311}},
      {2,
       {0.128722711077497, 0.47232181480357444, 0.08628541361530008, 0.20187739633216886,
        0.1107926641714598}},
      {8,
       {0.18618039737563635, 0.257679375648755, 0.16846299005027973, 0.2083493174840717,
        0.17932791944125726}},
  };
  failure why;
  for (size_t t = 0; t < sizeof expected / sizeof expected[0]; t++) {
    float weights[EXAMPLE_TEMPERATURE_SCORES];
    REQUIRE(example_temperature(expected[t].temperature, weights, &why) == 0, "%s", why.sentence);
    CHECK_CLOSE(weights, expected[t].weights, EXAMPLE_TEMPERATURE_SCORES, 1e-9, BOUND, "T = %g",
                expected[t].temperature);
  }
}

RAPT_TEST(softmax) {
  static const double exponentials[] = {148.4131591025766, 7.38905609893065, 2.718281828459045};
  static const double weights[] = {0.9362395518765058, 0.0466126225779739, 0.01714782554552039};
  static const double sum = 158.5204970299663;
  failure why;
  example_softmax_figures f;
  REQUIRE(example_softmax(&f, &why) == 0, "%s", why.sentence);
  CHECK_CLOSE(f.exponentials, exponentials, 3, 0, BOUND, "exponentials");
  CHECK_CLOSE(&f.sum, &sum, 1, 0, BOUND, "sum");
  CHECK_CLOSE(f.weights, weights, 3, 0, BOUND, "weights");
  /* Near 1000 neighbouring float32 numbers are 6e-5 apart. */
  CHECK_CLOSE(f.shifted, weights, 3, 0, 6e-5, "weights of the scores + 1000");
}

RAPT_TEST(attention) {
  static const double scores[] = {2.886751345948129, 1.1547005383792517, 0.5773502691896258};
  static const double weights[] = {0.7835505008704005, 0.13862669982487957, 0.07782279930472008};
  static const double lse = 3.1306711097290325;
  static const double output[] = {8.224619005227604, 1.775380994772396};
  failure why;
  example_attention_figures f;
  REQUIRE(example_attention(&f, &why) == 0, "%s", why.sentence);
  CHECK_CLOSE(f.scores, scores, 3, 0, BOUND, "scores");
  CHECK_CLOSE(f.weights, weights, 3, 0, BOUND, "weights");
  CHECK_CLOSE(&f.lse, &lse, 1, 0, BOUND, "log-sum-exp");
  CHECK_CLOSE(f.output, output, 2, 0, BOUND, "output");
}

RAPT_TEST(scale) {
  /* deviation, entropy and largest weight with scale 1, and with 1/sqrt(head_dim) */
  static const double expected[][6] = {
      {3.94408519, 2.67438127, 0.51022044, 0.986021297, 7.30987709, 0.0436743677},
      {5.50025258, 1.80498473, 0.619318451, 0.972316475, 7.32808308, 0.0401847954},
      {7.96478681, 1.01678874, 0.764815317, 0.995598351, 7.29380866, 0.0437129727},
      {11.2675745, 0.704684241, 0.822860639, 0.995922288, 7.30789009, 0.040399382},
      {15.9971858, 0.441035154, 0.888327697, 0.99982411, 7.29089115, 0.0424891194},
      {22.690933, 0.315905217, 0.913961415, 1.00280704, 7.28494174, 0.0444407138},
      {32.0429967, 0.213388301, 0.941112369, 1.00134365, 7.28355448, 0.0432482438},
  };
  failure why;
  int32_t at = 0;
  for (int32_t d = EXAMPLE_SCALE_FIRST_DIM; d <= EXAMPLE_SCALE_LAST_DIM; d *= 2, at++) {
    example_scale_figures f[2];
    REQUIRE(example_scale(d, 1, &f[0], &why) == 0 && example_scale(d, 0, &f[1], &why) == 0, "%s",
            why.sentence);
    for (int32_t i = 0; i < 2; i++) {
      const float got[] = {(float)f[i].deviation, (float)f[i].entropy, (float)f[i].largest};
      CHECK_CLOSE(got, &expected[at][3 * i], 3, 0, 1e-5, "head_dim %d, %s", (int)d,
                  i ? "scaled" : "not scaled");
    }
    CHECK(fabs(f[0].deviation / sqrt(d) - 1) < 0.05, "deviation %g at %d", f[0].deviation, (int)d);
  }
  CHECK(at == (int32_t)(sizeof expected / sizeof expected[0]), "%d sizes", (int)at);
}
