/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The kernel's word on an Arm CPU (and the answer of CPUs we know nothing about). */
#include "dispatch.h"

#if !defined(__x86_64__) && !defined(__i386__)

#include <string.h>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

/* Own numbers: old headers lack the names. */
enum { AUX_HWCAP = 16, AUX_HWCAP2 = 26 };

void rapt_cpu_read(rapt_cpu_raw *raw) {
  memset(raw, 0, sizeof *raw);
  raw->hwcap = getauxval(AUX_HWCAP);
  raw->hwcap2 = getauxval(AUX_HWCAP2);
}

#else

void rapt_cpu_read(rapt_cpu_raw *raw) { memset(raw, 0, sizeof *raw); }

#endif
#endif
