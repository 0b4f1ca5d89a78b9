/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * softmax of the row kernel: maximum and exponentials. The sum is taken with O (row_accumulate.h). */

/* Scores of keys n.. of row r with -inf where forbidden or past the end. */
RAPT_INLINE vf row_permitted(const rapt_block *b, int32_t r, int32_t n, const float *s) {
  vf x = vf_load(s + n);
  const vf forbidden = vf_set1(RAPT_NEG_INFINITY);
  if (n < b->full_begin || n + RAPT_VL > b->full_end) {
    if (b->permit) x = vf_select(vm_bit_of_words(b->permit + n, r), x, forbidden);
    if (n + RAPT_VL > b->keys) x = vf_select(vm_first(b->keys - n), x, forbidden);
  }
  return x;
}

RAPT_INLINE void row_softmax_in(const int NATURAL, const rapt_block *block, int32_t n_rows,
                                float *s, float *m, float *alpha) {
  for (int32_t r = 0; r < n_rows; r++) {
    float *row = s + r * ROW_BLOCK;
    vf mx = vf_set1(m[r]);
    for (int32_t n = 0; n < block->keys; n += RAPT_VL) {
      vf x = row_permitted(block, r, n, row);
      vf_store(row + n, x);
      mx = vf_max(mx, x);
    }
    vf m_new = vf_set1(vf_largest(mx)), base = vf_finite_max(m_new);
    float out[RAPT_VL];
    vf_storeu(out, vf_exp_of(NATURAL, vf_sub(vf_set1(m[r]), base)));
    alpha[r] = out[0];
    vf_storeu(out, m_new);
    m[r] = out[0];
    for (int32_t n = 0; n < block->keys; n += RAPT_VL)
      vf_store(row + n, vf_exp_of(NATURAL, vf_sub(vf_load(row + n), base)));
  }
}

static void row_softmax(const rapt_block *block, int32_t n_rows, int32_t natural, float *s,
                        float *m, float *alpha) {
  if (natural)
    row_softmax_in(1, block, n_rows, s, m, alpha);
  else
    row_softmax_in(0, block, n_rows, s, m, alpha);
}
