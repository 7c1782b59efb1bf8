// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_rknpu_provider.c - nodes and buffers of the rknpu provider on drivers of every version. */
#include "rknpu_fake.h"

/* ---- finding and opening ---- */

static void match_goes_by_the_drivers_name(void **state)
{
	static const char *const others[] = { "rknpu2", "rockchip", "rknp", "" };

	(void)state;
	assert_int_equal(p->match(&rknpu_fake_kernel, 7), 0);
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		fake.node.name = others[i];
		assert_int_equal(p->match(&rknpu_fake_kernel, 7), -ENODEV);
	}
	fake.node.name = NULL;
	assert_int_equal(p->match(&rknpu_fake_kernel, 7), -ENODEV);
	fake.misc = true;
	assert_int_equal(p->match(&rknpu_fake_kernel, 7), 0);
	fake.misc = false;
	fake.node.name = "rknpu";
}

static void driver_on_heaps_is_refused_with_a_reason(void **state)
{
	(void)state;
	p->close(&node);
	fake.node.name = NULL;
	fake.misc = true;
	assert_int_equal(p->open(&node), -EOPNOTSUPP);
	assert_non_null(strstr(node.refusal, "dma-buf heaps"));
	assert_null(node.priv);
}

static void versions_decide_what_is_asked_of_the_driver(void **state)
{
	static const struct {
		uint32_t version;
		const char *text;
		bool taken, tight;
	} rows[] = {
		{ 802, "0.8.2", false, false }, { 905, "0.9.5", false, false },
		{ 906, "0.9.6", true, false },  { 907, "0.9.7", true, true },
		{ 908, "0.9.8", true, true },   { 10000, "1.0.0", true, true },
	};
	rocket_bo bo;

	(void)state;
	p->close(&node);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int r = rknpu_fake_open(rows[i].version);

		assert_string_equal(node.driver_version, rows[i].text);
		assert_int_equal(r, rows[i].taken ? 0 : -EOPNOTSUPP);
		assert_true(rows[i].taken || strstr(node.refusal, "0.9.6 or later"));
		if (!rows[i].taken)
			continue;
		assert_int_equal(p->bo_alloc(&node, 100, &bo), 0);
		assert_int_equal(
			!!(fake.objects[bo.handle].flags & RKNPU_MEM_IOMMU_LIMIT_IOVA_ALIGNMENT),
			rows[i].tight);
		assert_int_equal(fake.objects[bo.handle].flags &
					 ~RKNPU_MEM_IOMMU_LIMIT_IOVA_ALIGNMENT,
				 RKNPU_MEM_NON_CONTIGUOUS | RKNPU_MEM_CACHEABLE | RKNPU_MEM_IOMMU |
					 RKNPU_MEM_ZEROING);
		assert_int_equal(p->bo_free(&node, &bo), 0);
		p->close(&node);
	}
}

static void capabilities_are_those_of_the_interface(void **state)
{
	(void)state;
	assert_int_equal(node.caps.batched, 1);
	assert_int_equal(node.caps.batched_native, 1);
	assert_int_equal(node.caps.batch_atomic, 0);
	assert_int_equal(node.caps.ranges, 1);
	assert_int_equal(node.caps.ppu_done, 1);
	assert_int_equal(node.caps.no_dpu_done, 0);
	assert_int_equal(node.caps.completion_tracked, 1);
	assert_int_equal(node.caps.errors_reported, 1);
	assert_int_equal(rocket_provider_check(p, NULL, NULL), 0);
}

/* ---- buffers ---- */

static void buffer_is_zeroed_for_both_and_given_back_whole(void **state)
{
	rocket_bo bo;

	(void)state;
	assert_int_equal(p->bo_alloc(&node, 5000, &bo), 0);
	assert_int_equal(bo.size, 8192);
	for (size_t i = 0; i < bo.size; i++)
		assert_int_equal(((uint8_t *)bo.ptr)[i], 0);
	assert_int_equal(fake.objects[bo.handle].to_device, 8192);
	assert_int_equal(p->bo_prep(&node, &bo, 1000), 0);
	assert_int_equal(fake.objects[bo.handle].from_device, 8192);
	assert_int_equal(p->bo_fini(&node, &bo), 0);
	assert_int_equal(fake.objects[bo.handle].to_device, 2 * 8192);
	assert_int_equal(p->bo_free(&node, &bo), 0);
	assert_int_equal(fake.live, 0);
	assert_int_equal(p->bo_alloc(&node, 0, &bo), -EINVAL);
	assert_int_equal(p->bo_alloc(&node, SIZE_MAX, &bo), -ENOMEM);
}

static void ten_thousand_buffers_leave_nothing(void **state)
{
	rocket_bo bo[3];

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		assert_int_equal(p->bo_alloc(&node, 4096 + i % 3 * 4096, &bo[i % 3]), 0);
		if (i >= 2) /* not in the order they came */
			assert_int_equal(p->bo_free(&node, &bo[(i + 1) % 3]), 0);
	}
	assert_int_equal(fake.live, 2);
	assert_int_equal(fake.mapped, 2);
	p->bo_free(&node, &bo[9998 % 3]);
	p->bo_free(&node, &bo[9999 % 3]);
	assert_int_equal(fake.live + fake.mapped, 0);
}

static void ranges_are_checked_before_any_is_synced(void **state)
{
	static const struct {
		rocket_bo_range r[2];
		int result;
	} rows[] = {
		{ { { 0, 64 }, { 4096, 4096 } }, 0 },
		{ { { 0, 64 }, { 64, 64 } }, 0 },
		{ { { 64, 64 }, { 0, 64 } }, -EINVAL },
		{ { { 0, 65 }, { 64, 64 } }, -EINVAL },
		{ { { 0, 64 }, { 128, 0 } }, -EINVAL },
		{ { { 0, 64 }, { 8192, 1 } }, -EINVAL },
		{ { { 0, 64 }, { 8191, 2 } }, -EINVAL },
		{ { { 0, 64 }, { 1, UINT64_MAX } }, -EINVAL },
	};
	rocket_bo bo;

	(void)state;
	assert_int_equal(p->bo_alloc(&node, 8192, &bo), 0);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t want = rows[i].result ? 0 : rows[i].r[0].size + rows[i].r[1].size;

		fake.objects[bo.handle].to_device = fake.objects[bo.handle].from_device = 0;
		assert_int_equal(p->bo_fini_ranges(&node, &bo, rows[i].r, 2), rows[i].result);
		assert_int_equal(p->bo_prep_ranges(&node, &bo, rows[i].r, 2, 0), rows[i].result);
		assert_int_equal(fake.objects[bo.handle].to_device, want);
		assert_int_equal(fake.objects[bo.handle].from_device, want);
	}
	p->bo_free(&node, &bo);
}

static void failed_step_of_an_allocation_leaves_nothing(void **state)
{
	static const unsigned long requests[] = { DRM_IOCTL_RKNPU_MEM_CREATE,
						  DRM_IOCTL_RKNPU_MEM_MAP,
						  DRM_IOCTL_RKNPU_MEM_SYNC };
	rocket_bo bo;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		fake.fail_request = requests[i];
		fake.fail_errno = ENODEV;
		assert_int_equal(p->bo_alloc(&node, 4096, &bo), -ENODEV);
		assert_int_equal(fake.live + fake.mapped, 0);
	}
	fake.fail_mmap = true;
	assert_int_equal(p->bo_alloc(&node, 4096, &bo), -ENXIO);
	assert_int_equal(fake.live, 0);
	fake.fail_mmap = false;
	fake.fail_request = DRM_IOCTL_RKNPU_MEM_CREATE;
	fake.fail_errno = EFAULT; /* memory ran out */
	assert_int_equal(p->bo_alloc(&node, 4096, &bo), -ENOMEM);
}

static void buffer_unknown_is_refused(void **state)
{
	rocket_bo bo = { .handle = 9, .size = 4096 };

	(void)state;
	assert_int_equal(p->bo_prep(&node, &bo, 0), -ENOENT);
	assert_int_equal(p->bo_fini(&node, &bo), -ENOENT);
	assert_int_equal(p->bo_free(&node, &bo), -ENOENT);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rknpu_fake_setup, rknpu_fake_teardown)
	const struct CMUnitTest tests[] = {
		T(match_goes_by_the_drivers_name),
		T(driver_on_heaps_is_refused_with_a_reason),
		T(versions_decide_what_is_asked_of_the_driver),
		T(capabilities_are_those_of_the_interface),
		T(buffer_is_zeroed_for_both_and_given_back_whole),
		T(ten_thousand_buffers_leave_nothing),
		T(ranges_are_checked_before_any_is_synced),
		T(failed_step_of_an_allocation_leaves_nothing),
		T(buffer_unknown_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
