/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * With BLAS a layer is made, without (-DRAPT_BLAS=OFF) it is refused, and rapt_get_blas_info knows. */
#include <string.h>

#include "support/rapt_test.h"
#include <rapt/rapt.h>

RAPT_TEST(blas_or_a_refusal) {
  static const float numbers[16];
  const rapt_weights w = {.data = numbers};
  const rapt_attention_desc attention = {
      .size = sizeof attention, .heads_q = 1, .heads_kv = 1, .head_dim_qk = 4, .head_dim_v = 4};
  const rapt_mha_desc desc = {
      .size = sizeof desc, .embed_in = 4, .wq = w, .wk = w, .wv = w, .attention = &attention};
  rapt_blas_info info = {.size = sizeof info};
  rapt_error error = {.size = sizeof error};
  rapt_mha *mha = NULL;
  REQUIRE(rapt_get_blas_info(&info, NULL) == RAPT_OK, "info");
  const rapt_status status = rapt_mha_create(&desc, &mha, &error);
  if (info.parallel == RAPT_BLAS_NONE) {
    CHECK(status == RAPT_ERROR_UNSUPPORTED && !mha && strstr(error.message, "RAPT_BLAS"),
          "status %d: %s", status, error.message);
    CHECK(info.name[0] == 0, "no BLAS, called %s", info.name);
  } else {
    CHECK(status == RAPT_OK && mha, "status %d: %s", status, error.message);
    CHECK(info.name[0] != 0, "a BLAS without a name");
  }
  rapt_mha_destroy(mha);
}
