// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_buffer.c - buffers through the public API. */
#include "support.h"

static int fd;
static rocket_bo bo;

static int setup(void **state)
{
	(void)state;
	setenv("ROCKET_DEVICE", test_device(), 1);
	fd = rocket_open();
	assert_true(fd >= 0);
	memset(&bo, 0xff, sizeof(bo));
	test_log_start();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_log_stop();
	rocket_close(fd);
	return 0;
}

static bool is_empty(const rocket_bo *b)
{
	static const rocket_bo zero;

	return !memcmp(b, &zero, sizeof(zero));
}

static void alloc_gives_whole_zeroed_pages(void **state)
{
	(void)state;
	assert_int_equal(rocket_bo_alloc(fd, 5000, &bo), ROCKET_OK);
	assert_int_equal(bo.size, 8192);
	assert_int_not_equal(bo.handle, 0);
	assert_int_not_equal(bo.dma_address, 0); /* the guard sits there */
	assert_int_equal((uintptr_t)bo.ptr % 4096, 0);
	for (size_t i = 0; i < bo.size; i++)
		assert_int_equal(((uint8_t *)bo.ptr)[i], 0);
	memset(bo.ptr, 0xab, bo.size);
	rocket_bo_free(fd, &bo);
	assert_true(is_empty(&bo));
	rocket_bo_free(fd, &bo); /* nothing to do */
	rocket_bo_free(fd, NULL);
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 0);
}

static void alloc_bad_arguments_are_refused_and_leave_it_empty(void **state)
{
	(void)state;
	assert_int_equal(rocket_bo_alloc(fd, 0, &bo), ROCKET_E_SHAPE);
	assert_true(is_empty(&bo));
	assert_int_equal(rocket_bo_alloc(fd, 4096, NULL), ROCKET_E_SHAPE);
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 2);
}

static void alloc_beyond_the_window_is_nomem(void **state)
{
	static const size_t sizes[] = { (size_t)1 << 32, ((size_t)1 << 32) - 1, SIZE_MAX,
					SIZE_MAX - 4094, (size_t)1 << 63 };

	(void)state;
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(&bo, 0xff, sizeof(bo));
		assert_int_equal(rocket_bo_alloc(fd, sizes[i], &bo), ROCKET_E_NOMEM);
		assert_true(is_empty(&bo));
		assert_int_equal(rocket_bo_alloc32(fd, sizes[i], &bo), ROCKET_E_NOMEM);
		assert_true(is_empty(&bo));
	}
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 2 * (sizeof(sizes) / sizeof(sizes[0])));
	assert_int_equal(rocket_bo_alloc(fd, 4096, &bo), ROCKET_OK);
}

static void window_exhausted_recovers(void **state)
{
	rocket_bo part[7], extra;

	(void)state;
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(rocket_bo_alloc32(fd, 512u << 20, &part[i]), ROCKET_OK);
	assert_int_equal(rocket_bo_alloc(fd, 512u << 20, &extra), ROCKET_E_NOMEM);
	rocket_bo_free(fd, &part[2]);
	assert_int_equal(rocket_bo_alloc(fd, 512u << 20, &extra), ROCKET_OK);
}

static void ensure_reuses_or_replaces(void **state)
{
	uint32_t handle;

	(void)state;
	memset(&bo, 0, sizeof(bo));
	assert_int_equal(rocket_bo_ensure32(fd, &bo, 1000), 1);
	handle = bo.handle;
	assert_int_equal(rocket_bo_ensure32(fd, &bo, 4096), 0);
	assert_int_equal(bo.handle, handle);
	assert_int_equal(rocket_bo_ensure32(fd, &bo, 4097), 1);
	assert_int_equal(bo.size, 8192);
	assert_int_equal(rocket_bo_ensure32(fd, &bo, SIZE_MAX), ROCKET_E_NOMEM);
	assert_true(is_empty(&bo));
	assert_int_equal(rocket_bo_ensure32(fd, &bo, 0), ROCKET_E_SHAPE);
	assert_int_equal(rocket_bo_ensure32(fd, NULL, 1), ROCKET_E_SHAPE);
}

static void free_twice_is_found_out(void **state)
{
	rocket_bo copy;

	(void)state;
	assert_int_equal(rocket_bo_alloc(fd, 4096, &bo), ROCKET_OK);
	copy = bo;
	rocket_bo_free(fd, &bo);
	rocket_bo_free(fd, &copy);
	assert_true(is_empty(&copy));
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 1);
	test_log_has(ROCKET_LOG_ERROR, "freed twice?");
}

static void free_on_another_fd_is_found_out(void **state)
{
	int other = rocket_open();
	rocket_bo copy;

	(void)state;
	assert_true(other >= 0);
	assert_int_equal(rocket_bo_alloc(fd, 4096, &bo), ROCKET_OK);
	copy = bo;
	rocket_bo_free(other, &copy);
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 1);
	memset(bo.ptr, 1, bo.size); /* still there */
	rocket_close(other);
}

static void free_after_close_is_harmless(void **state)
{
	int other = rocket_open();

	(void)state;
	assert_true(other >= 0);
	assert_int_equal(rocket_bo_alloc(other, 4096, &bo), ROCKET_OK);
	rocket_close(other);
	rocket_bo_free(other, &bo);
	assert_true(is_empty(&bo));
}

static void prep_and_fini_of_an_idle_buffer_succeed(void **state)
{
	(void)state;
	assert_int_equal(rocket_bo_alloc(fd, 4096, &bo), ROCKET_OK);
	assert_int_equal(rocket_bo_prep(fd, &bo, 0, 0), ROCKET_OK);
	assert_int_equal(rocket_bo_prep(fd, &bo, 1, 1000000), ROCKET_OK);
	assert_int_equal(rocket_bo_prep(fd, &bo, 2, UINT64_MAX), ROCKET_OK);
	assert_int_equal(rocket_bo_fini(fd, &bo), ROCKET_OK);
	rocket_bo_free(fd, &bo);
	assert_int_equal(rocket_bo_prep(fd, &bo, 0, 0), ROCKET_E_SHAPE);
	assert_int_equal(rocket_bo_prep(fd, NULL, 0, 0), ROCKET_E_SHAPE);
	assert_int_equal(rocket_bo_fini(fd, &bo), ROCKET_E_SHAPE);
	assert_int_equal(rocket_bo_fini(fd, NULL), ROCKET_E_SHAPE);
}

static void ranges_need_a_newer_driver(void **state)
{
	rocket_bo_range r = { 0, 64 };

	(void)state;
	rocket_close(fd);
	setenv("ROCKET_SIM_DRIVER", "1.4", 1);
	fd = rocket_open();
	unsetenv("ROCKET_SIM_DRIVER");
	assert_int_equal(rocket_bo_alloc(fd, 4096, &bo), ROCKET_OK);
	assert_int_equal(rocket_bo_prep_ranges(fd, &bo, &r, 1, 0), ROCKET_E_UNSUPPORTED);
	assert_int_equal(rocket_bo_fini_ranges(fd, &bo, &r, 1), ROCKET_E_UNSUPPORTED);
	test_log_has(ROCKET_LOG_ERROR, "1.5");
}

static void ranges_are_checked_by_the_driver(void **state)
{
	rocket_bo_range good[2] = { { 0, 64 }, { 64, 4032 } }, bad[2] = { { 64, 64 }, { 0, 64 } };

	(void)state;
	assert_int_equal(rocket_bo_alloc(fd, 4096, &bo), ROCKET_OK);
	assert_int_equal(rocket_bo_prep_ranges(fd, &bo, good, 2, 0), ROCKET_OK);
	assert_int_equal(rocket_bo_fini_ranges(fd, &bo, good, 2), ROCKET_OK);
	assert_int_not_equal(rocket_bo_prep_ranges(fd, &bo, bad, 2, 0), ROCKET_OK);
	assert_int_not_equal(rocket_bo_fini_ranges(fd, &bo, bad, 2), ROCKET_OK);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	struct CMUnitTest tests[] = {
		T(alloc_gives_whole_zeroed_pages),
		T(alloc_bad_arguments_are_refused_and_leave_it_empty),
		T(alloc_beyond_the_window_is_nomem),
		T(window_exhausted_recovers),
		T(ensure_reuses_or_replaces),
		T(free_twice_is_found_out),
		T(free_on_another_fd_is_found_out),
		T(free_after_close_is_harmless),
		T(prep_and_fini_of_an_idle_buffer_succeed),
		NOT_OVER_RKNPU(ranges_need_a_newer_driver,
			       "every version of the vendor's driver has ranges"),
		T(ranges_are_checked_by_the_driver),
	};

	return test_run_cases(tests, sizeof(tests) / sizeof(tests[0]));
}
