/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Angles of a position, and how far rows are turned. */
#include <math.h>

#include "rope.h"

void rapt_rope_angles(const rapt_rope *rope, int32_t position, float *cosines, float *sines) {
  const double p = position;
  for (int32_t i = 0; i < rope->pairs; i++) {
    const double angle = p * rope->inv_freq[i];
    cosines[i] = (float)cos(angle);
    sines[i] = (float)sin(angle);
  }
}

rapt_rotation rapt_rope_rotation(const rapt_rope *rope, uint32_t flags) {
  const double factor = flags & RAPT_ROPE_SHIFT     ? 1.0
                        : flags & RAPT_ROPE_INVERSE ? 1.0 / rope->attention_factor
                                                    : rope->attention_factor;
  rapt_rotation by = {
      .pairs = rope->pairs, .rest = rope->head_dim - 2 * rope->pairs, .factor = (float)factor};
  by.sine = flags & RAPT_ROPE_INVERSE ? -by.factor : by.factor;
  return by;
}
