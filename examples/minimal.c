/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The smallest whole program: one query looks at three keys. */
#include <rapt/rapt.h>
#include <stdio.h>

int main(void) {
  float query[1][3] = {{1, 0, 1}};
  float keys[3][3] = {{1, 0, 4}, {0, 1, 2}, {1, 1, 0}};
  float values[3][2] = {{10, 0}, {0, 10}, {5, 5}};
  float output[1][2];

  /* Data; bytes from batch to batch, from head to head, from token to token. */
  rapt_const_tensor q = {query, {sizeof query, sizeof query, sizeof query[0]}};
  rapt_const_tensor k = {keys, {sizeof keys, sizeof keys, sizeof keys[0]}};
  rapt_const_tensor v = {values, {sizeof values, sizeof values, sizeof values[0]}};
  rapt_tensor o = {output, {sizeof output, sizeof output, sizeof output[0]}};
  rapt_error error = {.size = sizeof error};

  rapt_attention_desc desc = {
      .size = sizeof desc, .heads_q = 1, .heads_kv = 1, .head_dim_qk = 3, .head_dim_v = 2};
  rapt_attention_args args = {
      .size = sizeof args, .batch = 1, .q_len = 1, .kv_len = 3, .q = q, .k = k, .v = v, .o = o};
  rapt_status status = rapt_attention(&desc, &args, NULL, &error);

  if (status != RAPT_OK) {
    fprintf(stderr, "%s %s\n", error.field, error.message);
    return 1;
  }
  printf("%.3f %.3f\n", output[0][0], output[0][1]); /* 8.225 1.775 */
  return 0;
}
