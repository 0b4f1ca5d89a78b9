/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The causal mask, and what goes wrong when it comes after the softmax. */
#include <stdio.h>

#include "example_attend.h"
#include "example_print.h"
#include "examples.h"

enum { TOKENS = EXAMPLE_CAUSAL_TOKENS };

/* One channel, scale 1, all queries 1: a key is its own score. */
static const float ones[TOKENS] = {1, 1, 1, 1, 1},
                   usual_keys[TOKENS] = {0.5f, 2.0f, 1.0f, 1.5f, 1.0f};

const example_tensors example_causal_tensors = {.name = "causal",
                                                .queries = TOKENS,
                                                .keys = TOKENS,
                                                .head_dim = 1,
                                                .q = ones,
                                                .k = usual_keys,
                                                .scale = 1,
                                                .causal = 1};

int example_causal(float last_score, int32_t masked_after, example_causal_rows weights,
                   failure *why) {
  float keys[TOKENS];
  for (int32_t j = 0; j < TOKENS; j++) keys[j] = usual_keys[j];
  keys[TOKENS - 1] = last_score;
  const example_head head = {.queries = TOKENS,
                             .keys = TOKENS,
                             .head_dim = 1,
                             .q = ones,
                             .k = keys,
                             .scale = 1,
                             .causal = !masked_after};
  int status = example_weights(&head, weights[0], why);
  if (status) return status;
  for (int32_t i = 0; masked_after && i < TOKENS; i++)
    for (int32_t j = i + 1; j < TOKENS; j++) weights[i][j] = 0;
  return 0;
}

static int print_matrix(float last_score, int32_t masked_after, failure *why) {
  example_causal_rows weights;
  int status = example_causal(last_score, masked_after, weights, why);
  if (status) return status;
  for (int32_t i = 0; i < TOKENS; i++) {
    double sum = 0;
    for (int32_t j = 0; j < TOKENS; j++) sum += (double)weights[i][j];
    printf("   query %d  ", (int)i);
    example_print_row(weights[i], TOKENS, 3);
    printf("  sum %.6f\n", sum);
  }
  return 0;
}

int example_causal_print(failure *why) {
  printf(
      "Causal attention: query i sees keys 0 to i, so that no token sees its future\n\n"
      "Every query scores the keys [0.5, 2.0, 1.0, 1.5, last]; rows are weights (V = identity).\n\n"
      "1. The library's causal flag, last = 1.0. The mask comes before the softmax: hidden keys\n"
      "   weigh exactly 0 and each row sums to 1 over the keys it sees.\n\n");
  int status = print_matrix(1, 0, why);
  if (status) return status;
  printf("\n   With last = 4.0 only the row that may see the last key changes:\n\n");
  status = print_matrix(4, 0, why);
  if (status) return status;
  printf(
      "\n2. Masked after the softmax instead: unmasked weights, hidden ones set to zero. The sums\n"
      "   fall short of 1, because the hidden keys have taken their share already.\n\n");
  status = print_matrix(1, 1, why);
  if (status) return status;
  printf("\n   With last = 4.0 every row changes, also those that must not know of the last key.\n"
         "   That is the leak:\n\n");
  status = print_matrix(4, 1, why);
  if (status) return status;
  printf(
      "\n3. Dividing by the sums would hide the leak, until a hidden score is large. With last =\n"
      "   200 nothing is left to divide by:\n\n");
  status = print_matrix(200, 1, why);
  if (status) return status;
  printf("\n   and masked before:\n\n");
  return print_matrix(200, 0, why);
}
