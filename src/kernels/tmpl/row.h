/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The row kernel of a set, and what there is once per set (masks, softcap, the exponential): include after the vocabulary with
 *   ROW_BLOCK      most keys per block (the engine takes fewer for large head dims)
 *   ROW_MOST       most rows
 *   ROW_KEYS_FOR(R)  keys in work at once for R rows of a group: 1, 2 or 4
 *   ROW_VECTORS    most vectors of V in work at once; ROW_VECTORS_FOR(R) for R rows */
enum { ROW_GROUP = 4 }; /* rows in registers at once */

#include "row_fetch.h"
#include "row_scores.h"
#include "row_rules.h"
#include "row_softmax.h"
#include "row_accumulate.h"
#include "row_finish.h"

#include "masks.h"
#include "softcap.h"

static void set_exp2(const float *x, float *out, int32_t n) {
  for (int32_t i = 0; i < n; i += RAPT_VL) {
    int32_t left = n - i < RAPT_VL ? n - i : RAPT_VL;
    vf_store_first(out + i, left, vf_exp2(vf_load_first(x + i, left)));
  }
}
