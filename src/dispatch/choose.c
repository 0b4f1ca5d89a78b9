/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of kernel sets in this build and the choice from it. */
#include <stddef.h>
#include <string.h>

#include "dispatch.h"

#define RAPT_LEVEL(...)
#define RAPT_KERNEL_SET(isa, type) extern const rapt_kernel_set rapt_kernels_##isa##_##type;
#include "../kernels/kernels.def"

static const rapt_kernel_set *const sets[] = {
#define RAPT_LEVEL(...)
#define RAPT_KERNEL_SET(isa, type) &rapt_kernels_##isa##_##type,
#include "../kernels/kernels.def"
};

enum { SET_COUNT = sizeof sets / sizeof sets[0] };

int32_t rapt_kernel_sets_count(void) { return SET_COUNT; }

const rapt_kernel_set *rapt_kernel_sets_get(int32_t index) {
  return index >= 0 && index < SET_COUNT ? sets[index] : NULL;
}

int32_t rapt_kernel_set_usable(const rapt_kernel_set *set, rapt_features features) {
  rapt_features needs = rapt_level_by_name(set->isa);
  return needs != 0 && (features & needs) == needs;
}

rapt_features rapt_levels_with_sets(rapt_features features) {
  rapt_features found = 0;
  for (int32_t i = 0; i < SET_COUNT; i++) {
    rapt_features level = rapt_level_by_name(sets[i]->isa);
    found |= level &
             (~level + 1); /* its own bit is the lowest: what it implies is listed after it */
  }
  return features & found;
}

/* Today every set serves every head_dim; a set that does not will say so in its table. */
static int serves(const rapt_kernel_set *set, int32_t path, int32_t head_dim_qk,
                  int32_t head_dim_v) {
  (void)head_dim_qk;
  (void)head_dim_v;
  return path == RAPT_PATH_DECODE ? set->row.scores != NULL : set->n_panels > 0;
}

int32_t rapt_choose_from(const rapt_kernel_set *const *table, int32_t count, rapt_features features,
                         const char *isa, int32_t path, int32_t head_dim_qk, int32_t head_dim_v,
                         const rapt_kernel_set **set) {
  if (isa && *isa) {
    rapt_features level = rapt_level_by_name(isa);
    if (!level) return RAPT_CHOOSE_UNKNOWN;
    int built = 0;
    for (int32_t i = 0; i < count; i++) built |= strcmp(table[i]->isa, isa) == 0;
    if (!built || (features & level) != level) return RAPT_CHOOSE_IMPOSSIBLE;
    features = level;
  }
  for (int32_t i = 0; i < count; i++) {
    if (!rapt_kernel_set_usable(table[i], features)) continue;
    if (!serves(table[i], path, head_dim_qk, head_dim_v)) continue;
    *set = table[i];
    return RAPT_CHOOSE_OK;
  }
  return RAPT_CHOOSE_IMPOSSIBLE;
}

int32_t rapt_choose(rapt_features features, const char *isa, int32_t path, int32_t head_dim_qk,
                    int32_t head_dim_v, const rapt_kernel_set **set) {
  return rapt_choose_from(sets, SET_COUNT, features, isa, path, head_dim_qk, head_dim_v, set);
}
