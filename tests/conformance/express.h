/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a stored case of an attention operator to a call of this library. */
#ifndef RAPT_TESTS_CONFORMANCE_EXPRESS_H
#define RAPT_TESTS_CONFORMANCE_EXPRESS_H

#include "attention/problem.h"
#include "data.h"

enum { EXPRESS_MAX_BATCH = 64 };

/* Where (batch, head, token) lies in a stored array. */
typedef enum stored_order {
  STORED_BHSD,
  STORED_BSHD,  /* also the flat B, S, H*D */
  STORED_TOKENS /* T, H*D: sequences one after the other */
} stored_order;

typedef struct express_call {
  problem p; /* built; the arrays below belong to its args */
  stored_order y;
  int32_t kv_lens[EXPRESS_MAX_BATCH], offsets[EXPRESS_MAX_BATCH + 1];
  int32_t positions[EXPRESS_MAX_BATCH];
} express_call;

/* NULL and a built problem, or the reason why this version cannot say it. */
const char *express(const data_case *c, express_call *call);

/* Index of row (b, h, i) of an array stored in `order`. */
size_t express_row(const problem *p, stored_order order, int32_t heads, int32_t tokens, int32_t b,
                   int32_t h, int64_t i);

#endif
