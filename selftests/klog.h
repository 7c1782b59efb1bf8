/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * klog.h - did the kernel complain? A corrupting kernel can return the right errno, so
 * its log and its taint flags are read around every test on a real node.
 */
#ifndef SELFTESTS_KLOG_H
#define SELFTESTS_KLOG_H

#include <stdbool.h>

/* What the driver and its IOMMU say when a job fails: fine if the test means it to. */
enum klog_line {
	KLOG_TIMEOUT = 1u << 0, /* NPU job timed out */
	KLOG_FAULT = 1u << 1,   /* Page fault at */
	KLOG_DMA = 1u << 2,     /* DMA error */
};

struct klog {
	int fd;      /* /dev/kmsg, or -1: may not be read */
	int mark_fd; /* the same, to write; or -1 */
	const char *taint_path;
	bool race; /* in the report of a data race that is not seen to concern the driver */
	bool taint_known;
	unsigned long long taint;
};

/* Start at the log's present end. */
void klog_open(struct klog *log, const char *kmsg_path, const char *taint_path);
void klog_close(struct klog *log);
/* Write a line that says which test begins, and which lines it may cause. */
void klog_mark(const struct klog *log, const char *test, unsigned announced);
/*
 * Read what came since the last call. Returns how many records are complaints, those of
 * announced kinds (enum klog_line) not counted; the first few are printed as diagnostics. A data
 * race counts where the driver has a part in it: Linux has others of its own.
 */
unsigned klog_complaints(struct klog *log, unsigned announced);
/* True when the taint flags are readable and differ from those at the last call. */
bool klog_tainted(struct klog *log);

#endif
