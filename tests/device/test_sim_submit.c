// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_sim_submit.c - what SUBMIT takes and refuses, field by field. */
#include <sys/mman.h>

#include "lib/encode/matmul.h"
#include "lib/encode/program.h"
#include "support.h"

static int fd;
static struct kit kit;

static int setup(void **state)
{
	(void)state;
	fd = raw_open();
	kit_init(&kit, fd, KIT_GOOD, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	raw_close(fd);
	return 0;
}

static uint64_t kicks(void)
{
	struct npu_counters c;

	assert_int_equal(sim_dev_counters(fd, &c), 0);
	return c.kicks;
}

/* The job as it stands is refused with err, and nothing of it ran. */
static void refused(int err)
{
	assert_int_equal(kit_submit(&kit), err);
	assert_int_equal(kit_wait(&kit, 1000), 0);
	assert_int_equal(kicks(), 0);
	assert_true(kit_is_untouched(&kit));
}

static void runs(void)
{
	kit_stamp(&kit);
	assert_int_equal(kit_submit(&kit), 0);
	assert_int_equal(kit_wait(&kit, 5000), 0);
	assert_true(kit_is_right(&kit));
}

static void job_good_gives_the_product(void **state)
{
	(void)state;
	runs();
	assert_int_equal(kicks(), 1);
}

static void job_count_0_is_no_work(void **state)
{
	struct drm_rocket_submit args = { 0 };

	(void)state;
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_SUBMIT, &args), 0);
}

static void submit_reserved_is_einval(void **state)
{
	struct drm_rocket_submit args = { .jobs = (uintptr_t)&kit.job,
					  .job_count = 1,
					  .job_struct_size = sizeof(kit.job),
					  .reserved = 1 };

	(void)state;
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_SUBMIT, &args), -EINVAL);
}

/* Submit the job as a struct of size bytes whose tail past the known part is fill. */
static int submit_sized(uint32_t size, uint8_t fill)
{
	uint8_t *raw = malloc(size > 64 ? size : 64);
	struct drm_rocket_submit args = { .jobs = (uintptr_t)raw,
					  .job_count = 1,
					  .job_struct_size = size };
	int r;

	memset(raw, fill, size > 64 ? size : 64);
	memcpy(raw, &kit.job, sizeof(kit.job));
	r = raw_ioctl(fd, DRM_IOCTL_ROCKET_SUBMIT, &args);
	free(raw);
	assert_int_equal(kit_wait(&kit, 5000), 0);
	return r;
}

static void job_struct_size_follows_the_rules(void **state)
{
	static const struct {
		uint32_t size;
		uint8_t fill;
		int result;
	} cases[] = {
		{ 0, 0, -EINVAL },   { 39, 0, -EINVAL },  { 40, 0, 0 },
		{ 40, 0xff, 0 },     { 44, 0, 0 },        { 48, 0, 0 },
		{ 56, 0, 0 },        { 56, 1, -E2BIG },   { 4096, 0, 0 },
		{ 4096, 1, -E2BIG }, { 4097, 0, -E2BIG }, { 1u << 20, 0, -E2BIG },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t before = kicks();

		assert_int_equal(submit_sized(cases[i].size, cases[i].fill), cases[i].result);
		assert_int_equal(kicks() - before, cases[i].result == 0);
	}
}

static void task_struct_size_follows_the_rules(void **state)
{
	static const struct {
		uint32_t size;
		uint8_t fill;
		int result;
	} cases[] = {
		{ 0, 0, -EINVAL },   { 7, 0, -EINVAL },   { 8, 0, 0 },
		{ 16, 0, 0 },        { 16, 1, -E2BIG },   { 4096, 0, 0 },
		{ 4096, 1, -E2BIG }, { 4097, 0, -E2BIG }, { UINT32_MAX, 0, -E2BIG },
	};
	uint8_t *raw = malloc(4 * 4096);

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t size = cases[i].size, stride = size > 4096 ? 4096 : size;
		uint64_t before = kicks();

		memset(raw, cases[i].fill, 4 * 4096);
		for (unsigned t = 0; t < 4; t++)
			memcpy(raw + (size_t)t * stride, &kit.task, stride < 8 ? stride : 8);
		kit.job.tasks = (uintptr_t)raw;
		kit.job.task_count = 4;
		kit.job.task_struct_size = size;
		assert_int_equal(kit_submit(&kit), cases[i].result);
		assert_int_equal(kit_wait(&kit, 5000), 0);
		assert_int_equal(kicks() - before, cases[i].result == 0 ? 4 : 0);
	}
	free(raw);
}

static void job_reserved_or_unknown_flag_is_einval(void **state)
{
	(void)state;
	kit.job.reserved = 1;
	refused(-EINVAL);
	kit.job.reserved = 0;
	for (unsigned bit = 3; bit < 32; bit++) {
		kit.job.flags = 1u << bit;
		refused(-EINVAL);
	}
	kit.job.flags = 0;
	runs();
}

static void task_count_0_is_einval(void **state)
{
	(void)state;
	kit.job.task_count = 0;
	refused(-EINVAL);
}

static void task_fields_are_checked(void **state)
{
	struct drm_rocket_task good = kit.task;
	const struct drm_rocket_task bad[] = {
		{ good.regcmd, 0 },
		{ good.regcmd | 1, good.regcmd_count },
		{ good.regcmd + 8, good.regcmd_count },
		{ good.regcmd, 131073 },
		{ good.regcmd, UINT32_MAX },
		{ 0xfffffff0u, 3 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		kit.task = bad[i];
		refused(-EINVAL);
	}
	kit.task = good;
	runs();
}

static void handle_unknown_is_enoent(void **state)
{
	(void)state;
	kit.in[1] = 4711;
	refused(-ENOENT);
	kit.in[1] = kit.a.handle;
	kit.out[0] = 0;
	assert_int_equal(kit_submit(&kit), -ENOENT);
	kit.out[0] = kit.c.handle;
	runs();
}

static void pointers_bad_are_efault(void **state)
{
	static const uint64_t bad[] = { 0, 8, UINT64_C(0xffffffffffffff00),
					UINT64_C(0xdead000000000000) };
	struct drm_rocket_job good = kit.job;

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct drm_rocket_submit args = { .jobs = bad[i],
						  .job_count = 1,
						  .job_struct_size = 48 };

		assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_SUBMIT, &args), -EFAULT);
		kit.job.tasks = bad[i];
		refused(-EFAULT);
		kit.job = good;
		kit.job.in_bo_handles = bad[i];
		refused(-EFAULT);
		kit.job = good;
		kit.job.out_bo_handles = bad[i];
		refused(-EFAULT);
		kit.job = good;
	}
	runs();
}

/* A pointer to n bytes that end where nothing is mapped. */
static void *at_the_edge(const void *data, size_t n, uint8_t **area)
{
	*area = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(*area, MAP_FAILED);
	assert_int_equal(munmap(*area + 8192, 8192), 0);
	memcpy(*area + 8192 - n, data, n);
	return *area + 8192 - n;
}

static void arrays_mapped_in_part_are_efault(void **state)
{
	struct drm_rocket_job good = kit.job;
	uint8_t *area;

	(void)state;
	kit.job.tasks = (uintptr_t)at_the_edge(&kit.task, sizeof(kit.task), &area);
	kit.job.task_count = 2;
	refused(-EFAULT);
	kit.job.task_count = 1;
	runs();
	munmap(area, 8192);
	kit.job = good;

	kit.job.in_bo_handles = (uintptr_t)at_the_edge(kit.in, sizeof(kit.in), &area);
	runs();
	kit.job.in_bo_handle_count = 4;
	kit_stamp(&kit);
	assert_int_equal(kit_submit(&kit), -EFAULT);
	assert_true(kit_is_untouched(&kit));
	munmap(area, 8192);
}

static void task_wrong_before_a_hole_is_einval(void **state)
{
	struct drm_rocket_task bad = { kit.task.regcmd, 0 };
	uint8_t *area;

	(void)state;
	kit.job.tasks = (uintptr_t)at_the_edge(&bad, sizeof(bad), &area);
	kit.job.task_count = 2;
	refused(-EINVAL); /* the first task is looked at before the second is read */
	munmap(area, 8192);
}

static void stride_wrapping_is_not_taken_modulo(void **state)
{
	struct drm_rocket_submit args = { .jobs = (uintptr_t)&kit.job,
					  .job_count = 3,
					  .job_struct_size = 0x80000000u };

	(void)state;
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_SUBMIT, &args), -E2BIG);
	assert_int_equal(kicks(), 0);
}

static void counts_huge_are_refused_at_once(void **state)
{
	static const uint32_t jobs[] = { 1025, 0x60000, 0x4000000, 0x40000000, UINT32_MAX };
	struct drm_rocket_submit args = { .jobs = (uintptr_t)&kit.job, .job_struct_size = 48 };
	clock_t start = clock();

	(void)state;
	for (unsigned i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		args.job_count = jobs[i];
		assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_SUBMIT, &args), -EINVAL);
	}
	kit.job.task_count = 65536;
	refused(-EINVAL);
	kit.job.task_count = UINT32_MAX;
	refused(-EINVAL);
	kit.job.task_count = 1;
	kit.job.in_bo_handle_count = 65537;
	refused(-EINVAL);
	kit.job.in_bo_handle_count = 0x80000000u;
	refused(-EINVAL);
	kit.job.in_bo_handle_count = 3;
	kit.job.out_bo_handle_count = UINT32_MAX;
	refused(-EINVAL);
	assert_true(clock() - start <
		    CLOCKS_PER_SEC); /* of this process, however busy others are */
}

static void tasks_many_all_run(void **state)
{
	enum { N = 2000 };
	struct drm_rocket_task *tasks = malloc(N * sizeof(*tasks));

	(void)state;
	for (unsigned i = 0; i < N; i++)
		tasks[i] = kit.task;
	kit.job.tasks = (uintptr_t)tasks;
	for (uint32_t n = 1; n <= N; n = n < 8 ? n + 1 : n * 7) {
		uint64_t before = kicks();

		kit.job.task_count = n;
		assert_int_equal(kit_submit(&kit), 0);
		assert_int_equal(kit_wait(&kit, 20000), 0);
		assert_int_equal(kicks() - before, n);
	}
	assert_true(kit_is_right(&kit));
	free(tasks);
}

static void jobs_before_a_wrong_one_stay_queued(void **state)
{
	struct drm_rocket_job jobs[3] = { kit.job, kit.job, kit.job };
	struct drm_rocket_submit args = { .jobs = (uintptr_t)jobs,
					  .job_count = 3,
					  .job_struct_size = sizeof(jobs[0]) };
	uint32_t unknown = 4711;

	(void)state;
	jobs[1].out_bo_handles = (uintptr_t)&unknown;
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_SUBMIT, &args), -ENOENT);
	assert_int_equal(kit_wait(&kit, 5000), 0);
	assert_true(kit_is_right(&kit));
	assert_int_equal(kicks(), 1);
}

static void jobs_of_one_call_need_all_be_readable(void **state)
{
	struct drm_rocket_submit args = { .job_count = 2, .job_struct_size = 48 };
	uint8_t *area;

	(void)state;
	args.jobs = (uintptr_t)at_the_edge(&kit.job, sizeof(kit.job), &area);
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_SUBMIT, &args), -EFAULT);
	munmap(area, 8192);
	assert_int_equal(kit_wait(&kit, 1000), 0);
	assert_int_equal(kicks(), 0); /* every job is read before the first is queued */
}

/* Open the device again as a driver of an interface version. */
static void reopen_as(const char *version)
{
	raw_close(fd);
	setenv("ROCKET_SIM_DRIVER", version, 1);
	fd = raw_open();
	unsetenv("ROCKET_SIM_DRIVER");
	kit_init(&kit, fd, KIT_GOOD, 1);
}

/* The three forms: in and out, twice in out, twice in in. */
static void name_twice(unsigned form)
{
	static uint32_t out[2], in[4];

	out[0] = out[1] = kit.c.handle;
	memcpy(in, kit.in, sizeof(kit.in));
	in[3] = form == 0 ? kit.c.handle : kit.a.handle;
	kit.job.out_bo_handles = (uintptr_t)out;
	kit.job.in_bo_handles = (uintptr_t)in;
	kit.job.out_bo_handle_count = form == 1 ? 2 : 1;
	kit.job.in_bo_handle_count = form == 1 ? 3 : 4;
}

static void handle_named_twice_counts_once(void **state)
{
	struct drm_rocket_create_bo next;

	(void)state;
	for (unsigned form = 0; form < 3; form++) {
		name_twice(form);
		runs();
		/* No reference is left: the next buffer gets its place. */
		assert_int_equal(sim_dev_munmap(fd, kit.c.ptr, 4096), 0);
		assert_int_equal(raw_gem_close(fd, kit.c.handle), 0);
		assert_int_equal(raw_create(fd, 4096, &next), 0);
		assert_int_equal(next.dma_address, kit.c.iova);
		kit_init(&kit, fd, KIT_GOOD, form);
	}
}

static void handle_named_twice_loses_the_job_of_0_0(void **state)
{
	(void)state;
	reopen_as("0.0");
	for (unsigned form = 0; form < 3; form++) {
		name_twice(form);
		refused(0);
	}
}

static void driver_version_unknown_refuses_the_open(void **state)
{
	static const char *const bad[] = { "1.8", "0.1", "2.0", "1", "1.10", "x.y" };

	(void)state;
	raw_close(fd);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		setenv("ROCKET_SIM_DRIVER", bad[i], 1);
		assert_int_equal(sim_dev_open("sim"), -1);
		assert_int_equal(errno, EINVAL);
	}
	unsetenv("ROCKET_SIM_DRIVER");
	fd = raw_open();
}

static void flags_follow_the_version(void **state)
{
	static const struct {
		const char *version;
		int batched, no_dpu, ppu, both; /* of SUBMIT */
	} rows[] = {
		{ "0.0", 0, 0, 0, 0 },
		{ "1.0", -E2BIG, -E2BIG, -E2BIG, -E2BIG },
		{ "1.1", 0, -EINVAL, -EINVAL, -EINVAL },
		{ "1.2", 0, 0, -EINVAL, -EINVAL },
		{ "1.3", 0, 0, 0, -EINVAL },
		{ "1.7", 0, 0, 0, -EINVAL },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		reopen_as(rows[i].version);
		kit.job.flags = DRM_ROCKET_JOB_BATCHED;
		assert_int_equal(kit_submit(&kit), rows[i].batched);
		kit.job.flags = DRM_ROCKET_JOB_NO_DPU_DONE;
		assert_int_equal(kit_submit(&kit), rows[i].no_dpu);
		kit.job.flags = DRM_ROCKET_JOB_NO_DPU_DONE | DRM_ROCKET_JOB_PPU_DONE;
		assert_int_equal(kit_submit(&kit), rows[i].both);
		kit.job.flags = DRM_ROCKET_JOB_PPU_DONE;
		assert_int_equal(kit_submit(&kit), rows[i].ppu);
		kit_wait(&kit, 5000);
	}
}

/* A program that ends with the DPU does not raise what such a job waits for. */
static void ppu_done_waits_for_the_ppu(void **state)
{
	(void)state;
	kit.job.flags = DRM_ROCKET_JOB_PPU_DONE;
	assert_int_equal(kit_submit(&kit), 0);
	assert_int_equal(kit_wait(&kit, 5000), -EIO);
	kit.job.flags = DRM_ROCKET_JOB_NO_DPU_DONE;
	runs();
}

/* In one call of n: how many of the file's 1024 are taken? */
static int submit_n(struct drm_rocket_job *jobs, uint32_t n)
{
	struct drm_rocket_submit args = { .jobs = (uintptr_t)jobs,
					  .job_count = n,
					  .job_struct_size = sizeof(*jobs) };

	return raw_ioctl(fd, DRM_IOCTL_ROCKET_SUBMIT, &args);
}

static void jobs_unfinished_are_bounded(void **state)
{
	struct drm_rocket_job *jobs = malloc(1024 * sizeof(*jobs));
	struct kit hang;

	(void)state;
	raw_close(fd);
	setenv("ROCKET_SIM_TIMEOUT_MS", "60000", 1); /* while which the file fills up */
	fd = raw_open();
	setenv("ROCKET_SIM_TIMEOUT_MS", "50", 1);
	kit_init(&kit, fd, KIT_GOOD, 1);
	kit_init(&hang, fd, KIT_HANG, 1);
	for (unsigned i = 0; i < 1024; i++)
		jobs[i] = kit.job;
	assert_int_equal(kit_submit(&hang), 0);
	assert_int_equal(submit_n(jobs, 1024), -EAGAIN);
	assert_int_equal(kit_wait(&kit, 0), 0); /* none of them was queued */
	assert_int_equal(submit_n(jobs, 1023), 0);
	assert_int_equal(submit_n(jobs, 1), -EAGAIN);

	raw_close(fd); /* which ends the hung job, too */
	fd = raw_open();
	kit_init(&kit, fd, KIT_GOOD, 1);
	kit_init(&hang, fd, KIT_HANG, 1);
	for (unsigned i = 0; i < 1024; i++)
		jobs[i] = kit.job;
	assert_int_equal(kit_submit(&hang), 0);
	assert_int_equal(submit_n(jobs, 1023), 0);
	assert_int_equal(kit_wait(&kit, 20000), 0);
	assert_int_equal(submit_n(jobs, 1024), 0); /* room again */
	assert_int_equal(kit_wait(&kit, 20000), 0);
	kit.out[0] = 0; /* nor do refused ones keep any */
	for (unsigned i = 0; i < 1100; i++)
		assert_int_equal(kit_submit(&kit), -ENOENT);
	free(jobs);
}

static void parameter_max_jobs_has_a_range(void **state)
{
	(void)state;
	assert_int_equal(sim_dev_param("rocket", "rocket_max_jobs", -1), 1024);
	assert_int_equal(sim_dev_param_set("rocket", "rocket_max_jobs", 1023), -1);
	assert_int_equal(sim_dev_param_set("rocket", "rocket_max_jobs", 2000), 0);
	assert_int_equal(sim_dev_param("rocket", "rocket_max_jobs", -1), 2000);
	assert_int_equal(sim_dev_param_set("rocket", "rocket_max_jobs", 1024), 0);
}

static void batched_one_task_is_one_kick(void **state)
{
	(void)state;
	kit.job.flags = DRM_ROCKET_JOB_BATCHED;
	runs();
	assert_int_equal(kicks(), 1);
}

/* Three programs in a row, each with an output of its own in c. */
static void write_chain(struct drm_rocket_task tasks[3], bool linked)
{
	for (unsigned i = 0; i < 3; i++) {
		uint32_t stride = rocket_program_stride(ROCKET_RK3588_MATMUL_WORDS) * 8;
		uint64_t *words = (uint64_t *)((char *)kit.prog.ptr + i * stride);
		struct rocket_matmul_task t = { .type = ROCKET_MM_FP16_FP16,
						.m = KIT_M,
						.k = KIT_K,
						.n = KIT_N,
						.input = (uint32_t)kit.a.iova,
						.weights = (uint32_t)kit.b.iova,
						.output = (uint32_t)kit.c.iova + 1024 * i };
		int n = rocket_rk3588_matmul(&t, words, 126, NULL, 0);

		assert_int_equal(n, 126);
		tasks[i].regcmd = (uint32_t)kit.prog.iova + i * stride;
		tasks[i].regcmd_count = 126;
		if (linked && i < 2)
			assert_true(rocket_chain_link(words, 126, tasks[i].regcmd + stride, 126));
		if (linked && i == 2)
			assert_true(rocket_chain_seal(words, 126));
	}
}

static void batched_chain_is_one_kick(void **state)
{
	struct drm_rocket_task tasks[3];
	struct npu_counters count;

	(void)state;
	write_chain(tasks, true);
	kit.job.tasks = (uintptr_t)tasks;
	kit.job.task_count = 3;
	kit.job.flags = DRM_ROCKET_JOB_BATCHED;
	runs();
	kit.c.ptr = (char *)kit.c.ptr + 1024;
	assert_true(kit_is_right(&kit));
	kit.c.ptr = (char *)kit.c.ptr + 1024;
	assert_true(kit_is_right(&kit));
	assert_int_equal(sim_dev_counters(fd, &count), 0);
	assert_int_equal(count.kicks, 1);
	assert_int_equal(count.tasks, 3);
}

static void batched_without_links_is_retired(void **state)
{
	struct drm_rocket_task tasks[3];

	(void)state;
	write_chain(tasks, false);
	kit.job.tasks = (uintptr_t)tasks;
	kit.job.task_count = 3;
	kit.job.flags = DRM_ROCKET_JOB_BATCHED;
	assert_int_equal(kit_submit(&kit), 0);
	assert_int_equal(kit_wait(&kit, 5000), -EIO);
	kit.job.flags = 0; /* the same, a kick each */
	runs();
}

static void batched_beyond_the_task_number_is_einval(void **state)
{
	struct drm_rocket_task *tasks = malloc(4096 * sizeof(*tasks));

	(void)state;
	for (unsigned i = 0; i < 4096; i++)
		tasks[i] = kit.task;
	kit.job.flags = DRM_ROCKET_JOB_BATCHED;
	kit.job.tasks = (uintptr_t)tasks;
	kit.job.task_count = 4096;
	refused(-EINVAL);
	free(tasks);
}

static void batched_switched_off_is_eopnotsupp(void **state)
{
	struct drm_rocket_task tasks[2] = { kit.task, kit.task };

	(void)state;
	assert_int_equal(sim_dev_param("rocket", "rocket_batch_submit", -1), 1);
	assert_int_equal(sim_dev_param_set("rocket", "rocket_batch_submit", 0), 0);
	kit.job.flags = DRM_ROCKET_JOB_BATCHED;
	kit.job.tasks = (uintptr_t)tasks;
	kit.job.task_count = 2;
	refused(-EOPNOTSUPP);
	kit.job.task_count = 1; /* a chain of one is none */
	runs();
	kit.job.flags = 0;
	runs();
	assert_int_equal(sim_dev_param_set("rocket", "rocket_batch_submit", 1), 0);
	assert_int_equal(sim_dev_param("rocket", "no_such_thing", -7), -7);
	assert_int_equal(sim_dev_param_set("rocket", "no_such_thing", 1), -1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(job_good_gives_the_product),
		T(job_count_0_is_no_work),
		T(submit_reserved_is_einval),
		T(job_struct_size_follows_the_rules),
		T(task_struct_size_follows_the_rules),
		T(job_reserved_or_unknown_flag_is_einval),
		T(task_count_0_is_einval),
		T(task_fields_are_checked),
		T(handle_unknown_is_enoent),
		T(pointers_bad_are_efault),
		T(arrays_mapped_in_part_are_efault),
		T(task_wrong_before_a_hole_is_einval),
		T(stride_wrapping_is_not_taken_modulo),
		T(counts_huge_are_refused_at_once),
		T(tasks_many_all_run),
		T(jobs_before_a_wrong_one_stay_queued),
		T(jobs_of_one_call_need_all_be_readable),
		T(handle_named_twice_counts_once),
		T(handle_named_twice_loses_the_job_of_0_0),
		T(driver_version_unknown_refuses_the_open),
		T(flags_follow_the_version),
		T(ppu_done_waits_for_the_ppu),
		T(jobs_unfinished_are_bounded),
		T(parameter_max_jobs_has_a_range),
		T(batched_one_task_is_one_kick),
		T(batched_chain_is_one_kick),
		T(batched_without_links_is_retired),
		T(batched_beyond_the_task_number_is_einval),
		T(batched_switched_off_is_eopnotsupp),
	};

	setenv("ROCKET_SIM_TIMEOUT_MS", "50", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
