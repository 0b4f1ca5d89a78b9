/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rapt info: what library and machine are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rapt/rapt.h>

#include "common/cpu_name.h"
#include "commands.h"

enum { JSON, N_OPTIONS };

static const option options[N_OPTIONS] = {
    [JSON] = {"json", 0, NULL,
              "Prints one JSON object, for programs. Sizes are in bytes, 0 if unknown."},
};

static const example examples[] = {
    {"rapt info", "Processor, kernel sets, caches and threads."},
    {"RAPT_ISA=avx2 rapt info", "The same, limited to the kernels of AVX2."},
    {"rapt info --json", "For programs."},
};

const page info_page = {
    .name = "info",
    .summary = "what this machine and library can do",
    .text = "Prints the processor, the instruction sets the library can use on it and the kernel "
            "sets it "
            "chooses, caches, threads and version.\n\n"
            "Decode stands for single tokens: few rows per KV head, a row being a query of one of "
            "the heads that share it. The line decode says how many are few. Prefill stands for "
            "prompts: more rows. RAPT_ISA in the environment limits the choice, OMP_NUM_THREADS "
            "the threads.",
    .options = options,
    .n_options = N_OPTIONS,
    .examples = examples,
    .n_examples = (int32_t)(sizeof examples / sizeof *examples)};

typedef struct facts {
  char cpu[256];
  rapt_cpu_info machine;
  rapt_plan_info plan;
  rapt_blas_info blas;
  int32_t threads;
} facts;

/* The kernel sets of a usual description; others get the same, since sets support all shapes. */
static int collect(facts *f, failure *why) {
  rapt_error error = {.size = sizeof error};
  rapt_attention_desc desc = {
      .size = sizeof desc, .heads_q = 8, .heads_kv = 8, .head_dim_qk = 64, .head_dim_v = 64};
  memset(f, 0, sizeof *f);
  f->machine.size = sizeof f->machine;
  f->plan.size = sizeof f->plan;
  f->blas.size = sizeof f->blas;
  cpu_name(f->cpu, sizeof f->cpu);
  f->threads = rapt_default_workers();
  if (rapt_get_cpu_info(&f->machine, &error) != RAPT_OK)
    return fail(why, EXIT_RUN_FAILED, "%s: %s", error.field, error.message);
  if (rapt_get_blas_info(&f->blas, &error) != RAPT_OK)
    return fail(why, EXIT_RUN_FAILED, "%s: %s", error.field, error.message);
  if (rapt_plan_check(&desc, &f->plan, &error) == RAPT_OK) return 0;
  return fail(why, EXIT_WRONG_USE, "%s: %s", error.field, error.message);
}

/* A size as people write it: whole KiB or MiB where it is one. */
static const char *size_text(int64_t bytes, char *out, size_t size) {
  if (bytes <= 0)
    snprintf(out, size, "unknown");
  else if (bytes % (1 << 20) == 0)
    snprintf(out, size, "%lld MiB", (long long)bytes >> 20);
  else if (bytes % 1024 == 0)
    snprintf(out, size, "%lld KiB", (long long)bytes >> 10);
  else
    snprintf(out, size, "%lld bytes", (long long)bytes);
  return out;
}

/* How the layer calls BLAS: src/platform/blas_cblas.c. */
static const char *blas_manner(int32_t parallel) {
  if (parallel == RAPT_BLAS_NONE) return "none: built without the layer";
  if (parallel == RAPT_BLAS_SEQUENTIAL) return "called by the executor's threads";
  if (parallel == RAPT_BLAS_UNKNOWN)
    return "called by the executor's threads; it should have none of its own";
  if (parallel == RAPT_BLAS_OPENMP) return "called by the executor's threads, one thread each";
  return "called by the executor's threads in pieces too small for threads of its own";
}

/* OpenBLAS chooses among the CPUs that it knows: for a newer one it may take kernels of AVX2. */
static int blas_is_behind(const facts *f) {
  const char *core = strstr(f->blas.name, "kernels for ");
  if (!core || !strstr(f->machine.isa_list, "avx512")) return 0;
  core += strlen("kernels for ");
  return !strcmp(core, "Haswell") || !strcmp(core, "Zen");
}

static void print_text(const facts *f) {
  const char *forced = getenv("RAPT_ISA");
  char l1d[40], l2[40], l3[40], nodes[20] = "unknown", line[20] = "unknown";
  if (f->machine.numa_nodes > 0) snprintf(nodes, sizeof nodes, "%d", (int)f->machine.numa_nodes);
  if (f->machine.cache_line > 0)
    snprintf(line, sizeof line, "%d bytes", (int)f->machine.cache_line);
  printf("rapt        %s\n", rapt_version_string());
  printf("CPU         %s\n", f->cpu);
  printf("ISA         %s (usable, best first)\n", f->machine.isa_list);
  printf("prefill     %s\n", f->plan.prefill_set);
  printf("decode      %s (up to %d rows per KV head)\n", f->plan.decode_set,
         (int)f->plan.decode_rows);
  if (forced && *forced) printf("RAPT_ISA    %s limits both\n", forced);
  printf("caches      L1d %s, L2 %s per core; L3 %s; line %s\n",
         size_text(f->machine.l1d_bytes, l1d, sizeof l1d),
         size_text(f->machine.l2_bytes, l2, sizeof l2),
         size_text(f->machine.l3_bytes, l3, sizeof l3), line);
  printf("NUMA nodes  %s\n", nodes);
  printf("threads     %d (executor OpenMP; this process may use %d CPUs)\n", (int)f->threads,
         (int)f->machine.logical_cpus);
  if (f->blas.parallel == RAPT_BLAS_NONE)
    printf("BLAS        %s\n", blas_manner(f->blas.parallel));
  else
    printf("BLAS        %s (%s)\n", f->blas.name, blas_manner(f->blas.parallel));
  if (blas_is_behind(f))
    printf("            These are for AVX2, while this CPU has AVX-512: OPENBLAS_CORETYPE=SkylakeX "
           "in\n"
           "            the environment of a program gives its layer the others.\n");
  printf("topology    from %s\n", f->machine.topology);
}

static void json_string(const char *name, const char *value) {
  printf("  \"%s\": \"", name);
  for (; *value; value++) {
    if (*value == '"' || *value == '\\') putchar('\\');
    if ((unsigned char)*value < ' ')
      printf("\\u%04x", (unsigned)*value);
    else
      putchar(*value);
  }
  printf("\",\n");
}

static void json_number(const char *name, int64_t value, const char *behind) {
  printf("  \"%s\": %lld%s\n", name, (long long)value, behind);
}

/* The kernel sets of this build, best first. */
static void json_kernel_sets(void) {
  printf("  \"kernel_sets\": [");
  for (int32_t i = 0; i < rapt_kernel_count(); i++) {
    rapt_kernel_info set = {.size = sizeof set};
    if (rapt_kernel_get(i, &set, NULL) != RAPT_OK) continue;
    printf("%s\n    {\"name\": \"%s\", \"isa\": \"%s\", \"usable\": %s}", i ? "," : "", set.name,
           set.isa, set.usable ? "true" : "false");
  }
  printf("\n  ],\n");
}

static void print_json(const facts *f) {
  printf("{\n");
  json_string("version", rapt_version_string());
  json_string("cpu", f->cpu);
  json_string("isa", f->machine.isa);
  json_string("isa_list", f->machine.isa_list);
  json_kernel_sets();
  json_string("prefill_set", f->plan.prefill_set);
  json_string("decode_set", f->plan.decode_set);
  json_number("decode_rows", f->plan.decode_rows, ",");
  json_string("executor", "OpenMP");
  json_number("threads", f->threads, ",");
  json_number("logical_cpus", f->machine.logical_cpus, ",");
  json_number("numa_nodes", f->machine.numa_nodes, ",");
  json_number("cache_line", f->machine.cache_line, ",");
  json_number("l1d_bytes", f->machine.l1d_bytes, ",");
  json_number("l2_bytes", f->machine.l2_bytes, ",");
  json_number("l3_bytes", f->machine.l3_bytes, ",");
  json_string("blas", f->blas.name);
  json_string("blas_manner", blas_manner(f->blas.parallel));
  json_string("topology", f->machine.topology);
  printf("  \"numerics_id\": \"%016llx\"\n}\n", (unsigned long long)f->plan.numerics_id);
}

int cmd_info(int argc, char **argv) {
  arguments given;
  int status = options_begin(&info_page, argc, argv, &given);
  if (status != GO_ON) return status;
  facts f;
  failure why;
  status = collect(&f, &why);
  if (status) return fail_print("info", &why, status);
  if (given.value[JSON])
    print_json(&f);
  else
    print_text(&f);
  return EXIT_FINE;
}
