/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "outputs.h"

#include <string.h>

#include "common/npy.h"

enum { OUTPUTS = 4 };

/* In the order of writing. */
static void paths_of(const request *r, const char *paths[OUTPUTS]) {
  const char *const all[OUTPUTS] = {r->o, r->lse, r->weights, r->key_sums};
  memcpy(paths, all, sizeof all);
}

static void remove_first(const request *r, int n) {
  const char *paths[OUTPUTS];
  paths_of(r, paths);
  for (int i = 0; i < n; i++)
    if (paths[i]) npy_remove(paths[i]);
}

void outputs_remove(const request *r) { remove_first(r, OUTPUTS); }

int outputs_write(const call *c, const request *r, failure *why) {
  static const char *const options[OUTPUTS] = {"-o", "--lse", "--weights", "--key-sums"};
  const char *paths[OUTPUTS];
  const float *const data[OUTPUTS] = {c->o.data, c->lse, c->weights, c->key_sums};
  const int64_t rows = r->n_rows ? r->n_rows : c->q.tokens;
  int64_t shape[OUTPUTS][4] = {{0},
                               {c->q.batch, c->q.heads, c->q.tokens},
                               {c->q.batch, c->q.heads, rows, c->k.tokens},
                               {c->q.batch, c->q.heads, c->k.tokens}};
  const int32_t dims = tensor_shape(&c->o, r->tokens_first, shape[0]), missing = 4 - dims;
  const int32_t has[OUTPUTS] = {dims, dims - 1, dims, dims - 1};
  char reason[300];
  paths_of(r, paths);
  for (int i = 0; i < OUTPUTS; i++) {
    /* Dimensions that Q lacks; O's shape lacks them already. */
    const int64_t *from = shape[i] + (i ? missing : 0);
    if (!paths[i] || npy_save(paths[i], data[i], from, has[i], reason, sizeof reason) == 0)
      continue;
    remove_first(r, i);
    return fail(why, EXIT_RUN_FAILED, "%s %s %s", options[i], paths[i], reason);
  }
  return 0;
}
