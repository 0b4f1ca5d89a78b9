/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The same three words in two orders: without positions attention gives each word the same output. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "example_attend.h"
#include "example_print.h"
#include "examples.h"

enum { TOKENS = EXAMPLE_ORDER_TOKENS, DIM = EXAMPLE_ORDER_DIM };
static const char *const words[TOKENS] = {"dog", "bites", "man"};
static const example_order_rows vectors = {
    {1.0f, 0.3f, -0.5f, 0.8f}, {-0.2f, 1.1f, 0.6f, -0.4f}, {0.7f, -0.6f, 0.9f, 0.2f}};
static const example_order_rows positions = {
    {0.0f, 1.0f, 0.0f, 1.0f}, {0.8f, 0.5f, 0.1f, 1.0f}, {0.9f, -0.4f, 0.2f, 1.0f}};
static const int32_t forward[TOKENS] = {0, 1, 2}, backward[TOKENS] = {2, 1, 0};

int example_order(const int32_t order[TOKENS], int32_t with_positions, example_order_rows output,
                  failure *why) {
  example_order_rows x, o;
  for (int32_t place = 0; place < TOKENS; place++)
    for (int32_t d = 0; d < DIM; d++)
      x[place][d] = vectors[order[place]][d] + (with_positions ? positions[place][d] : 0);
  const example_head head = {
      .queries = TOKENS, .keys = TOKENS, .head_dim = DIM, .q = x[0], .k = x[0]};
  int status = example_output(&head, x[0], DIM, o[0], NULL, why);
  if (status) return status;
  for (int32_t place = 0; place < TOKENS; place++)
    memcpy(output[order[place]], o[place], sizeof o[place]);
  return 0;
}

static void print_cells(const float *row) {
  for (int32_t d = 0; d < DIM; d++) printf("%7.3f", (double)row[d]);
  printf("     ");
}

static int print_both(int32_t with_positions, failure *why) {
  example_order_rows a, b;
  int status = example_order(forward, with_positions, a, why);
  if (status == 0) status = example_order(backward, with_positions, b, why);
  if (status) return status;
  double largest = 0;
  printf("   %-6s %-32s %s\n", "word", "output in \"dog bites man\"",
         "output in \"man bites dog\"");
  for (int32_t t = 0; t < TOKENS; t++) {
    printf("   %-6s ", words[t]);
    print_cells(a[t]);
    print_cells(b[t]);
    printf("\n");
    for (int32_t d = 0; d < DIM; d++) largest = fmax(largest, fabs((double)a[t][d] - b[t][d]));
  }
  printf("   largest difference: %.2g\n", largest);
  return 0;
}

int example_order_print(failure *why) {
  printf("Order: attention alone reads a set of words, not a sentence\n\n"
         "Each word has a vector of %d channels, which is its query, key and value:\n",
         (int)DIM);
  for (int32_t t = 0; t < TOKENS; t++) {
    printf("   %-6s ", words[t]);
    example_print_row(vectors[t], DIM, 1);
    printf("\n");
  }
  printf("\n1. The words in two orders. Each word's output is the same wherever it stands: "
         "reordering\n"
         "   the tokens reorders the outputs and changes nothing else.\n\n");
  int status = print_both(0, why);
  if (status) return status;
  printf(
      "\n2. With a vector added for each place (first, second, third), the two sentences differ.\n"
      "   This is what position encodings are for.\n\n");
  return print_both(1, why);
}
