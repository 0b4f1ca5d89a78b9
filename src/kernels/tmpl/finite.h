/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Are rows [from, to) of a tensor finite? x * 0 is 0 for finite x and NaN otherwise. Where the FMA
 * takes no mask, this decides whether p = 0 is enough to keep a forbidden V out. */
#ifndef RAPT_TMPL_FINITE_H
#define RAPT_TMPL_FINITE_H

static int32_t rapt_rows_finite(const char *v, int64_t stride, int32_t from, int32_t to,
                                int32_t head_dim) {
  vf zero[4] = {vf_zero(), vf_zero(), vf_zero(), vf_zero()}; /* four chains hide the latency */
  for (int32_t n = from; n < to; n++) {
    const float *row = (const float *)(const void *)(v + n * stride);
    int32_t i = 0;
    for (; i + 4 * RAPT_VL <= head_dim; i += 4 * RAPT_VL) {
      RAPT_UNROLL
      for (int u = 0; u < 4; u++)
        zero[u] = vf_fma(vf_loadu(row + i + u * RAPT_VL), vf_zero(), zero[u]);
    }
    for (; i + RAPT_VL <= head_dim; i += RAPT_VL)
      zero[0] = vf_fma(vf_loadu(row + i), vf_zero(), zero[0]);
    if (i < head_dim) zero[1] = vf_fma(vf_load_first(row + i, head_dim - i), vf_zero(), zero[1]);
  }
  float sum = vf_sum(vf_add(vf_add(zero[0], zero[1]), vf_add(zero[2], zero[3])));
  return sum == sum;
}

static int32_t set_finite(const char *v, int64_t stride, int32_t keys, int32_t head_dim) {
  return rapt_rows_finite(v, stride, 0, keys, head_dim) ? 1 : -1;
}

#endif
