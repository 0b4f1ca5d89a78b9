/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Three scaled scores, their exponentials, their weights. */
#include <math.h>
#include <stdio.h>

#include "example_attend.h"
#include "example_print.h"
#include "examples.h"

enum { KEYS = 3 };
static const float scores[KEYS] = {5, 2, 1};

/* The same scores moved by `shift`, as keys of one channel under the query 1. */
static int weights_and_lse(float shift, float weights[KEYS], float *lse, failure *why) {
  static const float query = 1, none[KEYS];
  float keys[KEYS], output;
  for (int32_t j = 0; j < KEYS; j++) keys[j] = scores[j] + shift;
  example_head head = {
      .queries = 1, .keys = KEYS, .head_dim = 1, .q = &query, .k = keys, .scale = 1};
  int status = example_output(&head, none, 1, &output, lse, why);
  if (status) return status;
  return example_weights(&head, weights, why);
}

int example_softmax(example_softmax_figures *figures, failure *why) {
  float lse, lse_shifted;
  int status = weights_and_lse(0, figures->weights, &lse, why);
  if (status == 0) status = weights_and_lse(1000, figures->shifted, &lse_shifted, why);
  if (status) return status;
  /* weight = e^score / e^LSE, solved for e^score. */
  figures->sum = expf(lse);
  for (int32_t j = 0; j < KEYS; j++) figures->exponentials[j] = figures->weights[j] * figures->sum;
  return 0;
}

int example_softmax_print(failure *why) {
  example_softmax_figures f;
  int status = example_softmax(&f, why);
  if (status) return status;
  printf("Softmax: from scores to weights\n\n"
         "1. The scaled scores\n   ");
  example_print_row(scores, KEYS, 0);
  printf(
      "\n\n2. Their exponentials. The library never shows them; it returns the weights w and, if\n"
      "   asked, the log-sum-exp LSE = ln(sum of e^score) = %.4f. So e^score = w * e^LSE:\n",
      log((double)f.sum));
  for (int32_t j = 0; j < KEYS; j++)
    printf("   e^%.0f = %7.2f\n", (double)scores[j], (double)f.exponentials[j]);
  printf("   sum = %7.2f\n\n3. Each exponential over the sum:\n", (double)f.sum);
  for (int32_t j = 0; j < KEYS; j++) {
    printf("   %7.2f / %.2f = %.3f  ", (double)f.exponentials[j], (double)f.sum,
           (double)f.weights[j]);
    example_print_bar((double)f.weights[j], 50);
    printf("\n");
  }
  printf("\n4. The scores [1005, 1002, 1001]: e^1005 is beyond any float, the weights are the "
         "same,\n   ");
  example_print_row(f.shifted, KEYS, 3);
  printf("\n   because softmax only sees differences and the kernels subtract the largest score\n"
         "   before they take exponentials.\n");
  return 0;
}
