/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * librapt-core beside an engine's own threads: loading it brings nothing but libc and libm. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rapt/rapt.h>

#include "support/rapt_test.h"

static const char *library_path(void) {
  static char path[4096];
  const char *given = getenv("RAPT_CORE_LIBRARY");
  snprintf(path, sizeof path, "%s", given ? given : RAPT_LIBRARY_DIR "/librapt-core.so.0");
  return path;
}

/* The whole file; NULL if it cannot be read. */
static unsigned char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  unsigned char *bytes = NULL;
  long end = -1;
  if (!file) return NULL;
  if (fseek(file, 0, SEEK_END) == 0) end = ftell(file);
  if (end > 0 && fseek(file, 0, SEEK_SET) == 0 && (bytes = malloc((size_t)end)) &&
      fread(bytes, 1, (size_t)end, file) != (size_t)end) {
    free(bytes);
    bytes = NULL;
  }
  fclose(file);
  *size = (size_t)end;
  return bytes;
}

static int starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

static int is_allowed(const char *name) {
  return starts_with(name, "libc.so") || starts_with(name, "libm.so");
}

static int is_unwanted(const char *line) {
  static const char *const unwanted[] = {"libgomp", "libomp",      "libiomp",   "openblas",
                                         "hwloc",   "libgfortran", "libstdc++", "libmkl"};
  for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++)
    if (strstr(line, unwanted[i])) return 1;
  return 0;
}

/* Names of the dynamic section, read from the file: what the loader will look for. */
static void check_needed(const unsigned char *image, size_t size) {
  const Elf64_Ehdr *header = (const void *)image;
  REQUIRE(size > sizeof *header && memcmp(image, ELFMAG, SELFMAG) == 0, "no ELF file");
  if (image[EI_CLASS] != ELFCLASS64) SKIP("not a 64-bit file");
  const Elf64_Shdr *sections = (const void *)(image + header->e_shoff);
  int found = 0;
  for (int i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_DYNAMIC) continue;
    const Elf64_Dyn *entry = (const void *)(image + sections[i].sh_offset);
    const char *names = (const char *)image + sections[sections[i].sh_link].sh_offset;
    for (; entry->d_tag != DT_NULL; entry++) {
      if (entry->d_tag == DT_NEEDED) {
        const char *name = names + entry->d_un.d_val;
        CHECK(is_allowed(name), "needs %s", name);
        found++;
      } else if (entry->d_tag == DT_SONAME) {
        CHECK(strcmp(names + entry->d_un.d_val, "librapt-core.so.0") == 0, "soname %s",
              names + entry->d_un.d_val);
      }
    }
  }
  CHECK(found >= 1, "no DT_NEEDED entry found");
}

RAPT_TEST(needs_libc_and_libm_only) {
  size_t size = 0;
  unsigned char *image = read_file(library_path(), &size);
  REQUIRE(image, "%s cannot be read", library_path());
  check_needed(image, size);
  free(image);
}

/* Every file mapped into this process. */
static void check_maps(const char *when) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4352];
  int core = 0;
  REQUIRE(maps, "no /proc/self/maps");
  while (fgets(line, sizeof line, maps)) {
    CHECK(!is_unwanted(line), "%s: %s", when, line);
    core |= strstr(line, "librapt-core.so") != NULL;
  }
  fclose(maps);
  CHECK(core, "%s: librapt-core is not mapped", when);
}

RAPT_TEST(maps_nothing_else) {
  void *library = dlopen(library_path(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library, "%s", dlerror());
  check_maps("loaded");
  rapt_status (*info_of)(rapt_cpu_info *, rapt_error *);
  int32_t (*workers)(void);
  void *symbol = dlsym(library, "rapt_get_cpu_info");
  REQUIRE(symbol, "no rapt_get_cpu_info");
  memcpy(&info_of, &symbol, sizeof symbol);
  rapt_cpu_info info = {.size = sizeof info};
  CHECK(info_of(&info, NULL) == RAPT_OK && strcmp(info.topology, "basic") == 0, "%s",
        info.topology);
  symbol = dlsym(library, "rapt_default_workers");
  REQUIRE(symbol, "no rapt_default_workers");
  memcpy(&workers, &symbol, sizeof symbol);
  CHECK(workers() == 1, "%d workers", workers());
  check_maps("used");
  dlclose(library);
}

/* A whole call through the library this program is linked with. */
RAPT_TEST(runs_serially) {
  enum { KEYS = 40, DIM = 16, BYTES = 4 * DIM };
  static float q[KEYS * DIM], k[KEYS * DIM], v[KEYS * DIM], o[KEYS * DIM];
  for (int i = 0; i < KEYS * DIM; i++) v[i] = 1.0f;
  rapt_attention_desc desc = {
      .size = sizeof desc, .heads_q = 1, .heads_kv = 1, .head_dim_qk = DIM, .head_dim_v = DIM};
  rapt_attention_args args = {.size = sizeof args,
                              .batch = 1,
                              .q_len = KEYS,
                              .kv_len = KEYS,
                              .q = {q, {0, 0, BYTES}},
                              .k = {k, {0, 0, BYTES}},
                              .v = {v, {0, 0, BYTES}},
                              .o = {o, {0, 0, BYTES}}};
  rapt_error error = {.size = sizeof error};
  CHECK(rapt_default_workers() == 1, "%d", rapt_default_workers());
  REQUIRE(rapt_attention(&desc, &args, NULL, &error) == RAPT_OK, "%s: %s", error.field,
          error.message);
  for (int i = 0; i < KEYS * DIM; i++)
    CHECK(o[i] > 0.999999f && o[i] < 1.000001f, "o[%d] = %g", i, (double)o[i]);
  check_maps("after a run");
}
