// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_provider.c - the rocket provider on drivers of every version, and on failing ones. */
#include <sys/mman.h>

#include "fake_kernel.h"
#include "providers/rocket/rocket_provider.h"
#include "support.h"

/* A driver that answers a version, records what it is asked, and fails on demand. */
static struct {
	struct fake_node node;
	long batch_submit;
	int fail;               /* errno of every ioctl but VERSION */
	unsigned full, submits; /* SUBMITs that find no room; all of them */
	bool fail_mmap;
	unsigned open_bos;
	struct drm_rocket_submit submit;
	uint8_t job[2 * sizeof(struct drm_rocket_job)];
	int64_t deadline;
} fake;

static uint8_t pages[8192] __attribute__((aligned(4096)));

static int fake_ioctl(int fd, unsigned long request, void *arg)
{
	(void)fd;
	if (request == DRM_IOCTL_VERSION)
		return fake_version(&fake.node, arg);
	if (request == DRM_IOCTL_GEM_CLOSE) {
		fake.open_bos--;
		return 0;
	}
	if (request == DRM_IOCTL_ROCKET_PREP_BO)
		fake.deadline = ((struct drm_rocket_prep_bo *)arg)->timeout_ns;
	if (request == DRM_IOCTL_ROCKET_PREP_BO_RANGES)
		fake.deadline = ((struct drm_rocket_prep_bo_ranges *)arg)->timeout_ns;
	if (request == DRM_IOCTL_ROCKET_SUBMIT) {
		fake.submit = *(struct drm_rocket_submit *)arg;
		memcpy(fake.job, (void *)(uintptr_t)fake.submit.jobs,
		       2 * (size_t)fake.submit.job_struct_size);
		if (fake.submits++ < fake.full)
			return fake_fail(EAGAIN);
	}
	if (fake.fail)
		return fake_fail(fake.fail);
	if (request == DRM_IOCTL_ROCKET_CREATE_BO) {
		((struct drm_rocket_create_bo *)arg)->handle = 5;
		((struct drm_rocket_create_bo *)arg)->dma_address = 0x3000;
		fake.open_bos++;
	}
	return 0;
}

static void *fake_mmap(int fd, size_t length, uint64_t offset)
{
	(void)fd, (void)offset;
	if (fake.fail_mmap || length > sizeof(pages)) {
		errno = ENODEV;
		return MAP_FAILED;
	}
	return pages;
}

static int fake_munmap(int fd, void *addr, size_t length)
{
	(void)fd, (void)addr, (void)length;
	return 0;
}

static long fake_param(const char *module, const char *name, long fallback)
{
	long v = !strcmp(name, "rocket_batch_submit") ? fake.batch_submit : -1;

	assert_string_equal(module, "rocket");
	return v < 0 ? fallback : v;
}

static const struct rocket_kernel kernel = {
	.name = "fake",
	.ioctl = fake_ioctl,
	.mmap = fake_mmap,
	.munmap = fake_munmap,
	.param = fake_param,
	.identify = fake_identify,
};
static const struct rocket_provider *const p = &rocket_provider_rocket;
static struct rocket_node node;

static int open_version(int major, int minor)
{
	memset(&fake, 0, sizeof(fake));
	fake.node = (struct fake_node){ "rocket", major, minor };
	fake.batch_submit = -1;
	return fake_open(p, &kernel, &node);
}

static void match_takes_rocket_only(void **state)
{
	(void)state;
	open_version(0, 0);
	assert_int_equal(p->match(&kernel, 7), 0);
	fake.node.name = "rocketry";
	assert_int_equal(p->match(&kernel, 7), -ENODEV);
	fake.node.name = "panfrost";
	assert_int_equal(p->match(&kernel, 7), -ENODEV);
	fake.node.name = NULL;
	assert_int_equal(p->match(&kernel, 7), -ENODEV);
}

static void caps_follow_the_version(void **state)
{
	static const struct {
		int major, minor;
		bool no_dpu, ppu, ranges, errors;
	} cases[] = {
		{ 0, 0, 0, 0, 0, 0 }, { 1, 0, 0, 0, 0, 0 },    { 1, 1, 0, 0, 0, 0 },
		{ 1, 2, 1, 0, 0, 0 }, { 1, 3, 1, 1, 0, 0 },    { 1, 4, 1, 1, 0, 0 },
		{ 1, 5, 1, 1, 1, 0 }, { 1, 6, 1, 1, 1, 0 },    { 1, 7, 1, 1, 1, 1 },
		{ 2, 0, 1, 1, 1, 1 }, { 1, 1000, 1, 1, 1, 1 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char version[32];

		assert_int_equal(open_version(cases[i].major, cases[i].minor), 0);
		assert_int_equal(node.caps.version_major, cases[i].major);
		assert_int_equal(node.caps.version_minor, cases[i].minor);
		assert_int_equal(node.caps.no_dpu_done, cases[i].no_dpu);
		assert_int_equal(node.caps.ppu_done, cases[i].ppu);
		assert_int_equal(node.caps.ranges, cases[i].ranges);
		assert_int_equal(node.caps.errors_reported, cases[i].errors);
		assert_int_equal(node.caps.batched, 0); /* its switch cannot be read */
		assert_int_equal(node.caps.batched_native, 0);
		assert_int_equal(node.caps.batch_atomic, 1);
		snprintf(version, sizeof(version), "%d.%d.0", cases[i].major, cases[i].minor);
		assert_string_equal(node.driver_version, version);
		assert_string_equal(node.chip, "rk3588");
		assert_int_equal(node.cores, 3);
		p->close(&node);
	}
}

static void batching_needs_version_and_switch(void **state)
{
	(void)state;
	for (int minor = 0; minor <= 2; minor++)
		for (long on = -1; on <= 1; on++) {
			open_version(1, minor);
			fake.batch_submit = on;
			assert_int_equal(p->open(&node), 0);
			assert_int_equal(node.caps.batched, minor >= 1 && on == 1);
		}
}

static void job_struct_follows_the_version(void **state)
{
	static const struct {
		int major, minor;
		uint32_t size;
	} cases[] = { { 0, 0, 40 }, { 1, 0, 40 }, { 1, 1, 48 }, { 1, 7, 48 }, { 2, 0, 48 } };
	rocket_task_desc task = { 0x1000, 126 };
	uint32_t in[] = { 1, 2 }, out[] = { 3 };
	struct rocket_provider_job jobs[2] = { { &task, 1, in, 2, out, 1, 0 },
					       { &task, 1, in, 1, out, 1, 0 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct drm_rocket_job second = { 0 };

		open_version(cases[i].major, cases[i].minor);
		jobs[1].flags = cases[i].size == 48 ? ROCKET_JOB_BATCHED : 0;
		assert_int_equal(p->submit(&node, jobs, 2, NULL), 0);
		assert_int_equal(fake.submit.job_struct_size, cases[i].size);
		assert_int_equal(fake.submit.job_count, 2);
		assert_int_equal(fake.submit.reserved, 0);
		memcpy(&second, fake.job + cases[i].size, cases[i].size);
		assert_int_equal(second.tasks, (uintptr_t)&task);
		assert_int_equal(second.task_count, 1);
		assert_int_equal(second.task_struct_size, 8);
		assert_int_equal(second.in_bo_handle_count, 1);
		assert_int_equal(second.in_bo_handles, (uintptr_t)in);
		assert_int_equal(second.out_bo_handles, (uintptr_t)out);
		assert_int_equal(second.flags, jobs[1].flags);
	}
	open_version(0, 0);
	jobs[1].flags = ROCKET_JOB_BATCHED; /* nowhere to put it */
	assert_int_equal(p->submit(&node, jobs, 2, NULL), -EOPNOTSUPP);
	assert_int_equal(fake.submit.job_count, 0);
}

static void submit_without_room_is_repeated(void **state)
{
	struct rocket_provider_job jobs[2] = { 0 };

	(void)state;
	open_version(1, 7);
	fake.full = 3;
	assert_int_equal(p->submit(&node, jobs, 2, NULL), 0);
	assert_int_equal(fake.submits, 4);
	fake.fail = EINVAL;
	assert_int_equal(p->submit(&node, jobs, 2, NULL), -EINVAL);
	assert_int_equal(fake.submits, 5);
}

static void timeout_becomes_a_deadline(void **state)
{
	rocket_bo bo = { .handle = 5, .size = 4096, .ptr = pages };
	uint64_t before, after;

	(void)state;
	open_version(1, 1);
	assert_int_equal(p->bo_prep(&node, &bo, 0), 0);
	assert_true(fake.deadline <= 0);
	before = test_now_ns();
	assert_int_equal(p->bo_prep(&node, &bo, 1000000), 0);
	after = test_now_ns();
	assert_true((uint64_t)fake.deadline >= before + 1000000);
	assert_true((uint64_t)fake.deadline <= after + 1000000);
	assert_int_equal(p->bo_prep(&node, &bo, UINT64_MAX), 0);
	assert_int_equal(fake.deadline, INT64_MAX);
	assert_int_equal(p->bo_prep(&node, &bo, (uint64_t)INT64_MAX + 1), 0);
	assert_int_equal(fake.deadline, INT64_MAX);
}

static void busy_is_busy_for_a_poll_only(void **state)
{
	rocket_bo bo = { .handle = 5, .size = 4096, .ptr = pages };

	(void)state;
	open_version(1, 1);
	fake.fail = EBUSY;
	assert_int_equal(p->bo_prep(&node, &bo, 0), -EBUSY);
	assert_int_equal(p->bo_prep(&node, &bo, 1), -ETIMEDOUT);
	fake.fail = ECANCELED;
	assert_int_equal(p->bo_prep(&node, &bo, 1), -ECANCELED);
	fake.fail = EIO;
	assert_int_equal(p->bo_prep(&node, &bo, 0), -EIO);
}

static void ranges_are_refused_below_1_5(void **state)
{
	rocket_bo bo = { .handle = 5, .size = 4096, .ptr = pages };
	rocket_bo_range r = { 0, 64 };

	(void)state;
	open_version(1, 4);
	assert_int_equal(p->bo_prep_ranges(&node, &bo, &r, 1, 0), -EOPNOTSUPP);
	assert_int_equal(p->bo_fini_ranges(&node, &bo, &r, 1), -EOPNOTSUPP);
	open_version(1, 5);
	assert_int_equal(p->bo_prep_ranges(&node, &bo, &r, 1, 1000), 0);
	assert_true(fake.deadline > 0);
	assert_int_equal(p->bo_fini_ranges(&node, &bo, &r, 1), 0);
}

static void buffer_that_cannot_be_mapped_is_closed(void **state)
{
	rocket_bo bo;

	(void)state;
	open_version(1, 1);
	fake.fail_mmap = true;
	assert_int_equal(p->bo_alloc(&node, 4096, &bo), -ENODEV);
	assert_int_equal(fake.open_bos, 0);
	fake.fail_mmap = false;
	assert_int_equal(p->bo_alloc(&node, 100, &bo), 0);
	assert_int_equal(bo.handle, 5);
	assert_int_equal(bo.dma_address, 0x3000);
	assert_ptr_equal(bo.ptr, pages);
	assert_int_equal(p->bo_free(&node, &bo), 0);
	assert_int_equal(fake.open_bos, 0);
	fake.fail = ENOMEM;
	assert_int_equal(p->bo_alloc(&node, 100, &bo), -ENOMEM);
	assert_int_equal(p->bo_alloc(&node, (size_t)1 << 33, &bo), -ENOSPC);
	assert_int_equal(p->bo_alloc(&node, 0, &bo), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(match_takes_rocket_only),
		cmocka_unit_test(caps_follow_the_version),
		cmocka_unit_test(batching_needs_version_and_switch),
		cmocka_unit_test(job_struct_follows_the_version),
		cmocka_unit_test(submit_without_room_is_repeated),
		cmocka_unit_test(timeout_becomes_a_deadline),
		cmocka_unit_test(busy_is_busy_for_a_poll_only),
		cmocka_unit_test(ranges_are_refused_below_1_5),
		cmocka_unit_test(buffer_that_cannot_be_mapped_is_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
