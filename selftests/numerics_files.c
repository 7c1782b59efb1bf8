// SPDX-License-Identifier: LGPL-2.1-or-later
/* Several files at once: their jobs share the cores, nothing of their data. */
#include "numerics.h"

#include <errno.h>
#include <string.h>

#include "crew.h"

enum { FILES = 6 };

static const struct matmul shapes[FILES] = {
	{ .type = FP16_TO_FP16, .m = 64, .k = 384, .n = 96 },
	{ .type = INT8_TO_INT32, .m = 64, .k = 384, .n = 96 },
	{ .type = FP16_TO_FP32, .m = 64, .k = 384, .n = 96 },
	{ .type = FP16_TO_FP16, .m = 12, .k = 96, .n = 48 },
	{ .type = INT8_TO_INT32, .m = 8, .k = 64, .n = 64 },
	{ .type = FP16_TO_FP32, .m = 4, .k = 1024, .n = 16 },
};

static void files_in_threads(struct test *t)
{
	const struct crew crew = { .members = FILES,
				   .shapes = shapes,
				   .n_shapes = FILES,
				   .values = LOAD_RANDOM,
				   .rounds = 6 };

	crew_run(t, &crew);
}

/* One thread keeps the queues of all files full. */
static void files_interleaved(struct test *t)
{
	struct load *l = test_alloc(t, FILES * sizeof(*l));
	int ret;

	REQUIRE(t, l, "no memory");
	for (int i = 0; i < FILES; i++)
		REQUIRE(t, load_make(&l[i], t, test_file(t), &shapes[i], 3, LOAD_RANDOM), "no job");
	for (int job = 0; job < 5; job++)
		for (int i = 0; i < FILES; i++)
			REQUIRE(t, !load_submit(&l[i]), "SUBMIT");
	for (int i = 0; i < FILES; i++) {
		ret = load_wait(&l[i], 20 * SECOND);
		CHECK(t, !ret && load_judge(&l[i], 3), "file %d: %s", i, strerror(-ret));
	}
}

static const struct test_case cases[] = {
	{ .name = "files_in_threads", .run = files_in_threads, .seconds = 120 },
	{ .name = "files_interleaved", .run = files_interleaved, .seconds = 120 },
};

struct test_table files_cases(void)
{
	return TEST_TABLE(cases);
}
