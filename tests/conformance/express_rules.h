/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Masks, softcap, score functions and score outputs of a stored case. */
#ifndef RAPT_TESTS_CONFORMANCE_EXPRESS_RULES_H
#define RAPT_TESTS_CONFORMANCE_EXPRESS_RULES_H

#include "express.h"

/* NULL, or why the case's score function cannot be said. */
const char *express_score_function(const data_case *c);

/* Before the problem is built: what is said by the description and flags. */
void express_rules(const data_case *c, problem *p);

/* Before, too: a padding mask given as lengths. */
void express_padding(const data_case *c, express_call *call);

/* After: the mask (attn_mask or attention_bias of any rank, a padding mask of keys, or a constant score
 * function), slopes. */
void express_mask(const data_case *c, problem *p);

#endif
