/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpu.h - whether this machine runs the 256-bit code. */
#ifndef SIM_NPU_CPU_H
#define SIM_NPU_CPU_H

#include <stdbool.h>

#if defined(__x86_64__) || defined(__i386__)
#define CPU_X86 1
#include <cpuid.h>

/* F16C has no name in __builtin_cpu_supports() of every compiler. */
static inline bool cpu_has_f16c(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

static inline bool cpu_has_vectors(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && cpu_has_f16c();
}

#else
#define CPU_X86 0

static inline bool cpu_has_vectors(void)
{
	return false;
}
#endif

#endif
