/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * join, finish and copy_out of the row kernel. Scalars ride in whole vectors: few rows, no second
 * formula. */

static void row_join(int32_t n_rows, int32_t natural, float *m, float *l, float *o, const float *m2,
                     const float *l2, const float *o2, int32_t head_dim) {
  const int32_t stride = row_stride(head_dim);
  for (int32_t r = 0; r < n_rows; r++) {
    vf w1, w2;
    vf joint = vf_join_weights(natural, vf_set1(m[r]), vf_set1(m2[r]), &w1, &w2);
    vf_store_first(m + r, 1, joint);
    vf_store_first(l + r, 1, vf_fma(vf_set1(l2[r]), w2, vf_mul(vf_set1(l[r]), w1)));
    for (int32_t d = r * stride; d < r * stride + head_dim; d += RAPT_VL)
      vf_store(o + d, vf_fma(vf_load(o2 + d), w2, vf_mul(vf_load(o + d), w1)));
  }
}

/* One row times factor. */
RAPT_INLINE void row_finish_one(const float *o, int32_t head_dim, vf factor, vm empty, float *row) {
  for (int32_t d = 0; d < head_dim; d += RAPT_VL) {
    vf x = vf_select(empty, vf_zero(), vf_mul(factor, vf_load(o + d)));
    x = vf_add(x, vf_zero()); /* -0 to +0 */
    if (d + RAPT_VL <= head_dim)
      vf_storeu(row + d, x);
    else
      vf_store_first(row + d, head_dim - d, x);
  }
}

static void row_finish(int32_t natural, const float *m, const float *l, const float *o,
                       const float *sink, int32_t head_dim, int32_t n_rows, float *const *rows,
                       float *lse) {
  const int32_t stride = row_stride(head_dim);
  for (int32_t r = 0; r < n_rows; r++) {
    vf max = vf_set1(m[r]), sum = vf_set1(l[r]), factor, log;
    if (sink) {
      factor = vf_sink(natural, max, sum, vf_set1(sink[r]), &log);
    } else {
      factor = vf_div(vf_set1(1.0f), sum);
      log = lse ? vf_lse(natural, max, sum) : max;
    }
    if (lse) vf_store_first(lse + r, 1, log);
    row_finish_one(o + r * stride, head_dim, factor, vm_empty(max, sum), rows[r]);
  }
}

static void row_copy_out(const float *m, const float *l, const float *o, int32_t head_dim,
                         int32_t n_rows, float *const *rows) {
  const int32_t stride = row_stride(head_dim);
  for (int32_t r = 0; r < n_rows; r++)
    row_finish_one(o + r * stride, head_dim, vf_set1(1.0f), vm_empty(vf_set1(m[r]), vf_set1(l[r])),
                   rows[r]);
}
