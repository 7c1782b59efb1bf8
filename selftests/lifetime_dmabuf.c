// SPDX-License-Identifier: LGPL-2.1-or-later
/* Buffers shared as dma-bufs, which live longer than the file they were made in. */
#include "lifetime.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "load.h"

/* Export bo; -1: recorded, or the test is skipped since this device has no such thing. */
static int export_or_skip(struct test *t, const struct file *f, const struct bo *bo)
{
	int fd, ret = file_export(f, bo->handle, &fd);

	if (ret == -EOPNOTSUPP && t->node->calls->in_process)
		test_skip(t, "the device in the process has no dma-bufs");
	else
		CHECK(t, !ret, "export: %s", strerror(-ret));
	return fd;
}

/* What was written before the file was closed is there until the dma-buf is. */
static void dmabuf_outlives_its_file(struct test *t)
{
	unsigned rounds = test_rounds(t, 50, 1000);

	for (unsigned i = 0; i < rounds; i++) {
		struct file *f = test_file(t);
		struct bo *bo = f ? test_bo(t, f, 4 * PAGE) : NULL;
		unsigned char *p;
		int fd;

		REQUIRE(t, bo, "no buffer");
		memset(bo->map, 0x3c, bo->size);
		fd = export_or_skip(t, f, bo);
		if (fd < 0)
			return;
		REQUIRE(t, !test_file_close(f), "close");
		p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (CHECK(t, p != MAP_FAILED, "mmap: %s", strerror(errno))) {
			CHECK(t, p[0] == 0x3c && p[4 * PAGE - 1] == 0x3c, "contents are gone");
			munmap(p, 4 * PAGE);
		}
		REQUIRE(t, !close(fd), "close of the dma-buf");
	}
}

static void dmabuf_outlives_a_file_with_a_job(struct test *t)
{
	unsigned rounds = test_rounds(t, 30, 1000);

	for (unsigned i = 0; i < rounds; i++) {
		struct load l;
		int fd;

		REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 16, LOAD_INTEGERS),
			"no job");
		fd = export_or_skip(t, l.f, l.out);
		if (fd < 0)
			return;
		REQUIRE(t, !load_submit(&l), "SUBMIT");
		REQUIRE(t, !test_file_close(l.f), "close");
		REQUIRE(t, !close(fd), "close of the dma-buf");
	}
}

/* Imported by a second file, which outlives the first. */
static void import_outlives_its_exporter(struct test *t)
{
	unsigned rounds = test_rounds(t, 50, 1000);

	for (unsigned i = 0; i < rounds; i++) {
		struct file *first = test_file(t), *second = test_file(t);
		struct bo *bo = first ? test_bo(t, first, PAGE) : NULL;
		uint32_t handle;
		int fd, ret;

		REQUIRE(t, bo && second, "no buffer");
		fd = export_or_skip(t, first, bo);
		if (fd < 0)
			return;
		ret = file_import(second, fd, &handle);
		REQUIRE(t, !ret, "import: %s", strerror(-ret));
		REQUIRE(t, !close(fd), "close of the dma-buf");
		REQUIRE(t, !test_file_close(first), "close of the first file");
		ret = file_prep(second, handle, 0);
		CHECK(t, !ret, "PREP_BO by the second file: %s", strerror(-ret));
		REQUIRE(t, !test_file_close(second), "close of the second file");
	}
}

/* What one file's job reads another file's job may not write meanwhile. */
static void writer_waits_for_the_readers_of_another_file(struct test *t)
{
	struct file *first = test_file(t), *second = test_file(t);
	int64_t start, timeout = job_timeout(t);
	struct load reader, writer;
	uint32_t out[2];
	int fd, ret;

	REQUIRE(t, second && load_make(&reader, t, first, &small_matmul, 1, LOAD_INTEGERS),
		"no job");
	REQUIRE(t, load_make(&writer, t, second, &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&reader, 0);
	fd = export_or_skip(t, first, reader.in);
	if (fd < 0)
		return;
	ret = file_import(second, fd, &out[1]);
	close(fd);
	REQUIRE(t, !ret, "import: %s", strerror(-ret));
	out[0] = writer.out->handle;
	writer.job.out_bo_handles = (uintptr_t)out;
	writer.job.out_bo_handle_count = 2;
	start = now_ns();
	REQUIRE(t, !load_submit(&reader) && !load_submit(&writer), "SUBMIT");
	ret = load_wait(&writer, timeout / 3);
	if (now_ns() - start < timeout * 4 / 5)
		CHECK(t, ret == -ETIMEDOUT, "it did not wait: %s", strerror(-ret));
	ret = load_wait(&writer, 10 * SECOND);
	CHECK(t, !ret && load_judge(&writer, 1), "in the end: %s", strerror(-ret));
}

static const struct test_case cases[] = {
	{ .name = "dmabuf_outlives_its_file",
	  .run = dmabuf_outlives_its_file,
	  .expects = EXPECT_DMABUF_LIFE },
	{ .name = "dmabuf_outlives_a_file_with_a_job",
	  .run = dmabuf_outlives_a_file_with_a_job,
	  .expects = EXPECT_DMABUF_LIFE },
	{ .name = "import_outlives_its_exporter",
	  .run = import_outlives_its_exporter,
	  .expects = EXPECT_DMABUF_LIFE },
	{ .name = "writer_waits_for_the_readers_of_another_file",
	  .run = writer_waits_for_the_readers_of_another_file,
	  .expects = EXPECT_READ_FENCES,
	  .log = KLOG_TIMEOUT },
};

struct test_table dmabuf_cases(void)
{
	return TEST_TABLE(cases);
}
