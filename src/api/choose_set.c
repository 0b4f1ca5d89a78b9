/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "choose_set.h"

#include <stdlib.h>

rapt_status rapt_choose_set(const char *isa, const char *field, int32_t path, int32_t head_dim_qk,
                            int32_t head_dim_v, const rapt_kernel_set **set, rapt_error *error) {
  if (!isa || !*isa) {
    isa = getenv("RAPT_ISA");
    field = "RAPT_ISA";
  }
  rapt_features here = rapt_features_here();
  int32_t answer = rapt_choose(here, isa, path, head_dim_qk, head_dim_v, set);
  if (answer == RAPT_CHOOSE_OK) return RAPT_OK;
  char usable[128];
  rapt_level_list(rapt_levels_with_sets(here), usable, sizeof usable);
  if (answer == RAPT_CHOOSE_UNKNOWN)
    return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, field,
                     "\"%.40s\" names no instruction set level; usable here: %s", isa, usable);
  return rapt_fail(error, RAPT_ERROR_UNSUPPORTED, field,
                   "\"%.40s\" is not usable on this machine with this build; usable here: %s", isa,
                   usable);
}
