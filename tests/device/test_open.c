// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_open.c - which device ROCKET_DEVICE selects, and what is said when it selects none. */
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/core/device.h"
#include "lib/core/profile.h"
#include "support.h"

static int setup(void **state)
{
	(void)state;
	unsetenv("ROCKET_DEVICE");
	unsetenv("ROCKET_CHIP");
	test_log_start();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_log_stop();
	unsetenv("ROCKET_DEVICE");
	unsetenv("ROCKET_CHIP");
	return 0;
}

/* rocket_open() fails with one error line that holds text. */
static void fails(const char *device, int err, const char *text)
{
	unsigned fds = test_count_fds(), errors = test_log_count(ROCKET_LOG_ERROR);

	if (device)
		setenv("ROCKET_DEVICE", device, 1);
	assert_int_equal(rocket_open(), err);
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), errors + 1);
	test_log_has(ROCKET_LOG_ERROR, text);
	assert_int_equal(test_count_fds(), fds);
}

static void nothing_is_known_before_any_open(void **state)
{
	(void)state;
	assert_string_equal(rocket_driver_name(), "");
	assert_int_equal(rocket_batched_submit_supported(), 0);
	assert_int_equal(rocket_bo_ranges_supported(), 0);
	assert_int_equal(rocket_submit_batch_atomic(), 0);
	assert_non_null(rocket_hw_current());
	assert_non_null(rocket_hw_current()->select_warning);
	setenv("ROCKET_DEVICE", test_device(), 1);
	assert_null(rocket_hw_current()->select_warning);
	setenv("ROCKET_DEVICE", "sim:rk3588:rocket", 1);
	assert_null(rocket_hw_current()->select_warning);
	unsetenv("ROCKET_DEVICE");
	setenv("ROCKET_CHIP", "rk3588", 1);
	assert_null(rocket_hw_current()->select_warning);
	setenv("ROCKET_CHIP", "rk3576", 1); /* no encoder: marked, not claimed */
	assert_non_null(rocket_hw_current()->select_warning);
}

static void device_sim_opens(void **state)
{
	static const char *const names[] = { "sim", "sim:rk3588", "sim:rk3588:rocket" };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct rocket_device_info info;
		int fd;

		setenv("ROCKET_DEVICE", names[i], 1);
		fd = rocket_open();
		assert_true(fd >= 0);
		assert_int_equal(rocket_device_info(fd, &info), ROCKET_OK);
		assert_string_equal(info.path, names[i]);
		assert_string_equal(info.chip, "rk3588");
		assert_string_equal(info.provider, "rocket");
		assert_string_equal(info.kernel, "sim");
		assert_string_equal(info.driver_version, "1.7.0");
		assert_int_equal(info.cores, 3);
		assert_true(info.caps.batched);
		assert_true(info.caps.errors_reported);
		assert_true(info.caps.ranges && info.caps.ppu_done && info.caps.no_dpu_done);
		assert_string_equal(rocket_driver_name(), "rocket");
		assert_int_equal(rocket_batched_submit_supported(), 1);
		assert_int_equal(rocket_batch_completion_tracked(), 1);
		assert_int_equal(rocket_submit_batch_atomic(), 1);
		assert_int_equal(rocket_batched_submit_native(), 0);
		assert_int_equal(rocket_ppu_done_supported(), 1);
		assert_int_equal(rocket_no_dpu_done_supported(), 1);
		assert_int_equal(rocket_bo_ranges_supported(), 1);
		assert_ptr_equal(rocket_hw_current(), rocket_hw_by_name("rk3588"));
		rocket_close(fd);
		assert_int_equal(rocket_device_info(fd, &info), ROCKET_E_SHAPE);
	}
}

static void device_sim_of_the_vendors_driver_opens(void **state)
{
	struct rocket_device_info info;
	int fd;

	(void)state;
#ifndef HAVE_PROVIDER_RKNPU
	fails("sim:rk3588:rknpu", -ENODEV, "no provider of this build");
	return;
#endif
	setenv("ROCKET_DEVICE", "sim:rk3588:rknpu", 1);
	fd = rocket_open();
	assert_true(fd >= 0);
	assert_int_equal(rocket_device_info(fd, &info), ROCKET_OK);
	assert_string_equal(info.chip, "rk3588");
	assert_string_equal(info.provider, "rknpu");
	assert_string_equal(info.driver_version, "0.9.8");
	assert_int_equal(info.cores, 3);
	assert_string_equal(rocket_driver_name(), "rknpu");
	assert_int_equal(rocket_batched_submit_native(), 1);
	assert_int_equal(rocket_submit_batch_atomic(), 0);
	assert_int_equal(rocket_no_dpu_done_supported(), 0);
	rocket_close(fd);
	setenv("ROCKET_SIM_DRIVER", "0.9.5", 1);
	fails("sim:rk3588:rknpu", -EOPNOTSUPP, "driver 0.9.5 is too old: 0.9.6 or later is needed");
	unsetenv("ROCKET_SIM_DRIVER");
}

static void device_sim_of_another_kind_is_refused(void **state)
{
	(void)state;
	fails("sim:rk3576", -ENODEV, "rk3576");
	fails("sim:rk3599", -ENODEV, "\"rk3599\"");
	fails("sim:", -ENODEV, "(there is rk3588)");
	fails("sim:rk3588:nonsense", -ENODEV, "no provider of this build");
}

static void device_path_that_is_no_node_is_refused(void **state)
{
	(void)state;
	fails("/nonexistent/accel0", -ENOENT, "/nonexistent/accel0: No such file");
	fails("/dev/null", -ENODEV, "/dev/null: not a node of the rocket driver");
	fails("simulator", -ENOENT, "simulator");
	fails("/", -EISDIR, "/: Is a directory");
}

static void device_name_too_long_opens_nothing(void **state)
{
	char name[600];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[0] = '/';
	name[sizeof(name) - 1] = 0;
	setenv("ROCKET_DEVICE", name, 1);
	assert_true(rocket_open() < 0);
	assert_int_equal(test_log_count(ROCKET_LOG_WARN), 1);
}

/* On a machine with an NPU this opens it; without one the choices are named. */
static void device_unset_never_means_the_simulator(void **state)
{
	struct rocket_device_info info;
	int fd = rocket_open();

	(void)state;
	if (fd >= 0) {
		assert_int_equal(rocket_device_info(fd, &info), ROCKET_OK);
		assert_string_equal(info.kernel, "linux");
		rocket_close(fd);
		return;
	}
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 1);
	test_log_has(ROCKET_LOG_ERROR, "ROCKET_DEVICE=/dev/accel/accelN");
	test_log_has(ROCKET_LOG_ERROR, "ROCKET_DEVICE=sim");
}

static void chip_forced_must_agree_with_the_device(void **state)
{
	int fd;

	(void)state;
	setenv("ROCKET_CHIP", "rk3576", 1);
	fails("sim", -EINVAL, "ROCKET_CHIP=rk3576, but sim is an rk3588");
	setenv("ROCKET_CHIP", "rk3588", 1);
	fd = rocket_open();
	assert_true(fd >= 0);
	rocket_close(fd);
}

static void fd_unknown_is_refused_and_logged(void **state)
{
	static const int fds[] = { -1, 0, 1, 1000, 1 << 30, INT32_MIN };
	rocket_bo bo;

	(void)state;
	for (unsigned i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		unsigned errors = test_log_count(ROCKET_LOG_ERROR);

		rocket_close(fds[i]);
		assert_int_equal(rocket_bo_alloc(fds[i], 4096, &bo), ROCKET_E_SHAPE);
		assert_int_equal(test_log_count(ROCKET_LOG_ERROR), errors + 2);
	}
}

static void fd_closed_twice_is_harmless(void **state)
{
	int fd;

	(void)state;
	setenv("ROCKET_DEVICE", test_device(), 1);
	fd = rocket_open();
	assert_true(fd >= 0);
	rocket_close(fd);
	rocket_close(fd);
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 1);
}

static void fd_closed_by_close_is_found_out(void **state)
{
	rocket_bo bo;
	int fd, again;

	(void)state;
	setenv("ROCKET_DEVICE", test_device(), 1);
	fd = rocket_open();
	assert_true(fd >= 0);
	assert_int_equal(rocket_bo_alloc(fd, 4096, &bo), 0);
	close(fd);
	assert_int_equal(rocket_bo_fini(fd, &bo), ROCKET_E_DEVICE);
	again = rocket_open();
	assert_int_equal(again, fd);
	test_log_has(ROCKET_LOG_WARN, "closed without rocket_close()");
	assert_int_equal(rocket_bo_fini(again, &bo), ROCKET_E_DEVICE); /* died with its fd */
	rocket_close(again);
}

/* Linux closes whatever file has the number; the simulated kernel would look first. */
static struct rocket_kernel closing_blindly;

static void fd_reused_by_another_file_is_left_open(void **state)
{
	struct rocket_device *dev;
	rocket_bo bo;
	int fd, other;

	(void)state;
	setenv("ROCKET_DEVICE", test_device(), 1);
	fd = rocket_open();
	assert_true(fd >= 0);
	assert_int_equal(rocket_bo_alloc(fd, 4096, &bo), 0);
	dev = rocket_device_get(fd, "test");
	closing_blindly = *dev->node.kernel;
	closing_blindly.close = close;
	dev->node.kernel = &closing_blindly;
	rocket_device_put(dev);
	close(fd);
	other = open("/dev/null", O_RDONLY);
	assert_int_equal(other, fd);
	rocket_close(fd);
	test_log_has(ROCKET_LOG_WARN, "closed without rocket_close()");
	assert_int_equal(test_log_count(ROCKET_LOG_WARN), 1);
	assert_int_equal(close(other), 0);
	rocket_close(rocket_open()); /* the device learns that the file is gone */
}

static void fds_many_are_independent(void **state)
{
	unsigned fds = test_count_fds(), threads = test_count_threads();
	int fd[100];

	(void)state;
	setenv("ROCKET_DEVICE", test_device(), 1);
	for (unsigned i = 0; i < 100; i++) {
		fd[i] = rocket_open();
		assert_true(fd[i] >= 0);
	}
	/* One device: three cores, and the vendor's worker. */
	assert_true(test_threads_are(threads + (test_over_rknpu() ? 4 : 3)));
	for (unsigned i = 0; i < 100; i++)
		rocket_close(fd[i]);
	assert_int_equal(test_count_fds(), fds);
	assert_true(test_threads_are(threads));
}

static int look_from_a_child(int fd, rocket_bo *bo)
{
	int own;

	if (rocket_bo_prep(fd, bo, 0, 1000) != ROCKET_E_SHAPE)
		return 1;
	rocket_close(fd);
	if (!test_child_may_start_threads())
		return 0;
	own = rocket_open();
	if (own < 0)
		return 2;
	if (rocket_bo_alloc(own, 4096, bo))
		return 3;
	rocket_bo_free(own, bo);
	rocket_close(own);
	return 0;
}

static void child_is_refused_and_may_open_its_own(void **state)
{
	int fd, status;
	rocket_bo bo;
	pid_t child;

	(void)state;
	setenv("ROCKET_DEVICE", test_device(), 1);
	fd = rocket_open();
	assert_true(fd >= 0);
	assert_int_equal(rocket_bo_alloc(fd, 4096, &bo), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(look_from_a_child(fd, &bo));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(rocket_bo_prep(fd, &bo, 0, 1000), 0);
	rocket_close(fd);
}

/* ---- which chip a Linux machine has ---- */

static void write_file(const char *root, const char *path, const char *data, size_t size)
{
	char full[512], *slash;
	int file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(full, 0700);
		*slash = '/';
	}
	file = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(file >= 0);
	assert_int_equal(write(file, data, size), size);
	close(file);
}

static void remove_tree(const char *root)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	assert_int_equal(system(command), 0);
}

static void chip_comes_from_the_nodes_bound_to_the_driver(void **state)
{
	static const char rk3588[] = "rockchip,rk3588-rknn-core";
	static const char board[] = "someone,board\0rockchip,rk3576";
	char root[] = "/tmp/rocket-sysfs-XXXXXX", chip[16];
	unsigned cores;

	(void)state;
	assert_non_null(mkdtemp(root));
	rocket_sysfs_identify(root, "rocket", chip, &cores);
	assert_string_equal(chip, "");
	assert_int_equal(cores, 0);

	write_file(root, "/proc/device-tree/compatible", board, sizeof(board));
	rocket_sysfs_identify(root, "rocket", chip, &cores);
	assert_string_equal(chip, "rk3576");
	assert_int_equal(cores, 0);

	write_file(root, "/sys/bus/platform/drivers/rocket/fdab0000.npu/of_node/compatible", rk3588,
		   sizeof(rk3588));
	write_file(root, "/sys/bus/platform/drivers/rocket/fdac0000.npu/of_node/compatible", rk3588,
		   sizeof(rk3588));
	write_file(root, "/sys/bus/platform/drivers/rocket/bind", "", 0);
	rocket_sysfs_identify(root, "rocket", chip, &cores);
	assert_string_equal(chip, "rk3588");
	assert_int_equal(cores, 2);
	remove_tree(root);
}

static void chip_names_are_known_or_not(void **state)
{
	(void)state;
	assert_int_equal(rocket_chip_kind("rk3588"), ROCKET_CHIP_SUPPORTED);
	assert_int_equal(rocket_chip_kind("rk3576"), ROCKET_CHIP_NO_ENCODER);
	assert_int_equal(rocket_chip_kind("rk3568"), ROCKET_CHIP_NO_ENCODER);
	assert_int_equal(rocket_chip_kind("RK3588"), ROCKET_CHIP_UNKNOWN);
	assert_int_equal(rocket_chip_kind(""), ROCKET_CHIP_UNKNOWN);
	assert_null(rocket_hw_by_name("rk3576"));
	assert_null(rocket_hw_by_name(NULL));
	assert_int_equal(rocket_hw_by_name("rk3588")->cbuf_banks, 12);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(nothing_is_known_before_any_open), /* must come first */
		T(device_sim_opens),
		T(device_sim_of_the_vendors_driver_opens),
		T(device_sim_of_another_kind_is_refused),
		T(device_path_that_is_no_node_is_refused),
		T(device_name_too_long_opens_nothing),
		T(device_unset_never_means_the_simulator),
		T(chip_forced_must_agree_with_the_device),
		T(fd_unknown_is_refused_and_logged),
		T(fd_closed_twice_is_harmless),
		T(fd_closed_by_close_is_found_out),
		T(fd_reused_by_another_file_is_left_open),
		T(fds_many_are_independent),
		T(child_is_refused_and_may_open_its_own),
		T(chip_comes_from_the_nodes_bound_to_the_driver),
		T(chip_names_are_known_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
