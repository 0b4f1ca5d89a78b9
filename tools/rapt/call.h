/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One call of the library: from a request to O, LSE and weights. */
#ifndef RAPT_TOOL_CALL_H
#define RAPT_TOOL_CALL_H

#include <rapt/rapt.h>

#include "mask.h"
#include "request.h"
#include "tensors.h"

typedef struct call {
  tensor q, k, v, o;
  mask_array mask;
  float *sinks, *slopes;    /* [head], or NULL */
  int32_t *prefix_lens;     /* [batch], or NULL */
  float *lse;               /* [batch][head][token], or NULL */
  float *weights;           /* [batch][head][row][key], or NULL */
  float *key_sums;          /* [batch][head][key], or NULL */
  rapt_attention_desc desc; /* these point into the call: it stays where it is */
  rapt_attention_args args;
  rapt_scores_out scores;
  rapt_plan_info info;
  rapt_executor executor;
  double seconds; /* of the quickest run */
  int32_t runs;
} call;

/* Loads the files and describes the call; after a failure, too, call_free is to be called. */
int call_make(call *c, const request *r, failure *why);

/* Memory for what the request wants written or checked. */
int call_make_outputs(call *c, const request *r, failure *why);

/* The rules of the scores: part of call_make, once the tensors are there. */
int call_rules(call *c, const request *r, failure *why);

/* Runs once or, if that was quick, up to ten times. */
int call_run(call *c, failure *why);

void call_free(call *c);

/* The kernel set the call takes: decode with up to rapt_plan_info.decode_rows rows per KV head. */
const char *call_kernel_set(const call *c);

#endif
