/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Frequencies of rotary positions under each scaling rule. i counts pairs, r is rotary_dims. */
#include <math.h>

#include "rope.h"

static const double two_pi = 6.283185307179586476925;

static double limit(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

/* The pair that makes `turns` full turns in the original context, as a real number:
 * L * base^(-2i/r) / (2 pi) = turns, solved for i. */
static double pair_of_turns(const rapt_rope_desc *d, double turns) {
  return d->rotary_dims * log(d->original_context / (turns * two_pi)) / (2.0 * log(d->base));
}

static void scale_yarn(const rapt_rope_desc *d, double *inv_freq) {
  double low = pair_of_turns(d, d->beta_fast), high = pair_of_turns(d, d->beta_slow);
  if (!(d->flags & RAPT_ROPE_YARN_EXACT)) {
    low = floor(low);
    high = ceil(high);
  }
  /* r - 1, not r/2 - 1: so the authors do it, and models are trained with it. A ramp that lies wholly
   * before or behind the pairs is left there: cut to their range it would run backwards. */
  if (high > 0.0 && low <= d->rotary_dims - 1.0) {
    low = fmax(low, 0.0);
    high = fmin(high, d->rotary_dims - 1.0);
  }
  if (low == high) high += 0.001; /* a step, as theirs is */
  for (int32_t i = 0; i < d->rotary_dims / 2; i++) {
    double ramp = limit((i - low) / (high - low), 0.0, 1.0);
    inv_freq[i] = inv_freq[i] / d->factor * ramp + inv_freq[i] * (1.0 - ramp);
  }
}

static void scale_llama3(const rapt_rope_desc *d, double *inv_freq) {
  for (int32_t i = 0; i < d->rotary_dims / 2; i++) {
    double turns = d->original_context * inv_freq[i] / two_pi;
    double keep = (turns - d->low_freq_factor) / (d->high_freq_factor - d->low_freq_factor);
    keep = limit(keep, 0.0, 1.0);
    inv_freq[i] = inv_freq[i] / d->factor * (1.0 - keep) + inv_freq[i] * keep;
  }
}

void rapt_rope_scale(const rapt_rope_desc *desc, double *inv_freq, double *attention_factor) {
  const int32_t r = desc->rotary_dims;
  double base = desc->base;
  /* With one pair its frequency is 1 whatever the base. */
  if (desc->scaling == RAPT_ROPE_NTK && r > 2) base *= pow(desc->factor, r / (r - 2.0));
  for (int32_t i = 0; i < r / 2; i++)
    inv_freq[i] = desc->scaling == RAPT_ROPE_GIVEN    ? desc->inv_freq[i]
                  : desc->scaling == RAPT_ROPE_LINEAR ? pow(base, -2.0 * i / r) / desc->factor
                                                      : pow(base, -2.0 * i / r);
  if (desc->scaling == RAPT_ROPE_YARN) scale_yarn(desc, inv_freq);
  if (desc->scaling == RAPT_ROPE_LLAMA3) scale_llama3(desc, inv_freq);
  *attention_factor = desc->attention_factor;
  if (*attention_factor == 0.0)
    *attention_factor = desc->scaling == RAPT_ROPE_YARN && desc->factor > 1.0
                            ? 0.1 * log(desc->factor) + 1.0
                            : 1.0;
}
