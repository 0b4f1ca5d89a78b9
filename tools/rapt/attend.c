/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L
#include "attend.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A field of the library's structs as users of the tool know it. */
static const char *option_of(const char *field) {
  static const char *const names[][2] = {
      {"desc.isa", "--isa"},
      {"desc.scale", "--scale"},
      {"desc.softcap", "--softcap"},
      {"desc.window_keep", "--window-keep"},
      {"desc.window", "--window"},
      {"desc.align", "--align"},
      {"desc.heads_q", "--q"},
      {"desc.heads_kv", "--k"},
      {"desc.head_dim_qk", "--q (channels)"},
      {"desc.head_dim_v", "--v (channels)"},
      {"args.q_lens", "--q-lens"},
      {"args.kv_lens", "--kv-lens"},
      {"args.prefix_lens", "--prefix"},
      {"args.mask", "--mask"},
      {"args.sinks", "--sinks"},
      {"args.scores.rows", "--rows"},
      {"args.scores.key_sums", "--key-sums"},
      {"args.scores", "--weights"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(field, names[i][0], strlen(names[i][0])) == 0) return names[i][1];
  return field;
}

int attend_refused(const rapt_error *error, failure *why) {
  int input = error->code == RAPT_ERROR_INVALID_ARGUMENT || error->code == RAPT_ERROR_UNSUPPORTED;
  return fail(why, input ? EXIT_WRONG_USE : EXIT_RUN_FAILED, "%s: %s", option_of(error->field),
              error->message);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int attend(const rapt_attention_desc *desc, const rapt_attention_args *args,
           const rapt_executor *executor, int32_t most_runs, double enough, double *seconds,
           int32_t *runs, failure *why) {
  rapt_error error = {.size = sizeof error};
  rapt_workspace_info need = {.size = sizeof need};
  rapt_plan *plan = NULL;
  int status = 0;
  if (rapt_plan_create(desc, &plan, &error)) return attend_refused(&error, why);
  void *workspace = NULL;
  if (rapt_plan_workspace(plan, args, executor->max_workers, &need, &error))
    status = attend_refused(&error, why);
  if (!status && !(workspace = aligned_alloc(64, need.bytes)))
    status = fail(why, EXIT_RUN_FAILED, "out of memory: the workspace has %llu bytes",
                  (unsigned long long)need.bytes);
  double spent = 0;
  for (int32_t i = 0; !status && i < most_runs && (i == 0 || spent < enough); i++) {
    double start = now();
    if (rapt_attention_run(plan, args, workspace, need.bytes, executor, &error))
      status = attend_refused(&error, why);
    double took = now() - start;
    spent += took;
    if (seconds && (i == 0 || took < *seconds)) *seconds = took;
    if (runs) *runs = i + 1;
  }
  free(workspace);
  rapt_plan_destroy(plan);
  return status;
}
