/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The smallest whole program: one query looks at three keys. */
#include <rapt/rapt.h>
#include <stdio.h>

int main(void) {
  float q[1][3] = {{1, 0, 1}};
  float k[3][3] = {{1, 0, 4}, {0, 1, 2}, {1, 1, 0}};
  float v[3][2] = {{10, 0}, {0, 10}, {5, 5}};
  float o[1][2];

  rapt_attention_desc desc = {
      .size = sizeof desc, .heads_q = 1, .heads_kv = 1, .head_dim_qk = 3, .head_dim_v = 2};
  rapt_attention_args args = {
      .size = sizeof args,
      .batch = 1,
      .q_len = 1,
      .kv_len = 3,
      /* data; bytes from batch to batch, from head to head, from token to token */
      .q = {q, {sizeof q, sizeof q, sizeof q[0]}},
      .k = {k, {sizeof k, sizeof k, sizeof k[0]}},
      .v = {v, {sizeof v, sizeof v, sizeof v[0]}},
      .o = {o, {sizeof o, sizeof o, sizeof o[0]}}};
  rapt_error error = {.size = sizeof error};

  if (rapt_attention(&desc, &args, NULL, &error) != RAPT_OK) {
    fprintf(stderr, "%s %s\n", error.field, error.message);
    return 1;
  }
  printf("%.3f %.3f\n", o[0][0], o[0][1]); /* 8.225 1.775 */
  return 0;
}
