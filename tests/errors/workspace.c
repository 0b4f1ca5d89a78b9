/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each tensor and array of a run placed inside its workspace: refused before a byte changes. */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "support/rapt_test.h"

enum { MIDDLE = 1 << 16, BYTES = 1 << 20 };

static _Alignas(64) unsigned char scratch[BYTES], saved[BYTES];

static void expect(rapt_status got, const rapt_error *error, const char *entry, const char *name) {
  CHECK(got == RAPT_ERROR_WORKSPACE && !strcmp(error->field, "workspace") &&
            strstr(error->message, name),
        "%s, %s: status %d, field %s (%s)", entry, name, got, error->field, error->message);
  CHECK(!memcmp(saved, scratch, sizeof scratch), "%s, %s: written", entry, name);
}

static void in_workspace(const call *c, const char *name) {
  rapt_plan *plan = NULL;
  rapt_error error = {.size = sizeof error};
  REQUIRE(rapt_plan_create(&c->desc, &plan, &error) == RAPT_OK, "%s: %s", error.field,
          error.message);
  memcpy(saved, scratch, sizeof scratch);
  rapt_status got = rapt_attention_run(plan, &c->args, scratch, sizeof scratch, &c->executor,
                                       &error);
  expect(got, &error, "run", name);
  error = (rapt_error){.size = sizeof error};
  got = rapt_attention_run_team(plan, &c->args, scratch, sizeof scratch, 0, 1, &error);
  expect(got, &error, "team", name);
  /* A workspace that ends before them is fine. */
  if (strcmp(name, "args.v") != 0)
    CHECK(rapt_attention_run(plan, &c->args, scratch, MIDDLE, &c->executor, &error) == RAPT_OK,
          "%s beside: %s (%s)", name, error.field, error.message);
  rapt_plan_destroy(plan);
}

#define IN(name, ...)                     \
  do {                                    \
    call *c = good_call();                \
    rapt_attention_args *args = &c->args; \
    memset(scratch, 0, sizeof scratch);   \
    __VA_ARGS__;                          \
    in_workspace(c, name);                \
  } while (0)

RAPT_TEST(workspace_over_tensors_and_arrays) {
  void *const at = scratch + MIDDLE;
  static rapt_scores_out look;
  static const int32_t zero[2] = {0, 0};
  look = (rapt_scores_out){
      .size = sizeof look, .n_rows = 1, .rows = zero, .n_heads = 1, .heads = zero};
  IN("args.q", args->q.data = at);
  IN("args.k", args->k.data = at);
  IN("args.v", args->v.data = (char *)at - 4);
  IN("args.o", args->o.data = at);
  IN("args.lse", args->lse.data = at);
  IN("args.q_positions", args->q_positions = at);
  IN("args.kv_lens", args->kv_lens = at);
  IN("args.q_offsets", args->q_offsets = at);
  IN("args.cancel", args->cancel = at);
  IN("args.sinks", args->sinks = at);
  IN("args.mask", c->desc.mask = RAPT_MASK_BOOL, args->mask.data = at,
     args->mask.extent[0] = args->mask.extent[1] = args->mask.extent[2] = args->mask.extent[3] = 1);
  IN("args.scores", args->scores = &look, look.data = at,
     look.stride[0] = look.stride[1] = look.stride[2] = KV_LEN * 4);
  look.data = NULL;
  IN("args.scores.key_sums", args->scores = &look, look.key_sums = at,
     look.key_sums_stride[0] = look.key_sums_stride[1] = KV_LEN * 4);
}
