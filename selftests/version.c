// SPDX-License-Identifier: LGPL-2.1-or-later
#include "version.h"

#include <stddef.h>

/*
 * 0.0: the stock driver of 7.2 and 7.3, read and provoked. 1.x: that of this package. What the
 * series mends before it says 1.0 is expected from 1.0 on.
 */
static const struct expectation_row rows[] = {
	[EXPECT_GROWING_STRUCTS] = { 1, 0, BEFORE_DEFECT,
				     "driver 0.0 ignores what follows the fields it knows" },
	[EXPECT_SUBMIT_ERRORS] = { 1, 0, BEFORE_DEFECT,
				   "driver 0.0 drops the errors of single jobs" },
	[EXPECT_JOB_ERRORS] = { 1, 7, BEFORE_DEFECT,
				"before interface 1.7 a failed job looks like a success" },
	[EXPECT_READ_FENCES] = { 1, 0, BEFORE_DEFECT, "driver 0.0 does not wait for readers" },
	[EXPECT_DUPLICATES] = { 1, 0, BEFORE_DEFECT,
				"driver 0.0 loses a job that lists a buffer twice" },
	[EXPECT_SIZE_CHECKED] = { 1, 0, BEFORE_DEFECT,
				  "driver 0.0 leaves size 0 to the mmap offset manager: ENOSPC" },
	[EXPECT_PROGRAM_CHECKED] = { 1, 0, BEFORE_DEFECT,
				     "driver 0.0 masks a program's address and length silently" },
	[EXPECT_COUNTS_BOUNDED] = { 1, 0, BEFORE_DANGER,
				    "driver 0.0 sizes allocations by it: kernel warning, taint" },
	[EXPECT_LONG_JOBS] = { 1, 0, BEFORE_DEFECT,
			       "driver 0.0 gives a job 500 ms, however many tasks it has" },
	[EXPECT_BIG_BUFFERS] = { 1, 0, BEFORE_DANGER,
				 "driver 0.0 leaves freed pages mapped after this" },
	[EXPECT_CLOSE_IN_FLIGHT] = { 1, 0, BEFORE_DANGER,
				     "driver 0.0 frees the allocator under the job: oops" },
	[EXPECT_RESERVED_CHECKED] = { 1, 1, BEFORE_ABSENT, "no job flags before interface 1.1" },
	[EXPECT_BATCH] = { 1, 1, BEFORE_ABSENT, "no batched jobs before interface 1.1" },
	[EXPECT_NO_DPU_DONE] = { 1, 2, BEFORE_ABSENT, "no NO_DPU_DONE before interface 1.2" },
	[EXPECT_PPU_DONE] = { 1, 3, BEFORE_ABSENT, "no PPU_DONE before interface 1.3" },
	[EXPECT_RANGES] = { 1, 5, BEFORE_ABSENT, "no ranges before interface 1.5" },
	[EXPECT_JOBS_BOUNDED] = { 1, 7, BEFORE_DEFECT,
				  "before interface 1.7 a file may queue any number of jobs" },
	[EXPECT_DMABUF_LIFE] = { 1, 0, BEFORE_DANGER,
				 "driver 0.0 frees the allocator under the buffer: oops" },
	[EXPECT_NO_LEAKS] = { 1, 0, BEFORE_DEFECT, "driver 0.0 leaks here" },
	[EXPECT_JUDGED_COMPLETION] = { 1, 0, BEFORE_DEFECT,
				       "driver 0.0 does not look whose interrupt it was" },
	[EXPECT_DMA_ERRORS] = { 1, 0, BEFORE_DEFECT,
				"driver 0.0 warns, and calls the job a success" },
	[EXPECT_MMU_ANSWERS] = { 1, 0, BEFORE_DEFECT,
				 "driver 0.0 detaches the MMU for each job, faults or not" },
	[EXPECT_SLEEPS_AFTER_RESET] = { 1, 0, BEFORE_DEFECT,
					"driver 0.0 keeps a core on after a timeout" },
	[EXPECT_SLEEP_WAITS] = { 1, 0, BEFORE_DEFECT, "driver 0.0 refuses to sleep with EBUSY" },
	[EXPECT_CLOCKS_BY_NAME] = { 1, 0, BEFORE_DEFECT,
				    "driver 0.0 takes the first clock four times" },
	[EXPECT_CLOCKS_BALANCED] = { 1, 0, BEFORE_DEFECT,
				     "driver 0.0 leaves the clocks of an active core on" },
	[EXPECT_CORE_NUMBERS] = { 1, 0, BEFORE_DEFECT,
				  "driver 0.0 numbers cores in the order in which they come" },
	[EXPECT_BOUND_FOR_GOOD] = { 1, 0, BEFORE_DEFECT, "driver 0.0 lets a core be unbound" },
	[EXPECT_SAFE_LOAD] = { 1, 0, BEFORE_DANGER,
			       "driver 0.0 has its node before its cores: oops" },
	[EXPECT_STATS] = { 1, 7, BEFORE_ABSENT, "no counters before interface 1.7" },
};

const struct expectation_row *expectation_unmet(enum expectation e, int major, int minor)
{
	const struct expectation_row *row = &rows[e];

	if (major > row->major || (major == row->major && minor >= row->minor))
		return NULL;
	return row;
}
