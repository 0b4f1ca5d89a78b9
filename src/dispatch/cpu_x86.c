/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * CPUID and XCR0, uninterpreted. */
#include "dispatch.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>
#include <string.h>

enum { EAX = 0, EBX = 1, ECX = 2, EDX = 3 };

static void leaf(uint32_t number, uint32_t sub, uint32_t out[4]) {
  __cpuid_count(number, sub, out[EAX], out[EBX], out[ECX], out[EDX]);
}

/* As bytes, because the mnemonic needs -mxsave and this file is baseline code. */
static uint64_t read_xcr0(void) {
  uint32_t low, high;
  __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

void rapt_cpu_read(rapt_cpu_raw *raw) {
  memset(raw, 0, sizeof *raw);
  uint32_t highest = __get_cpuid_max(0, 0);
  if (highest < 1) return;
  leaf(1, 0, raw->leaf1);
  if (highest >= 7) {
    leaf(7, 0, raw->leaf7);
    if (raw->leaf7[EAX] >= 1) leaf(7, 1, raw->leaf7_1); /* EAX of 7.0: the last subleaf */
  }
  if (raw->leaf1[ECX] >> 27 & 1u) raw->xcr0 = read_xcr0();
}

#endif
