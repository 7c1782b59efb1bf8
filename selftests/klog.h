/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * klog.h - did the kernel complain? A corrupting kernel can return the right errno, so
 * its log and its taint flags are read around every test on a real node.
 */
#ifndef SELFTESTS_KLOG_H
#define SELFTESTS_KLOG_H

#include <stdbool.h>

struct klog {
	int fd; /* /dev/kmsg, or -1: may not be read */
	const char *taint_path;
	bool taint_known;
	unsigned long long taint;
};

/* Start at the log's present end. */
void klog_open(struct klog *log, const char *kmsg_path, const char *taint_path);
void klog_close(struct klog *log);
/*
 * Read what came since the last call. Returns how many records are complaints; the
 * first few are printed as diagnostics.
 */
unsigned klog_complaints(struct klog *log);
/* True when the taint flags are readable and differ from those at the last call. */
bool klog_tainted(struct klog *log);

#endif
