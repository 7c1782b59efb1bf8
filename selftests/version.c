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
};

const struct expectation_row *expectation_unmet(enum expectation e, int major, int minor)
{
	const struct expectation_row *row = &rows[e];

	if (major > row->major || (major == row->major && minor >= row->minor))
		return NULL;
	return row;
}
