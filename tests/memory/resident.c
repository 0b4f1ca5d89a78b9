/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Resident memory: flat over thousands of calls of ever new lengths, and far below S x S. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attention/problem.h"

/* A line of /proc/self/status in KiB; -1 where there is none. */
static long status_kib(const char *key) {
  char line[256];
  long value = -1;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, key, strlen(key)) == 0) value = strtol(line + strlen(key), NULL, 10);
  if (file) fclose(file);
  return value;
}

enum { MOST_LEN = 700, DIM = 8, MOST_HEADS = 2 };

typedef struct lot {
  float *q, *k, *v, *o, *lse;
  rapt_plan *plan;
  void *workspace;
  size_t bytes;
} lot;

static rapt_attention_desc desc_of(const char *isa) {
  return (rapt_attention_desc){.size = sizeof(rapt_attention_desc),
                               .flags = RAPT_CAUSAL,
                               .align = RAPT_ALIGN_BOTTOM_RIGHT,
                               .heads_q = MOST_HEADS,
                               .heads_kv = 1,
                               .head_dim_qk = DIM,
                               .head_dim_v = DIM,
                               .isa = isa};
}

static rapt_attention_args args_of(const lot *l, int32_t q_len, int32_t kv_len) {
  int64_t row = 4 * DIM;
  rapt_attention_args a = {.size = sizeof a, .batch = 1, .q_len = q_len, .kv_len = kv_len};
  a.q = (rapt_const_tensor){l->q, {0, q_len * row, row}};
  a.k = (rapt_const_tensor){l->k, {0, kv_len * row, row}};
  a.v = (rapt_const_tensor){l->v, {0, kv_len * row, row}};
  a.o = (rapt_tensor){l->o, {MOST_HEADS * q_len * row, q_len * row, row}};
  a.lse = (rapt_tensor){l->lse, {MOST_HEADS * q_len * 4, q_len * 4, 4}};
  return a;
}

/* One call of random lengths: with the kept plan, a plan of its own, or one-shot. */
static rapt_status one_call(const lot *l, const char *isa, rng *r, int n) {
  int32_t q_len = (int32_t)exp(rng_unit(r) * log(MOST_LEN)), kv_len = 1 + rng_below(r, MOST_LEN);
  if (q_len > 60 && n % 16) q_len = q_len % 60 + 1;
  rapt_attention_args args = args_of(l, q_len, kv_len);
  rapt_attention_desc desc = desc_of(isa);
  if (n % 3 == 0) return rapt_attention(&desc, &args, n % 2 ? NULL : &serial_executor, NULL);
  rapt_plan *plan = l->plan;
  rapt_status status = RAPT_OK;
  if (n % 3 == 1) status = rapt_plan_create(&desc, &plan, NULL);
  if (status == RAPT_OK)
    status = rapt_attention_run(plan, &args, l->workspace, l->bytes,
                                n % 2 ? NULL : &serial_executor, NULL);
  if (n % 3 == 1) rapt_plan_destroy(plan);
  return status;
}

static void many_calls(const char *isa, int calls) {
  size_t n = MOST_HEADS * MOST_LEN * DIM;
  float *memory = calloc(5 * n, sizeof *memory);
  lot l = {memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n, NULL, NULL, 0};
  rapt_attention_desc desc = desc_of(isa);
  rapt_workspace_info info = {.size = sizeof info};
  rng r = rng_make(rapt_test_seed());
  REQUIRE(memory, "memory");
  rng_fill_normal(&r, memory, 3 * n, 1);
  rapt_attention_args largest = args_of(&l, MOST_LEN, MOST_LEN);
  REQUIRE(rapt_plan_create(&desc, &l.plan, NULL) == RAPT_OK, "plan");
  int32_t workers = rapt_default_workers();
  REQUIRE(rapt_plan_workspace(l.plan, &largest, workers, &info, NULL) == RAPT_OK, "workspace");
  l.bytes = (size_t)info.bytes;
  l.workspace = aligned_alloc(64, (l.bytes + 63) / 64 * 64);
  REQUIRE(l.workspace, "memory");
  memset(l.workspace, 0, l.bytes);
  long warm = -1;
  for (int i = 0; i < calls; i++) {
    rapt_status status = one_call(&l, isa, &r, i);
    if (!CHECK(status == RAPT_OK, "call %d: status %d", i, status)) break;
    if (i == calls / 10) warm = status_kib("VmRSS:");
  }
  long end = status_kib("VmRSS:");
  printf("  %s: %d calls, %ld KiB resident after a tenth of them, %ld KiB at the end\n", isa, calls,
         warm, end);
  CHECK(end - warm <= 1024 + (long)(l.bytes >> 10), "%s: grew from %ld to %ld KiB", isa, warm, end);
  rapt_plan_destroy(l.plan);
  free(l.workspace);
  free(memory);
}

RAPT_TEST(resident_flat_over_new_lengths) {
  if (status_kib("VmRSS:") < 0) SKIP("no /proc/self/status");
  many_calls(level_at(0), smaller(20000, 60));
}

RAPT_TEST(resident_flat_on_every_level) {
  if (status_kib("VmRSS:") < 0) SKIP("no /proc/self/status");
  FOR_EACH_ISA(isa) many_calls(isa, smaller(1500, 30));
}

/* In a child, whose peak is its own: S = 8192 would be 256 MiB of scores. */
static int peak_of_long_call(const char *isa, int32_t s) {
  problem p = problem_make(1, 1, 64, 64, 1, s, s);
  rng r = rng_make(1);
  p.desc.flags = RAPT_CAUSAL;
  p.desc.align = RAPT_ALIGN_TOP_LEFT;
  problem_build(&p, &r);
  long before = status_kib("VmRSS:"); /* inputs and outputs are resident */
  if (!problem_run(&p, isa, NULL)) return 1;
  long peak = status_kib("VmHWM:");
  printf("  %s S = %d: %ld KiB before, %ld KiB at the peak\n", isa, s, before, peak);
  fflush(stdout);
  return peak - before > 32768;
}

RAPT_TEST(resident_peak_of_a_long_call) {
  if (test_small()) SKIP("too large for an emulator");
  if (status_kib("VmHWM:") < 0) SKIP("no /proc/self/status");
  FOR_EACH_ISA(isa) {
    fflush(stdout);
    pid_t child = fork();
    REQUIRE(child >= 0, "fork failed");
    if (child == 0) _exit(peak_of_long_call(isa, 8192));
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child, "waitpid failed");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0,
          "%s: more than 32 MiB above inputs and outputs (or 0x%x)", isa, (unsigned)status);
  }
}
