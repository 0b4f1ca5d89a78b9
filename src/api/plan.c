/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Plans: kernels chosen, description frozen. */
#include "../attention/plan.h"
#include "../attention/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "../dispatch/dispatch.h"
#include "../platform/platform.h"

static rapt_status choose(const rapt_plan *plan, const char *isa, const char *field, int32_t path,
                          const rapt_kernel_set **set, rapt_error *error) {
  rapt_features here = rapt_features_here();
  int32_t answer = rapt_choose(here, isa, path, plan->desc.head_dim_qk, plan->desc.head_dim_v, set);
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

/* Panels that walk the keys together share each key block while it is in L2: their queries, outputs
 * and the block should fill no more than half of it. */
static int32_t panels_for(const rapt_plan *plan) {
  enum { L2_IF_UNKNOWN = 512 << 10 };
  int64_t l2 = plan->l2_bytes > 0 ? plan->l2_bytes : L2_IF_UNKNOWN;
  int64_t dims = (int64_t)plan->desc.head_dim_qk + plan->desc.head_dim_v;
  int64_t panel = dims * plan->prefill->panel[0].lanes * (int64_t)sizeof(float);
  int64_t block = dims * plan->prefill->key_block * (int64_t)sizeof(float);
  int64_t fit = (l2 / 2 - block) / panel;
  return (int32_t)(fit < 1 ? 1 : fit > RAPT_MOST_PANELS ? RAPT_MOST_PANELS : fit);
}

rapt_status rapt_plan_init(rapt_plan *plan, const rapt_attention_desc *desc, rapt_error *error) {
  memset(plan, 0, sizeof *plan);
  rapt_status status = rapt_load_desc(desc, &plan->desc, error);
  if (!status) status = rapt_load_allocator(plan->desc.allocator, &plan->allocator, error);
  if (status) return status;

  const char *isa = plan->desc.isa, *field = "desc.isa";
  if (!isa || !*isa) {
    isa = getenv("RAPT_ISA");
    field = "RAPT_ISA";
  }
  status = choose(plan, isa, field, RAPT_PATH_PREFILL, &plan->prefill, error);
  if (!status) status = choose(plan, isa, field, RAPT_PATH_DECODE, &plan->decode, error);
  if (status) return status;

  const rapt_attention_desc *d = &plan->desc;
  plan->group = d->heads_kv > 0 ? d->heads_q / d->heads_kv : 1;
  double scale = d->scale;
  if (scale == 0.0 && !(d->flags & RAPT_SCALE_LITERAL)) scale = 1.0 / sqrt(d->head_dim_qk);
  plan->natural = d->softcap != 0 || d->mask >= RAPT_MASK_F32 ||
                  (d->flags & (RAPT_ALIBI | RAPT_PARTIAL)) != 0;
  plan->natural_scale = (float)scale;
  plan->scale = plan->natural ? (float)scale : (float)(scale * 1.4426950408889634); /* log2 e */
  plan->window_keep = d->flags & RAPT_WINDOW_LEFT ? d->window_keep : 0;
  static const int32_t element[] = {0, 1, 0, 4, 2, 2}; /* of RAPT_MASK_* */
  plan->mask_element = element[d->mask];
  rapt_topology machine;
  rapt_topology_here(&machine);
  plan->l2_bytes = machine.l2_bytes;
  plan->panels = panels_for(plan);
  plan->desc.isa = NULL;
  plan->desc.allocator = NULL;
  return RAPT_OK;
}

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const void *data, size_t bytes) {
  const unsigned char *at = data;
  for (size_t i = 0; i < bytes; i++) {
    /* the analyzer loses a number seen as bytes */
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    hash = (hash ^ at[i]) * 1099511628211u;
  }
  return hash;
}

/* Over whatever the bits depend on besides the description and the input. */
static uint64_t numerics_id(const rapt_plan *plan) {
  enum { ARITHMETIC = 1 }; /* counts up when the order of operations changes */
  const int32_t facts[] = {ARITHMETIC,
                           plan->prefill->key_block,
                           plan->decode->row.most_rows,
                           rapt_row_step(plan),
                           RAPT_SPLIT_KEYS,
                           RAPT_CHANNEL_CHUNK,
                           (int32_t)(plan->desc.flags & RAPT_FORCE_LANES),
                           plan->natural};
  uint64_t hash = mix(14695981039346656037u, facts, sizeof facts);
  hash = mix(hash, plan->prefill->name, strlen(plan->prefill->name));
  hash = mix(hash, plan->decode->name, strlen(plan->decode->name));
  return mix(hash, &plan->scale, sizeof plan->scale);
}

static rapt_status store_info(const rapt_plan *plan, rapt_plan_info *info, rapt_error *error) {
  rapt_plan_info out = {
      .size = sizeof out,
      .panel_queries = plan->prefill->panel[0].lanes,
      .key_block = plan->prefill->key_block,
      .split_keys = RAPT_SPLIT_KEYS,
      .numerics_id = numerics_id(plan),
      .decode_rows = plan->desc.flags & RAPT_FORCE_LANES ? 0 : plan->decode->row.most_rows};
  rapt_set_text(out.prefill_set, sizeof out.prefill_set, plan->prefill->name);
  rapt_set_text(out.decode_set, sizeof out.decode_set, plan->decode->name);
  return rapt_store_plan_info(&out, info, error);
}

rapt_status rapt_plan_check(const rapt_attention_desc *desc, rapt_plan_info *info,
                            rapt_error *error) {
  rapt_plan plan;
  rapt_status status = rapt_plan_init(&plan, desc, error);
  if (!status && info) status = store_info(&plan, info, error);
  return status;
}

rapt_status rapt_plan_create(const rapt_attention_desc *desc, rapt_plan **plan, rapt_error *error) {
  if (!plan) return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "plan", "is NULL");
  rapt_plan draft;
  rapt_status status = rapt_plan_init(&draft, desc, error);
  if (status) return status;
  rapt_plan *made = rapt_memory_get(&draft.allocator, sizeof draft, _Alignof(rapt_plan));
  if (!made)
    return rapt_fail(error, RAPT_ERROR_OUT_OF_MEMORY, "plan", "%zu bytes were not to be had",
                     sizeof draft);
  memcpy(made, &draft, sizeof draft);
  *plan = made;
  return RAPT_OK;
}

void rapt_plan_destroy(rapt_plan *plan) {
  if (!plan) return;
  rapt_allocator allocator = plan->allocator;
  rapt_memory_put(&allocator, plan, sizeof *plan, _Alignof(rapt_plan));
}

rapt_status rapt_plan_get_info(const rapt_plan *plan, rapt_plan_info *info, rapt_error *error) {
  if (!plan) return rapt_fail(error, RAPT_ERROR_INVALID_ARGUMENT, "plan", "is NULL");
  return store_info(plan, info, error);
}
