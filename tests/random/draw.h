/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Draws any legal combination of everything a call can ask for. */
#ifndef RAPT_TESTS_RANDOM_DRAW_H
#define RAPT_TESTS_RANDOM_DRAW_H

#include "attention/rule_case.h"

/* Most rows (queries times heads of a group) and keys of usual cases; one in 40 is larger. */
rule_case draw_case(rng *r, int32_t most_queries, int32_t most_keys);

#endif
