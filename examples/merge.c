/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Four sequences begin with the same prompt, whose keys and values are stored once. Decoding takes two
 * calls with RAPT_PARTIAL, the prompt read once for all four queries, and a merge. At the end each
 * sequence goes through one call over a copy of all its keys: equal but for rounding. */
#include <math.h>

#include "example.h"

enum { SEQUENCES = 4, HEADS = 8, DIM = 64, PROMPT = 200, OWN = 30, ALL = PROMPT + OWN };
enum { ROW = DIM * 4, HEAD = 4 }; /* bytes of a row of q and o, of an m or l */

static float q[SEQUENCES][HEADS][DIM];
static float k_prompt[HEADS][PROMPT][DIM], v_prompt[HEADS][PROMPT][DIM];
static float k_own[SEQUENCES][HEADS][OWN][DIM], v_own[SEQUENCES][HEADS][OWN][DIM];
static float k_all[HEADS][ALL][DIM], v_all[HEADS][ALL][DIM];

/* What two calls leave: of the prompt, of the sequences' own keys. */
static float o[2][SEQUENCES][HEADS][DIM], m[2][SEQUENCES][HEADS], l[2][SEQUENCES][HEADS];
static float merged[SEQUENCES][HEADS][DIM], whole[HEADS][DIM];

/* As the prompt sees them, the four sequences are four queries of one sequence; strides say so. */
static int of_prompt(const rapt_attention_desc *desc, rapt_error *error) {
  rapt_attention_args args = {.size = sizeof args,
                              .batch = 1,
                              .q_len = SEQUENCES,
                              .kv_len = PROMPT,
                              .q = {q, {0, ROW, sizeof q[0]}},
                              .k = {k_prompt, {0, sizeof k_prompt[0], ROW}},
                              .v = {v_prompt, {0, sizeof v_prompt[0], ROW}},
                              .o = {o[0], {0, ROW, sizeof o[0][0]}},
                              .m = {m[0], {0, HEAD, sizeof m[0][0]}},
                              .l = {l[0], {0, HEAD, sizeof l[0][0]}}};
  return rapt_attention(desc, &args, NULL, error);
}

static int of_own_keys(const rapt_attention_desc *desc, rapt_error *error) {
  rapt_attention_args args = {.size = sizeof args,
                              .batch = SEQUENCES,
                              .q_len = 1,
                              .kv_len = OWN,
                              .q = {q, {sizeof q[0], ROW, 0}},
                              .k = {k_own, {sizeof k_own[0], sizeof k_own[0][0], ROW}},
                              .v = {v_own, {sizeof v_own[0], sizeof v_own[0][0], ROW}},
                              .o = {o[1], {sizeof o[1][0], ROW, 0}},
                              .m = {m[1], {sizeof m[1][0], HEAD, 0}},
                              .l = {l[1], {sizeof l[1][0], HEAD, 0}}};
  return rapt_attention(desc, &args, NULL, error);
}

static int merge(rapt_error *error) {
  rapt_merge_part part[2];
  memset(part, 0, sizeof part);
  for (int i = 0; i < 2; i++) {
    part[i].o = (rapt_const_tensor){o[i], {sizeof o[i][0], ROW, 0}};
    part[i].m = (rapt_const_tensor){m[i], {sizeof m[i][0], HEAD, 0}};
    part[i].l = (rapt_const_tensor){l[i], {sizeof l[i][0], HEAD, 0}};
  }
  rapt_merge_args args = {.size = sizeof args,
                          .batch = SEQUENCES,
                          .heads = HEADS,
                          .q_len = 1,
                          .head_dim = DIM,
                          .n = 2,
                          .partials = part,
                          .o = {merged, {sizeof merged[0], ROW, 0}}};
  return rapt_attention_merge(&args, NULL, error);
}

/* One call over all keys of a sequence, into `whole`. */
static int in_one(rapt_attention_desc desc, int s, rapt_error *error) {
  for (int h = 0; h < HEADS; h++) {
    memcpy(k_all[h], k_prompt[h], sizeof k_prompt[h]);
    memcpy(v_all[h], v_prompt[h], sizeof v_prompt[h]);
    memcpy(k_all[h][PROMPT], k_own[s][h], sizeof k_own[s][h]);
    memcpy(v_all[h][PROMPT], v_own[s][h], sizeof v_own[s][h]);
  }
  rapt_attention_args args = {.size = sizeof args,
                              .batch = 1,
                              .q_len = 1,
                              .kv_len = ALL,
                              .q = {q[s], {0, ROW, 0}},
                              .k = {k_all, {0, sizeof k_all[0], ROW}},
                              .v = {v_all, {0, sizeof v_all[0], ROW}},
                              .o = {whole, {0, ROW, 0}}};
  desc.flags = 0;
  return rapt_attention(&desc, &args, NULL, error);
}

int main(void) {
  rapt_attention_desc desc = {.size = sizeof desc,
                              .flags = RAPT_PARTIAL,
                              .heads_q = HEADS,
                              .heads_kv = HEADS,
                              .head_dim_qk = DIM,
                              .head_dim_v = DIM};
  rapt_error error = {.size = sizeof error};
  fill_noise(q[0][0], sizeof q / sizeof(float));
  fill_noise(k_prompt[0][0], sizeof k_prompt / sizeof(float));
  fill_noise(v_prompt[0][0], sizeof v_prompt / sizeof(float));
  fill_noise(k_own[0][0][0], sizeof k_own / sizeof(float));
  fill_noise(v_own[0][0][0], sizeof v_own / sizeof(float));

  if (of_prompt(&desc, &error) || of_own_keys(&desc, &error) || merge(&error))
    return failed(&error);

  float most = 0;
  for (int s = 0; s < SEQUENCES; s++) {
    if (in_one(desc, s, &error)) return failed(&error);
    for (int h = 0; h < HEADS; h++)
      for (int c = 0; c < DIM; c++) most = fmaxf(most, fabsf(merged[s][h][c] - whole[h][c]));
  }
  printf("%d sequences share a prompt of %d keys: merged within %.0e of one call each, %s\n",
         SEQUENCES, PROMPT, (double)most, most <= 1e-6f ? "ok" : "WRONG");
  return most <= 1e-6f ? 0 : 1;
}
