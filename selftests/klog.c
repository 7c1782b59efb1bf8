// SPDX-License-Identifier: LGPL-2.1-or-later
#include "klog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

#define PRINTED_MAX 5

/* What a kernel prints only when something is broken in it. */
static const char *const complaints[] = {
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

static bool is_complaint(const char *text)
{
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
	log->taint_path = taint_path;
	log->taint_known = read_taint(taint_path, &log->taint);
}

void klog_close(struct klog *log)
{
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}

/* One record: "priority,sequence,time,flags;text". */
static unsigned judge_record(char *record, unsigned printed)
{
	char *text = strchr(record, ';');

	text = text ? text + 1 : record;
	text[strcspn(text, "\n")] = '\0';
	if (!is_complaint(text))
		return 0;
	if (printed < PRINTED_MAX)
		tap_note("kernel: %s", text);
	return 1;
}

unsigned klog_complaints(struct klog *log)
{
	char record[8192];
	unsigned found = 0;

	while (log->fd >= 0) {
		ssize_t n = read(log->fd, record, sizeof(record) - 1);

		/* EPIPE: records were overwritten before they were read; go on with the next. */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			break;
		record[n] = '\0';
		found += judge_record(record, found);
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
