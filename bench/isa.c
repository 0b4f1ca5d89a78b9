/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "isa.h"

#include <string.h>

#include "dispatch/dispatch.h"

static const bench_isa *const tables[] = {
#ifdef RAPT_HAVE_ANCHOR_AVX512
    &bench_isa_avx512,
#endif
#ifdef RAPT_HAVE_ANCHOR_AVX2
    &bench_isa_avx2,
#endif
#ifdef RAPT_HAVE_ANCHOR_NEON
    &bench_isa_neon,
#endif
    &bench_isa_generic,
};

int32_t bench_isa_count(void) { return (int32_t)(sizeof tables / sizeof tables[0]); }

const bench_isa *bench_isa_get(int32_t index, int32_t *usable) {
  const bench_isa *isa = tables[index];
  if (usable) {
    rapt_features needs = rapt_level_by_name(isa->isa);
    *usable = (rapt_features_here() & needs) == needs;
  }
  return isa;
}

const bench_isa *bench_isa_find(const char *isa) {
  for (int32_t i = 0; i < bench_isa_count(); i++)
    if (strcmp(tables[i]->isa, isa) == 0) return tables[i];
  return NULL;
}

const bench_isa *bench_isa_best(void) {
  for (int32_t i = 0; i < bench_isa_count(); i++) {
    int32_t usable;
    const bench_isa *isa = bench_isa_get(i, &usable);
    if (usable) return isa;
  }
  return &bench_isa_generic;
}
