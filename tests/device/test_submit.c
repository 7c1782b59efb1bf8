// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_submit.c - submitting and waiting through the public API. */
#include <signal.h>
#include <sys/time.h>

#include "lib/core/device.h"
#include "lib/core/provider.h"
#include "lib/encode/matmul.h"
#include "lib/encode/program.h"
#include "support.h"

#define SECOND UINT64_C(1000000000)

static int fd;
static rocket_bo prog, a, b, c;
static rocket_task_desc task;
static uint32_t in[3], out[1];

static void write_program(void)
{
	struct rocket_matmul_task t = { .type = ROCKET_MM_FP16_FP16,
					.m = KIT_M,
					.k = KIT_K,
					.n = KIT_N,
					.input = (uint32_t)a.dma_address,
					.weights = (uint32_t)b.dma_address,
					.output = (uint32_t)c.dma_address };
	char why[128] = "";
	int n = rocket_rk3588_matmul(&t, prog.ptr, prog.size / 8, why, sizeof(why));

	if (n <= 0)
		fail_msg("no program: %s", why);
	task = (rocket_task_desc){ (uint32_t)prog.dma_address, (uint32_t)n };
}

static void open_device(void)
{
	rocket_bo *bos[] = { &prog, &a, &b, &c };

	fd = rocket_open();
	assert_true(fd >= 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(rocket_bo_alloc32(fd, 4096, bos[i]), ROCKET_OK);
	for (unsigned i = 0; i < KIT_M * KIT_K; i++)
		((_Float16 *)a.ptr)[i] = 1;
	for (unsigned i = 0; i < KIT_N * KIT_K; i++)
		((_Float16 *)b.ptr)[i] = 2;
	write_program();
	in[0] = prog.handle;
	in[1] = a.handle;
	in[2] = b.handle;
	out[0] = c.handle;
}

/* With hung jobs that nobody's patience outlasts; closing the device ends them. */
static void reopen_for_long_hangs(const char *timeout_ms)
{
	rocket_close(fd);
	setenv("ROCKET_SIM_TIMEOUT_MS", timeout_ms, 1);
	open_device();
	setenv("ROCKET_SIM_TIMEOUT_MS", "300", 1);
}

static int setup(void **state)
{
	(void)state;
	setenv("ROCKET_DEVICE", test_device(), 1);
	open_device();
	test_log_start();
	rocket_submit_counters_reset();
	rocket_fence_wait_counters_reset();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_log_stop();
	rocket_close(fd);
	unsetenv("ROCKET_VALIDATE");
	unsetenv("ROCKET_SLOW_WAIT_MS");
	unsetenv("ROCKET_BUSY_POLL");
	return 0;
}

/* Every element is a sum of 32 products 1 * 2. */
static void result_is_right(void)
{
	assert_int_equal(rocket_bo_prep(fd, &c, 0, 60 * SECOND), ROCKET_OK);
	for (unsigned i = 0; i < KIT_M * KIT_N; i++)
		assert_true(((_Float16 *)c.ptr)[i] == 64);
	memset(c.ptr, 0, c.size);
	assert_int_equal(rocket_bo_fini(fd, &c), ROCKET_OK);
}

static int submit(uint32_t flags)
{
	return rocket_submit_tasks_flags(fd, &task, 1, in, 3, out, 1, flags);
}

static void every_way_to_submit_gives_the_result(void **state)
{
	rocket_job_desc job = { &task, 1, in, 3, out, 1 }, jobs[20];
	uint64_t scratch[64];

	(void)state;
	assert_int_equal(rocket_submit_matmul(fd, &prog, task.regcmd_count, in, 3, out, 1, 0), 0);
	result_is_right();
	assert_int_equal(rocket_submit_matmul_flags(fd, &prog, task.regcmd_count, in, 3, out, 1,
						    ROCKET_JOB_BATCHED),
			 0);
	result_is_right();
	assert_int_equal(rocket_submit_tasks(fd, &task, 1, in, 3, out, 1), 0);
	result_is_right();
	assert_int_equal(submit(0), 0);
	result_is_right();
	assert_true(rocket_submit_scratch_size(1) <= sizeof(scratch));
	assert_int_equal(rocket_submit_scratch_size(1000) % 8, 0);
	assert_int_equal(rocket_submit_tasks_pre(fd, scratch, &task, 1, in, 3, out, 1, 0), 0);
	result_is_right();
	assert_int_equal(rocket_submit_jobs(fd, &job, 1), 0);
	result_is_right();
	for (unsigned i = 0; i < 20; i++)
		jobs[i] = job;
	assert_int_equal(rocket_submit_jobs(fd, jobs, 20), 0);
	result_is_right();
	/* The vendor's driver has a call for each job that does not run beside others. */
	assert_int_equal(rocket_submit_ioctl_count(), test_over_rknpu() ? 26 : 7);
	assert_int_equal(rocket_submit_task_count(), 26);
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 0);
	assert_int_equal(test_log_count(ROCKET_LOG_WARN), 0);
}

/* Refused with status and one line that holds text, before any kernel call. */
static void refused(int result, int status, const char *text)
{
	assert_int_equal(result, status);
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 1);
	test_log_has(ROCKET_LOG_ERROR, text);
	assert_int_equal(rocket_submit_ioctl_count(), 0);
	test_log_start();
}

static void tasks_bad_are_refused(void **state)
{
	rocket_task_desc good = task;
	uint32_t n = good.regcmd_count;

	(void)state;
	refused(rocket_submit_tasks(fd, NULL, 1, in, 3, out, 1), ROCKET_E_SHAPE, "no tasks");
	refused(rocket_submit_tasks(fd, &task, 0, in, 3, out, 1), ROCKET_E_SHAPE, "no tasks");
	task.regcmd += 8;
	refused(submit(0), ROCKET_E_SHAPE, "multiple of 16");
	task = (rocket_task_desc){ good.regcmd, 0 };
	refused(submit(0), ROCKET_E_SHAPE, "0 words");
	task.regcmd_count = 131073;
	refused(submit(0), ROCKET_E_SHAPE, "131073 words");
	task = (rocket_task_desc){ 0xfffffff0u, 3 };
	refused(submit(0), ROCKET_E_SHAPE, "below 4 GiB");
	task = good;
	refused(rocket_submit_matmul(fd, NULL, n, in, 3, out, 1, 0), ROCKET_E_SHAPE, "no program");
	refused(rocket_submit_matmul(fd, &prog, 0, in, 3, out, 1, 0), ROCKET_E_SHAPE, "0 words");
	refused(rocket_submit_matmul(fd, &prog, 513, in, 3, out, 1, 0), ROCKET_E_SHAPE,
		"do not fit");
	refused(rocket_submit_matmul(fd, &prog, UINT32_MAX, in, 3, out, 1, 0), ROCKET_E_SHAPE,
		"do not fit");
	refused(rocket_submit_tasks_pre(fd, NULL, &task, 1, in, 3, out, 1, 0), ROCKET_E_SHAPE,
		"scratch");
	refused(rocket_submit_tasks_pre(fd, (void *)4, &task, 1, in, 3, out, 1, 0), ROCKET_E_SHAPE,
		"scratch");
	refused(rocket_submit_jobs(fd, NULL, 1), ROCKET_E_SHAPE, "no jobs");
}

static void handles_bad_are_refused(void **state)
{
	uint32_t twice[2] = { c.handle, c.handle }, many[200];

	(void)state;
	refused(rocket_submit_tasks(fd, &task, 1, NULL, 3, out, 1), ROCKET_E_SHAPE, "NULL");
	refused(rocket_submit_tasks(fd, &task, 1, in, 3, NULL, 1), ROCKET_E_SHAPE, "NULL");
	refused(rocket_submit_tasks(fd, &task, 1, out, 1, out, 1), ROCKET_E_SHAPE, "named twice");
	refused(rocket_submit_tasks(fd, &task, 1, in, 3, twice, 2), ROCKET_E_SHAPE, "named twice");
	for (unsigned i = 0; i < 200; i++)
		many[i] = 1000 + i;
	many[199] = 1003;
	refused(rocket_submit_tasks(fd, &task, 1, many, 200, out, 1), ROCKET_E_SHAPE,
		"1003 is named twice");
	in[2] = 0;
	refused(submit(0), ROCKET_E_SHAPE, "handle 0");
}

static void flags_the_driver_lacks_are_refused(void **state)
{
	rocket_task_desc *tasks = calloc(4096, sizeof(*tasks));

	(void)state;
	rocket_close(fd);
	setenv("ROCKET_SIM_DRIVER", test_over_rknpu() ? "0.9.6" : "1.1", 1);
	open_device();
	unsetenv("ROCKET_SIM_DRIVER");
	if (!test_over_rknpu())
		refused(submit(ROCKET_JOB_PPU_DONE), ROCKET_E_UNSUPPORTED,
			"PPU_DONE needs a driver of version 1.3");
	refused(submit(ROCKET_JOB_NO_DPU_DONE), ROCKET_E_UNSUPPORTED, "NO_DPU_DONE");
	refused(submit(1u << 7), ROCKET_E_SHAPE, "unknown job flags 0x80");
	for (unsigned i = 0; i < 4096; i++)
		tasks[i] = task;
	refused(rocket_submit_tasks_flags(fd, tasks, 4096, in, 3, out, 1, ROCKET_JOB_BATCHED),
		ROCKET_E_SHAPE, "1 to 4095");
	free(tasks);
}

static void batched_with_the_switch_off_is_refused(void **state)
{
	rocket_task_desc two[2] = { task, task };

	(void)state;
	rocket_close(fd);
	sim_dev_param_set("rocket", "rocket_batch_submit", 0);
	open_device();
	assert_int_equal(rocket_batched_submit_supported(), 0);
	refused(submit(ROCKET_JOB_BATCHED), ROCKET_E_UNSUPPORTED, "BATCHED");
	sim_dev_param_set("rocket", "rocket_batch_submit", 1);
	/* The switch may go off while the file is open: then the kernel refuses. */
	rocket_close(fd);
	open_device();
	sim_dev_param_set("rocket", "rocket_batch_submit", 0);
	assert_int_equal(rocket_submit_tasks_flags(fd, two, 2, in, 3, out, 1, ROCKET_JOB_BATCHED),
			 ROCKET_E_UNSUPPORTED);
	sim_dev_param_set("rocket", "rocket_batch_submit", 1);
}

static void handle_the_kernel_does_not_know_is_a_device_error(void **state)
{
	(void)state;
	in[2] = 4711;
	assert_int_equal(submit(0), ROCKET_E_DEVICE);
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 1);
	test_log_has(ROCKET_LOG_ERROR, "the kernel refused");
	/* The vendor's driver is told no handles: its provider looks at them. */
	assert_int_equal(rocket_submit_ioctl_count(), test_over_rknpu() ? 0 : 1);
	assert_int_equal(rocket_submit_task_count(), test_over_rknpu() ? 0 : 1);
}

/* ---- checking programs ---- */

static void reopen_validating(void)
{
	rocket_close(fd);
	setenv("ROCKET_VALIDATE", "1", 1);
	open_device();
}

static void validate_passes_a_good_program(void **state)
{
	(void)state;
	reopen_validating();
	assert_int_equal(submit(0), ROCKET_OK);
	result_is_right();
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 0);
}

static void validate_refuses_a_program_without_an_end(void **state)
{
	(void)state;
	reopen_validating();
	memset(prog.ptr, 0, 64);
	task.regcmd_count = 8;
	refused(submit(0), ROCKET_E_SHAPE, "ROCKET_VALIDATE: task 0");
}

static void validate_refuses_a_program_outside_the_buffers(void **state)
{
	(void)state;
	reopen_validating();
	task.regcmd = 0xe0000000u;
	refused(submit(0), ROCKET_E_SHAPE, "is not in a buffer");
	task.regcmd = 0; /* the guard is nobody's */
	refused(submit(0), ROCKET_E_SHAPE, "is not in a buffer");
	task.regcmd = (uint32_t)c.dma_address; /* the last buffer: too long for it */
	task.regcmd_count = 513;
	refused(submit(0), ROCKET_E_SHAPE, "is not in a buffer");
}

static void validate_refuses_an_address_that_is_not_mapped(void **state)
{
	rocket_bo gone = c;

	(void)state;
	reopen_validating();
	gone = c;
	rocket_bo_free(fd, &gone);
	refused(rocket_submit_tasks(fd, &task, 1, in, 3, NULL, 0), ROCKET_E_SHAPE, "DPU");
}

/* ---- waiting ---- */

static void hang(void)
{
	memset(prog.ptr, 0, 64);
	task.regcmd_count = 8;
	assert_int_equal(submit(0), ROCKET_OK);
}

static void wait_for_a_hung_job_is_an_error_with_a_reason(void **state)
{
	(void)state;
	hang();
	assert_int_equal(rocket_bo_prep(fd, &c, 0, 60 * SECOND), ROCKET_E_DEVICE);
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 1);
	test_log_has(ROCKET_LOG_ERROR, "hung, faulted or was cancelled");
	write_program();
	assert_int_equal(submit(0), ROCKET_OK);
	result_is_right();
}

static void wait_for_a_faulted_job_is_an_error_with_a_reason(void **state)
{
	(void)state;
	assert_int_equal(submit(0), ROCKET_OK);
	result_is_right(); /* nothing more is allocated, and b's address is nobody's */
	rocket_bo_free(fd, &b);
	in[2] = c.handle;
	assert_int_equal(rocket_submit_tasks(fd, &task, 1, in, 2, out, 1), ROCKET_OK);
	assert_int_equal(rocket_bo_prep(fd, &c, 0, 60 * SECOND), ROCKET_E_DEVICE);
	test_log_has(ROCKET_LOG_ERROR, "hung, faulted or was cancelled");
}

static void wait_that_runs_out_is_a_device_error(void **state)
{
	uint64_t start;

	(void)state;
	reopen_for_long_hangs("60000");
	hang();
	start = test_now_ns();
	assert_int_equal(rocket_bo_prep(fd, &c, 0, SECOND / 50), ROCKET_E_DEVICE);
	assert_true(test_now_ns() - start >= SECOND / 50);
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 1);
	test_log_has(ROCKET_LOG_ERROR, "the wait ran out");
	assert_int_equal(rocket_bo_prep(fd, &c, 0, 0), ROCKET_E_DEVICE); /* a poll: no error line */
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 1);
	assert_int_equal(rocket_bo_prep(fd, &c, 0, 1), ROCKET_E_DEVICE);
	test_log_has(ROCKET_LOG_ERROR, "the wait ran out");
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 2);
}

/* The time is the simulation's: a slow wait is counted and said to whoever debugs. */
static void waits_are_counted_and_slow_ones_debug_lines(void **state)
{
	(void)state;
	rocket_close(fd);
	setenv("ROCKET_SLOW_WAIT_MS", "50", 1);
	open_device();
	assert_int_equal(rocket_bo_prep(fd, &c, 0, 0), ROCKET_OK); /* a poll is no wait */
	assert_int_equal(rocket_fence_wait_count(), 0);
	assert_int_equal(submit(0), ROCKET_OK);
	result_is_right();
	assert_int_equal(rocket_fence_wait_count(), 1);
	hang();
	assert_int_equal(rocket_bo_prep(fd, &c, 0, 60 * SECOND), ROCKET_E_DEVICE);
	assert_int_equal(rocket_fence_wait_count(), 2);
	assert_true(rocket_fence_wait_slow_count() >= 1);
	assert_true(rocket_fence_wait_max_us() >= 50000);
	assert_int_equal(test_log_count(ROCKET_LOG_WARN), 0);
	test_log_has(ROCKET_LOG_DEBUG, "slow wait");
	assert_null(
		strstr(test_log_last(ROCKET_LOG_DEBUG), "stale")); /* this driver reports errors */
	rocket_fence_wait_counters_reset();
	assert_int_equal(rocket_fence_wait_count(), 0);
	assert_int_equal(rocket_fence_wait_slow_count(), 0);
	assert_int_equal(rocket_fence_wait_max_us(), 0);
}

static void wait_on_a_driver_that_hides_errors_succeeds(void **state)
{
	(void)state;
	rocket_close(fd);
	setenv("ROCKET_SIM_DRIVER", "1.6", 1);
	setenv("ROCKET_SLOW_WAIT_MS", "50", 1);
	open_device();
	hang();
	assert_int_equal(rocket_bo_prep(fd, &c, 0, 60 * SECOND), ROCKET_OK);
	assert_int_equal(rocket_fence_wait_slow_count(), 1);
	test_log_has(ROCKET_LOG_DEBUG, "the data may be stale");
	unsetenv("ROCKET_SIM_DRIVER");
}

static void wait_spinning_gives_the_same_answers(void **state)
{
	(void)state;
	reopen_for_long_hangs("3000");
	rocket_busy_poll_set_us(1000000);
	assert_int_equal(submit(0), ROCKET_OK);
	result_is_right();
	rocket_busy_poll_set_us(1000);
	hang();
	assert_int_equal(rocket_bo_prep(fd, &c, 0, SECOND / 50), ROCKET_E_DEVICE);
	test_log_has(ROCKET_LOG_ERROR, "the wait ran out");
	assert_int_equal(rocket_bo_prep(fd, &c, 0, 60 * SECOND), ROCKET_E_DEVICE);
	test_log_has(ROCKET_LOG_ERROR, "hung, faulted or was cancelled");
	rocket_busy_poll_set_us(0);
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void wait_under_signals_goes_on(void **state)
{
	struct sigaction act = { .sa_handler = on_alarm }, old;
	struct itimerval often = { { 0, 5000 }, { 0, 5000 } }, never = { 0 };

	(void)state;
	assert_int_equal(sigaction(SIGALRM, &act, &old), 0);
	hang();
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	assert_int_equal(rocket_bo_prep(fd, &c, 0, 60 * SECOND), ROCKET_E_DEVICE);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	test_log_has(ROCKET_LOG_ERROR, "hung, faulted or was cancelled");
	sigaction(SIGALRM, &old, NULL);
}

static void close_under_a_hung_job_does_not_wait_for_it(void **state)
{
	uint64_t start;

	(void)state;
	reopen_for_long_hangs("60000");
	hang();
	start = test_now_ns();
	rocket_close(fd);
	assert_true(test_now_ns() - start < 30 * SECOND);
	open_device();
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	struct CMUnitTest tests[] = {
		T(every_way_to_submit_gives_the_result),
		T(tasks_bad_are_refused),
		T(handles_bad_are_refused),
		T(flags_the_driver_lacks_are_refused),
		NOT_OVER_RKNPU(batched_with_the_switch_off_is_refused,
			       "the vendor's driver has no such switch"),
		T(handle_the_kernel_does_not_know_is_a_device_error),
		T(validate_passes_a_good_program),
		T(validate_refuses_a_program_without_an_end),
		T(validate_refuses_a_program_outside_the_buffers),
		T(validate_refuses_an_address_that_is_not_mapped),
		T(wait_for_a_hung_job_is_an_error_with_a_reason),
		T(wait_for_a_faulted_job_is_an_error_with_a_reason),
		NOT_OVER_RKNPU(wait_that_runs_out_is_a_device_error,
			       "SUBMIT of the vendor's driver has waited already"),
		NOT_OVER_RKNPU(waits_are_counted_and_slow_ones_debug_lines,
			       "SUBMIT of the vendor's driver has waited already"),
		NOT_OVER_RKNPU(wait_on_a_driver_that_hides_errors_succeeds,
			       "every version of the vendor's driver tells of errors"),
		NOT_OVER_RKNPU(wait_spinning_gives_the_same_answers,
			       "SUBMIT of the vendor's driver has waited already"),
		T(wait_under_signals_goes_on),
		NOT_OVER_RKNPU(close_under_a_hung_job_does_not_wait_for_it,
			       "SUBMIT of the vendor's driver has waited already"),
	};

	setenv("ROCKET_SIM_TIMEOUT_MS", "300", 1);
	return test_run_cases(tests, sizeof(tests) / sizeof(tests[0]));
}
