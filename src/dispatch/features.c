/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From raw CPU words to usable levels, and levels by name. */
#include <stdatomic.h>
#include <string.h>

#include "isa_levels.h"

static int has_words(const uint32_t have[4], const uint32_t need[4]) {
  for (int i = 0; i < 4; i++)
    if ((have[i] & need[i]) != need[i]) return 0;
  return 1;
}

static int has_all(const rapt_cpu_raw *raw, const rapt_cpu_raw *needs) {
  return has_words(raw->leaf1, needs->leaf1) && has_words(raw->leaf7, needs->leaf7) &&
         has_words(raw->leaf7_1, needs->leaf7_1) && (raw->xcr0 & needs->xcr0) == needs->xcr0 &&
         (raw->hwcap & needs->hwcap) == needs->hwcap &&
         (raw->hwcap2 & needs->hwcap2) == needs->hwcap2;
}

rapt_features rapt_features_from(const rapt_cpu_raw *raw) {
  rapt_features features = 0;
  /* From the last level up: whatever a level implies has been decided when its turn comes. */
  for (int i = RAPT_LEVEL_COUNT - 1; i >= 0; i--) {
    const rapt_level *level = &rapt_levels[i];
    if ((features & level->implies) == level->implies && has_all(raw, &level->needs))
      features |= 1u << i;
  }
  return features;
}

rapt_features rapt_features_here(void) {
  /* 0 = not read yet: `generic` is always set. Threads that race here compute the same value, so no
   * lock is needed and a fork at any moment is harmless. */
  static _Atomic uint32_t cache;
  rapt_features features = atomic_load_explicit(&cache, memory_order_relaxed);
  if (!features) {
    rapt_cpu_raw raw;
    rapt_cpu_read(&raw);
    features = rapt_features_from(&raw);
    atomic_store_explicit(&cache, features, memory_order_relaxed);
  }
  return features;
}

rapt_features rapt_level_by_name(const char *isa) {
  rapt_features found = 0;
  /* Implied levels come later in the table, so one pass collects them all. */
  for (int i = 0; i < RAPT_LEVEL_COUNT; i++) {
    if (!found && strcmp(isa, rapt_levels[i].name) == 0) found = 1u << i;
    if (found >> i & 1u) found |= rapt_levels[i].implies;
  }
  return found;
}

const char *rapt_level_best(rapt_features features) {
  for (int i = 0; i < RAPT_LEVEL_COUNT; i++)
    if (features >> i & 1u) return rapt_levels[i].name;
  return "";
}

void rapt_level_list(rapt_features features, char *out, uint32_t size) {
  uint32_t used = 0;
  if (!size) return;
  for (int i = 0; i < RAPT_LEVEL_COUNT; i++) {
    if (!(features >> i & 1u)) continue;
    uint32_t length = (uint32_t)strlen(rapt_levels[i].name), gap = used > 0;
    if (length + gap >= size - used) break; /* whole names only */
    if (gap) out[used++] = ' ';
    memcpy(out + used, rapt_levels[i].name, length);
    used += length;
  }
  out[used] = '\0';
}
