// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rocket_log.h"
#include "settings.h"

struct number {
	const char *name;
	size_t offset; /* of an int in struct rocket_settings */
	int min, max, fallback;
};

#define NUMBER(name, field, min, max, fallback)                                                    \
	{                                                                                          \
		name, offsetof(struct rocket_settings, field), min, max, fallback                  \
	}

#define STREAM_UNSET -1
#define WAIT_UNSET   INT_MIN

static const struct number numbers[] = {
	NUMBER("ROCKET_KACC", kacc, 0, 1, 1),
	NUMBER("ROCKET_KACC_CHAIN", kacc_chain, 0, 2, 0),
	NUMBER("ROCKET_BATCH_SUBMIT", batch_submit, 0, 1, -1),
	NUMBER("ROCKET_MM_ASYM", mm_asym, 0, 1, 1),
	NUMBER("ROCKET_MM_STREAM", mm_stream, 0, 1, STREAM_UNSET),
	NUMBER("ROCKET_REUSE_DEBUG", reuse_debug, 0, 1, 0),
	NUMBER("ROCKET_KACC_BATCHOUT", kacc_batchout, 0, 1, 0),
	NUMBER("ROCKET_MM_PIPE", mm_pipe, 0, 1, 0),
	NUMBER("ROCKET_KEEP_MIB", keep_mib, 0, 4096, 128),
	NUMBER("ROCKET_NO_SHARED_PACK", no_shared_pack, 0, 1, 0),
	NUMBER("ROCKET_MM_PROFILE", mm_profile, 0, 1, 0),
	NUMBER("ROCKET_MM_MT", mm_mt, 0, 1 << 24, 0),
	NUMBER("ROCKET_MM_NT", mm_nt, 0, 1 << 24, 0),
	NUMBER("ROCKET_MM_KT", mm_kt, 0, 1 << 24, 0),
	NUMBER("ROCKET_WAIT_MS", wait_ms, -INT_MAX, INT_MAX, WAIT_UNSET),
	NUMBER("ROCKET_SLOW_WAIT_MS", slow_wait_ms, INT_MIN, INT_MAX, 0),
	NUMBER("ROCKET_N_THREADS", n_threads, 0, 64, 0),
	NUMBER("ROCKET_VALIDATE", validate, 0, 1, 0),
};
#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

#define BUSY_POLL_MAX_US 10000000

/* What has been complained about, so that a program that opens many fds says it once. */
enum { COMPLAINT_REUSE = N_NUMBERS, COMPLAINT_BUSY_POLL, COMPLAINT_STRING, N_COMPLAINTS };
static atomic_flag complained[N_COMPLAINTS + 4];

static void complain(unsigned which, const char *name, const char *value, const char *taken)
{
	if (!atomic_flag_test_and_set(&complained[which]))
		rocket_log(ROCKET_LOG_WARN, "%s=%.64s is not understood: using %s", name, value,
			   taken);
}

static int parse_long(const char *text, long min, long max, long *out)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(text, &end, 0);
	if (end == text || *end || errno || v < min || v > max)
		return -1;
	*out = v;
	return 0;
}

static void read_number(const struct number *n, unsigned which, struct rocket_settings *s)
{
	const char *text = getenv(n->name);
	long v = n->fallback;

	if (text && *text && parse_long(text, n->min, n->max, &v)) {
		char taken[32];

		if (n->fallback < n->min)
			strcpy(taken, "its default");
		else
			snprintf(taken, sizeof(taken), "%d", n->fallback);
		complain(which, n->name, text, taken);
		v = n->fallback;
	}
	*(int *)((char *)s + n->offset) = (int)v;
}

static void read_string(const char *name, unsigned which, char *out, size_t size)
{
	const char *text = getenv(name);

	if (!text)
		text = "";
	if (strlen(text) >= size)
		complain(COMPLAINT_STRING + which, name, text, "its beginning");
	snprintf(out, size, "%s", text);
}

static int read_reuse(void)
{
	const char *text = getenv("ROCKET_REUSE");
	long v;

	if (!text || !*text)
		return ROCKET_REUSE_AUTO;
	if (parse_long(text, ROCKET_REUSE_OFF, ROCKET_REUSE_DATA, &v)) {
		complain(COMPLAINT_REUSE, "ROCKET_REUSE", text, "0 (no reuse)");
		return ROCKET_REUSE_OFF;
	}
	return (int)v;
}

static long read_busy_poll(void)
{
	const char *text = getenv("ROCKET_BUSY_POLL");
	long v = 0;

	if (text && *text && parse_long(text, 0, BUSY_POLL_MAX_US, &v)) {
		complain(COMPLAINT_BUSY_POLL, "ROCKET_BUSY_POLL", text, "0");
		v = 0;
	}
	return v;
}

/* Longest wait for a job. The simulator computes on the CPU, whose load is anybody's guess, and has
 * a watchdog of its own for what hangs. */
#define WAIT_MS           8000
#define WAIT_MS_SIMULATED 600000

static bool is_simulated(const struct rocket_settings *s)
{
	return !strcmp(s->device, "sim") || !strncmp(s->device, "sim:", 4);
}

struct rocket_settings rocket_settings_read(void)
{
	struct rocket_settings s;

	memset(&s, 0, sizeof(s)); /* the gaps, too: settings are compared as bytes */
	for (unsigned i = 0; i < N_NUMBERS; i++)
		read_number(&numbers[i], i, &s);
	if (getenv("ROCKET_NO_KACC"))
		s.kacc = 0;
	if (s.slow_wait_ms < 0)
		s.slow_wait_ms = 0;
	s.reuse = read_reuse();
	s.busy_poll_us = read_busy_poll();
	read_string("ROCKET_DEVICE", 0, s.device, sizeof(s.device));
	if (s.wait_ms < 1)
		s.wait_ms = is_simulated(&s) ? WAIT_MS_SIMULATED : WAIT_MS;
	/*
	 * Streamed weights are [inferred]: their program is a known one, that they are exact beyond
	 * the weight banks is seen on silicon in other hands only. So a real device has to be
	 * asked.
	 */
	if (s.mm_stream == STREAM_UNSET)
		s.mm_stream = is_simulated(&s);
	read_string("ROCKET_CHIP", 1, s.chip, sizeof(s.chip));
	read_string("ROCKET_CPU_AFFINITY", 2, s.cpu_affinity, sizeof(s.cpu_affinity));
	read_string("ROCKET_RKNPU_SUBMIT", 3, s.rknpu_submit, sizeof(s.rknpu_submit));
	if (getenv("ROCKET_CPU_AFFINITY") && !s.cpu_affinity[0])
		strcpy(s.cpu_affinity, "off"); /* set and empty is not the same as unset */
	return s;
}

static int set_and_not_zero(const char *name)
{
	const char *text = getenv(name);

	return text && *text && strcmp(text, "0") != 0;
}

struct rocket_log_settings rocket_log_settings_read(void)
{
	static const char *const names[] = { "error", "warn", "info", "debug" };
	struct rocket_log_settings s = { .level = ROCKET_LOG_WARN };
	const char *text = getenv("ROCKET_LOG_LEVEL");
	long v;

	if (text && *text) {
		int found = 0;

		for (int i = 0; i < 4 && !found; i++)
			if (!strcasecmp(text, names[i])) {
				s.level = i;
				found = 1;
			}
		if (!found && !parse_long(text, ROCKET_LOG_ERROR, ROCKET_LOG_DEBUG, &v)) {
			s.level = (int)v;
			found = 1;
		}
		if (!found)
			snprintf(s.malformed, sizeof(s.malformed), "ROCKET_LOG_LEVEL=%.40s", text);
	}
	if (set_and_not_zero("ROCKET_DEBUG"))
		s.level = ROCKET_LOG_DEBUG;
	s.stderr_always = set_and_not_zero("ROCKET_LOG_STDERR");
	return s;
}
