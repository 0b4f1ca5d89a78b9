/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the worked examples claim beyond their figures: equivariance, sums of causal rows, the leak. */
#include <math.h>
#include <string.h>

#include "rapt/examples.h"
#include "support/compare.h"

#define BOUND 2e-6

enum { TOKENS = EXAMPLE_CAUSAL_TOKENS };

/* Every order of the three words gives each word the float64 output of the first order. */
RAPT_TEST(permutation_equivariance) {
  static const int32_t orders[][EXAMPLE_ORDER_TOKENS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  static const double expected[] = {
      0.7223978368238767,  0.216549583442087,     0.02908986867788091, 0.44916551173060526,
      0.21946045893594907, 0.5911795936134572,    0.4498833183840758,  -0.04304320481748093,
      0.6018076358513019,  -0.032331892403639095, 0.47638935083232237, 0.23877305353236442};
  failure why;
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
    example_order_rows output;
    REQUIRE(example_order(orders[i], 0, output, &why) == 0, "%s", why.sentence);
    CHECK_CLOSE(output[0], expected, sizeof expected / sizeof expected[0], 2e-7, BOUND,
                "order %d%d%d", (int)orders[i][0], (int)orders[i][1], (int)orders[i][2]);
  }
}

RAPT_TEST(positions_break_equivariance) {
  static const int32_t forward[] = {0, 1, 2}, backward[] = {2, 1, 0};
  static const double dog_first[] = {0.9786764286678376, 1.1561522980195835, -0.14226858674382034,
                                     1.5286687924084357};
  static const double dog_last[] = {1.6693320082093812, 0.06964919290676767, -0.08837769934452047,
                                    1.6497489036902686};
  failure why;
  example_order_rows output;
  REQUIRE(example_order(forward, 1, output, &why) == 0, "%s", why.sentence);
  CHECK_CLOSE(output[0], dog_first, EXAMPLE_ORDER_DIM, 2e-7, BOUND, "dog, first");
  REQUIRE(example_order(backward, 1, output, &why) == 0, "%s", why.sentence);
  CHECK_CLOSE(output[0], dog_last, EXAMPLE_ORDER_DIM, 2e-7, BOUND, "dog, last");
}

/* Rows 0..3, which must not know of the last key; float64. */
static const double before_last[TOKENS - 1][TOKENS] = {
    {1, 0, 0, 0, 0},
    {0.18242552380635632, 0.8175744761936437, 0, 0, 0},
    {0.14024438316608848, 0.6285317192117624, 0.23122389762214907, 0, 0},
    {0.10153632409155178, 0.45505423392341116, 0.1674050972784433, 0.2760043447065936, 0}};

static double row_sum(const float *row) {
  double sum = 0;
  for (int32_t j = 0; j < TOKENS; j++) sum += (double)row[j];
  return sum;
}

RAPT_TEST(causal_rows_sum_to_1_over_visible_keys) {
  static const float last_scores[] = {1, 4, 200};
  failure why;
  example_causal_rows weights, first;
  for (size_t s = 0; s < 3; s++) {
    REQUIRE(example_causal(last_scores[s], 0, weights, &why) == 0, "%s", why.sentence);
    for (int32_t i = 0; i < TOKENS; i++) {
      CHECK(fabs(row_sum(weights[i]) - 1) < 1e-6, "row %d sums to %.9g", (int)i,
            row_sum(weights[i]));
      for (int32_t j = i + 1; j < TOKENS; j++)
        CHECK(weights[i][j] == 0, "query %d gives the hidden key %d %g", (int)i, (int)j,
              (double)weights[i][j]);
    }
    CHECK_CLOSE(weights[0], before_last[0], (TOKENS - 1) * TOKENS, 0, BOUND, "last score %g",
                (double)last_scores[s]);
    if (s == 0) memcpy(first, weights, sizeof first);
    CHECK_BITS(weights[0], first[0], (TOKENS - 1) * TOKENS, "rows before the last key, score %g",
               (double)last_scores[s]);
  }
}

RAPT_TEST(mask_after_softmax_leaks) {
  /* The unmasked row for two scores of the last key. */
  static const double one[] = {0.08697608424724385, 0.3897997661516755, 0.14339932014063728,
                               0.23642550931980597, 0.14339932014063728};
  static const double four[] = {0.023275222171687156, 0.10431230881654054, 0.03837435387473184,
                                0.06326861348264427, 0.7707695016543962};
  failure why;
  example_causal_rows a, b, c;
  REQUIRE(example_causal(1, 1, a, &why) == 0 && example_causal(4, 1, b, &why) == 0 &&
              example_causal(200, 1, c, &why) == 0,
          "%s", why.sentence);
  for (int32_t i = 0; i < TOKENS; i++) {
    CHECK_CLOSE(a[i], one, (size_t)i + 1, 0, BOUND, "row %d, last score 1", (int)i);
    CHECK_CLOSE(b[i], four, (size_t)i + 1, 0, BOUND, "row %d, last score 4", (int)i);
    if (i + 1 == TOKENS) continue;
    CHECK(row_sum(a[i]) < 0.9, "row %d sums to %g", (int)i, row_sum(a[i]));
    CHECK(row_sum(c[i]) == 0, "row %d sums to %g: something is left to divide by", (int)i,
          row_sum(c[i]));
  }
}
