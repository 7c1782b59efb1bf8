// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "affinity.h"
#include "rocket_log.h"
#include "rocket_npu.h"
#include "settings.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int big[ROCKET_MAX_CPUS];
static int n_big;

static _Thread_local int thread_base;

static long max_freq(const char *root, int cpu)
{
	char path[320];
	long khz = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq",
		 root, cpu);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%ld", &khz) != 1)
		khz = 0;
	fclose(f);
	return khz;
}

/* The CPUs with the highest frequency; none when all are equal or one is unknown. */
static int fastest(const char *root, int *cpus, int max)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_CONF), top = 0, bottom = 0;
	int n = 0;

	if (n_cpus < 1 || n_cpus > ROCKET_MAX_CPUS)
		return 0;
	for (int i = 0; i < n_cpus; i++) {
		long khz = max_freq(root, i);

		if (!khz)
			return 0;
		if (khz > top)
			top = khz;
		if (!bottom || khz < bottom)
			bottom = khz;
	}
	if (top == bottom)
		return 0;
	for (int i = 0; i < n_cpus && n < max; i++)
		if (max_freq(root, i) == top)
			cpus[n++] = i;
	return n;
}

static int parse_list(const char *text, int *cpus, int max)
{
	char chosen[ROCKET_MAX_CPUS] = { 0 };
	int n = 0;

	for (;;) {
		char *end;
		long first = strtol(text, &end, 10), last = first;

		if (end == text || first < 0 || first >= ROCKET_MAX_CPUS)
			return -1;
		if (*end == '-') {
			text = end + 1;
			last = strtol(text, &end, 10);
			if (end == text || last < first || last >= ROCKET_MAX_CPUS)
				return -1;
		}
		memset(chosen + first, 1, (size_t)(last - first + 1));
		if (!*end)
			break;
		if (*end != ',')
			return -1;
		text = end + 1;
	}
	for (int i = 0; i < ROCKET_MAX_CPUS && n < max; i++)
		if (chosen[i])
			cpus[n++] = i;
	return n;
}

int rocket_affinity_cpus(const char *root, const char *setting, int *cpus, int max)
{
	static const char *const off[] = { "off", "none", "0" };

	if (!setting[0] || !strcmp(setting, "auto"))
		return fastest(root, cpus, max);
	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		if (!strcmp(setting, off[i]))
			return 0;
	return parse_list(setting, cpus, max);
}

static void init(void)
{
	struct rocket_settings s = rocket_settings_read();

	n_big = rocket_affinity_cpus("", s.cpu_affinity, big, ROCKET_MAX_CPUS);
	if (n_big < 0) {
		rocket_log(ROCKET_LOG_WARN, "ROCKET_CPU_AFFINITY=%s is not understood: using auto",
			   s.cpu_affinity);
		n_big = rocket_affinity_cpus("", "auto", big, ROCKET_MAX_CPUS);
	}
}

void rocket_affinity_set_base(int base)
{
	thread_base = base;
}

int rocket_affinity_get_base(void)
{
	return thread_base;
}

int rocket_num_big_cores(void)
{
	pthread_once(&once, init);
	return n_big;
}

void rocket_pin_worker(int worker_idx)
{
	long i = (long)thread_base + worker_idx;
	cpu_set_t set;
	int cpu;

	if (!rocket_num_big_cores())
		return;
	i %= n_big;
	cpu = big[i < 0 ? i + n_big : i];
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		rocket_log(ROCKET_LOG_WARN, "worker %d cannot be pinned to CPU %d: %s", worker_idx,
			   cpu, strerror(errno));
}
