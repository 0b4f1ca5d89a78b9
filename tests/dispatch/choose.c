/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The choice of a set: over made-up tables, then over the table of this build. */
#include <string.h>

#include <rapt/rapt.h>

#include "dispatch/dispatch.h"
#include "support/rapt_test.h"

static void no_scores(const float *q, int32_t n_rows, int32_t head_dim, const char *k,
                      int64_t k_stride, const rapt_block *block, float *s,
                      rapt_prefetch *prefetch) {
  (void)q, (void)n_rows, (void)head_dim, (void)k, (void)k_stride, (void)block, (void)s;
  (void)prefetch;
}

/* avx512 without rows, avx2 without panels: no path may take the other's set. */
static const rapt_kernel_set panels_512 = {.name = "avx512_x", .isa = "avx512", .n_panels = 1};
static const rapt_kernel_set rows_2 = {
    .name = "avx2_x", .isa = "avx2", .row = {.scores = no_scores}};
static const rapt_kernel_set both = {
    .name = "generic_x", .isa = "generic", .n_panels = 1, .row = {.scores = no_scores}};
static const rapt_kernel_set *const table[] = {&panels_512, &rows_2, &both};

static void expect(const char *machine, const char *isa, int32_t path, int32_t code,
                   const char *name) {
  const rapt_kernel_set *set = NULL;
  int32_t got = rapt_choose_from(table, 3, rapt_level_by_name(machine), isa, path, 64, 64, &set);
  CHECK(got == code, "%s, isa %s, path %d: code %d", machine, isa ? isa : "NULL", path, got);
  if (name)
    CHECK(set && strcmp(set->name, name) == 0, "%s, isa %s, path %d: %s, expected %s", machine,
          isa ? isa : "NULL", path, set ? set->name : "none", name);
  else
    CHECK(!set, "%s, isa %s, path %d: set written", machine, isa ? isa : "NULL", path);
}

RAPT_TEST(paths_choose_separately) {
  enum { P = RAPT_PATH_PREFILL, D = RAPT_PATH_DECODE };
  expect("avx512", NULL, P, RAPT_CHOOSE_OK, "avx512_x");
  expect("avx512", NULL, D, RAPT_CHOOSE_OK, "avx2_x");
  expect("avx512", "", D, RAPT_CHOOSE_OK, "avx2_x");
  expect("avx2", NULL, P, RAPT_CHOOSE_OK, "generic_x");
  expect("avx2", NULL, D, RAPT_CHOOSE_OK, "avx2_x");
  expect("generic", NULL, D, RAPT_CHOOSE_OK, "generic_x");
}

RAPT_TEST(isa_caps_the_level) {
  expect("avx512", "avx2", RAPT_PATH_PREFILL, RAPT_CHOOSE_OK, "generic_x");
  expect("avx512", "avx2", RAPT_PATH_DECODE, RAPT_CHOOSE_OK, "avx2_x");
  expect("avx512", "generic", RAPT_PATH_DECODE, RAPT_CHOOSE_OK, "generic_x");
  expect("avx2", "avx512", RAPT_PATH_PREFILL, RAPT_CHOOSE_IMPOSSIBLE, NULL);
  expect("generic", "avx2", RAPT_PATH_DECODE, RAPT_CHOOSE_IMPOSSIBLE, NULL);
  /* The level is there, but the table has nothing for it: never silently something else. */
  expect("neon", "neon", RAPT_PATH_PREFILL, RAPT_CHOOSE_IMPOSSIBLE, NULL);
  expect("avx512", "avx1024", RAPT_PATH_PREFILL, RAPT_CHOOSE_UNKNOWN, NULL);
  expect("avx512", "avx512_x", RAPT_PATH_PREFILL, RAPT_CHOOSE_UNKNOWN, NULL);
}

RAPT_TEST(nothing_fits) {
  const rapt_kernel_set *set = NULL;
  int32_t got = rapt_choose_from(table, 1, rapt_level_by_name("avx2"), NULL, RAPT_PATH_PREFILL, 64,
                                 64, &set);
  CHECK(got == RAPT_CHOOSE_IMPOSSIBLE && !set, "code %d", got);
}

RAPT_TEST(build_table) {
  int32_t count = rapt_kernel_sets_count(), generic = 0;
  REQUIRE(count >= 1, "%d sets", count);
  for (int32_t i = 0; i < count; i++) {
    const rapt_kernel_set *set = rapt_kernel_sets_get(i);
    size_t isa = strlen(set->isa);
    CHECK(strncmp(set->name, set->isa, isa) == 0 && set->name[isa] == '_', "%s of level %s",
          set->name, set->isa);
    CHECK(rapt_level_by_name(set->isa) != 0, "%s: unknown level", set->name);
    for (int32_t later = i + 1; later < count; later++) {
      rapt_features here = rapt_level_by_name(set->isa);
      rapt_features below = rapt_level_by_name(rapt_kernel_sets_get(later)->isa);
      CHECK((here & below) != here || here == below, "%s comes before a better level", set->name);
    }
    generic |= strcmp(set->isa, "generic") == 0;
  }
  CHECK(generic, "no generic set");
  CHECK(!rapt_kernel_sets_get(-1) && !rapt_kernel_sets_get(count), "outside the table");
}

/* What an error message offers: of a machine's levels, those that were built. */
RAPT_TEST(levels_with_sets) {
  rapt_features every = ~(rapt_features)0, found = rapt_levels_with_sets(every), expected = 0;
  char list[128], names[128] = "";
  for (int32_t i = 0; i < rapt_kernel_sets_count(); i++) {
    const char *isa = rapt_kernel_sets_get(i)->isa;
    rapt_features level = rapt_level_by_name(isa);
    expected |= level;
    CHECK((rapt_levels_with_sets(level) & found) != 0, "%s is not offered", isa);
    if (i > 0 && strcmp(isa, rapt_kernel_sets_get(i - 1)->isa) == 0) continue;
    if (i > 0) strcat(names, " ");
    strcat(names, isa);
  }
  rapt_level_list(found, list, sizeof list);
  CHECK((found & expected) == found, "%x offers more than %x", found, expected);
  CHECK(strcmp(list, names) == 0, "offered: %s, built: %s", list, names);
  CHECK(rapt_levels_with_sets(0) == 0, "nothing of nothing");
}

RAPT_TEST(build_table_chooses_best_first) {
  for (int32_t path = RAPT_PATH_PREFILL; path <= RAPT_PATH_DECODE; path++) {
    for (int32_t i = 0; i < rapt_kernel_sets_count(); i++) {
      const rapt_kernel_set *asked = rapt_kernel_sets_get(i), *set = NULL;
      int32_t code = rapt_choose(rapt_level_by_name(asked->isa), NULL, path, 64, 64, &set);
      CHECK(code == RAPT_CHOOSE_OK && set && strcmp(set->isa, asked->isa) == 0,
            "a machine of level %s gets %s", asked->isa, set ? set->name : "none");
    }
  }
}

RAPT_TEST(kernel_list_is_the_table) {
  REQUIRE(rapt_kernel_count() == rapt_kernel_sets_count(), "%d", rapt_kernel_count());
  for (int32_t i = 0; i < rapt_kernel_count(); i++) {
    rapt_kernel_info info = {.size = sizeof info};
    const rapt_kernel_set *set = rapt_kernel_sets_get(i);
    CHECK(rapt_kernel_get(i, &info, NULL) == RAPT_OK, "index %d", i);
    CHECK(strcmp(info.name, set->name) == 0 && strcmp(info.isa, set->isa) == 0, "%s %s", info.name,
          info.isa);
    CHECK(info.usable == rapt_kernel_set_usable(set, rapt_features_here()), "%s", info.name);
    CHECK(info.key_block == set->key_block && info.split_keys == RAPT_SPLIT_KEYS, "%s", info.name);
  }
  rapt_kernel_info info = {.size = sizeof info, .usable = 77};
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_kernel_get(rapt_kernel_count(), &info, &error) == RAPT_ERROR_INVALID_ARGUMENT, "end");
  CHECK(strcmp(error.field, "index") == 0 && info.usable == 77, "%s", error.field);
  CHECK(rapt_kernel_get(-1, &info, NULL) == RAPT_ERROR_INVALID_ARGUMENT, "-1");
}
