// SPDX-License-Identifier: LGPL-2.1-or-later
#include "submit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "file.h"

static void version_names_the_driver(struct test *t)
{
	struct file *f = test_file(t);
	struct drm_version length = { 0 }, v = { 0 };
	char name[32] = "", date[64] = "", desc[256] = "";

	REQUIRE(t, f, "no file");
	REQUIRE(t, !file_ioctl(f, DRM_IOCTL_VERSION, &length), "lengths only");
	CHECK(t, length.name_len == strlen("rocket"), "%zu", (size_t)length.name_len);
	v = (struct drm_version){ .name = name,
				  .name_len = sizeof(name) - 1,
				  .date = date,
				  .date_len = sizeof(date) - 1,
				  .desc = desc,
				  .desc_len = sizeof(desc) - 1 };
	REQUIRE(t, !file_ioctl(f, DRM_IOCTL_VERSION, &v), "with buffers");
	CHECK(t, !strcmp(name, "rocket"), "\"%s\"", name);
	CHECK(t, desc[0], "no description");
}

static void version_name_cut_to_the_buffer(struct test *t)
{
	struct file *f = test_file(t);
	char name[8] = "\1\1\1\1\1\1\1";
	struct drm_version v = { .name = name, .name_len = 3 };

	REQUIRE(t, f, "no file");
	REQUIRE(t, !file_ioctl(f, DRM_IOCTL_VERSION, &v), "short buffer");
	CHECK(t, !memcmp(name, "roc\1", 4), "wrote past the 3 bytes offered");
	CHECK(t, v.name_len == strlen("rocket"), "%zu", (size_t)v.name_len);
}

/* Numbers and layouts as compiled, against the values of the interface. */
static void abi_numbers_and_layouts(struct test *t)
{
	static const struct {
		const char *what;
		unsigned long is, must;
	} rows[] = {
		{ "CREATE_BO", DRM_IOCTL_ROCKET_CREATE_BO, 0xc0186440 },
		{ "SUBMIT", DRM_IOCTL_ROCKET_SUBMIT, 0x40186441 },
		{ "PREP_BO", DRM_IOCTL_ROCKET_PREP_BO, 0x40106442 },
		{ "FINI_BO", DRM_IOCTL_ROCKET_FINI_BO, 0x40086443 },
		{ "create_bo.handle", offsetof(struct drm_rocket_create_bo, handle), 4 },
		{ "create_bo.dma_address", offsetof(struct drm_rocket_create_bo, dma_address), 8 },
		{ "create_bo.offset", offsetof(struct drm_rocket_create_bo, offset), 16 },
		{ "prep_bo.timeout_ns", offsetof(struct drm_rocket_prep_bo, timeout_ns), 8 },
		{ "task", sizeof(struct drm_rocket_task), 8 },
		{ "job.in_bo_handles", offsetof(struct drm_rocket_job, in_bo_handles), 8 },
		{ "job.out_bo_handles", offsetof(struct drm_rocket_job, out_bo_handles), 16 },
		{ "job.task_count", offsetof(struct drm_rocket_job, task_count), 24 },
		{ "job.task_struct_size", offsetof(struct drm_rocket_job, task_struct_size), 28 },
		{ "job.flags", offsetof(struct drm_rocket_job, flags), 40 },
		{ "job", sizeof(struct drm_rocket_job), 48 },
		{ "submit.job_count", offsetof(struct drm_rocket_submit, job_count), 8 },
		{ "submit.reserved", offsetof(struct drm_rocket_submit, reserved), 16 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK(t, rows[i].is == rows[i].must, "%s: %#lx, must be %#lx", rows[i].what,
		      rows[i].is, rows[i].must);
}

static void ioctl_unknown_number_refused(struct test *t)
{
	struct file *f = test_file(t);
	uint64_t scratch[16] = { 0 };

	REQUIRE(t, f, "no file");
	for (unsigned nr = 0x0a; nr < 0x60; nr += 5) {
		int ret = file_ioctl(f, DRM_IOWR(DRM_COMMAND_BASE + nr, uint64_t[3]), scratch);

		CHECK(t, ret == -EINVAL || ret == -ENOTTY, "command %#x: %s", nr, strerror(-ret));
	}
}

static void ioctl_null_argument_faults(struct test *t)
{
	static const unsigned long requests[] = {
		DRM_IOCTL_ROCKET_CREATE_BO,
		DRM_IOCTL_ROCKET_SUBMIT,
		DRM_IOCTL_ROCKET_PREP_BO,
		DRM_IOCTL_ROCKET_FINI_BO,
	};
	struct file *f = test_file(t);

	REQUIRE(t, f, "no file");
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		int ret = file_ioctl(f, requests[i], NULL);

		CHECK(t, ret == -EFAULT, "request %#lx: %s", requests[i], strerror(-ret));
	}
}

static void file_closed_is_bad(struct test *t)
{
	struct file *f = test_file(t);
	struct drm_version v = { 0 };
	int fd;

	REQUIRE(t, f, "no file");
	fd = f->fd;
	REQUIRE(t, !test_file_close(f), "close");
	CHECK(t, t->node->calls->ioctl(fd, DRM_IOCTL_VERSION, &v) && errno == EBADF, "ioctl: %s",
	      strerror(errno));
	CHECK(t, t->node->calls->close(fd) && errno == EBADF, "second close: %s", strerror(errno));
}

static void file_open_at_the_descriptor_limit(struct test *t)
{
	const struct node_calls *calls = t->node->calls;
	struct rlimit old, low;
	int fd, first = dup(0), err;

	REQUIRE(t, first >= 0 && !getrlimit(RLIMIT_NOFILE, &old), "%s", strerror(errno));
	close(first);
	low = old;
	low.rlim_cur = (rlim_t)first; /* the next descriptor is one too many */
	setrlimit(RLIMIT_NOFILE, &low);
	fd = calls->open(t->node->path);
	err = errno;
	setrlimit(RLIMIT_NOFILE, &old);
	if (fd >= 0)
		calls->close(fd);
	CHECK(t, fd < 0 && err == EMFILE, "fd %d, %s", fd, strerror(err));
	CHECK(t, test_file(t), "does not open afterwards");
}

static void file_open_close_many_times(struct test *t)
{
	for (int i = 0; i < 500; i++) {
		int fd = t->node->calls->open(t->node->path);

		REQUIRE(t, fd >= 0, "round %d: %s", i, strerror(errno));
		REQUIRE(t, !t->node->calls->close(fd), "round %d: %s", i, strerror(errno));
	}
}

static const struct test_case cases[] = {
	{ .name = "version_names_the_driver", .run = version_names_the_driver },
	{ .name = "version_name_cut_to_the_buffer", .run = version_name_cut_to_the_buffer },
	{ .name = "abi_numbers_and_layouts", .run = abi_numbers_and_layouts },
	{ .name = "ioctl_unknown_number_refused", .run = ioctl_unknown_number_refused },
	{ .name = "ioctl_null_argument_faults", .run = ioctl_null_argument_faults },
	{ .name = "file_closed_is_bad", .run = file_closed_is_bad },
	{ .name = "file_open_at_the_descriptor_limit", .run = file_open_at_the_descriptor_limit },
	{ .name = "file_open_close_many_times", .run = file_open_close_many_times },
};

struct test_table node_cases(void)
{
	return TEST_TABLE(cases);
}
