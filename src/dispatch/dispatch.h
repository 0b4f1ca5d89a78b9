/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which kernel set runs: CPU features behind a seam, levels as named bundles, best-first choice. */
#ifndef RAPT_DISPATCH_DISPATCH_H
#define RAPT_DISPATCH_DISPATCH_H

#include <stdint.h>

#include "../kernels/kernel_set.h"

/* Levels this machine can run: bit i = level i of kernels.def. */
typedef uint32_t rapt_features;

/* What a CPU says of itself, before any interpretation. Tests feed recorded ones. */
typedef struct rapt_cpu_raw {
  /* x86: leaves 1, 7.0, 7.1 as {eax, ebx, ecx, edx}; zero when the leaf does not exist; xcr0 is 0
   * when OSXSAVE is off (xgetbv would be illegal then). */
  uint32_t leaf1[4], leaf7[4], leaf7_1[4];
  uint64_t xcr0;
  /* Arm: AT_HWCAP, AT_HWCAP2. */
  uint64_t hwcap, hwcap2;
} rapt_cpu_raw;

/* Reads this CPU. */
void rapt_cpu_read(rapt_cpu_raw *raw);

/* Levels usable on such a CPU. Pure. */
rapt_features rapt_features_from(const rapt_cpu_raw *raw);

/* Levels of this machine, read once. */
rapt_features rapt_features_here(void);

/* The level's bit plus the bits of every level it implies; 0 for an unknown name. */
rapt_features rapt_level_by_name(const char *isa);

/* Name of the best level in `features`, e.g. "avx512"; never NULL. */
const char *rapt_level_best(rapt_features features);

/* Space-separated names of the levels in `features`, best first. */
void rapt_level_list(rapt_features features, char *out, uint32_t size);

/* Every set of this build, best first. */
int32_t rapt_kernel_sets_count(void);
const rapt_kernel_set *rapt_kernel_sets_get(int32_t index);

/* 1 if the set can run with `features`. */
int32_t rapt_kernel_set_usable(const rapt_kernel_set *set, rapt_features features);

/* The levels in `features` that this build has a set for. */
rapt_features rapt_levels_with_sets(rapt_features features);

enum { RAPT_CHOOSE_OK = 0, RAPT_CHOOSE_UNKNOWN = 1, RAPT_CHOOSE_IMPOSSIBLE = 2 };
enum { RAPT_PATH_PREFILL = 0, RAPT_PATH_DECODE = 1 };

/* First set usable with `features` that serves `path` and the head dims; `isa` (NULL or "" = no
 * limit) caps the level. UNKNOWN: no such level name. IMPOSSIBLE: the machine lacks the level, or
 * this build has no set for it at all. Pure: same arguments, same answer. */
int32_t rapt_choose(rapt_features features, const char *isa, int32_t path, int32_t head_dim_qk,
                    int32_t head_dim_v, const rapt_kernel_set **set);

/* The same over any table, for tests. */
int32_t rapt_choose_from(const rapt_kernel_set *const *table, int32_t count, rapt_features features,
                         const char *isa, int32_t path, int32_t head_dim_qk, int32_t head_dim_v,
                         const rapt_kernel_set **set);

#endif
