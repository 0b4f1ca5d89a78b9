/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt-bench. See bench/README.md. */
#include <stdio.h>
#include <stdlib.h>

#include "common/cpu_name.h"

#include "baseline.h"
#include "data.h"
#include "gbench.h"
#include "failures.h"
#include "options.h"
#include "peers.h"
#include "suites.h"
#include "threads.h"

static void describe(void) {
  char text[256];
  cpu_name(text, sizeof text);
  gbench_context("cpu", text);

  rapt_cpu_info cpu = {.size = sizeof cpu};
  if (rapt_get_cpu_info(&cpu, NULL) == RAPT_OK) {
    gbench_context("isa_usable", cpu.isa_list);
    snprintf(text, sizeof text, "L1d %lld KiB, L2 %lld KiB, L3 %lld KiB (%s)",
             (long long)cpu.l1d_bytes / 1024, (long long)cpu.l2_bytes / 1024,
             (long long)cpu.l3_bytes / 1024, cpu.topology);
    gbench_context("caches_seen", text);
  }

  rapt_attention_desc desc = {
      .size = sizeof desc, .heads_q = 12, .heads_kv = 12, .head_dim_qk = 64, .head_dim_v = 64};
  rapt_plan_info info = {.size = sizeof info};
  rapt_error error = {.size = sizeof error};
  if (rapt_plan_check(&desc, &info, &error) == RAPT_OK)
    snprintf(text, sizeof text, "prefill %s, decode %s", info.prefill_set, info.decode_set);
  else
    snprintf(text, sizeof text, "none: %s", error.message);
  gbench_context("kernel_sets", text);
  gbench_context("RAPT_ISA", getenv("RAPT_ISA") ? getenv("RAPT_ISA") : "(not set)");

  snprintf(text, sizeof text, "4 KiB unless the name says _huge; system: %s", bench_huge_pages());
  gbench_context("pages", text);
  snprintf(text, sizeof text, "%d", (int)bench_threads_max());
  gbench_context("workers", text);
  gbench_context("rapt_version", rapt_version_string());
  gbench_context("baseline", bench_blas_name());
  for (int32_t i = 0; i < bench_peers_count(); i++) {
    const bench_peer *peer = bench_peers_get(i);
    char key[8 + BENCH_PEER_NAME];
    snprintf(key, sizeof key, "peer_%s", peer->name);
    snprintf(text, sizeof text, "%s%s%s", peer->path, *peer->version ? ", " : "", peer->version);
    gbench_context(key, text);
  }
}

int main(int argc, char **argv) {
  bench_blas_open(argv);
  argc = bench_options_parse(argc, argv);
  if (argc < 0) return 2;
  bench_threads_open();
  if (bench_peers_open() != 0) return 2;
  describe();
  bench_suite_prefill();
  bench_suite_decode();
  bench_suite_scaling();
  bench_suite_growth();
  bench_suite_models();
  bench_suite_rules();
  bench_suite_layer();
  bench_suite_positions();
  bench_suite_overhead();
  bench_suite_kernels();
  bench_suite_anchors();
  bench_suite_baseline();
  int status = gbench_run(argc, argv);
  bench_scaling_report();
  bench_peers_report();
  if (gbench_errors() > 0) bench_fail("%d benchmarks ended with an error", gbench_errors());
  if (bench_failures() > 0 && status == 0) status = 1;
  return status;
}
