/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * anchor/...: the anchors by themselves. The other suites measure their own, next to their data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "suites.h"
#include "threads.h"

typedef struct anchor {
  const bench_isa *isa;
  size_t bytes;
  int32_t pages, threads;
} anchor;

static const anchor *keep(anchor a) {
  anchor *kept = malloc(sizeof *kept);
  if (!kept) abort();
  *kept = a;
  return kept;
}

static void fma_peak(gbench_state *state, const void *arg) {
  static bench_rounds r;
  const anchor *a = arg;
  memset(&r, 0, sizeof r);
  bench_fma own = {.isa = a->isa, .threads = a->threads};
  bench_rounds_add(&r, bench_fma_take, &own, 0);
  bench_rounds_run(&r);
  double flops = a->isa->flops_per_step * (double)own.steps * a->threads;
  gbench_time(state, bench_rounds_best(&r, 0) * flops);
  gbench_counter(state, "flops", 1 / bench_rounds_best(&r, 0));
  gbench_counter(state, "flops_median", 1 / bench_rounds_typical(&r, 0));
}

static void read_data(gbench_state *state, const void *arg) {
  static bench_rounds r;
  const anchor *a = arg;
  bench_buffer data;
  if (bench_buffer_open(&data, a->bytes, a->pages) != 0) {
    gbench_error(state, "no memory");
    return;
  }
  bench_fill(&data, 1, a->threads);
  memset(&r, 0, sizeof r);
  bench_read own = {.isa = a->isa,
                    .threads = a->threads,
                    .data = data.data,
                    .bytes = data.bytes,
                    .pages = a->pages};
  bench_read_tune(&own);
  bench_rounds_add(&r, bench_read_take, &own, 0);
  bench_rounds_run(&r);
  gbench_time(state, bench_rounds_best(&r, 0) * (double)a->bytes);
  gbench_counter(state, "read_bytes", 1 / bench_rounds_best(&r, 0));
  gbench_counter(state, "read_bytes_median", 1 / bench_rounds_typical(&r, 0));
  char label[64];
  snprintf(label, sizeof label, "%d streams, prefetch %zu bytes ahead", (int)own.way[0].streams,
           own.way[0].distance);
  gbench_label(state, label);
  bench_buffer_close(&data);
}

void bench_suite_anchors(void) {
  char name[BENCH_NAME];
  int32_t counts[BENCH_THREAD_COUNTS], n = bench_thread_counts(counts);
  for (int32_t i = 0; i < bench_isa_count(); i++) {
    int32_t usable;
    const bench_isa *isa = bench_isa_get(i, &usable);
    if (!usable) continue;
    for (int32_t t = 0; t < n; t++) {
      if (counts[t] == 1)
        snprintf(name, sizeof name, "anchor/fma/%s", isa->isa);
      else
        snprintf(name, sizeof name, "anchor/fma/%s/t%d", isa->isa, (int)counts[t]);
      gbench_register(name, fma_peak, keep((anchor){.isa = isa, .threads = counts[t]}));
    }
  }
  for (size_t kib = 32; kib <= ((size_t)1 << 20); kib *= 2) {
    if (kib > 32 && kib < 512) continue;
    for (int32_t pages = BENCH_PAGES_4K; pages <= BENCH_PAGES_HUGE; pages++)
      for (int32_t t = 0; t < n; t++) {
        if (bench_options.quick && kib > 32 << 10) continue;
        const char *huge = pages == BENCH_PAGES_HUGE ? "_huge" : "";
        if (kib < 1024)
          snprintf(name, sizeof name, "anchor/read/%zuKiB%s/t%d", kib, huge, (int)counts[t]);
        else
          snprintf(name, sizeof name, "anchor/read/%zuMiB%s/t%d", kib / 1024, huge, (int)counts[t]);
        gbench_register(name, read_data,
                        keep((anchor){bench_isa_best(), kib * 1024, pages, counts[t]}));
      }
  }
}
