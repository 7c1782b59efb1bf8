// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_sim_fd.c - the fd of the simulated device is a file descriptor like any other. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "support.h"

static bool answers(int fd)
{
	struct drm_version v = { 0 };

	return raw_ioctl(fd, DRM_IOCTL_VERSION, &v) == 0;
}

static void open_bad_spec_is_enodev(void **state)
{
	static const char *const specs[] = { "",
					     "si",
					     "simx",
					     "sim:",
					     "sim:rk3576",
					     "sim:rk3588:rknpu2",
					     "sim:rk3588:",
					     "sim::rocket",
					     "sim:rk3588:rocket:x",
					     "sim:a-chip-with-a-name-beyond-any-sense" };

	(void)state;
	for (unsigned i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		errno = 0;
		assert_int_equal(sim_dev_open(specs[i]), -1);
		assert_int_equal(errno, ENODEV);
	}
}

static void open_names_the_chip(void **state)
{
	static const char *const specs[] = { "sim", "sim:rk3588", "sim:rk3588:rocket" };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		int fd = sim_dev_open(specs[i]);

		assert_true(fd >= 0);
		assert_string_equal(sim_dev_chip(fd)->name, "rk3588");
		assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
		raw_close(fd);
	}
}

static void fd_closed_is_ebadf(void **state)
{
	int fd = raw_open();
	struct drm_version v = { 0 };

	(void)state;
	assert_true(sim_dev_owns(fd));
	raw_close(fd);
	assert_false(sim_dev_owns(fd));
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_VERSION, &v), -EBADF);
	assert_ptr_equal(sim_dev_mmap(fd, 4096, 0), MAP_FAILED);
	assert_int_equal(errno, EBADF);
	assert_int_equal(sim_dev_close(fd), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(sim_dev_close(-1), -1);
	assert_null(sim_dev_chip(fd));
}

static void fd_of_something_else_is_ebadf(void **state)
{
	int fd = raw_open(), null = open("/dev/null", O_RDWR);

	(void)state;
	assert_false(answers(null));
	assert_int_equal(errno, EBADF);
	assert_int_equal(sim_dev_close(null), -1);
	assert_int_equal(fcntl(null, F_GETFD) >= 0, 1); /* and it was left alone */
	close(null);
	raw_close(fd);
}

static void fd_dup_names_the_same_file(void **state)
{
	int fd = raw_open(), copy = dup(fd);
	struct raw_bo bo = raw_bo_new(fd, 4096);

	(void)state;
	assert_true(copy >= 0);
	assert_int_equal(raw_prep(copy, bo.handle, 0), 0);
	raw_close(fd);
	assert_int_equal(raw_prep(copy, bo.handle, 0), 0); /* open as long as one number is */
	raw_bo_new(copy, 4096);
	raw_close(copy);
	assert_false(answers(copy));
}

static void fd_closed_by_close_and_reused_is_left_alone(void **state)
{
	unsigned threads = test_count_threads();
	int fd = raw_open(), again, next;
	struct raw_bo bo = raw_bo_new(fd, 4096);

	(void)state;
	close(fd);
	again = open("/dev/null", O_RDWR);
	assert_int_equal(again, fd);
	assert_int_equal(raw_prep(fd, bo.handle, 0), -EBADF);
	assert_int_equal(sim_dev_close(fd), -1);
	assert_int_equal(errno, EBADF);
	assert_true(fcntl(again, F_GETFD) >= 0);
	((char *)bo.ptr)[0] = 1; /* a mapping outlives its fd */

	next = raw_open(); /* finds the abandoned file and lets it go */
	assert_int_equal(raw_prep(next, bo.handle, 0), -ENOENT);
	raw_close(next);
	assert_true(test_threads_are(threads));
	close(again);
	assert_int_equal(sim_dev_munmap(fd, bo.ptr, 4096), 0);
}

static void fd_closed_by_close_and_reused_by_a_new_device_file(void **state)
{
	int fd = raw_open(), again;
	struct raw_bo bo = raw_bo_new(fd, 4096);

	(void)state;
	close(fd);
	again = raw_open();
	assert_int_equal(again, fd);
	assert_int_equal(raw_prep(again, bo.handle, 0), -ENOENT);
	raw_close(again);
	sim_dev_munmap(fd, bo.ptr, 4096);
}

static void file_cannot_be_cut_away(void **state)
{
	int fd = raw_open();
	struct raw_bo bo = raw_bo_new(fd, 4096);

	(void)state;
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(errno, EPERM);
	memset(bo.ptr, 1, 4096);
	raw_close(fd);
	sim_dev_munmap(fd, bo.ptr, 4096);
}

static void open_without_a_free_number_is_emfile(void **state)
{
	unsigned fds = test_count_fds(), threads = test_count_threads();
	struct rlimit old, tight;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	tight = old;
	tight.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
	assert_int_equal(sim_dev_open("sim"), -1);
	assert_int_equal(errno, EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(test_count_fds(), fds);
	assert_true(test_threads_are(threads));
}

static void open_under_a_file_size_limit_raises_no_signal(void **state)
{
	struct rlimit old, tight;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	tight = old;
	tight.rlim_cur = 1 << 20;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	assert_int_equal(sim_dev_open("sim"), -1);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
}

static void malformed_environment_refuses_to_open(void **state)
{
	static const char *const bad[][2] = {
		{ "ROCKET_SIM_QUIRKS", "slack,nonsense" },
		{ "ROCKET_SIM_TIMEOUT_MS", "soon" },
		{ "ROCKET_SIM_TIMEOUT_MS", "0" },
		{ "ROCKET_SIM_TRACE", "/nonexistent/folder/trace" },
	};
	unsigned threads = test_count_threads();

	(void)state;
	assert_int_equal(sim_dev_open("sim:nothing"), -1);
	assert_string_equal(sim_dev_open_reason(), "");
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		setenv(bad[i][0], bad[i][1], 1);
		assert_int_equal(sim_dev_open("sim"), -1);
		assert_int_equal(errno, EINVAL);
		assert_non_null(strstr(sim_dev_open_reason(), bad[i][0]));
		unsetenv(bad[i][0]);
	}
	assert_true(test_threads_are(threads));
}

static void trace_file_names_the_job_that_failed(void **state)
{
	char path[] = "/tmp/rocket-trace-XXXXXX", text[1 << 14] = "";
	int file = mkstemp(path), fd;
	struct kit bad;
	ssize_t n;

	(void)state;
	assert_true(file >= 0);
	setenv("ROCKET_SIM_TRACE", path, 1);
	setenv("ROCKET_SIM_TIMEOUT_MS", "10", 1);
	fd = raw_open();
	kit_init(&bad, fd, KIT_HANG, 1);
	assert_int_equal(kit_submit(&bad), 0);
	assert_int_equal(kit_wait(&bad, 5000), -EIO);
	raw_close(fd);
	unsetenv("ROCKET_SIM_TRACE");
	unsetenv("ROCKET_SIM_TIMEOUT_MS");
	n = pread(file, text, sizeof(text) - 1, 0);
	assert_true(n > 0);
	assert_non_null(strstr(text, "NPU job timed out: job 1 "));
	assert_non_null(strstr(text, "core 0, task 0 of 1: "));
	close(file);
	unlink(path);
}

/* The files, the trace, and what a job and copies from its caller's memory take. */
static void no_fd_outlives_an_exec(void **state)
{
	static const char *const specs[] = { "sim", "sim:rk3588:rknpu" };
	char path[] = "/tmp/rocket-trace-XXXXXX";
	unsigned inherited, all;
	int file = mkstemp(path), fd[2];
	struct kit kit;

	(void)state;
	assert_true(file >= 0);
	inherited = test_count_inherited_fds();
	all = test_count_fds();
	setenv("ROCKET_SIM_TRACE", path, 1);
	for (unsigned i = 0; i < 2; i++) {
		fd[i] = sim_dev_open(specs[i]);
		assert_true(fd[i] >= 0);
	}
	unsetenv("ROCKET_SIM_TRACE");
	kit_init(&kit, fd[0], KIT_GOOD, 1);
	assert_int_equal(kit_submit(&kit), 0);
	assert_int_equal(kit_wait(&kit, 5000), 0);
	assert_int_equal(test_count_fds(), all + 4); /* each device's trace is its own */
	assert_int_equal(test_count_inherited_fds(), inherited);
	raw_close(fd[0]);
	raw_close(fd[1]);
	close(file);
	unlink(path);
}

/* In a child: 0 when everything is as it should be. */
static int look_from_a_child(int fd, uint32_t handle)
{
	struct kit kit;
	int own;

	if (raw_prep(fd, handle, 0) != -EBADF || sim_dev_close(fd) != -1 || sim_dev_owns(fd))
		return 1;
	if (!test_child_may_start_threads())
		return 0;
	own = sim_dev_open("sim");
	if (own < 0)
		return 2;
	kit_init(&kit, own, KIT_GOOD, 5);
	if (kit_submit(&kit))
		return 3;
	if (kit_wait(&kit, 10000))
		return 4;
	if (!kit_is_right(&kit))
		return 5;
	return sim_dev_close(own) ? 6 : 0;
}

static void child_is_refused_and_may_open_its_own(void **state)
{
	int fd = raw_open(), status = 0;
	struct kit kit;
	pid_t child;

	(void)state;
	kit_init(&kit, fd, KIT_GOOD, 1);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(kit_submit(&kit), 0); /* fork() while the cores are at work */
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(look_from_a_child(fd, kit.c.handle));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(kit_wait(&kit, 10000), 0);
	assert_true(kit_is_right(&kit));
	raw_close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_bad_spec_is_enodev),
		cmocka_unit_test(open_names_the_chip),
		cmocka_unit_test(fd_closed_is_ebadf),
		cmocka_unit_test(fd_of_something_else_is_ebadf),
		cmocka_unit_test(fd_dup_names_the_same_file),
		cmocka_unit_test(fd_closed_by_close_and_reused_is_left_alone),
		cmocka_unit_test(fd_closed_by_close_and_reused_by_a_new_device_file),
		cmocka_unit_test(file_cannot_be_cut_away),
		cmocka_unit_test(open_without_a_free_number_is_emfile),
		cmocka_unit_test(open_under_a_file_size_limit_raises_no_signal),
		cmocka_unit_test(malformed_environment_refuses_to_open),
		cmocka_unit_test(trace_file_names_the_job_that_failed),
		cmocka_unit_test(no_fd_outlives_an_exec),
		cmocka_unit_test(child_is_refused_and_may_open_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
