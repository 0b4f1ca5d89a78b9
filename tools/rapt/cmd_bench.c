/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt bench: a table of times at lengths that double. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rapt/rapt.h>

#include "commands.h"
#include "common/power_fit.h"
#include "growth.h"
#include "progress.h"

enum { LIKE, THREADS, SECONDS, LONGEST, CSV };
static const option options[] = {
    [LIKE] = {"like", 0, "MODEL",
              "The attention to measure. llama: Llama 3 8B, 32 query and 8 KV heads of 128 "
              "channels, one new token against a cache. whisper: the encoder of Whisper base, 8 "
              "heads of 64 channels. bert: BERT base, 12 heads of 64 channels (the default)."},
    [THREADS] = {"threads", 0, "N", "Threads, 1..1024. Default: what OpenMP gives."},
    [SECONDS] = {"seconds", 0, "X",
                 "How long each length is measured, 0.001..3600. Default 0.5; the quickest run of "
                 "that time counts."},
    [LONGEST] = {"longest", 0, "N",
                 "The length not to go beyond. Default: llama 16384, whisper 6000, bert 4096."},
    [CSV] = {"csv", 0, "FILE", "Also writes the table to FILE as comma-separated values."},
};
static const example lines[] = {
    {"rapt bench", "BERT's heads at lengths from 64 to 4096."},
    {"rapt bench --like llama --threads 1", "Decoding, on one thread."},
    {"RAPT_ISA=avx2 rapt bench --like whisper --csv avx2.csv", "What AVX2 kernels make of it."},
};

const page bench_page = {
    .name = "bench",
    .summary = "time against length, for the shapes of known models",
    .text = "Measures attention over random float32 tensors at lengths that double, and prints "
            "for each the quickest run, the floating-point operations per second (4 * heads * "
            "queries * keys * channels; for decoding also the bytes of K and V read per second), "
            "and the time as a multiple of the one before: 4 where time grows with the square of "
            "the length, 2 where it grows with the length. The exponent below is fitted to the "
            "longer half.\n\n"
            "Other programs on the machine make the figures worse, less so with "
            "OMP_WAIT_POLICY=passive in the environment. rapt-bench, in the source tree, compares "
            "with what the machine can do and with other ways to compute the same.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .examples = lines,
    .n_examples = sizeof lines / sizeof lines[0],
};

typedef struct bench_request {
  const growth_model *model;
  int32_t threads, longest;
  double seconds;
  const char *csv;
} bench_request;

static int read_model(const arguments *given, const growth_model **model, failure *why) {
  const char *names[GROWTH_MODELS];
  int32_t chosen = GROWTH_MODELS - 1;
  for (int32_t i = 0; i < GROWTH_MODELS; i++) names[i] = growth_models[i].name;
  int status = given->value[LIKE] ? options_choice("--like", given->value[LIKE], names,
                                                   GROWTH_MODELS, &chosen, why)
                                  : 0;
  *model = &growth_models[chosen];
  return status;
}

static int read_request(const arguments *given, bench_request *r, failure *why) {
  int64_t threads = rapt_default_workers(), longest;
  int status = read_model(given, &r->model, why);
  longest = r->model->longest;
  r->seconds = 0.5;
  r->csv = given->value[CSV];
  if (!status && given->value[THREADS])
    status = options_integer("--threads", given->value[THREADS], 1, 1024, &threads, why);
  if (!status && given->value[SECONDS])
    status = options_number("--seconds", given->value[SECONDS], 0.001, 3600, &r->seconds, why);
  if (!status && given->value[LONGEST])
    status = options_integer("--longest", given->value[LONGEST], r->model->shortest, 1 << 18,
                             &longest, why);
  r->threads = (int32_t)threads;
  r->longest = (int32_t)longest;
  return status;
}

static void print_head(const growth *g, const char *set) {
  const growth_model *m = g->model;
  printf("%s: ", m->title);
  if (m->heads_q != m->heads_kv) printf("%d query and ", (int)m->heads_q);
  printf("%d %sheads of %d channels, float32\n", (int)m->heads_kv,
         m->heads_q != m->heads_kv ? "KV " : "", (int)m->head_dim);
  printf("kernels %s, %d %s\n\n", set, (int)g->threads, g->threads == 1 ? "thread" : "threads");
  printf("%9s %12s %10s", "length", "time, ms", "GFLOP/s");
  if (m->decode) printf(" %10s", "GB/s");
  printf(" %8s\n", "growth");
}

static void print_point(const growth_model *m, const growth_point *p, double ratio) {
  printf("%8d%c %12.4f %10.1f", (int)p->length, p->length == m->own ? '*' : ' ', 1e3 * p->seconds,
         1e-9 * growth_flops(m, p->length) / p->seconds);
  if (m->decode) printf(" %10.1f", 1e-9 * growth_bytes(m, p->length) / p->seconds);
  if (ratio > 0) printf(" %7.2fx", ratio);
  printf("\n");
  fflush(stdout);
}

static void write_point(FILE *csv, const growth_model *m, const growth_point *p, double ratio) {
  fprintf(csv, "%d,%.9g,%.6g,%.6g,", (int)p->length, p->seconds,
          growth_flops(m, p->length) / p->seconds, growth_bytes(m, p->length) / p->seconds);
  if (ratio > 0) fprintf(csv, "%.4f", ratio);
  fprintf(csv, "\n");
}

static int measure_all(const growth *g, double seconds, FILE *csv, failure *why) {
  const growth_model *m = g->model;
  power_fit fit = {0};
  double before = 0;
  int32_t fit_from = 0, count = 0, done = 0;
  for (int64_t n = m->shortest; n <= g->longest; n *= 2) count++;
  for (int64_t n = m->shortest; n <= g->longest; n *= 2, done++) {
    char what[40];
    growth_point p;
    snprintf(what, sizeof what, "length %" PRId64, n);
    progress_show((double)done / count, what);
    int status = growth_measure(g, (int32_t)n, seconds, &p, why);
    progress_clear();
    if (status) return status;
    double ratio = before > 0 ? p.seconds / before : 0;
    print_point(m, &p, ratio);
    if (csv) write_point(csv, m, &p, ratio);
    before = p.seconds;
    if (done < count / 2) continue;
    if (fit.points == 0) fit_from = p.length;
    power_fit_add(&fit, p.length, p.seconds);
  }
  if (g->longest >= m->own) printf("\n* the length %s is known for\n", m->name);
  if (fit.points >= 2)
    printf("\nTime grows with length^%.2f from %d on.\n", power_fit_exponent(&fit), (int)fit_from);
  return 0;
}

static int bench(const bench_request *r, FILE *csv, failure *why) {
  char set[32];
  growth g;
  int status = growth_open(&g, r->model, r->threads, r->longest, why);
  if (!status) status = growth_kernel_set(&g, set, why);
  if (!status) {
    print_head(&g, set);
    if (csv) fprintf(csv, "length,seconds,flops_per_second,kv_bytes_per_second,growth\n");
    status = measure_all(&g, r->seconds, csv, why);
  }
  growth_close(&g);
  return status;
}

static int bench_to_file(const bench_request *r, failure *why) {
  if (!r->csv) return bench(r, NULL, why);
  FILE *csv = fopen(r->csv, "w");
  if (!csv)
    return fail(why, EXIT_RUN_FAILED, "--csv %s cannot be written: %s", r->csv, strerror(errno));
  int status = bench(r, csv, why), failed = ferror(csv);
  if ((fclose(csv) || failed) && !status)
    status = fail(why, EXIT_RUN_FAILED, "--csv %s cannot be written: %s", r->csv, strerror(errno));
  return status;
}

int cmd_bench(int argc, char **argv) {
  arguments given;
  failure why;
  bench_request request;
  int status = options_begin(&bench_page, argc, argv, &given);
  if (status != GO_ON) return status;
  status = read_request(&given, &request, &why);
  if (!status) status = bench_to_file(&request, &why);
  return status ? fail_print(bench_page.name, &why, status) : EXIT_FINE;
}
