/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of levels, and the names of the bits their rows in kernels.def ask for. */
#include "isa_levels.h"

#define BIT(n) (1u << (n))
#define LEVEL(name) (1u << RAPT_LEVEL_##name)

enum { EBX = 1, ECX = 2 };

/* Leaf 1, ECX. Compilers take POPCNT for granted once AVX is on. */
#define X86_FMA BIT(12)
#define X86_POPCNT BIT(23)
#define X86_OSXSAVE BIT(27)
#define X86_AVX BIT(28)
#define X86_F16C BIT(29)
/* Leaf 7.0, EBX. */
#define X86_BMI1 BIT(3)
#define X86_AVX2 BIT(5)
#define X86_BMI2 BIT(8)
#define X86_AVX512F BIT(16)
#define X86_AVX512DQ BIT(17)
#define X86_AVX512CD BIT(28)
#define X86_AVX512BW BIT(30)
#define X86_AVX512VL BIT(31)
/* Register state the operating system saves: SSE and AVX halves; opmask and the two parts of the
 * 512-bit registers. Without it the instructions fault, whatever CPUID says. */
#define XCR0_AVX 0x06u
#define XCR0_AVX512 0xe6u
/* AT_HWCAP of aarch64 Linux. */
#define ARM_ASIMD BIT(1)

const rapt_level rapt_levels[RAPT_LEVEL_COUNT] = {
#define RAPT_LEVEL(level, implied, ...) \
  {.name = #level, .needs = {__VA_ARGS__}, .implies = (implied)},
#define RAPT_KERNEL_SET(isa, type)
#include "../kernels/kernels.def"
};
