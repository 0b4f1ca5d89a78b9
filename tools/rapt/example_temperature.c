/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Five scores under several softmax temperatures. */
#include <stdio.h>

#include "example_attend.h"
#include "example_print.h"
#include "examples.h"

static const float scores[EXAMPLE_TEMPERATURE_SCORES] = {1.2f, 3.8f, 0.4f, 2.1f, 0.9f};

/* With one channel and the query 1, a key is its own score. */
static example_head given_scores(double temperature) {
  static const float query = 1;
  return (example_head){.queries = 1,
                        .keys = EXAMPLE_TEMPERATURE_SCORES,
                        .head_dim = 1,
                        .q = &query,
                        .k = scores,
                        .scale = (float)(1 / temperature)};
}

int example_temperature(double temperature, float weights[EXAMPLE_TEMPERATURE_SCORES],
                        failure *why) {
  example_head head = given_scores(temperature);
  return example_weights(&head, weights, why);
}

int example_temperature_print(failure *why) {
  static const double temperatures[] = {0.25, 0.5, 1, 2, 8};
  printf("Temperature: weights = softmax(scores / T)\n\n"
         "The scores are ");
  example_print_row(scores, EXAMPLE_TEMPERATURE_SCORES, 1);
  printf(". A temperature T is a scale: rapt_attention is called with\n"
         "desc.scale = 1/T (with real keys: 1/(T*sqrt(head_dim))) and V = identity, so that the\n"
         "output row is the row of weights.\n\n");
  for (size_t t = 0; t < sizeof temperatures / sizeof temperatures[0]; t++) {
    float weights[EXAMPLE_TEMPERATURE_SCORES];
    int status = example_temperature(temperatures[t], weights, why);
    if (status) return status;
    printf("T = %g\n", temperatures[t]);
    for (int32_t j = 0; j < EXAMPLE_TEMPERATURE_SCORES; j++) {
      printf("  score %.1f  weight %5.1f %%  ", (double)scores[j], 100 * (double)weights[j]);
      example_print_bar((double)weights[j], 50);
      printf("\n");
    }
  }
  printf("\nBelow 1 the largest score takes nearly everything; far above 1 all keys count alike.\n"
         "The order of the weights never changes.\n");
  return 0;
}
