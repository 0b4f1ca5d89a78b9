/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Batch companions, shared heads and shared caches never show in the bits. */
#include "kernels/kernel_set.h"
#include "props.h"

/* One sequence alone, then among companions of other lengths, at each place in the batch. */
static void in_company(int32_t q_len, int32_t kv_len, int32_t companions, int causal) {
  enum { MOST = 64 };
  int32_t q_lens[MOST], kv_lens[MOST];
  rng r = rng_make(rapt_test_seed());
  const int32_t heads_q = 2, heads_kv = 1, d = 16, batch = companions + 1;
  problem alone = problem_make(heads_q, heads_kv, d, d, 1, q_len, kv_len);
  if (causal) props_causal(&alone, RAPT_ALIGN_BOTTOM_RIGHT);
  problem_build(&alone, &r);
  int32_t place = rng_below(&r, batch), most_q = q_len, most_kv = kv_len;
  for (int32_t b = 0; b < batch; b++) {
    q_lens[b] = b == place ? q_len : rng_below(&r, 50);
    kv_lens[b] = b == place ? kv_len : rng_below(&r, b % 5 ? 100 : smaller(3000, 200));
    if (q_lens[b] > most_q) most_q = q_lens[b];
    if (kv_lens[b] > most_kv) most_kv = kv_lens[b];
  }
  problem p = problem_make(heads_q, heads_kv, d, d, batch, most_q, most_kv);
  p.desc.flags = alone.desc.flags;
  p.desc.align = alone.desc.align;
  p.layout = LAYOUT_BSHD;
  p.args.q_lens = q_lens;
  p.args.kv_lens = kv_lens;
  problem_build(&p, &r);
  for (int32_t h = 0; h < heads_q; h++)
    for (int64_t i = 0; i < q_len; i++)
      memcpy(problem_writable(reference_q_row(&p.args, place, h, i)),
             reference_q_row(&alone.args, 0, h, i), (size_t)(4 * d));
  for (int64_t j = 0; j < kv_len; j++) {
    memcpy(problem_writable(reference_k_row(&p.args, place, 0, j)),
           reference_k_row(&alone.args, 0, 0, j), (size_t)(4 * d));
    memcpy(problem_writable(reference_v_row(&p.args, place, 0, j)),
           reference_v_row(&alone.args, 0, 0, j), (size_t)(4 * d));
  }
  char what[80];
  snprintf(what, sizeof what, "%d x %d with %d companions", q_len, kv_len, companions);
  FOR_EACH_ISA(isa) {
    if (!problem_run(&alone, isa, &serial_executor) || !problem_run(&p, isa, NULL)) break;
    for (int32_t h = 0; h < heads_q; h++)
      props_rows_equal(&alone, 0, h, 0, &p, place, h, 0, q_len, what);
  }
  problem_free(&alone);
  problem_free(&p);
}

RAPT_TEST(batch_company) {
  static const int32_t shapes[][2] = {{1, 1000}, {2, 4100}, {3, 500}, {40, 40}, {100, 333}};
  static const int32_t companions[] = {1, 7, 63};
  for (int s = 0; s < 5; s++)
    for (int c = 0; c < 3; c++)
      for (int causal = 0; causal < 2; causal++)
        if (!test_small() || (companions[c] < 8 && shapes[s][0] * shapes[s][1] < 2000))
          in_company(shapes[s][0], shapes[s][1], companions[c], causal);
}

/* GQA is the repetition of KV heads: Hq/Hkv heads reading one equal Hq heads reading copies. The rows
 * of a group share a panel, hence FORCE_LANES when the copies would take the row kernel. */
static void groups(int32_t heads_kv, int32_t group, int32_t q_len, uint32_t flags) {
  const int32_t heads = heads_kv * group, d = 12, n = 150;
  rng r = rng_make(rapt_test_seed());
  problem p = problem_make(heads, heads_kv, d, d, 1, q_len, n);
  if (flags & RAPT_CAUSAL) p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
  p.desc.flags = flags;
  problem_build(&p, &r);
  problem q = problem_make(heads, heads, d, d, 1, q_len, n);
  q.desc.flags = p.desc.flags;
  q.desc.align = p.desc.align;
  problem_build(&q, &r);
  for (int32_t h = 0; h < heads; h++) {
    for (int64_t i = 0; i < q_len; i++)
      memcpy(problem_writable(reference_q_row(&q.args, 0, h, i)), reference_q_row(&p.args, 0, h, i),
             (size_t)(4 * d));
    for (int64_t j = 0; j < n; j++) {
      memcpy(problem_writable(reference_k_row(&q.args, 0, h, j)),
             reference_k_row(&p.args, 0, h / group, j), (size_t)(4 * d));
      memcpy(problem_writable(reference_v_row(&q.args, 0, h, j)),
             reference_v_row(&p.args, 0, h / group, j), (size_t)(4 * d));
    }
  }
  char what[80];
  snprintf(what, sizeof what, "%d heads over %d, %d queries, flags %x", heads, heads_kv, q_len,
           (unsigned)flags);
  FOR_EACH_ISA(isa) {
    if (!problem_run(&p, isa, NULL) || !problem_run(&q, isa, NULL)) break;
    for (int32_t h = 0; h < heads; h++) props_rows_equal(&p, 0, h, 0, &q, 0, h, 0, q_len, what);
  }
  problem_free(&p);
  problem_free(&q);
}

RAPT_TEST(gqa_is_repetition) {
  enum { LEAST_OF_ROW_KERNELS = 4 }; /* every set takes so many rows */
  for (int32_t group = 2; group <= 9; group += group == 4 ? 4 : 1)
    for (int32_t q = 1; q <= 20; q += q < 6 ? 1 : 7)
      for (uint32_t causal = 0; causal <= RAPT_CAUSAL; causal++) {
        groups(2, group, q, causal | RAPT_FORCE_LANES);
        if (q > RAPT_MAX_ROWS || q * group <= LEAST_OF_ROW_KERNELS) groups(2, group, q, causal);
      }
}

/* A batch stride of 0 on K and V: the same bits as copies of the cache. */
RAPT_TEST(shared_cache) {
  static const int32_t rows[] = {1, 2, 4, 5, 33};
  for (int i = 0; i < 5; i++)
    for (int causal = 0; causal < 2; causal++) {
      rng r = rng_make(rapt_test_seed());
      problem p = problem_make(2, 1, 16, 24, 4, rows[i], 211);
      if (causal) props_causal(&p, RAPT_ALIGN_BOTTOM_RIGHT);
      problem q = p;
      p.kv_shared = 1;
      problem_build(&p, &r);
      problem_build(&q, &r);
      for (int32_t b = 0; b < 4; b++) {
        for (int32_t h = 0; h < 2; h++)
          memcpy(problem_writable(reference_q_row(&q.args, b, h, 0)),
                 reference_q_row(&p.args, b, h, 0), (size_t)(64 * rows[i]));
        memcpy(problem_writable(reference_k_row(&q.args, b, 0, 0)),
               reference_k_row(&p.args, b, 0, 0), 64 * 211);
        memcpy(problem_writable(reference_v_row(&q.args, b, 0, 0)),
               reference_v_row(&p.args, b, 0, 0), 96 * 211);
      }
      FOR_EACH_ISA(isa) {
        if (!problem_run(&p, isa, NULL) || !problem_run(&q, isa, NULL)) break;
        for (int32_t b = 0; b < 4; b++)
          for (int32_t h = 0; h < 2; h++)
            props_rows_equal(&p, b, h, 0, &q, b, h, 0, rows[i], "shared cache");
      }
      problem_free(&p);
      problem_free(&q);
    }
}

/* The layout, LSE on or off, and where the buffer lies never show in the bits of O. */
RAPT_TEST(layout_never_shows) {
  static const int32_t rows[] = {1, 3, 6, 21, 64};
  for (int i = 0; i < 5; i++)
    for (int layout = 0; layout < LAYOUTS; layout++) {
      rng r = rng_make(rapt_test_seed());
      problem p = problem_make(2, 2, 20, 12, 2, rows[i], rows[i]), q = p;
      problem_build(&p, &r);
      r = rng_make(rapt_test_seed());
      q.layout = (problem_layout)layout;
      q.place = GUARD_START;
      q.no_lse = layout % 2;
      problem_build(&q, &r);
      FOR_EACH_ISA(isa) {
        if (!problem_run(&p, isa, NULL) || !problem_run(&q, isa, NULL)) break;
        for (int32_t b = 0; b < 2; b++)
          for (int32_t h = 0; h < 2; h++)
            props_rows_equal(&p, b, h, 0, &q, b, h, 0, rows[i], problem_layout_names[layout]);
      }
      problem_free(&p);
      problem_free(&q);
    }
}

/* The same call twice. */
RAPT_TEST(run_to_run) {
  for (int32_t rows = 1; rows < 100; rows = rows * 2 + 1) {
    rng r = rng_make(rapt_test_seed());
    problem p = problem_make(3, 3, 24, 24, 2, rows, 555);
    problem_build(&p, &r);
    FOR_EACH_ISA(isa) {
      size_t n;
      if (!problem_run(&p, isa, NULL)) break;
      float *first = problem_gather(&p, &n);
      for (int again = 0; again < 5; again++) {
        if (!problem_run(&p, isa, NULL)) break;
        float *x = problem_gather(&p, &n);
        CHECK_BITS(x, first, n, "%s run %d of %d rows", isa, again + 2, rows);
        free(x);
      }
      free(first);
    }
    problem_free(&p);
  }
}
