/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Levels of CPUs that are not here: CPUID words as real machines give them (APIC numbers cleared),
 * and words no machine gives. */
#include <string.h>

#include "dispatch/dispatch.h"
#include "support/rapt_test.h"

enum { EBX = 1, ECX = 2 };

typedef struct recorded_cpu {
  const char *name;
  rapt_cpu_raw raw;
  const char *levels;
} recorded_cpu;

static const recorded_cpu recorded[] = {
    /* Core i7-920: no XSAVE at all, leaf 7 exists and is empty. */
    {"nehalem", {.leaf1 = {0x000106a5, 0x00100800, 0x0098e3bd, 0xbfebfbff}}, "generic"},
    /* Core i7-4770K. */
    {"haswell",
     {.leaf1 = {0x000306c3, 0x00100800, 0x7ffafbff, 0xbfebfbff},
      .leaf7 = {0x00000000, 0x000027ab, 0x00000000, 0x00000000},
      .xcr0 = 0x7},
     "avx2 generic"},
    /* Core i9-7900X; XCR0 with MPX and protection keys. */
    {"skylake_x",
     {.leaf1 = {0x00050654, 0x00100800, 0x7ffefbff, 0xbfebfbff},
      .leaf7 = {0x00000000, 0xd39ffffb, 0x00000000, 0x9c000400},
      .xcr0 = 0x2ff},
     "avx512 avx2 generic"},
    /* The same under Linux with noxsave-like settings of a hypervisor: AVX state only. */
    {"skylake_x_without_zmm",
     {.leaf1 = {0x00050654, 0x00100800, 0x7ffefbff, 0xbfebfbff},
      .leaf7 = {0x00000000, 0xd39ffffb, 0x00000000, 0x9c000400},
      .xcr0 = 0x7},
     "avx2 generic"},
    /* EPYC of the fourth generation in a virtual machine. */
    {"zen4",
     {.leaf1 = {0x00b00f21, 0x00fe0800, 0xfed83203, 0x178bfbff},
      .leaf7 = {0x00000001, 0xf1bb03a9, 0x18005f42, 0x00000110},
      .leaf7_1 = {0x00000030, 0x00000000, 0x00000000, 0x00000000},
      .xcr0 = 0xe7},
     "avx512 avx2 generic"},
    /* As qemu-x86_64 -cpu Haswell shows itself. */
    {"qemu_haswell",
     {.leaf1 = {0x000306c4, 0x00000800, 0xfed83203, 0x078bfbfd},
      .leaf7 = {0x00000000, 0x000003a9, 0x00000000, 0x00000000},
      .xcr0 = 0x7},
     "avx2 generic"},
    {"cortex_a72", {.hwcap = 0x8ff}, "neon generic"},
    {"arm_without_simd", {.hwcap = 0x1}, "generic"},
    {"unknown_architecture", {.xcr0 = 0}, "generic"},
};

static void check_levels(const char *name, const rapt_cpu_raw *raw, const char *expected) {
  char list[128];
  rapt_level_list(rapt_features_from(raw), list, sizeof list);
  CHECK(strcmp(list, expected) == 0, "%s: \"%s\", expected \"%s\"", name, list, expected);
}

RAPT_TEST(recorded_cpus) {
  for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++)
    check_levels(recorded[i].name, &recorded[i].raw, recorded[i].levels);
}

/* Every bit an x86 CPU can set. */
static rapt_cpu_raw everything(uint64_t xcr0) {
  rapt_cpu_raw raw;
  memset(&raw, 0, sizeof raw);
  memset(raw.leaf1, 0xff, sizeof raw.leaf1);
  memset(raw.leaf7, 0xff, sizeof raw.leaf7);
  memset(raw.leaf7_1, 0xff, sizeof raw.leaf7_1);
  raw.xcr0 = xcr0;
  return raw;
}

RAPT_TEST(no_osxsave_is_generic) {
  /* The XCR0 of this record cannot be: it must not matter. */
  rapt_cpu_raw raw = everything(0x600e7);
  raw.leaf1[ECX] &= ~(1u << 27);
  check_levels("all but OSXSAVE", &raw, "generic");
  raw.xcr0 = 0;
  check_levels("all but OSXSAVE, XCR0 = 0", &raw, "generic");
}

RAPT_TEST(xcr0_decides) {
  static const struct {
    uint64_t xcr0;
    const char *levels;
  } cases[] = {
      {0x0, "generic"},
      {0x3, "generic"}, /* x87 and SSE */
      {0x5, "generic"}, /* the upper halves without the lower ones */
      {0x7, "avx2 generic"},
      {0x27, "avx2 generic"}, /* opmask only */
      {0x67, "avx2 generic"}, /* without zmm16-31 */
      {0xe1, "generic"},
      {0xe7, "avx512 avx2 generic"},
      {0x600e7, "avx512 avx2 generic"}, /* matrix tiles besides */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rapt_cpu_raw raw = everything(cases[i].xcr0);
    char name[32] = "xcr0 case ";
    name[10] = (char)('0' + i);
    check_levels(name, &raw, cases[i].levels);
  }
}

/* A bundle is a bundle: one bit missing takes the level and all above it away. */
RAPT_TEST(every_needed_bit_counts) {
  static const int avx2_leaf1[] = {12, 23, 27, 28, 29}, avx2_leaf7[] = {3, 5, 8};
  static const int avx512_leaf7[] = {16, 17, 28, 30, 31};
  for (size_t i = 0; i < 5; i++) {
    rapt_cpu_raw raw = everything(0xe7);
    raw.leaf1[ECX] &= ~(1u << avx2_leaf1[i]);
    check_levels("leaf 1", &raw, "generic");
  }
  for (size_t i = 0; i < 3; i++) {
    rapt_cpu_raw raw = everything(0xe7);
    raw.leaf7[EBX] &= ~(1u << avx2_leaf7[i]);
    check_levels("leaf 7, avx2", &raw, "generic");
  }
  for (size_t i = 0; i < 5; i++) {
    rapt_cpu_raw raw = everything(0xe7);
    raw.leaf7[EBX] &= ~(1u << avx512_leaf7[i]);
    check_levels("leaf 7, avx512", &raw, "avx2 generic");
  }
}

RAPT_TEST(this_cpu_reads_the_same_twice) {
  rapt_cpu_raw raw;
  rapt_cpu_read(&raw);
  rapt_features features = rapt_features_here();
  CHECK(features == rapt_features_from(&raw), "cached %x", features);
  CHECK(features == rapt_features_here(), "changed");
  CHECK(features != 0, "not even generic");
}

#if defined(__x86_64__)
/* A second opinion: the compiler's own runtime looks at CPUID and XCR0 too. */
RAPT_TEST(this_cpu_as_the_compiler_sees_it) {
  rapt_features features = rapt_features_here(), avx2 = rapt_level_by_name("avx2");
  rapt_features avx512 = rapt_level_by_name("avx512");
  __builtin_cpu_init();
  int has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                 __builtin_cpu_supports("bmi2");
  int has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
  CHECK(((features & avx2) == avx2) == has_avx2, "avx2: compiler says %d", has_avx2);
  CHECK(((features & avx512) == avx512) == has_avx512, "avx512: compiler says %d", has_avx512);
}
#endif

RAPT_TEST(level_names) {
  rapt_features generic = rapt_level_by_name("generic"), avx2 = rapt_level_by_name("avx2");
  rapt_features avx512 = rapt_level_by_name("avx512"), neon = rapt_level_by_name("neon");
  CHECK(generic && avx2 && avx512 && neon, "a level has no bit");
  CHECK((avx2 & generic) == generic && avx2 != generic, "avx2 = %x", avx2);
  CHECK((avx512 & avx2) == avx2 && avx512 != avx2, "avx512 = %x", avx512);
  CHECK((neon & generic) == generic && !(neon & avx2 & ~generic), "neon = %x", neon);
  static const char *const unknown[] = {"", "AVX2", "avx", "avx2 ", "avx5120", "avx512_f32", "%s"};
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
    CHECK(rapt_level_by_name(unknown[i]) == 0, "\"%s\" is a level", unknown[i]);
  CHECK(strcmp(rapt_level_best(avx512), "avx512") == 0, "best of avx512");
  CHECK(strcmp(rapt_level_best(generic), "generic") == 0, "best of generic");
}

RAPT_TEST(level_list_never_cuts_a_name) {
  char list[24];
  rapt_features avx512 = rapt_level_by_name("avx512");
  static const struct {
    uint32_t size;
    const char *expected;
  } cases[] = {{20, "avx512 avx2 generic"},
               {19, "avx512 avx2"},
               {12, "avx512 avx2"},
               {11, "avx512"},
               {7, "avx512"},
               {6, ""},
               {1, ""}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    memset(list, '#', sizeof list);
    rapt_level_list(avx512, list, cases[i].size);
    CHECK(strcmp(list, cases[i].expected) == 0, "size %u: \"%s\"", cases[i].size, list);
    CHECK(list[cases[i].size] == '#', "size %u: written beyond", cases[i].size);
  }
  list[0] = '#';
  rapt_level_list(avx512, list, 0);
  CHECK(list[0] == '#', "size 0: written");
}
