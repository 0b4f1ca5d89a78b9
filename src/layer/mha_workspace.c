/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Queries, head outputs and, without a cache, keys and values live in the caller's scratch between the
 * three steps of the layer. */
#include "mha.h"

/* Moves *end behind `rows` rows of `row` bytes, to the next multiple of 64. */
static int take(int64_t *end, int64_t rows, int64_t row, int64_t *at) {
  int64_t bytes;
  *at = *end;
  if (__builtin_mul_overflow(rows, row, &bytes) || bytes > INT64_MAX / 8 - *end) return -1;
  *end += (bytes + 63) / 64 * 64;
  return 0;
}

int rapt_mha_layout_for(const rapt_mha *mha, const rapt_mha_extent *extent,
                        rapt_mha_layout *layout) {
  const int64_t element = (int64_t)sizeof(float);
  int64_t o_row = mha->o.data ? mha->o.in * element : 0;
  int64_t end = 0;
  if (take(&end, extent->batch, (int64_t)sizeof(int32_t), &layout->kv_lens) ||
      take(&end, extent->q_tokens, mha->q.out * element, &layout->q) ||
      take(&end, extent->new_tokens, mha->k.out * element, &layout->k) ||
      take(&end, extent->new_tokens, mha->v.out * element, &layout->v) ||
      take(&end, extent->q_tokens, o_row, &layout->o))
    return -1;
  layout->attention = end;
  return 0;
}
