/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * version.h - what may be expected of which interface version.
 *
 * A test names the expectation it depends on. On a driver older than that expectation the
 * test is skipped (the feature is absent, or trying it would damage the kernel), or its
 * failure is reported as known (XFAIL), with the reason from this table.
 */
#ifndef SELFTESTS_VERSION_H
#define SELFTESTS_VERSION_H

#include <stdbool.h>

enum expectation {
	EXPECT_ALWAYS,
	EXPECT_GROWING_STRUCTS,    /* bigger descriptors: zero tail accepted, else E2BIG */
	EXPECT_SUBMIT_ERRORS,      /* SUBMIT returns what was wrong with a job */
	EXPECT_JOB_ERRORS,         /* PREP_BO returns the error of a failed job */
	EXPECT_READ_FENCES,        /* PREP_BO of an input waits for its readers */
	EXPECT_DUPLICATES,         /* one buffer listed twice is one buffer */
	EXPECT_SIZE_CHECKED,       /* CREATE_BO refuses size 0 with EINVAL */
	EXPECT_PROGRAM_CHECKED,    /* SUBMIT looks at a program's address and length */
	EXPECT_COUNTS_BOUNDED,     /* huge counts are refused before memory is allocated */
	EXPECT_LONG_JOBS,          /* a job that makes progress is not timed out */
	EXPECT_BIG_BUFFERS,        /* buffers of 2 GiB and more */
	EXPECT_CLOSE_IN_FLIGHT,    /* close() with jobs in flight */
	EXPECT_RESERVED_CHECKED,   /* unknown flags, reserved of a job */
	EXPECT_BATCH,              /* DRM_ROCKET_JOB_BATCHED */
	EXPECT_NO_DPU_DONE,        /* DRM_ROCKET_JOB_NO_DPU_DONE */
	EXPECT_PPU_DONE,           /* DRM_ROCKET_JOB_PPU_DONE */
	EXPECT_RANGES,             /* PREP_BO_RANGES, FINI_BO_RANGES */
	EXPECT_JOBS_BOUNDED,       /* a file has so many unfinished jobs and no more */
	EXPECT_DMABUF_LIFE,        /* an exported buffer may outlive its file */
	EXPECT_NO_LEAKS,           /* files and failed buffers leave nothing behind */
	EXPECT_JUDGED_COMPLETION,  /* an interrupt retires what has ended and nothing else */
	EXPECT_DMA_ERRORS,         /* a DMA error fails its job */
	EXPECT_MMU_ANSWERS,        /* also after faults, and is left attached */
	EXPECT_SLEEPS_AFTER_RESET, /* a core sleeps after a timeout */
	EXPECT_SLEEP_WAITS,        /* system sleep waits for the job that runs */
	EXPECT_CLOCKS_BY_NAME,     /* a core has each of its clocks once */
	EXPECT_CLOCKS_BALANCED,    /* off after the module has gone, whatever held the cores */
	EXPECT_CORE_NUMBERS,       /* a core's number is its place in hardware */
	EXPECT_BOUND_FOR_GOOD,     /* cores cannot be unbound one by one */
	EXPECT_SAFE_LOAD,          /* open() while the module is loaded */
	EXPECT_STATS,              /* fdinfo, debugfs */
};

enum before {
	BEFORE_DEFECT, /* run; a failure is known */
	BEFORE_DANGER, /* do not run */
	BEFORE_ABSENT, /* nothing to run */
};

struct expectation_row {
	int major, minor; /* holds since */
	enum before before;
	const char *reason;
};

/* NULL when a driver of this version meets the expectation, else the row that says why not. */
const struct expectation_row *expectation_unmet(enum expectation e, int major, int minor);

#endif
