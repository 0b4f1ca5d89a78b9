/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One call of the library: from a request to O and LSE. */
#ifndef RAPT_TOOL_CALL_H
#define RAPT_TOOL_CALL_H

#include <rapt/rapt.h>

#include "request.h"
#include "tensors.h"

typedef struct call {
  tensor q, k, v, o;
  float *lse; /* [batch][head][token], or NULL */
  rapt_attention_desc desc;
  rapt_attention_args args;
  rapt_plan_info info;
  rapt_executor executor;
  double seconds; /* of the quickest run */
  int32_t runs;
} call;

/* Loads the files and describes the call; after a failure, too, call_free is to be called. */
int call_make(call *c, const request *r, failure *why);

/* Runs once or, if that was quick, up to ten times. */
int call_run(call *c, failure *why);

void call_free(call *c);

/* The kernel set the call takes: decode with up to rapt_plan_info.decode_rows rows per KV head. */
const char *call_kernel_set(const call *c);

#endif
