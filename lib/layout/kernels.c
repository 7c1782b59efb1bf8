// SPDX-License-Identifier: LGPL-2.1-or-later
/* kernels.c - which inner loops this CPU gets. */
#include <stdatomic.h>

#include "kernels.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

/* clang's __builtin_cpu_supports() does not know the name. */
static int has_f16c(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

static const struct rocket_layout_kernels *vector_kernels(void)
{
#if defined(__x86_64__) || defined(__i386__)
	if (__builtin_cpu_supports("avx2") && has_f16c())
		return &rocket_layout_avx2;
	return NULL;
#elif defined(__aarch64__)
	return &rocket_layout_neon;
#else
	return NULL;
#endif
}

/* Asked once: a virtual machine traps the question, which takes longer than a tile does. */
const struct rocket_layout_kernels *rocket_layout_kernels(void)
{
	static _Atomic(const struct rocket_layout_kernels *) chosen;
	const struct rocket_layout_kernels *k = atomic_load_explicit(&chosen, memory_order_relaxed);

	if (k)
		return k;
	k = vector_kernels();
	if (!k)
		k = &rocket_layout_portable;
	atomic_store_explicit(&chosen, k, memory_order_relaxed);
	return k;
}

const struct rocket_layout_kernels *rocket_layout_kernels_at(unsigned i)
{
	return i == 0 ? &rocket_layout_portable : i == 1 ? vector_kernels() : NULL;
}
