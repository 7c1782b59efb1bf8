// SPDX-License-Identifier: LGPL-2.1-or-later
#include "klog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

#define PRINTED_MAX 5

#define MARK "rocket selftest: "

/* The report of a data race: a headline, who was where, and a ruler. */
#define RACE   "BUG: KCSAN: "
#define RULER  "========"
#define DRIVER "[rocket]"
/* synchronize_irq() first looks at the interrupt without its lock, and again with it. */
#define MEANT_RACE "__synchronize_hardirq"

/* In the order of enum klog_line. */
static const char *const failures[] = { "NPU job timed out", "Page fault at", "DMA error" };
#define N_FAILURES (sizeof(failures) / sizeof(failures[0]))

/* What a kernel prints only when something is broken in it, or an MMU that does not answer. */
static const char *const complaints[] = {
	"request timed out",
	"FORCE_RESET command timed out",
	"possible circular locking",
	"possible recursive locking",
	"inconsistent lock state",
	"sleeping function called",
	"BUG:",
	"kernel BUG at",
	"WARNING:",
	"Oops",
	"Unable to handle kernel",
	"Internal error:",
	"general protection fault",
	"UBSAN:",
	"KASAN:",
	"KFENCE:",
	"refcount_t:",
	"corruption",
	"rcu_sched self-detected stall",
	"blocked for more than",
};

static bool is_complaint(struct klog *log, const char *text, unsigned announced)
{
	if (!strncmp(text, MARK, strlen(MARK)))
		return false;
	if (strstr(text, RACE))
		log->race = !strstr(text, MEANT_RACE);
	else if (strstr(text, RULER))
		log->race = false;
	if (log->race && strstr(text, DRIVER)) {
		log->race = false;
		return true;
	}
	if (strstr(text, RACE))
		return false;
	for (size_t i = 0; i < N_FAILURES; i++)
		if (!(announced >> i & 1) && strstr(text, failures[i]))
			return true;
	for (size_t i = 0; i < sizeof(complaints) / sizeof(complaints[0]); i++)
		if (strstr(text, complaints[i]))
			return true;
	return false;
}

static bool read_taint(const char *path, unsigned long long *value)
{
	FILE *f = fopen(path, "r");
	bool ok = f && fscanf(f, "%llu", value) == 1;

	if (f)
		fclose(f);
	return ok;
}

void klog_open(struct klog *log, const char *kmsg_path, const char *taint_path)
{
	log->fd = open(kmsg_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log->fd >= 0 && lseek(log->fd, 0, SEEK_END) < 0) {
		close(log->fd);
		log->fd = -1;
	}
	log->mark_fd = open(kmsg_path, O_WRONLY | O_APPEND | O_CLOEXEC);
	log->race = false;
	log->taint_path = taint_path;
	log->taint_known = read_taint(taint_path, &log->taint);
}

void klog_close(struct klog *log)
{
	if (log->fd >= 0)
		close(log->fd);
	if (log->mark_fd >= 0)
		close(log->mark_fd);
	log->fd = log->mark_fd = -1;
}

void klog_mark(const struct klog *log, const char *test, unsigned announced)
{
	char line[256];
	int n;

	if (log->mark_fd < 0)
		return;
	n = snprintf(line, sizeof(line), MARK "%s", test);
	for (size_t i = 0; i < N_FAILURES; i++)
		if (announced >> i & 1)
			n += snprintf(line + n, sizeof(line) - (size_t)n, "; expects: %s",
				      failures[i]);
	line[n++] = '\n';
	/* Of no weight for the verdict: where the log cannot be written nobody reads the marks. */
	if (write(log->mark_fd, line, (size_t)n) < 0)
		return;
}

/* "priority,sequence,time,flags;text"; what follows it begins with a space. */
static unsigned judge_line(struct klog *log, char *line, unsigned printed, unsigned announced)
{
	char *text = strchr(line, ';');

	if (line[0] == ' ')
		return 0;
	/* A mark has semicolons of its own, and where the log is a file nothing before them. */
	if (!strncmp(line, MARK, strlen(MARK)) || !text)
		text = line;
	else
		text++;
	if (!is_complaint(log, text, announced))
		return 0;
	if (printed < PRINTED_MAX)
		tap_note("kernel: %s", text);
	return 1;
}

unsigned klog_complaints(struct klog *log, unsigned announced)
{
	char record[8192];
	unsigned found = 0;

	while (log->fd >= 0) {
		ssize_t n = read(log->fd, record, sizeof(record) - 1);
		char *save = NULL;

		/* EPIPE: records were overwritten before they were read; go on with the next. */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			break;
		record[n] = '\0';
		for (char *line = strtok_r(record, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			found += judge_line(log, line, found, announced);
	}
	return found;
}

bool klog_tainted(struct klog *log)
{
	unsigned long long now;

	if (!log->taint_known || !read_taint(log->taint_path, &now) || now == log->taint)
		return false;
	tap_note("kernel taint changed from %llu to %llu", log->taint, now);
	log->taint = now;
	return true;
}
