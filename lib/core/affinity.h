/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* affinity.h - which CPUs workers are pinned to. */
#ifndef ROCKET_CORE_AFFINITY_H
#define ROCKET_CORE_AFFINITY_H

#define ROCKET_MAX_CPUS 1024

/*
 * The CPUs that setting (the value of ROCKET_CPU_AFFINITY, "" = automatic) selects: at most max
 * numbers go to cpus, ascending. root is "" except in tests. Returns how many, or -1 when the
 * setting is malformed.
 */
int rocket_affinity_cpus(const char *root, const char *setting, int *cpus, int max);

#endif
