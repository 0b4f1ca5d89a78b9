/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The workspace query: monotone, a constant per worker, a shared part for split joins only. Every run
 * of problem.h ends its workspace at a guard page, so that "enough" is tested everywhere. */
#include "attention/problem.h"

static int query(const rapt_plan *plan, int32_t batch, int32_t q_len, int32_t kv_len,
                 int32_t workers, rapt_workspace_info *info) {
  rapt_attention_args args = {
      .size = sizeof args, .batch = batch, .q_len = q_len, .kv_len = kv_len};
  rapt_error error = {.size = sizeof error};
  *info = (rapt_workspace_info){.size = sizeof *info};
  rapt_status status = rapt_plan_workspace(plan, &args, workers, info, &error);
  return CHECK(status == RAPT_OK, "%d x %d x %d, %d workers: %s", batch, q_len, kv_len, workers,
               error.message);
}

static rapt_plan *plan_with(const char *isa, int32_t group, int32_t dqk, int32_t dv, int32_t mask,
                            uint32_t flags) {
  problem p = problem_make(2 * group, 2, dqk, dv, 0, 0, 0);
  rapt_plan *plan = NULL;
  p.desc.isa = isa;
  p.desc.mask = mask;
  p.desc.flags = flags;
  if (flags & ~(uint32_t)(RAPT_PARTIAL | RAPT_FORCE_LANES)) p.desc.align = RAPT_ALIGN_BOTTOM_RIGHT;
  CHECK(rapt_plan_create(&p.desc, &plan, NULL) == RAPT_OK, "plan");
  return plan;
}

static rapt_plan *plan_for(const char *isa, int32_t group, int32_t dqk, int32_t dv) {
  return plan_with(isa, group, dqk, dv, RAPT_MASK_NONE, 0);
}

/* Plans without rules, and with masks of each kind and flags that change what is kept. */
RAPT_TEST(workspace_is_monotone) {
  static const uint32_t flags[] = {0, RAPT_PARTIAL, RAPT_ALIBI | RAPT_CAUSAL, RAPT_FORCE_LANES};
  rng r = rng_make(rapt_test_seed());
  FOR_EACH_ISA(isa)
  for (int i = 0; i < 60; i++) {
    int32_t mask = i < 24 ? RAPT_MASK_NONE : i % (RAPT_MASK_BF16 + 1);
    int32_t most = i % 2 ? 100 : 40000, dv = rng_range(&r, 1, 256);
    rapt_plan *plan = plan_with(isa, rng_range(&r, 1, 8), rng_range(&r, 1, 256), dv, mask,
                                flags[i < 24 ? 0 : i / 6 % 4]);
    if (!plan) return;
    for (int n = 0; n < 200; n++) {
      int32_t a[4] = {rng_below(&r, 9), rng_below(&r, most), rng_below(&r, most),
                      rng_range(&r, 1, 100)};
      rapt_workspace_info small, large;
      if (!query(plan, a[0], a[1], a[2], a[3], &small)) return;
      int32_t which = rng_below(&r, 4), before = a[which];
      a[which] += rng_range(&r, 1, which == 1 || which == 2 ? 3000 : 5);
      if (!query(plan, a[0], a[1], a[2], a[3], &large)) return;
      CHECK(small.bytes <= large.bytes,
            "%s: batch %d, %d x %d, %d workers: argument %d from %d takes %llu to %llu bytes", isa,
            a[0], a[1], a[2], a[3], which, before, (unsigned long long)small.bytes,
            (unsigned long long)large.bytes);
      CHECK(small.bytes_per_worker == large.bytes_per_worker, "bytes per worker vary");
    }
    rapt_plan_destroy(plan);
  }
}

/* The largest lengths there are: finite, and no less than any smaller call needs. */
RAPT_TEST(workspace_of_the_largest_lengths) {
  static const int32_t sizes[] = {1, 1000, 40000, 1 << 20, INT32_MAX};
  FOR_EACH_ISA(isa)
  for (int32_t mask = RAPT_MASK_NONE; mask <= RAPT_MASK_BF16; mask += RAPT_MASK_F16) {
    rapt_plan *plan = plan_with(isa, 8, 64, 64, mask, 0);
    if (!plan) return;
    for (int x = 0; x < 125; x++) {
      const int32_t n[] = {sizes[x % 5], sizes[x / 5 % 5], sizes[x / 25]};
      rapt_workspace_info info, more;
      if (!query(plan, n[0], n[1], n[2], 8, &info)) return;
      CHECK(info.bytes < (uint64_t)1 << 56 && info.bytes > info.bytes_per_worker,
            "%s: %d x %d x %d takes %llu bytes", isa, n[0], n[1], n[2],
            (unsigned long long)info.bytes);
      for (int which = 0; which < 3; which++) {
        int32_t m[] = {n[0], n[1], n[2]};
        m[which] = INT32_MAX;
        if (!query(plan, m[0], m[1], m[2], 8, &more)) return;
        CHECK(info.bytes <= more.bytes, "%s: %d x %d x %d takes more than the longest", isa, n[0],
              n[1], n[2]);
      }
    }
    rapt_plan_destroy(plan);
  }
}

/* Per worker 1 MiB, plus what the head dims need: eight panels of queries and outputs, and a block
 * of copied keys and values. */
RAPT_TEST(workspace_per_worker) {
  static const int32_t dims[] = {1, 8, 64, 80, 128, 256, 512, 1024};
  FOR_EACH_ISA(isa)
  for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
    int32_t d = dims[i];
    rapt_plan *plan = plan_for(isa, 1, d, d);
    rapt_plan_info about = {.size = sizeof about};
    rapt_workspace_info info;
    if (!plan || rapt_plan_get_info(plan, &about, NULL) != RAPT_OK) return;
    if (!query(plan, 1, 8192, 8192, 1, &info)) return;
    uint64_t needs = 2 * (uint64_t)d * (8 * 32 * 4 + 4 * (uint64_t)about.key_block);
    CHECK(info.bytes_per_worker <= (1u << 20) + needs, "%s D%d: %llu bytes per worker", isa, d,
          (unsigned long long)info.bytes_per_worker);
    printf("  %s D%d: %llu KiB per worker\n", isa, d,
           (unsigned long long)info.bytes_per_worker >> 10);
    rapt_plan_destroy(plan);
  }
}

/* The shared part: no more than rows * splits * (dv + 2) floats, and a table per sequence. */
RAPT_TEST(workspace_shared) {
  rng r = rng_make(rapt_test_seed());
  FOR_EACH_ISA(isa)
  for (int i = 0; i < 200; i++) {
    int32_t group = rng_range(&r, 1, 8), dv = rng_range(&r, 1, 128);
    int32_t batch = rng_range(&r, 1, 9), q = rng_range(&r, 1, 300), kv = rng_range(&r, 1, 30000);
    rapt_plan *plan = plan_for(isa, group, 32, dv);
    rapt_plan_info about = {.size = sizeof about};
    rapt_workspace_info info;
    if (!plan || rapt_plan_get_info(plan, &about, NULL) != RAPT_OK) return;
    if (!query(plan, batch, q, kv, rng_range(&r, 1, 64), &info)) return;
    uint64_t splits = (uint64_t)((kv + about.split_keys - 1) / about.split_keys);
    /* Rows of a KV head come in whole panels, vectors in whole cache lines. */
    uint64_t panel = (uint64_t)about.panel_queries;
    uint64_t rows = ((uint64_t)(q * group) + panel - 1) / panel * panel * 2 * (uint64_t)batch;
    uint64_t table = 4096 + 256 * (uint64_t)batch;
    uint64_t most = table + rows * splits * ((uint64_t)(dv + 15) / 16 * 16 + 2 + 2) * 4;
    CHECK(info.bytes_shared <= most, "%s: batch %d, %d x %d, group %d, dv %d: %llu > %llu", isa,
          batch, q, kv, group, dv, (unsigned long long)info.bytes_shared, (unsigned long long)most);
    rapt_plan_destroy(plan);
  }
}

/* A workspace of a larger query serves every smaller call, at any 64-byte aligned address. */
RAPT_TEST(workspace_of_a_larger_call) {
  rng r = rng_make(rapt_test_seed());
  for (int i = 0; i < smaller(60, 6); i++) {
    problem p = problem_make(2, 1, 16, 16, rng_range(&r, 1, 3), rng_range(&r, 1, 40),
                             rng_range(&r, 1, 2500));
    problem_build(&p, &r);
    FOR_EACH_ISA(isa) {
      rapt_plan *plan = NULL;
      rapt_workspace_info info;
      p.desc.isa = isa;
      REQUIRE(rapt_plan_create(&p.desc, &plan, NULL) == RAPT_OK, "plan");
      int32_t workers = rng_range(&r, 1, 4);
      if (!query(plan, p.args.batch + rng_below(&r, 3), p.args.q_len + rng_below(&r, 90),
                 p.args.kv_len + rng_below(&r, 3000), workers, &info))
        return;
      size_t shift = 64 * (size_t)rng_below(&r, 5);
      guard_buffer ws = guard_alloc((size_t)info.bytes + shift, GUARD_END, 64);
      rapt_executor executor = serial_executor;
      executor.max_workers = workers;
      rapt_error error = {.size = sizeof error};
      rapt_status status = rapt_attention_run(plan, &p.args, (char *)ws.data + shift,
                                              (size_t)info.bytes, &executor, &error);
      CHECK(status == RAPT_OK, "%s: %s", isa, error.message);
      if (status == RAPT_OK) problem_compare(&p, isa, "larger workspace");
      CHECK_UNTOUCHED(ws.data, shift, "%s: before the workspace", isa);
      CHECK(guard_free(&ws), "%s: behind the workspace", isa);
      rapt_plan_destroy(plan);
    }
    problem_free(&p);
  }
}
