/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Ends of the number ranges: the longest sequence, an infinite scale. */
#include <math.h>
#include <rapt/rapt.h>

#include "problem.h"

enum { DIM = 15, MOST_ROWS = 7 };

typedef struct limits_case {
  float q[MOST_ROWS][DIM], kv[DIM], o[MOST_ROWS][DIM], lse[MOST_ROWS];
} limits_case;

/* All keys are one row; `rows` queries of one head on the best level. */
static rapt_status run(limits_case *c, rapt_attention_desc desc, int32_t rows, int32_t kv_len) {
  rapt_attention_args args = {.size = sizeof args, .batch = 1, .q_len = rows, .kv_len = kv_len};
  desc.size = sizeof desc;
  desc.heads_q = desc.heads_kv = 1;
  desc.head_dim_qk = desc.head_dim_v = DIM;
  args.q = (rapt_const_tensor){c->q, {sizeof c->q, sizeof c->q, sizeof c->q[0]}};
  args.k = args.v = (rapt_const_tensor){c->kv, {0, 0, 0}};
  args.o = (rapt_tensor){c->o, {sizeof c->o, sizeof c->o, sizeof c->o[0]}};
  args.lse = (rapt_tensor){c->lse, {sizeof c->lse, sizeof c->lse, sizeof(float)}};
  rapt_error error = {.size = sizeof error};
  rapt_status status = rapt_attention(&desc, &args, NULL, &error);
  CHECK(status == RAPT_OK, "%s %s", error.field, error.message);
  return status;
}

static void check_rows(const limits_case *c, int32_t rows, float o, double lse, const char *what) {
  for (int32_t i = 0; i < rows; i++) {
    CHECK(fabsf(c->o[i][DIM - 1] - o) <= 1e-6f, "%s: row %d of %d: O %g", what, i, rows,
          (double)c->o[i][DIM - 1]);
    CHECK(isinf(lse) ? (double)c->lse[i] == lse : fabs((double)c->lse[i] - lse) <= 1e-5,
          "%s: row %d of %d: LSE %g, should be %g", what, i, rows, (double)c->lse[i], lse);
  }
}

/* The last key blocks end at INT32_MAX: counting on from there must not wrap. */
RAPT_TEST(limits_longest_sequence) {
  static const int32_t below[] = {0, 1, 20, 31, 200};
  rapt_attention_desc desc = {.flags = RAPT_CAUSAL | RAPT_WINDOW_LEFT,
                              .align = RAPT_ALIGN_BOTTOM_RIGHT,
                              .window_left = 100};
  for (int32_t rows = 1; rows <= MOST_ROWS; rows += MOST_ROWS - 1)
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
      limits_case c = {.kv = {[DIM - 1] = 2}};
      if (run(&c, desc, rows, INT32_MAX - below[i])) return;
      check_rows(&c, rows, 2, log(101), "INT32_MAX keys");
    }
}

/* Every score is -inf: an empty row, also where the head_dim leaves lanes unused. */
RAPT_TEST(limits_infinite_scale) {
  rapt_attention_desc desc = {.flags = RAPT_SCALE_LITERAL, .scale = INFINITY};
  for (int32_t rows = 1; rows <= MOST_ROWS; rows += MOST_ROWS - 1) {
    limits_case c;
    for (int32_t d = 0; d < DIM; d++) c.kv[d] = 1;
    for (int32_t i = 0; i < MOST_ROWS * DIM; i++) c.q[i / DIM][i % DIM] = -1;
    if (run(&c, desc, rows, 5)) return;
    check_rows(&c, rows, 0, -INFINITY, "infinite scale");
  }
}
