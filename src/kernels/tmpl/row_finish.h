/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * join and finish of the row kernel. Scalars ride in whole vectors: few rows, no second formula. */

static void row_join(int32_t n_rows, float *m, float *l, float *o, const float *m2, const float *l2,
                     const float *o2, int32_t head_dim) {
  const int32_t stride = row_stride(head_dim);
  for (int32_t r = 0; r < n_rows; r++) {
    vf w1, w2;
    vf joint = vf_join_weights(vf_set1(m[r]), vf_set1(m2[r]), &w1, &w2);
    vf_store_first(m + r, 1, joint);
    vf_store_first(l + r, 1, vf_fma(vf_set1(l2[r]), w2, vf_mul(vf_set1(l[r]), w1)));
    for (int32_t d = r * stride; d < r * stride + head_dim; d += RAPT_VL)
      vf_store(o + d, vf_fma(vf_load(o2 + d), w2, vf_mul(vf_load(o + d), w1)));
  }
}

static void row_finish(const float *m, const float *l, const float *o, int32_t head_dim,
                       int32_t n_rows, float *const *rows, float *lse) {
  const int32_t stride = row_stride(head_dim);
  for (int32_t r = 0; r < n_rows; r++) {
    vf max = vf_set1(m[r]), sum = vf_set1(l[r]);
    vm empty = vm_empty(max, sum);
    vf inverse = vf_div(vf_set1(1.0f), sum);
    if (lse) vf_store_first(lse + r, 1, vf_lse(max, sum));
    for (int32_t d = 0; d < head_dim; d += RAPT_VL) {
      vf x = vf_select(empty, vf_zero(), vf_mul(inverse, vf_load(o + r * stride + d)));
      x = vf_add(x, vf_zero()); /* -0 to +0 */
      if (d + RAPT_VL <= head_dim)
        vf_storeu(rows[r] + d, x);
      else
        vf_store_first(rows[r] + d, head_dim - d, x);
    }
  }
}
