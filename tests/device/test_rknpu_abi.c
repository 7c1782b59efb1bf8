// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_rknpu_abi.c - the vendor's interface as the simulated device answers it. */
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>

#include "rknpu_kit.h"

static int fd;

static int setup(void **state)
{
	(void)state;
	fd = vendor_open();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	raw_close(fd);
	return 0;
}

/* A device that others have closed takes new settings. */
static void reopen(void)
{
	raw_close(fd);
	fd = vendor_open();
}

/* ---- what it is ---- */

static void version_names_the_driver(void **state)
{
	char name[16] = "", date[16] = "";
	struct drm_version v = { .name = name, .name_len = 15, .date = date, .date_len = 15 };

	(void)state;
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_VERSION, &v), 0);
	assert_string_equal(name, "rknpu");
	assert_string_equal(date, "20240828");
	assert_int_equal(v.version_major * 10000 + v.version_minor * 100 + v.version_patchlevel,
			 908);
}

static void actions_are_answered_as_on_an_rk3588(void **state)
{
	static const struct {
		uint32_t number, before, after;
		int result;
	} rows[] = {
		{ RKNPU_GET_DRV_VERSION, 0, 908, 0 },
		{ RKNPU_GET_IOMMU_EN, 0, 1, 0 },
		{ RKNPU_GET_TOTAL_SRAM_SIZE, 7, 0, 0 },
		{ RKNPU_GET_FREE_SRAM_SIZE, 7, 0, 0 },
		{ RKNPU_GET_IOMMU_DOMAIN_ID, 7, 0, 0 },
		{ RKNPU_SET_IOMMU_DOMAIN_ID, 0, 0, 0 },
		{ RKNPU_SET_IOMMU_DOMAIN_ID, 16, 16, -EINVAL },
		{ RKNPU_GET_TOTAL_RW_AMOUNT, 7, 7, 0 }, /* not wired: unchanged */
		{ RKNPU_SET_PROC_NICE, 5, 5, 0 },
		{ RKNPU_ACT_RESET, 0, 0, 0 },
		{ RKNPU_SET_FREQ, 1, 1, -EINVAL },
		{ RKNPU_SET_VOLT, 1, 1, -EINVAL },
		{ RKNPU_GET_BW_TW, 0, 0, -EINVAL },
		{ RKNPU_POWER_ON, 0, 0, -EINVAL },
		{ RKNPU_POWER_OFF, 0, 0, -EINVAL },
		{ 26, 0, 0, -EINVAL },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t value = rows[i].before;

		assert_int_equal(vendor_action(fd, rows[i].number, &value), rows[i].result);
		assert_int_equal(value, rows[i].after);
	}
}

static void requests_of_other_kinds_are_refused(void **state)
{
	struct drm_rocket_create_bo rocket = { .size = 4096 };
	struct rknpu_action a = { .flags = RKNPU_GET_DRV_VERSION };

	(void)state;
	assert_int_equal(raw_ioctl(fd, IOCTL_RKNPU_ACTION, &a), -ENOTTY); /* the misc device's */
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_CREATE_BO, &rocket), -EINVAL);
}

static void settings_wrong_refuse_the_open(void **state)
{
	static const struct {
		const char *name, *value;
		bool ok;
	} rows[] = {
		{ "ROCKET_SIM_DRIVER", "0.9.6", true },   { "ROCKET_SIM_DRIVER", "1.7", false },
		{ "ROCKET_SIM_DRIVER", "0.9.9", false },  { "ROCKET_SIM_SCHED", "lanes", true },
		{ "ROCKET_SIM_SCHED", "lanes:4", true },  { "ROCKET_SIM_SCHED", "vendor", true },
		{ "ROCKET_SIM_SCHED", "lanes:0", false }, { "ROCKET_SIM_SCHED", "fair", false },
	};

	(void)state;
	raw_close(fd);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setenv(rows[i].name, rows[i].value, 1);
		fd = sim_dev_open("sim:rk3588:rknpu");
		assert_int_equal(fd >= 0, rows[i].ok);
		if (rows[i].ok)
			raw_close(fd);
		else
			assert_non_null(strstr(sim_dev_open_reason(), rows[i].name));
		unsetenv(rows[i].name);
	}
	fd = vendor_open();
}

/* ---- memory ---- */

static void objects_come_from_the_top_of_one_window(void **state)
{
	struct vendor_object a = vendor_new(fd, 5000, 0), b;
	int other = vendor_open();

	(void)state;
	assert_int_equal(a.size, 8192);
	assert_int_equal(a.iova + a.size, UINT64_C(1) << 32); /* its last byte is 0xffffffff */
	b = vendor_new(other, 4096, 0);
	assert_int_equal(b.iova, a.iova - 4096); /* of another file, in the same window */
	assert_int_not_equal(a.object, b.object);
	assert_int_equal(vendor_destroy(other, &b), 0);
	assert_int_equal(vendor_destroy(fd, &a), 0);
	raw_close(other);
}

static void handle_that_is_there_is_described(void **state)
{
	struct vendor_object o = vendor_new(fd, 8192, 0);
	struct rknpu_mem_create args = { .handle = o.handle };

	(void)state;
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_RKNPU_MEM_CREATE, &args), 0);
	assert_int_equal(args.obj_addr, o.object);
	assert_int_equal(args.dma_addr, o.iova);
	assert_int_equal(args.size, 8192);
	args.handle = 4711;
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_RKNPU_MEM_CREATE, &args), -EINVAL);
}

static void memory_calls_that_are_wrong_are_refused(void **state)
{
	struct vendor_object plain = vendor_new(fd, 4096, 0), uncached;
	struct rknpu_mem_create args = { .size = 0 };
	struct rknpu_mem_map map = { .handle = 99 };
	struct vendor_object none = { .handle = 99, .object = plain.object };

	(void)state;
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_RKNPU_MEM_CREATE, &args), -EINVAL);
	args = (struct rknpu_mem_create){ .size = 4096, .flags = 1u << 11 };
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_RKNPU_MEM_CREATE, &args), -EINVAL);
	args = (struct rknpu_mem_create){ .size = UINT64_C(1) << 33 };
	assert_int_not_equal(raw_ioctl(fd, DRM_IOCTL_RKNPU_MEM_CREATE, &args), 0);
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_RKNPU_MEM_MAP, &map), -EINVAL);
	assert_int_equal(vendor_destroy(fd, &none), -EINVAL);
	assert_int_equal(vendor_sync(fd, plain.object, RKNPU_MEM_SYNC_TO_DEVICE), 0);
	assert_int_equal(vendor_sync(fd, 0, RKNPU_MEM_SYNC_TO_DEVICE), -EINVAL);
	args = (struct rknpu_mem_create){ .size = 4096, .flags = RKNPU_MEM_IOMMU };
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_RKNPU_MEM_CREATE, &args), 0);
	uncached = (struct vendor_object){ .handle = args.handle, .object = args.obj_addr };
	assert_int_equal(vendor_sync(fd, uncached.object, RKNPU_MEM_SYNC_TO_DEVICE), -EINVAL);
	/* What makes a real kernel crash. */
	assert_int_equal(vendor_sync(fd, plain.iova, RKNPU_MEM_SYNC_TO_DEVICE), -EFAULT);
	assert_int_equal(vendor_destroy(fd, &plain), 0);
	assert_int_equal(vendor_sync(fd, plain.object, RKNPU_MEM_SYNC_TO_DEVICE), -EFAULT);
}

static void objects_of_an_old_caller_are_made(void **state)
{
	struct rknpu_mem_create args = { .size = 4096, .iommu_domain_id = 77, .core_mask = 7 };
	unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, 'd',
				     DRM_COMMAND_BASE + RKNPU_MEM_CREATE, RKNPU_MEM_CREATE_SIZE_V1);

	(void)state;
	assert_int_equal(raw_ioctl(fd, request, &args), 0); /* what it did not have is not read */
	assert_int_not_equal(args.handle, 0);
	assert_int_equal(args.core_mask, 7);
}

static void leak_soak_of_ten_thousand_objects(void **state)
{
	struct vendor_object first = vendor_new(fd, 65536, 0), o;

	(void)state;
	assert_int_equal(vendor_destroy(fd, &first), 0);
	for (unsigned i = 0; i < 10000; i++) {
		o = vendor_new(fd, 65536, 0);
		*(uint32_t *)o.ptr = i;
		assert_int_equal(o.iova, first.iova);
		assert_int_equal(vendor_destroy(fd, &o), 0);
	}
}

/* ---- jobs ---- */

static void chain_runs_as_one_kick(void **state)
{
	struct npu_counters n;
	struct vendor_kit kit;

	(void)state;
	vendor_kit_init(&kit, fd, 12, 1);
	assert_int_equal(vendor_run(&kit), 0);
	for (unsigned i = 0; i < 12; i++)
		assert_true(vendor_is_right(&kit, i));
	assert_int_equal(kit.submit.task_counter, 12);
	assert_true(kit.submit.hw_elapse_time > 0);
	sim_dev_counters(fd, &n);
	assert_int_equal(n.kicks, 1);
	assert_int_equal(n.tasks, 12);
	/* The last task alone has a status, that of one of the DPU's two groups. */
	assert_int_equal(vendor_task(&kit, 11)->int_status & ~RKNPU_INT_DPU, 0);
	assert_int_not_equal(vendor_task(&kit, 11)->int_status, 0);
	assert_int_equal(vendor_task(&kit, 0)->int_status, 0);
}

static void every_mask_finds_its_ranges(void **state)
{
	static const struct {
		uint32_t mask;
		unsigned entries[3]; /* of the cores that run */
		unsigned n;
	} rows[] = {
		{ 1, { 0 }, 1 },    { 2, { 1 }, 1 },       { 4, { 2 }, 1 },
		{ 3, { 0, 1 }, 2 }, { 7, { 2, 3, 4 }, 3 },
	};

	(void)state;
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct vendor_kit kit;
		struct npu_counters n;

		reopen();
		vendor_kit_init(&kit, fd, 12, r);
		memset(kit.submit.subcore_task, 0, sizeof(kit.submit.subcore_task));
		kit.submit.core_mask = rows[r].mask;
		for (unsigned k = 0; k < rows[r].n; k++)
			kit.submit.subcore_task[rows[r].entries[k]] =
				(struct rknpu_subcore_task){ k * 12 / rows[r].n, 12 / rows[r].n };
		assert_int_equal(vendor_run(&kit), 0);
		for (unsigned i = 0; i < 12; i++)
			assert_true(vendor_is_right(&kit, i));
		sim_dev_counters(fd, &n);
		assert_int_equal(n.kicks, rows[r].n);
	}
}

static void jobs_that_never_start_time_out(void **state)
{
	static const uint32_t masks[] = { 5, 6,
					  7 }; /* unknown, unknown, ranges at the wrong index */
	struct vendor_kit kit;

	(void)state;
	vendor_kit_init(&kit, fd, 3, 1);
	kit.submit.timeout = 30;
	for (unsigned i = 0; i < 3; i++) {
		kit.submit.core_mask = masks[i];
		assert_int_equal(vendor_run(&kit), -ETIMEDOUT);
		assert_true(vendor_is_untouched(&kit, 0));
	}
	kit.submit.core_mask = 1;
	assert_int_equal(vendor_run(&kit), 0);
}

static void submits_that_are_wrong_are_refused(void **state)
{
	struct vendor_kit kit;
	struct rknpu_submit good;

	(void)state;
	vendor_kit_init(&kit, fd, 3, 1);
	good = kit.submit;
	kit.submit.flags = 0;
	assert_int_equal(vendor_run(&kit), -EINVAL);
	kit.submit = good;
	kit.submit.core_mask = 8;
	assert_int_equal(vendor_run(&kit), -EINVAL);
	kit.submit = good;
	kit.submit.task_number = 0;
	assert_int_equal(vendor_run(&kit), -EINVAL);
	kit.submit = good;
	kit.submit.task_obj_addr = 0;
	assert_int_equal(vendor_run(&kit), -EINVAL);
	kit.submit = good;
	kit.submit.flags |= RKNPU_JOB_FENCE_IN;
	kit.submit.fence_fd = -1;
	assert_int_equal(vendor_run(&kit), -EINVAL);
	/* What makes a real kernel crash. */
	kit.submit = good;
	kit.submit.task_obj_addr = kit.a.object; /* no mapping there */
	assert_int_equal(vendor_run(&kit), -EFAULT);
	kit.submit.task_obj_addr = kit.tasks.iova;
	assert_int_equal(vendor_run(&kit), -EFAULT);
	kit.submit = good;
	kit.submit.subcore_task[0].task_number = 1000000;
	kit.submit.core_mask = 1;
	assert_int_equal(vendor_run(&kit), -EFAULT);
	kit.submit = good;
	assert_int_equal(vendor_run(&kit), 0);
	assert_true(vendor_is_right(&kit, 2));
}

static void chain_without_links_hangs_after_its_first_program(void **state)
{
	struct vendor_kit kit, other;

	(void)state;
	vendor_kit_init(&kit, fd, 3, 1);
	vendor_kit_init(&other, fd, 1, 2);
	vendor_task(&kit, 0)->regcmd_addr = vendor_task(&kit, 2)->regcmd_addr; /* sealed */
	kit.submit.timeout = 50;
	assert_int_equal(vendor_run(&kit), -ETIMEDOUT);
	assert_int_equal(kit.submit.task_counter, 1);
	assert_true(vendor_is_right(&kit, 2));
	assert_true(vendor_is_untouched(&kit, 0));
	assert_int_equal(vendor_run(&other), 0); /* the cores were reset */
	assert_true(vendor_is_right(&other, 0));
}

static void interrupt_mask_of_another_block_times_out(void **state)
{
	struct vendor_kit kit;

	(void)state;
	vendor_kit_init(&kit, fd, 2, 1);
	vendor_task(&kit, 1)->int_mask = RKNPU_INT_PPU;
	kit.submit.timeout = 50;
	assert_int_equal(vendor_run(&kit), -ETIMEDOUT);
	vendor_task(&kit, 1)->int_mask = 0x100; /* half a pair is never equal */
	assert_int_equal(vendor_run(&kit), -ETIMEDOUT);
	vendor_task(&kit, 1)->int_mask = RKNPU_INT_DPU;
	assert_int_equal(vendor_run(&kit), 0);
}

static void fault_times_out(void **state)
{
	struct vendor_kit kit;

	(void)state;
	vendor_kit_init(&kit, fd, 2, 1);
	vendor_kit_fault(&kit, 1);
	kit.submit.timeout = 50;
	assert_int_equal(vendor_run(&kit), -ETIMEDOUT);
	assert_true(vendor_is_right(&kit, 0));
	assert_true(vendor_is_untouched(&kit, 1));
}

struct runner {
	struct vendor_kit *kit;
	pthread_t thread;
	int result;
};

static void *run_in_thread(void *arg)
{
	struct runner *r = arg;

	r->result = vendor_run(r->kit);
	return NULL;
}

/* The vendor's driver resets every core when one job hangs. */
static void hang_takes_waiting_jobs_with_it(void **state)
{
	struct vendor_kit hung, waiting;
	struct runner a = { .kit = &hung }, b = { .kit = &waiting };

	(void)state;
	setenv("ROCKET_SIM_TIMEOUT_MS", "3000", 1);
	reopen();
	unsetenv("ROCKET_SIM_TIMEOUT_MS");
	vendor_kit_init(&hung, fd, 1, 1);
	vendor_kit_init(&waiting, fd, 1, 2);
	vendor_kit_hang(&hung, 0);
	hung.submit.core_mask = waiting.submit.core_mask = 1;
	hung.submit.timeout = 3000; /* from when its core hangs: the other is queued by then */
	vendor_task(&hung, 0)->int_status = vendor_task(&waiting, 0)->int_status = 0xffffffff;
	assert_int_equal(pthread_create(&a.thread, NULL, run_in_thread, &a), 0);
	assert_int_equal(test_await_kicks(fd, 1), 1);
	assert_int_equal(pthread_create(&b.thread, NULL, run_in_thread, &b), 0);
	pthread_join(a.thread, NULL);
	pthread_join(b.thread, NULL);
	assert_int_equal(a.result, -ETIMEDOUT);
	assert_int_equal(b.result, -EINVAL);
	/* What it never came to has no status. */
	assert_int_equal(vendor_task(&hung, 0)->int_status, 0);
	assert_int_equal(vendor_task(&waiting, 0)->int_status, 0xffffffff);
	assert_int_equal(vendor_run(&waiting), 0);
	assert_true(vendor_is_right(&waiting, 0));
}

/* ---- without waiting ---- */

static int status_of(int fence)
{
	struct sync_file_info info = { 0 };

	assert_int_equal(raw_ioctl(fence, SYNC_IOC_FILE_INFO, &info), 0);
	return info.status;
}

static bool signals(int fence, int ms)
{
	struct pollfd p = { .fd = fence, .events = POLLIN };

	return poll(&p, 1, ms) == 1 && p.revents == POLLIN && status_of(fence) == 1;
}

/* Its fence. */
static int run_without_waiting(struct vendor_kit *kit, uint32_t timeout)
{
	kit->submit.flags |= RKNPU_JOB_NONBLOCK | RKNPU_JOB_FENCE_OUT;
	kit->submit.timeout = timeout;
	kit->submit.fence_fd = -1;
	assert_int_equal(vendor_run(kit), 0);
	assert_true(kit->submit.fence_fd >= 0);
	return kit->submit.fence_fd;
}

static void fence_tells_of_the_end(void **state)
{
	struct vendor_kit kit;
	int fence;

	(void)state;
	vendor_kit_init(&kit, fd, 4, 1);
	fence = run_without_waiting(&kit, 60000000);
	assert_true(signals(fence, 60000));
	for (unsigned i = 0; i < 4; i++)
		assert_true(vendor_is_right(&kit, i));
	/* Who does not wait is not told how it ended. */
	assert_int_equal(vendor_task(&kit, 3)->int_status, 0);
	close(fence);
}

/* Its jobs are one after the other in the driver's eyes, whichever core they are on. */
static void fence_of_the_driver_is_not_waited_for(void **state)
{
	struct vendor_kit hung, next;
	int fence;

	(void)state;
	vendor_kit_init(&hung, fd, 1, 1);
	vendor_kit_init(&next, fd, 1, 2);
	vendor_kit_hang(&hung, 0);
	hung.submit.core_mask = 1;
	fence = run_without_waiting(&hung, 60000000);
	next.submit.core_mask = 2;
	next.submit.flags |= RKNPU_JOB_FENCE_IN;
	next.submit.fence_fd = fence;
	assert_int_equal(vendor_run(&next), 0);
	assert_true(vendor_is_right(&next, 0));
	assert_int_equal(status_of(fence), 0);
	close(fence);
	next.submit.fence_fd = fd; /* open, but none */
	assert_int_equal(vendor_run(&next), -EINVAL);
}

/* Neither a reset nor other jobs take it off its core: only one that names that core does. */
static void hung_job_nobody_waits_for_keeps_its_core(void **state)
{
	struct vendor_kit hung, behind, named, waiting;
	int hung_fence, behind_fence, fence;
	uint32_t none = 0;

	(void)state;
	vendor_kit_init(&hung, fd, 1, 1);
	vendor_kit_init(&behind, fd, 1, 2);
	vendor_kit_init(&named, fd, 1, 3);
	vendor_kit_init(&waiting, fd, 1, 4);
	vendor_kit_hang(&hung, 0);
	hung.submit.core_mask = behind.submit.core_mask = named.submit.core_mask = 1;
	hung_fence = run_without_waiting(&hung, 1500000); /* as microseconds */
	behind_fence = run_without_waiting(&behind, 60000000);
	assert_false(signals(hung_fence, 100));
	assert_int_equal(vendor_action(fd, RKNPU_ACT_RESET, &none), 0);
	assert_int_equal(vendor_run(&waiting), 0); /* on whichever core is free */
	assert_true(vendor_is_right(&waiting, 0));
	test_sleep_ms(1500);
	assert_false(signals(hung_fence, 0) || signals(behind_fence, 0));
	fence = run_without_waiting(&named, 60000000);
	assert_true(signals(fence, 60000));
	assert_true(vendor_is_right(&named, 0));
	/* Dropped, with what was behind it. */
	assert_false(signals(hung_fence, 100) || signals(behind_fence, 0));
	assert_int_equal(status_of(hung_fence), 0);
	assert_true(vendor_is_untouched(&behind, 0));
	close(hung_fence);
	close(behind_fence);
	close(fence);
}

/* Nor is it waited for forever by who stands behind it. */
static void submit_behind_a_job_that_keeps_its_core_times_out(void **state)
{
	struct vendor_kit hung, behind, beside;
	uint64_t start;
	int fence;

	(void)state;
	vendor_kit_init(&hung, fd, 1, 1);
	vendor_kit_init(&behind, fd, 1, 2);
	vendor_kit_init(&beside, fd, 1, 3);
	vendor_kit_hang(&hung, 0);
	hung.submit.core_mask = behind.submit.core_mask = 2;
	beside.submit.core_mask = 4;
	behind.submit.timeout = 150;
	fence = run_without_waiting(&hung, 60000000);
	for (unsigned i = 0; i < 2; i++) { /* the reset leaves it there */
		start = test_now_ns();
		assert_int_equal(vendor_run(&behind), -ETIMEDOUT);
		assert_true(test_now_ns() - start >= UINT64_C(150000000));
		assert_true(vendor_is_untouched(&behind, 0));
	}
	assert_int_equal(vendor_run(&beside), 0);
	assert_false(signals(fence, 0));
	close(fence);
}

static void job_that_ends_is_never_taken_for_hung(void **state)
{
	struct vendor_kit kit;

	(void)state;
	vendor_kit_init(&kit, fd, VENDOR_TASKS_MAX, 1);
	for (unsigned i = 0; i < 20; i++) {
		int fence = run_without_waiting(&kit, 60000000);
		bool hung, signalled;

		do {
			hung = sim_dev_is_hung(fd, kit.tasks.object);
			signalled = signals(fence, 0);
			assert_true(signalled || !hung);
		} while (!signalled);
		assert_true(sim_dev_is_hung(fd, kit.tasks.object)); /* as there is none */
		close(fence);
	}
	assert_true(sim_dev_is_hung(fd, kit.a.object));
	assert_true(sim_dev_is_hung(-1, kit.tasks.object));
}

/* And what waits behind it, but not what may go elsewhere. */
static void hung_job_is_known_when_its_time_is_over(void **state)
{
	static const char *const scheds[] = { "vendor", "lanes" };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct vendor_kit hung, behind, beside;
		struct vendor_kit *const kits[] = { &hung, &behind, &beside };
		int fences[3];
		uint64_t start;

		setenv("ROCKET_SIM_SCHED", scheds[i], 1);
		setenv("ROCKET_SIM_TIMEOUT_MS", "300", 1);
		reopen();
		unsetenv("ROCKET_SIM_SCHED");
		unsetenv("ROCKET_SIM_TIMEOUT_MS");
		for (unsigned k = 0; k < 3; k++)
			vendor_kit_init(kits[k], fd, 1, k);
		vendor_kit_hang(&hung, 0);
		hung.submit.core_mask = behind.submit.core_mask = 2;
		beside.submit.core_mask = i ? 6 : RKNPU_CORE_AUTO_MASK;
		start = test_now_ns();
		for (unsigned k = 0; k < 3; k++)
			fences[k] = run_without_waiting(kits[k], 60000000);
		assert_true(signals(fences[2], 60000));
		while (!sim_dev_is_hung(fd, hung.tasks.object))
			test_sleep_ms(5);
		assert_true(test_now_ns() - start >= UINT64_C(300000000));
		while (!sim_dev_is_hung(fd, behind.tasks.object))
			test_sleep_ms(5);
		for (unsigned k = 0; k < 3; k++) {
			assert_true(signals(fences[k], 0) == (k == 2));
			close(fences[k]);
		}
	}
	reopen();
}

/* On each core one, and one behind it. */
static void close_gives_up_jobs_nobody_waits_for(void **state)
{
	unsigned fds = test_count_fds();
	struct vendor_kit kit[6], next;
	int other = vendor_open(), fence[6];
	uint32_t none = 0;
	uint64_t start;

	(void)state;
	vendor_kit_init(&next, fd, 1, 1);
	for (unsigned i = 0; i < 6; i++) {
		vendor_kit_init(&kit[i], other, 1, 1);
		vendor_kit_hang(&kit[i], 0);
		kit[i].submit.core_mask = 1u << i % 3;
		fence[i] = run_without_waiting(&kit[i], 60000000);
	}
	assert_int_equal(vendor_action(other, RKNPU_ACT_RESET, &none), 0);
	start = test_now_ns();
	raw_close(other);
	assert_true(test_now_ns() - start < UINT64_C(10000000000));
	for (unsigned i = 0; i < 6; i++) {
		assert_false(signals(fence[i], 0));
		close(fence[i]);
	}
	assert_int_equal(test_count_fds(), fds);
	for (unsigned c = 0; c < 3; c++) {
		next.submit.core_mask = 1u << c;
		vendor_stamp(&next);
		assert_int_equal(vendor_run(&next), 0);
		assert_true(vendor_is_right(&next, 0));
	}
}

/* ---- the scheduler of lanes ---- */

static void lanes_give_every_task_its_status(void **state)
{
	struct vendor_kit kit;
	struct npu_counters n;

	(void)state;
	setenv("ROCKET_SIM_SCHED", "lanes", 1);
	reopen();
	vendor_kit_init(&kit, fd, 10, 1);
	vendor_kit_unchain(&kit);
	kit.submit.core_mask = 7;
	for (unsigned l = 0; l < 3; l++)
		kit.submit.subcore_task[l] = (struct rknpu_subcore_task){ l * 3, l == 2 ? 4 : 3 };
	assert_int_equal(vendor_run(&kit), 0);
	for (unsigned i = 0; i < 10; i++) {
		assert_true(vendor_is_right(&kit, i));
		assert_int_equal(vendor_task(&kit, i)->int_status, RKNPU_INT_DPU);
	}
	sim_dev_counters(fd, &n);
	assert_int_equal(n.kicks, 10);
	/* One that fails ends its submit alone. */
	vendor_kit_hang(&kit, 4);
	vendor_stamp(&kit);
	kit.submit.timeout = 50;
	assert_int_equal(vendor_run(&kit), -ETIMEDOUT);
	assert_true(vendor_is_untouched(&kit, 4) && vendor_is_untouched(&kit, 5));
	unsetenv("ROCKET_SIM_SCHED");
	reopen();
}

/* ---- many at once ---- */

#define CLIENTS 16

struct client {
	pthread_t thread;
	unsigned index, submits;
	int wrong;
};

/* One task for each of three cores, or all three in a chain on one or on whichever. */
static bool round_of(struct vendor_kit *chain, struct vendor_kit *apart, unsigned mask)
{
	struct vendor_kit *kit = mask == 7 ? apart : chain;

	kit->submit.core_mask = mask;
	for (unsigned k = 0; k < 3; k++)
		apart->submit.subcore_task[k + 2] = (struct rknpu_subcore_task){ k, 1 };
	vendor_stamp(kit);
	return !vendor_run(kit) && vendor_is_right(kit, 0) && vendor_is_right(kit, 1) &&
	       vendor_is_right(kit, 2);
}

static void *be_client(void *arg)
{
	static const unsigned masks[] = { 7, 0, 1, 2, 4 };
	struct client *c = arg;
	struct vendor_kit chain, apart;
	int own = vendor_open();

	vendor_kit_init(&chain, own, 3, c->index);
	vendor_kit_init(&apart, own, 3, c->index);
	vendor_kit_unchain(&apart);
	chain.submit.timeout = apart.submit.timeout = 60000;
	for (unsigned i = 0; i < c->submits && !c->wrong; i++)
		c->wrong = !round_of(&chain, &apart, masks[(i + c->index) % 5]);
	vendor_kit_fini(&chain);
	vendor_kit_fini(&apart);
	raw_close(own);
	return NULL;
}

static void sixteen_clients_get_their_own_results(void **state)
{
	struct client clients[CLIENTS];
	unsigned each = getenv("TEST_LONG") ? 6250 : 60; /* 100,000 in all */

	(void)state;
	for (unsigned i = 0; i < CLIENTS; i++) {
		clients[i] = (struct client){ .index = i, .submits = each };
		assert_int_equal(pthread_create(&clients[i].thread, NULL, be_client, &clients[i]),
				 0);
	}
	for (unsigned i = 0; i < CLIENTS; i++) {
		pthread_join(clients[i].thread, NULL);
		assert_int_equal(clients[i].wrong, 0);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(version_names_the_driver),
		T(actions_are_answered_as_on_an_rk3588),
		T(requests_of_other_kinds_are_refused),
		T(settings_wrong_refuse_the_open),
		T(objects_come_from_the_top_of_one_window),
		T(handle_that_is_there_is_described),
		T(memory_calls_that_are_wrong_are_refused),
		T(objects_of_an_old_caller_are_made),
		T(leak_soak_of_ten_thousand_objects),
		T(chain_runs_as_one_kick),
		T(every_mask_finds_its_ranges),
		T(jobs_that_never_start_time_out),
		T(submits_that_are_wrong_are_refused),
		T(chain_without_links_hangs_after_its_first_program),
		T(interrupt_mask_of_another_block_times_out),
		T(fault_times_out),
		T(hang_takes_waiting_jobs_with_it),
		T(fence_tells_of_the_end),
		T(fence_of_the_driver_is_not_waited_for),
		T(hung_job_nobody_waits_for_keeps_its_core),
		T(submit_behind_a_job_that_keeps_its_core_times_out),
		T(job_that_ends_is_never_taken_for_hung),
		T(hung_job_is_known_when_its_time_is_over),
		T(close_gives_up_jobs_nobody_waits_for),
		T(lanes_give_every_task_its_status),
		T(sixteen_clients_get_their_own_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
