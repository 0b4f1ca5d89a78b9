/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * RAPT_ISA and desc.isa: the level asked for, or an error; never another level, never a signal. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>

#include <rapt/rapt.h>

#include "dispatch/isa_levels.h"
#include "support/rapt_test.h"

enum { DIM = 8 };

static rapt_attention_desc small_desc(const char *isa) {
  return (rapt_attention_desc){.size = sizeof(rapt_attention_desc),
                               .heads_q = 1,
                               .heads_kv = 1,
                               .head_dim_qk = DIM,
                               .head_dim_v = DIM,
                               .isa = isa};
}

/* One key: the output is its value, whatever the query. Runs prefill and decode. */
static void check_runs(const rapt_attention_desc *desc, const char *isa) {
  float q[8 * DIM], k[DIM], v[DIM], o[8 * DIM];
  for (int i = 0; i < 8 * DIM; i++) q[i] = (float)i;
  for (int i = 0; i < DIM; i++) k[i] = v[i] = (float)(i + 1);
  for (int32_t rows = 1; rows <= 8; rows += 7) {
    rapt_attention_args args = {.size = sizeof args, .batch = 1, .q_len = rows, .kv_len = 1};
    args.q = (rapt_const_tensor){q, {0, 0, sizeof k}};
    args.k = (rapt_const_tensor){k, {0, 0, sizeof k}};
    args.v = (rapt_const_tensor){v, {0, 0, sizeof k}};
    args.o = (rapt_tensor){o, {0, 0, sizeof k}};
    memset(o, 0xff, sizeof o);
    rapt_error error = {.size = sizeof error};
    CHECK(rapt_attention(desc, &args, NULL, &error) == RAPT_OK, "%s: %s %s", isa, error.field,
          error.message);
    for (int32_t i = 0; i < rows * DIM; i++)
      CHECK(o[i] == v[i % DIM], "%s: row %d channel %d is %g", isa, i / DIM, i % DIM, (double)o[i]);
  }
}

static int is_level(const char *set, const char *isa) {
  size_t length = strlen(isa);
  return strncmp(set, isa, length) == 0 && set[length] == '_';
}

/* What must come of asking for a level here. */
static rapt_status expected(const char *isa) {
  rapt_features level = rapt_level_by_name(isa);
  int built = 0;
  if (!level) return RAPT_ERROR_INVALID_ARGUMENT;
  for (int32_t i = 0; i < rapt_kernel_sets_count(); i++)
    built |= strcmp(rapt_kernel_sets_get(i)->isa, isa) == 0;
  return built && (rapt_features_here() & level) == level ? RAPT_OK : RAPT_ERROR_UNSUPPORTED;
}

static void check_level(const char *in_desc, const char *isa) {
  rapt_attention_desc desc = small_desc(in_desc);
  rapt_plan_info info = {.size = sizeof info};
  rapt_error error = {.size = sizeof error};
  rapt_status wanted = expected(isa), status = rapt_plan_check(&desc, &info, &error);
  CHECK(status == wanted, "\"%s\": status %d (%s: %s), expected %d", isa, status, error.field,
        error.message, wanted);
  rapt_plan *const none = (rapt_plan *)(void *)&desc; /* any address: it must stay */
  rapt_plan *plan = none;
  CHECK(rapt_plan_create(&desc, &plan, NULL) == wanted, "\"%s\": create", isa);
  if (wanted) {
    CHECK(plan == none, "\"%s\": plan written on failure", isa);
    CHECK(strstr(error.message, isa), "\"%s\" is not in \"%s\"", isa, error.message);
    CHECK(info.prefill_set[0] == '\0', "\"%s\": info written on failure", isa);
  } else {
    CHECK(is_level(info.prefill_set, isa), "\"%s\" prefills with %s", isa, info.prefill_set);
    CHECK(is_level(info.decode_set, isa), "\"%s\" decodes with %s", isa, info.decode_set);
    if (plan != none) rapt_plan_destroy(plan);
    check_runs(&desc, isa);
  }
}

static const char *const not_levels[] = {"avx3", "AVX2", "avx2,avx512", "avx512_f32", " ", "best"};

RAPT_TEST(isa_of_the_desc) {
  unsetenv("RAPT_ISA");
  for (int i = 0; i < RAPT_LEVEL_COUNT; i++) check_level(rapt_levels[i].name, rapt_levels[i].name);
  for (size_t i = 0; i < sizeof not_levels / sizeof not_levels[0]; i++)
    check_level(not_levels[i], not_levels[i]);
}

RAPT_TEST(isa_of_the_environment) {
  for (int i = 0; i < RAPT_LEVEL_COUNT; i++) {
    setenv("RAPT_ISA", rapt_levels[i].name, 1);
    check_level(NULL, rapt_levels[i].name);
  }
  for (size_t i = 0; i < sizeof not_levels / sizeof not_levels[0]; i++) {
    setenv("RAPT_ISA", not_levels[i], 1);
    check_level(NULL, not_levels[i]);
  }
  unsetenv("RAPT_ISA");
}

RAPT_TEST(desc_wins_over_the_environment) {
  setenv("RAPT_ISA", "avx3", 1);
  check_level("generic", "generic");
  unsetenv("RAPT_ISA");
}

RAPT_TEST(an_empty_environment_is_no_limit) {
  rapt_attention_desc desc = small_desc(NULL);
  rapt_plan_info best = {.size = sizeof best}, info = {.size = sizeof info};
  unsetenv("RAPT_ISA");
  REQUIRE(rapt_plan_check(&desc, &best, NULL) == RAPT_OK, "no plan at all");
  setenv("RAPT_ISA", "", 1);
  CHECK(rapt_plan_check(&desc, &info, NULL) == RAPT_OK, "refused");
  CHECK(strcmp(best.prefill_set, info.prefill_set) == 0, "%s", info.prefill_set);
  unsetenv("RAPT_ISA");
}

RAPT_TEST(a_plan_keeps_its_level) {
  rapt_attention_desc desc = small_desc("generic");
  rapt_plan_info info = {.size = sizeof info};
  rapt_plan *plan = NULL;
  REQUIRE(rapt_plan_create(&desc, &plan, NULL) == RAPT_OK, "no plan");
  setenv("RAPT_ISA", "avx3", 1);
  CHECK(rapt_plan_get_info(plan, &info, NULL) == RAPT_OK, "info");
  CHECK(is_level(info.prefill_set, "generic"), "%s", info.prefill_set);
  unsetenv("RAPT_ISA");
  rapt_plan_destroy(plan);
}
