// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_sim_bo.c - buffers of the simulated device, call by call. */
#include <sys/mman.h>

#include "support.h"

#define MIB (1u << 20)

static int fd;

static int setup(void **state)
{
	(void)state;
	fd = raw_open();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	raw_close(fd);
	return 0;
}

static void create_first_is_at_0(void **state)
{
	struct drm_rocket_create_bo a, b;

	(void)state;
	assert_int_equal(raw_create(fd, 4096, &a), 0);
	assert_int_equal(raw_create(fd, 4096, &b), 0);
	assert_int_equal(a.dma_address, 0);
	assert_int_equal(b.dma_address, 4096);
	assert_int_not_equal(a.handle, 0);
	assert_int_not_equal(a.handle, b.handle);
	assert_int_not_equal(a.offset, b.offset);
}

static void create_size_0_is_refused(void **state)
{
	struct drm_rocket_create_bo a;

	(void)state;
	assert_int_equal(raw_create(fd, 0, &a), -EINVAL);
}

static void create_odd_size_takes_whole_pages(void **state)
{
	struct drm_rocket_create_bo a, b;
	uint8_t *p;

	(void)state;
	assert_int_equal(raw_create(fd, 4097, &a), 0);
	assert_int_equal(raw_create(fd, 1, &b), 0);
	assert_int_equal(b.dma_address, 8192);
	p = sim_dev_mmap(fd, 8192, a.offset);
	assert_ptr_not_equal(p, MAP_FAILED);
	for (unsigned i = 0; i < 8192; i++)
		assert_int_equal(p[i], 0);
	p[8191] = 1;
	assert_int_equal(sim_dev_munmap(fd, p, 8192), 0);
}

static void create_takes_the_hole_that_fits_best(void **state)
{
	struct drm_rocket_create_bo bo[5], again;

	(void)state;
	for (unsigned i = 0; i < 5; i++) /* 3 pages, 1, 1, 1, 1 */
		assert_int_equal(raw_create(fd, i ? 4096 : 3 * 4096, &bo[i]), 0);
	assert_int_equal(raw_gem_close(fd, bo[0].handle), 0);
	assert_int_equal(raw_gem_close(fd, bo[2].handle), 0);
	assert_int_equal(raw_create(fd, 4096, &again), 0);
	assert_int_equal(again.dma_address, bo[2].dma_address);
	assert_int_equal(raw_create(fd, 8192, &again), 0);
	assert_int_equal(again.dma_address, 0);
	assert_int_equal(raw_create(fd, 8192, &again), 0);
	assert_int_equal(again.dma_address, 7 * 4096);
}

static void window_exhausted_is_enospc_and_recovers(void **state)
{
	struct drm_rocket_create_bo bo[8], extra;

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(raw_create(fd, 512 * MIB, &bo[i]), 0);
	assert_int_equal(bo[7].dma_address, 7u * 512 * MIB);
	assert_int_equal(raw_create(fd, 4096, &extra), -ENOSPC);
	assert_int_equal(raw_gem_close(fd, bo[3].handle), 0);
	assert_int_equal(raw_create(fd, 512 * MIB, &extra), 0);
	assert_int_equal(extra.dma_address, bo[3].dma_address);
	assert_int_equal(raw_create(fd, 1, &extra), -ENOSPC);
}

static void window_takes_one_buffer_of_all_of_it(void **state)
{
	struct drm_rocket_create_bo a, b;

	(void)state;
	assert_int_equal(raw_create(fd, 0xfffff001u, &a), 0);
	assert_int_equal(a.dma_address, 0);
	assert_int_equal(raw_create(fd, 1, &b), -ENOSPC);
}

static void windows_of_two_files_are_apart(void **state)
{
	int other = raw_open();
	struct drm_rocket_create_bo a, b;

	(void)state;
	assert_int_equal(raw_create(fd, 4096, &a), 0);
	assert_int_equal(raw_create(other, 4096, &b), 0);
	assert_int_equal(b.dma_address, 0);
	raw_close(other);
}

static void mmap_twice_shows_the_same_pages(void **state)
{
	struct drm_rocket_create_bo bo;
	uint32_t *p, *q;

	(void)state;
	assert_int_equal(raw_create(fd, 8192, &bo), 0);
	p = sim_dev_mmap(fd, 8192, bo.offset);
	q = sim_dev_mmap(fd, 4096, bo.offset);
	assert_ptr_not_equal(p, MAP_FAILED);
	assert_ptr_not_equal(q, MAP_FAILED);
	assert_ptr_not_equal(p, q);
	p[5] = 42;
	assert_int_equal(q[5], 42);
	assert_int_equal(sim_dev_munmap(fd, p, 8192), 0);
	assert_int_equal(q[5], 42);
	assert_int_equal(sim_dev_munmap(fd, q, 4096), 0);
}

static void mmap_wrong_is_einval(void **state)
{
	struct drm_rocket_create_bo bo;

	(void)state;
	assert_int_equal(raw_create(fd, 4096, &bo), 0);
	assert_ptr_equal(sim_dev_mmap(fd, 8192, bo.offset), MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(sim_dev_mmap(fd, 4096, bo.offset + 4096), MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(sim_dev_mmap(fd, 0, bo.offset), MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(raw_gem_close(fd, bo.handle), 0);
	assert_ptr_equal(sim_dev_mmap(fd, 4096, bo.offset), MAP_FAILED);
	assert_int_equal(errno, EINVAL);
}

static void mapping_outlives_gem_close(void **state)
{
	struct raw_bo a, b;

	(void)state;
	a = raw_bo_new(fd, 4096);
	memset(a.ptr, 7, 4096);
	assert_int_equal(raw_gem_close(fd, a.handle), 0);
	b = raw_bo_new(fd, 4096);
	assert_int_equal(((uint8_t *)b.ptr)[0], 0);
	memset(b.ptr, 9, 4096);
	assert_int_equal(((uint8_t *)a.ptr)[4095], 7);
	assert_int_equal(sim_dev_munmap(fd, a.ptr, 4096), 0);
}

static void mapping_outlives_its_file(void **state)
{
	int other = raw_open();
	struct raw_bo a = raw_bo_new(other, 4096);
	uint8_t *alias = sim_dev_mmap(other, 4096, a.offset);

	(void)state;
	assert_ptr_not_equal(alias, MAP_FAILED);
	memset(a.ptr, 7, 4096);
	raw_close(other);
	assert_int_equal(alias[100], 7);
	((uint8_t *)a.ptr)[100] = 8;
	assert_int_equal(alias[100], 8);
	assert_int_equal(sim_dev_munmap(other, a.ptr, 4096), 0);
	assert_int_equal(sim_dev_munmap(other, alias, 4096), 0);
}

static void gem_close_unknown_is_einval(void **state)
{
	struct drm_rocket_create_bo bo;

	(void)state;
	assert_int_equal(raw_create(fd, 4096, &bo), 0);
	assert_int_equal(raw_gem_close(fd, bo.handle), 0);
	assert_int_equal(raw_gem_close(fd, bo.handle), -EINVAL);
	assert_int_equal(raw_gem_close(fd, 0), -EINVAL);
	assert_int_equal(raw_gem_close(fd, UINT32_MAX), -EINVAL);
}

static void handle_is_not_valid_on_another_file(void **state)
{
	struct drm_rocket_create_bo bo[3];
	int other = raw_open();

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(raw_create(fd, 4096, &bo[i]), 0);
	assert_int_equal(raw_prep(other, bo[2].handle, 0), -ENOENT);
	assert_int_equal(raw_gem_close(other, bo[2].handle), -EINVAL);
	assert_int_equal(raw_prep(fd, bo[2].handle, 0), 0);
	raw_close(other);
}

static void prep_and_fini_check_their_arguments(void **state)
{
	struct drm_rocket_create_bo bo;
	struct drm_rocket_prep_bo prep;
	struct drm_rocket_fini_bo fini;

	(void)state;
	assert_int_equal(raw_create(fd, 4096, &bo), 0);
	prep = (struct drm_rocket_prep_bo){ .handle = bo.handle, .reserved = 1 };
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_PREP_BO, &prep), -EINVAL);
	prep = (struct drm_rocket_prep_bo){ .handle = bo.handle + 1 };
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_PREP_BO, &prep), -ENOENT);
	fini = (struct drm_rocket_fini_bo){ .handle = bo.handle, .reserved = 1 };
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_FINI_BO, &fini), -EINVAL);
	fini = (struct drm_rocket_fini_bo){ .handle = bo.handle + 1 };
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_FINI_BO, &fini), -ENOENT);
	fini = (struct drm_rocket_fini_bo){ .handle = bo.handle };
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_FINI_BO, &fini), 0);
}

static void prep_idle_is_0_whatever_the_deadline(void **state)
{
	static const int64_t deadlines[] = { INT64_MIN, -1, 0, 1, INT64_MAX };
	struct drm_rocket_create_bo bo;

	(void)state;
	assert_int_equal(raw_create(fd, 4096, &bo), 0);
	for (unsigned i = 0; i < 5; i++) {
		struct drm_rocket_prep_bo prep = { bo.handle, 0, deadlines[i] };

		assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_PREP_BO, &prep), 0);
	}
}

static void version_is_rocket_1_7(void **state)
{
	char name[16] = "";
	struct drm_version v = { .name = name, .name_len = sizeof(name) - 1 };

	(void)state;
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_VERSION, &v), 0);
	assert_int_equal(v.version_major, 1);
	assert_int_equal(v.version_minor, 7);
	assert_string_equal(name, "rocket");
	assert_int_equal(v.name_len, strlen("rocket"));
	memset(name, 0, sizeof(name));
	v.name_len = 3; /* less room than the name takes: cut, and the length told */
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_VERSION, &v), 0);
	assert_string_equal(name, "roc");
	assert_int_equal(v.name_len, strlen("rocket"));
	v.name = (char *)16;
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_VERSION, &v), -EFAULT);
}

static void request_unknown_is_refused_as_drm_does(void **state)
{
	struct drm_rocket_prep_bo_ranges ranges = { 0 };

	(void)state;
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_PREP_BO_RANGES, &ranges), -ENOENT);
	raw_close(fd);
	setenv("ROCKET_SIM_DRIVER", "1.4", 1);
	fd = raw_open();
	unsetenv("ROCKET_SIM_DRIVER");
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_PREP_BO_RANGES, &ranges), -EINVAL);
	assert_int_equal(raw_ioctl(fd, DRM_IOWR(0x7f, struct drm_version), &ranges), -EINVAL);
	assert_int_equal(raw_ioctl(fd, 0x5401 /* TCGETS */, &ranges), -ENOTTY);
}

static void argument_unreadable_is_efault(void **state)
{
	void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_rocket_create_bo *read_only;
	struct drm_rocket_create_bo next;

	(void)state;
	assert_ptr_not_equal(hole, MAP_FAILED);
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_CREATE_BO, NULL), -EFAULT);
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_CREATE_BO, hole), -EFAULT);
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_SUBMIT, (void *)-8L), -EFAULT);
	munmap(hole, 4096);

	read_only = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(read_only, MAP_FAILED);
	read_only->size = 4096;
	mprotect(read_only, 4096, PROT_READ);
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_CREATE_BO, read_only), -EFAULT);
	munmap(read_only, 4096);
	assert_int_equal(raw_create(fd, 4096, &next), 0);
}

static void request_of_another_size_is_extended_or_cut(void **state)
{
	struct {
		struct drm_rocket_create_bo args;
		uint64_t tail;
	} longer = { { .size = 4096 }, 77 };
	uint32_t size_only = 4096;

	(void)state;
	assert_int_equal(raw_ioctl(fd, DRM_IOWR(DRM_COMMAND_BASE, longer), &longer), 0);
	assert_int_equal(longer.args.handle, 1);
	assert_int_equal(longer.tail, 77);
	assert_int_equal(raw_ioctl(fd, DRM_IOWR(DRM_COMMAND_BASE, size_only), &size_only), 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(create_first_is_at_0),
		T(create_size_0_is_refused),
		T(create_odd_size_takes_whole_pages),
		T(create_takes_the_hole_that_fits_best),
		T(window_exhausted_is_enospc_and_recovers),
		T(window_takes_one_buffer_of_all_of_it),
		T(windows_of_two_files_are_apart),
		T(mmap_twice_shows_the_same_pages),
		T(mmap_wrong_is_einval),
		T(mapping_outlives_gem_close),
		T(mapping_outlives_its_file),
		T(gem_close_unknown_is_einval),
		T(handle_is_not_valid_on_another_file),
		T(prep_and_fini_check_their_arguments),
		T(prep_idle_is_0_whatever_the_deadline),
		T(version_is_rocket_1_7),
		T(request_unknown_is_refused_as_drm_does),
		T(argument_unreadable_is_efault),
		T(request_of_another_size_is_extended_or_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
