/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the factor 1/sqrt(head_dim) is for: scores of unit-normal queries and keys spread by
 * sqrt(head_dim), and softmax of widely spread scores gives all weight to one key. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/rng.h"
#include "example_attend.h"
#include "example_print.h"
#include "examples.h"

enum { KEYS = EXAMPLE_SCALE_KEYS, QUERIES = 256, ENTRIES = QUERIES * KEYS };

static double standard_deviation(const float *values, int32_t count) {
  double sum = 0, squares = 0;
  for (int32_t i = 0; i < count; i++) {
    sum += (double)values[i];
    squares += (double)values[i] * (double)values[i];
  }
  double mean = sum / count;
  return sqrt(squares / count - mean * mean);
}

static void look_at_rows(const float *weights, example_scale_figures *figures) {
  double entropy = 0, sum_of_largest = 0;
  for (int32_t i = 0; i < QUERIES; i++) {
    double largest = 0;
    for (int32_t j = 0; j < KEYS; j++) {
      double weight = (double)weights[i * KEYS + j];
      if (weight > 0) entropy -= weight * log2(weight);
      largest = fmax(largest, weight);
    }
    sum_of_largest += largest;
  }
  figures->entropy = entropy / (double)QUERIES;
  figures->largest = sum_of_largest / (double)QUERIES;
}

int example_scale(int32_t head_dim, float scale, example_scale_figures *figures, failure *why) {
  const size_t inputs = (size_t)head_dim * (QUERIES + KEYS);
  float *q = malloc((inputs + 2 * ENTRIES) * sizeof *q);
  if (!q) return fail(why, EXIT_RUN_FAILED, "there is no memory for %d channels", (int)head_dim);
  float *k = q + (size_t)head_dim * QUERIES, *scores = q + inputs, *weights = scores + ENTRIES;
  rng r = rng_make(1);
  rng_fill_normal(&r, q, inputs, 1.0);
  const example_head head = {
      .queries = QUERIES, .keys = KEYS, .head_dim = head_dim, .q = q, .k = k, .scale = scale};
  int status = example_scores(&head, scores, why);
  if (status == 0) status = example_weights(&head, weights, why);
  if (status == 0) {
    figures->deviation = standard_deviation(scores, ENTRIES);
    look_at_rows(weights, figures);
  }
  free(q);
  return status;
}

int example_scale_print(failure *why) {
  printf(
      "Scale: why scores are divided by sqrt(head_dim)\n\n"
      "q and k hold independent unit-normal numbers, %d queries against %d keys. A score is a\n"
      "sum of head_dim products, so its standard deviation is sqrt(head_dim). Entropy says over "
      "how\n"
      "many keys a row of weights spreads: %g bits if all %d count alike, 0 bits if one has "
      "all.\n\n"
      "            ---- scale 1 -----------------------    ---- scale 1/sqrt(head_dim) --------\n"
      "  head_dim  deviation  entropy, bits  largest       deviation  entropy, bits  largest\n",
      (int)QUERIES, (int)KEYS, log2(KEYS), (int)KEYS);
  for (int32_t d = EXAMPLE_SCALE_FIRST_DIM; d <= EXAMPLE_SCALE_LAST_DIM; d *= 2) {
    example_scale_figures without, with;
    int status = example_scale(d, 1, &without, why);
    if (status == 0) status = example_scale(d, 0, &with, why); /* 0: the library's default */
    if (status) return status;
    printf("  %8d  %9.2f  %13.2f  %6.1f %%  %14.2f  %13.2f  %6.1f %%\n", (int)d, without.deviation,
           without.entropy, 100 * without.largest, with.deviation, with.entropy,
           100 * with.largest);
  }
  printf("\nWithout the factor a longer head means a harder choice: at head_dim %d one key takes "
         "almost\n"
         "all of the weight by chance, and training gets no gradient from the others. With it the\n"
         "spread is the same for every head_dim.\n",
         (int)EXAMPLE_SCALE_LAST_DIM);
  return 0;
}
