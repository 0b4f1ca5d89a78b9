/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The worked examples. Each has a function that computes its figures with the library (what the tests
 * hold to float64) and one that prints them step by step. Both return 0, or the exit code
 * with a sentence. */
#ifndef RAPT_TOOL_EXAMPLES_H
#define RAPT_TOOL_EXAMPLES_H

#include <stdint.h>

#include "failure.h"

/* Numbers of an example that rapt explain can look into: one head. */
typedef struct example_tensors {
  const char *name;
  int32_t queries, keys, head_dim;
  const float *q, *k;
  double scale;   /* 0: 1/sqrt(head_dim) */
  int32_t causal; /* query i sees keys 0..i */
} example_tensors;
extern const example_tensors example_attention_tensors, example_causal_tensors;

/* ---- temperature: five scores, sharpened and flattened ---- */

enum { EXAMPLE_TEMPERATURE_SCORES = 5 };
int example_temperature(double temperature, float weights[EXAMPLE_TEMPERATURE_SCORES],
                        failure *why);

/* ---- softmax: from scores to exponentials to weights ---- */

typedef struct example_softmax_figures {
  float exponentials[3], sum; /* the sum is e^LSE */
  float weights[3];
  float shifted[3]; /* the weights of the same scores + 1000 */
} example_softmax_figures;
int example_softmax(example_softmax_figures *figures, failure *why);

/* ---- attention: one query, three keys, every number ---- */

typedef struct example_attention_figures {
  float scores[3], weights[3], lse, output[2];
} example_attention_figures;
int example_attention(example_attention_figures *figures, failure *why);

/* ---- scale: what 1/sqrt(head_dim) is for ---- */

typedef struct example_scale_figures {
  double deviation; /* standard deviation of the scores */
  double entropy;   /* of a row of weights in bits, the mean over the queries */
  double largest;   /* weight of a row, the mean over the queries */
} example_scale_figures;
enum { EXAMPLE_SCALE_KEYS = 256, EXAMPLE_SCALE_FIRST_DIM = 16, EXAMPLE_SCALE_LAST_DIM = 1024 };
int example_scale(int32_t head_dim, float scale, example_scale_figures *figures, failure *why);

/* ---- order: attention alone does not see the order of its tokens ---- */

enum { EXAMPLE_ORDER_TOKENS = 3, EXAMPLE_ORDER_DIM = 4 };
typedef float example_order_rows[EXAMPLE_ORDER_TOKENS][EXAMPLE_ORDER_DIM];
/* Self-attention over the tokens in the given order (order[place] = token); row t of output belongs
 * to token t wherever it stood. With positions, each place's own vector is added first. */
int example_order(const int32_t order[EXAMPLE_ORDER_TOKENS], int32_t with_positions,
                  example_order_rows output, failure *why);

/* ---- causal: why the mask comes before the softmax ---- */

enum { EXAMPLE_CAUSAL_TOKENS = 5 };
typedef float example_causal_rows[EXAMPLE_CAUSAL_TOKENS][EXAMPLE_CAUSAL_TOKENS];
/* `last_score` is the score of the last key for every query. Masked before the softmax, or (masked
 * after) the unmasked weights with the forbidden ones set to zero. */
int example_causal(float last_score, int32_t masked_after, example_causal_rows weights,
                   failure *why);

/* ---- Printing ---- */

int example_temperature_print(failure *why);
int example_softmax_print(failure *why);
int example_attention_print(failure *why);
int example_scale_print(failure *why);
int example_order_print(failure *why);
int example_causal_print(failure *why);

/* Writes what `scale` prints as a picture (path ends in .svg or .png: gnuplot draws it) or as a table
 * of numbers (any other ending). */
int example_scale_plot(const char *path, failure *why);

#endif
