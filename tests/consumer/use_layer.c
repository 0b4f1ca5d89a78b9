/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program outside of the tree that uses the layer, so that BLAS must come with librapt. Compiles as C and
 * as C++. One token attends to itself, through matrices that change nothing: out is x. */
#include <rapt/rapt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 2, DIM = 4, EMBED = HEADS * DIM };

int main(void) {
  float identity[EMBED * EMBED], x[EMBED], out[EMBED];
  rapt_blas_info blas;
  rapt_error error;
  memset(&blas, 0, sizeof blas);
  memset(&error, 0, sizeof error);
  blas.size = sizeof blas;
  error.size = sizeof error;
  if (rapt_get_blas_info(&blas, &error) != RAPT_OK) return 1;
  for (int i = 0; i < EMBED * EMBED; i++) identity[i] = i % (EMBED + 1) == 0 ? 1.0f : 0.0f;
  for (int i = 0; i < EMBED; i++) x[i] = (float)(i + 1);
  rapt_attention_desc heads;
  rapt_mha_desc desc;
  memset(&heads, 0, sizeof heads);
  memset(&desc, 0, sizeof desc);
  heads.size = sizeof heads;
  heads.heads_q = heads.heads_kv = HEADS;
  heads.head_dim_qk = heads.head_dim_v = DIM;
  desc.size = sizeof desc;
  desc.embed_in = EMBED;
  desc.attention = &heads;
  desc.wq.data = desc.wk.data = desc.wv.data = desc.wo.data = identity;
  rapt_mha *mha = NULL;
  rapt_status status = rapt_mha_create(&desc, &mha, &error);
  if (blas.parallel == RAPT_BLAS_NONE) {
    printf("layer: refused without BLAS\n");
    return status == RAPT_OK;
  }
  rapt_mha_args args;
  rapt_workspace_info info;
  memset(&args, 0, sizeof args);
  memset(&info, 0, sizeof info);
  args.size = sizeof args;
  args.batch = args.q_len = 1;
  args.x = x;
  args.out = out;
  info.size = sizeof info;
  if (!status) status = rapt_mha_workspace(mha, &args, 1, &info, &error);
  void *workspace = status ? NULL : aligned_alloc(64, (size_t)info.bytes);
  if (!status) status = rapt_mha_forward(mha, &args, workspace, (size_t)info.bytes, NULL, &error);
  free(workspace);
  rapt_mha_destroy(mha);
  if (status != RAPT_OK) {
    fprintf(stderr, "%s %s\n", error.field, error.message);
    return 1;
  }
  for (int i = 0; i < EMBED; i++)
    if (out[i] - x[i] > 1e-5f || x[i] - out[i] > 1e-5f) return 1;
  printf("layer: %s\n", blas.name);
  return 0;
}
