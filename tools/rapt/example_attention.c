/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One query against three keys: scores, weights, output. */
#include <math.h>
#include <stdio.h>

#include "example_attend.h"
#include "example_print.h"
#include "examples.h"

enum { KEYS = 3, DIM = 3, VALUE_DIM = 2 };
static const float q[DIM] = {1, 0, 1};
static const float k[KEYS][DIM] = {{1, 0, 4}, {0, 1, 2}, {1, 1, 0}};
static const float v[KEYS][VALUE_DIM] = {{10, 0}, {0, 10}, {5, 5}};

const example_tensors example_attention_tensors = {
    .name = "attention", .queries = 1, .keys = KEYS, .head_dim = DIM, .q = q, .k = k[0]};

int example_attention(example_attention_figures *figures, failure *why) {
  /* Scale 0 is the default 1/sqrt(head_dim), here 1/sqrt(3). */
  const example_head head = {.queries = 1, .keys = KEYS, .head_dim = DIM, .q = q, .k = k[0]};
  int status = example_scores(&head, figures->scores, why);
  if (status == 0) status = example_weights(&head, figures->weights, why);
  if (status) return status;
  return example_output(&head, v[0], VALUE_DIM, figures->output, &figures->lse, why);
}

static void print_products(const example_attention_figures *f) {
  for (int32_t j = 0; j < KEYS; j++) {
    float dot = 0;
    printf("   key %d:  ", (int)j);
    for (int32_t d = 0; d < DIM; d++) {
      dot += q[d] * k[j][d];
      printf("%s%.0f*%.0f", d ? " + " : "", (double)q[d], (double)k[j][d]);
    }
    printf(" = %.0f,  times 1/sqrt(3) = %.2f\n", (double)dot, (double)f->scores[j]);
  }
}

int example_attention_print(failure *why) {
  example_attention_figures f;
  int status = example_attention(&f, why);
  if (status) return status;
  printf("Attention: output = softmax(q K^T / sqrt(head_dim)) V\n\n   q = ");
  example_print_row(q, DIM, 0);
  for (int32_t j = 0; j < KEYS; j++) {
    printf("\n   key %d = ", (int)j);
    example_print_row(k[j], DIM, 0);
    printf("   value %d = ", (int)j);
    example_print_row(v[j], VALUE_DIM, 0);
  }
  printf("\n\n1. Scores: how well the query matches each key (the log-sum-exp over one key alone "
         "is its\n"
         "   score, so the library is asked for each key apart)\n");
  print_products(&f);
  printf("\n2. Weights: softmax over the keys (the output when V is the identity matrix)\n");
  for (int32_t j = 0; j < KEYS; j++) {
    printf("   key %d:  e^%.2f = %5.2f, over the sum %.2f: %.2f  ", (int)j, (double)f.scores[j],
           exp((double)f.scores[j]), exp((double)f.lse), (double)f.weights[j]);
    example_print_bar((double)f.weights[j], 40);
    printf("\n");
  }
  printf("\n3. Output: the values, mixed by the weights\n");
  for (int32_t c = 0; c < VALUE_DIM; c++) {
    printf("   channel %d:  ", (int)c);
    for (int32_t j = 0; j < KEYS; j++)
      printf("%s%.3f*%.0f", j ? " + " : "", (double)f.weights[j], (double)v[j][c]);
    printf(" = %.1f\n", (double)f.output[c]);
  }
  printf("   output = ");
  example_print_row(f.output, VALUE_DIM, 1);
  printf("   (in full ");
  example_print_row(f.output, VALUE_DIM, 6);
  printf(")\n");
  return 0;
}
