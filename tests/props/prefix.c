/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A prompt computed in one go, as a shorter prompt, and in chunks gives the same bits: a row depends
 * on its own query, its own keys and their positions only. */
#include "kernels/kernel_set.h"
#include "props.h"

typedef struct model {
  int32_t heads_q, heads_kv, dqk, dv;
  uint32_t flags;
  int32_t left;
} model;

static const model models[] = {
    {1, 1, 64, 64, 0, 0},
    {1, 1, 9, 17, RAPT_WINDOW_LEFT, 37},
    {4, 2, 16, 16, 0, 0},
};

enum { MODELS = sizeof models / sizeof *models };

static problem prompt(const model *m, uint32_t flags, int32_t align, int32_t q_len,
                      int32_t kv_len) {
  problem p = problem_make(m->heads_q, m->heads_kv, m->dqk, m->dv, 1, q_len, kv_len);
  props_causal(&p, align);
  p.desc.flags |= m->flags | flags;
  p.desc.window_left = m->left;
  return p;
}

/* A second view of the same inputs with outputs of its own: rows from .. from+q_len-1 of the prompt. */
static problem chunk_of(const problem *whole, int32_t align, int32_t from, int32_t q_len,
                        int32_t kv_len, rng *r) {
  problem p = problem_make(whole->desc.heads_q, whole->desc.heads_kv, whole->desc.head_dim_qk,
                           whole->desc.head_dim_v, 1, q_len, kv_len);
  p.desc = whole->desc;
  p.desc.align = align;
  problem_build(&p, r);
  for (int32_t h = 0; h < p.desc.heads_q; h++)
    for (int64_t i = 0; i < q_len; i++)
      memcpy(problem_writable(reference_q_row(&p.args, 0, h, i)),
             reference_q_row(&whole->args, 0, h, from + i), 4 * (size_t)p.desc.head_dim_qk);
  for (int32_t h = 0; h < p.desc.heads_kv; h++)
    for (int64_t j = 0; j < kv_len; j++) {
      memcpy(problem_writable(reference_k_row(&p.args, 0, h, j)),
             reference_k_row(&whole->args, 0, h, j), 4 * (size_t)p.desc.head_dim_qk);
      memcpy(problem_writable(reference_v_row(&p.args, 0, h, j)),
             reference_v_row(&whole->args, 0, h, j), 4 * (size_t)p.desc.head_dim_v);
    }
  return p;
}

/* Most rows that the row kernel takes, or 0 after a failed check. */
static int32_t most_rows(const char *isa, const problem *p) {
  rapt_attention_desc desc = p->desc;
  rapt_plan_info info = {.size = sizeof info};
  rapt_error error = {.size = sizeof error};
  desc.isa = isa;
  rapt_status status = rapt_plan_check(&desc, &info, &error);
  CHECK(status == RAPT_OK && info.decode_rows >= 1 && info.decode_rows <= RAPT_MAX_ROWS,
        "%s: %s, %d rows", isa, error.message, info.decode_rows);
  return status == RAPT_OK ? info.decode_rows : 0;
}

/* Prompts of every length n in [first, last] against the rows of the prompt of `last`. `first` 0: from
 * the first length that is too long for the level's row kernel. */
static void every_prefix(const model *m, uint32_t flags, int32_t first, int32_t last,
                         int32_t step) {
  rng r = rng_make(rapt_test_seed());
  problem whole = prompt(m, flags, RAPT_ALIGN_TOP_LEFT, last, last);
  problem_build(&whole, &r);
  FOR_EACH_ISA(isa) {
    if (!problem_run(&whole, isa, NULL)) break;
    int32_t n = first ? first : most_rows(isa, &whole) / (m->heads_q / m->heads_kv) + 1;
    for (; n < last && !rapt_test_failed(); n += step) {
      problem p = chunk_of(&whole, RAPT_ALIGN_TOP_LEFT, 0, n, n, &r);
      char what[60];
      snprintf(what, sizeof what, "%s prefix %d of %d", isa, n, last);
      if (problem_run(&p, isa, &serial_executor))
        for (int32_t h = 0; h < m->heads_q; h++)
          props_rows_equal(&p, 0, h, 0, &whole, 0, h, 0, n, what);
      problem_free(&p);
    }
  }
  problem_free(&whole);
}

RAPT_TEST(prefix_every_length) {
  for (int m = 0; m < MODELS; m++)
    every_prefix(&models[m], 0, 0, smaller(300, 30), test_small() ? 5 : 1 + m);
}

RAPT_TEST(prefix_every_length_force_lanes) {
  for (int m = 0; m < MODELS; m++)
    every_prefix(&models[m], RAPT_FORCE_LANES, 1, smaller(200, 30), test_small() ? 5 : 1 + m);
}

RAPT_TEST(prefix_over_splits) {
  if (test_small()) SKIP("too large for an emulator");
  static const model small = {1, 1, 4, 4, 0, 0};
  every_prefix(&small, 0, 1990, 2200, 19);
  every_prefix(&small, 0, 3990, 4100, 45);
}

/* The prompt cut into chunks, each run with the keys up to its end and the offset of its first query
 * (OFFSET), or the same by BOTTOM_RIGHT. */
static void chunked(const model *m, uint32_t flags, int32_t n, const int32_t *cuts, int n_cuts) {
  rng r = rng_make(rapt_test_seed());
  problem whole = prompt(m, flags, RAPT_ALIGN_TOP_LEFT, n, n);
  problem_build(&whole, &r);
  FOR_EACH_ISA(isa) {
    if (!problem_run(&whole, isa, NULL)) break;
    for (int c = 0; c <= n_cuts; c++)
      for (int by_offset = 0; by_offset < 2; by_offset++) {
        int32_t from = c ? cuts[c - 1] : 0, to = c < n_cuts ? cuts[c] : n;
        problem p = chunk_of(&whole, by_offset ? RAPT_ALIGN_OFFSET : RAPT_ALIGN_BOTTOM_RIGHT, from,
                             to - from, by_offset && c % 2 ? n : to, &r);
        if (by_offset) p.args.q_positions = &from;
        char what[80];
        snprintf(what, sizeof what, "%s chunk %d..%d of %d by %s", isa, from, to, n,
                 by_offset ? "offset" : "alignment");
        if (problem_run(&p, isa, &serial_executor))
          for (int32_t h = 0; h < m->heads_q; h++)
            props_rows_equal(&p, 0, h, 0, &whole, 0, h, from, to - from, what);
        problem_free(&p);
      }
  }
  problem_free(&whole);
}

RAPT_TEST(chunks_beyond_the_row_kernel) {
  static const int32_t cuts[] = {13, 26, 39, 53, 69, 82, 98, 130, 163, 200, 230};
  for (int m = 0; m < MODELS; m++) chunked(&models[m], 0, 300, cuts, test_small() ? 4 : 11);
}

RAPT_TEST(chunks_of_any_size_force_lanes) {
  static const int32_t cuts[] = {1, 2, 4, 7, 11, 12, 20, 50, 51, 140, 145};
  for (int m = 0; m < MODELS; m++) chunked(&models[m], RAPT_FORCE_LANES, 150, cuts, 11);
}

/* Single tokens, one after the other, against the prompt, on the path of lanes; and on the path of
 * rows a token equals itself among others. */
RAPT_TEST(token_by_token) {
  const int32_t n = smaller(110, 24);
  for (int m = 0; m < MODELS; m++) {
    int32_t cuts[256];
    for (int32_t i = 1; i < n; i++) cuts[i - 1] = i;
    chunked(&models[m], RAPT_FORCE_LANES, n, cuts, n - 1);
  }
}

RAPT_TEST(rows_alone_or_together) {
  static const model plain = {1, 1, 40, 24, 0, 0};
  rng r = rng_make(rapt_test_seed());
  for (int32_t keys = 13; keys < 2300; keys = keys * 3 + 1)
    for (int32_t n = 2; n <= RAPT_MAX_ROWS; n += n < 5 ? 1 : 3) {
      problem whole = prompt(&plain, 0, RAPT_ALIGN_BOTTOM_RIGHT, n, keys);
      problem_build(&whole, &r);
      FOR_EACH_ISA(isa) {
        if (!problem_run(&whole, isa, NULL)) break;
        if (n > most_rows(isa, &whole)) continue;
        for (int32_t i = 0; i < n; i++) {
          problem p = chunk_of(&whole, RAPT_ALIGN_BOTTOM_RIGHT, i, 1, keys - n + 1 + i, &r);
          char what[60];
          snprintf(what, sizeof what, "%s row %d of %d, %d keys", isa, i, n, keys);
          if (problem_run(&p, isa, &serial_executor))
            props_rows_equal(&p, 0, 0, 0, &whole, 0, 0, i, 1, what);
          problem_free(&p);
        }
      }
      problem_free(&whole);
    }
}
