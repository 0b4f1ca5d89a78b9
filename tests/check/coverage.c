/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The registry is sound, and no set is silently left out on a machine that must have it. */
#include "check.h"

#include <stdio.h>
#include <string.h>

static const rapt_kernel_set *find(const char *name) {
  for (int32_t i = 0; i < rapt_kernel_sets_count(); i++)
    if (strcmp(rapt_kernel_sets_get(i)->name, name) == 0) return rapt_kernel_sets_get(i);
  return NULL;
}

static void expect(const char *name) {
  const rapt_kernel_set *set = find(name);
  CHECK(set, "this build has no %s, although the machine can run it", name);
  CHECK(!set || rapt_kernel_set_usable(set, rapt_features_here()),
        "%s is not usable, although the machine can run it: its tests were skipped", name);
}

/* The compiler's own look at the CPU (which minds XCR0) is the second opinion. */
RAPT_TEST(expected_sets_are_usable) {
  expect("generic_f32");
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) expect("avx2_f32");
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd"))
    expect("avx512_f32");
#elif defined(__aarch64__)
  expect("neon_f32");
#endif
}

SET_TEST(table, "table") {
  char name[64];
  int same = 0;
  for (int32_t i = 0; i < rapt_kernel_sets_count(); i++)
    same += strcmp(rapt_kernel_sets_get(i)->name, set->name) == 0;
  CHECK(same == 1, "%d sets have this name", same);
  snprintf(name, sizeof name, "%s_f32", set->isa);
  CHECK(strcmp(name, set->name) == 0, "name %s of isa %s", set->name, set->isa);
  CHECK(rapt_level_by_name(set->isa) != 0 || strcmp(set->isa, "generic") == 0, "unknown level");
  CHECK(set->key_block > 0 && RAPT_SPLIT_KEYS % set->key_block == 0 &&
            set->key_block % RAPT_KEY_ALIGN == 0 && set->key_block % set->key_tile == 0,
        "key_block %d, key_tile %d", set->key_block, set->key_tile);
  CHECK(set->row.row_block > 0 && RAPT_SPLIT_KEYS % set->row.row_block == 0 &&
            set->row.row_block % RAPT_KEY_ALIGN == 0,
        "row_block %d", set->row.row_block);
  CHECK(set->dv_tile > 0 && set->exp2, "dv_tile %d", set->dv_tile);
  CHECK(set->n_panels >= 1 && set->n_panels <= RAPT_PANEL_WIDTHS, "%d panels", set->n_panels);
  for (int32_t p = 0; p < set->n_panels; p++) {
    const rapt_panel_ops *o = &set->panel[p];
    CHECK(o->lanes > 0 && o->lanes <= RAPT_MAX_LANES && o->vector > 0 &&
              o->lanes % o->vector == 0 && o->lanes / o->vector <= RAPT_MAX_VECTORS,
          "panel %d: %d lanes", p, o->lanes);
    CHECK(p == 0 || o->lanes < set->panel[p - 1].lanes, "panel %d is not narrower", p);
    CHECK(o->pack_q && o->scores && o->softmax && o->accumulate && o->join && o->finish,
          "panel %d lacks an operation", p);
  }
  const rapt_row_ops *row = &set->row;
  CHECK(row->pack_q && row->scores && row->softmax && row->accumulate && row->join && row->finish,
        "the row kernel lacks an operation");
  CHECK(set->position.rotate_halves && set->position.rotate_pairs && set->position.add,
        "an operation of positions is missing");
  CHECK(set->gemv.in_out && set->gemv.out_in, "a gemv is missing");
}
