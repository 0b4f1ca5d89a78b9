/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How the time of attention grows with the length, measured. */
#ifndef RAPT_TOOL_GROWTH_H
#define RAPT_TOOL_GROWTH_H

#include <stdint.h>

#include "failure.h"

/* Attention as a well-known model does it. */
typedef struct growth_model {
  const char *name;  /* of --like */
  const char *title; /* in a sentence */
  int32_t heads_q, heads_kv, head_dim;
  int32_t decode;            /* one query against a cache; else as many queries as keys */
  int32_t shortest, longest; /* lengths */
  int32_t own;               /* the length the model is known for */
} growth_model;

enum { GROWTH_MODELS = 3 };
extern const growth_model growth_models[GROWTH_MODELS];

typedef struct growth_point {
  int32_t length, runs;
  double seconds; /* the quickest run */
} growth_point;

/* Random tensors for all lengths of a model. */
typedef struct growth {
  const growth_model *model;
  int32_t threads, longest;
  float *q, *k, *v, *o;
} growth;

/* After a failure, too, growth_close is to be called. */
int growth_open(growth *g, const growth_model *model, int32_t threads, int32_t longest,
                failure *why);
void growth_close(growth *g);

/* Runs one length for about `seconds`, and at least once after a first run that is not counted. */
int growth_measure(const growth *g, int32_t length, double seconds, growth_point *point,
                   failure *why);

/* The kernel set that computes it. */
int growth_kernel_set(const growth *g, char name[32], failure *why);

/* Floating-point operations, and bytes of K and V, of one call. */
double growth_flops(const growth_model *model, int32_t length);
double growth_bytes(const growth_model *model, int32_t length);

#endif
