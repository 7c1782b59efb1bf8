// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_select.c - looking through device nodes, and what the library makes of a provider's
 * answers. The linker replaces the list of providers by the ones here, whose nodes are
 * ordinary files in a temporary folder.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/core/device.h"
#include "support.h"

static char folder[] = "/tmp/rocket-nodes-XXXXXX";
static char pattern[64];
static const char *globs[2] = { pattern, NULL };

/* What the provider answers. */
static struct {
	int open_error, alloc_error;
	uint64_t iova;
	unsigned opened, buffers, prepped, finished, prep_ms;
	unsigned busy, polls, waits; /* busy: polls that find the buffer so */
	char chip[16];
	struct rocket_caps caps;
} answer;

static uint8_t pages[8192] __attribute__((aligned(4096)));

/* A node of this provider is a file that begins with "yes". */
static int match(const struct rocket_kernel *kernel, int fd)
{
	char text[4] = "";

	(void)kernel;
	return pread(fd, text, 3, 0) == 3 && !strcmp(text, "yes") ? 0 : -ENODEV;
}

static int open_node(struct rocket_node *node)
{
	if (answer.open_error)
		return answer.open_error;
	answer.opened++;
	strcpy(node->chip, answer.chip);
	strcpy(node->driver_version, "9.9.9");
	node->caps = answer.caps;
	return 0;
}

static void close_node(struct rocket_node *node)
{
	(void)node;
	answer.opened--;
}

static int bo_alloc(struct rocket_node *node, size_t size, rocket_bo *bo)
{
	(void)node;
	if (answer.alloc_error)
		return answer.alloc_error;
	*bo = (rocket_bo){ .handle = ++answer.buffers, .dma_address = answer.iova, .ptr = pages };
	bo->size = (size + 4095) & ~(size_t)4095;
	answer.iova += bo->size;
	return 0;
}

static int bo_free(struct rocket_node *node, rocket_bo *bo)
{
	(void)node, (void)bo;
	answer.buffers--;
	return 0;
}

static int bo_prep(struct rocket_node *node, const rocket_bo *bo, uint64_t timeout_ns)
{
	(void)node, (void)bo;
	if (answer.prep_ms)
		test_sleep_ms(answer.prep_ms);
	if (timeout_ns)
		answer.waits++;
	else if (answer.polls++ < answer.busy)
		return -EBUSY;
	return 0;
}

static int bo_fini(struct rocket_node *node, const rocket_bo *bo)
{
	(void)node, (void)bo;
	return -ENODEV; /* the node is gone */
}

static int bo_prep_ranges(struct rocket_node *node, const rocket_bo *bo, const rocket_bo_range *r,
			  unsigned n, uint64_t timeout_ns)
{
	(void)node, (void)bo, (void)r, (void)timeout_ns;
	answer.prepped += n;
	return 0;
}

static int bo_fini_ranges(struct rocket_node *node, const rocket_bo *bo, const rocket_bo_range *r,
			  unsigned n)
{
	(void)node, (void)bo, (void)r;
	answer.finished += n;
	return 0;
}

static size_t scratch_size(uint32_t max_tasks)
{
	return 16 * (size_t)max_tasks;
}

static int submit(struct rocket_node *node, const struct rocket_provider_job *jobs, uint32_t n_jobs,
		  void *scratch)
{
	(void)node, (void)jobs, (void)n_jobs, (void)scratch;
	return 0;
}

#define PROVIDER(its_name, its_match, its_submit)                                                  \
	{                                                                                          \
		.abi_version = ROCKET_PROVIDER_ABI, .size = sizeof(struct rocket_provider),        \
		.name = its_name, .node_globs = globs, .match = its_match, .open = open_node,      \
		.close = close_node, .bo_alloc = bo_alloc, .bo_free = bo_free, .bo_prep = bo_prep, \
		.bo_fini = bo_fini, .bo_prep_ranges = bo_prep_ranges,                              \
		.bo_fini_ranges = bo_fini_ranges, .scratch_size = scratch_size,                    \
		.submit = its_submit,                                                              \
	}

static const struct rocket_provider whole = PROVIDER("yes-man", match, submit);
static const struct rocket_provider lacking = PROVIDER("lacking", match, NULL);

static const struct rocket_provider *list[3];

const struct rocket_provider *const *__wrap_rocket_providers(void);
const struct rocket_provider *const *__wrap_rocket_providers(void)
{
	return list;
}

static void node(const char *name, const char *text, mode_t mode)
{
	char path[128];
	int file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(file >= 0);
	assert_int_equal(write(file, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(file, mode), 0);
	close(file);
}

static int setup(void **state)
{
	(void)state;
	memset(&answer, 0, sizeof(answer));
	strcpy(answer.chip, "rk3588");
	list[0] = &whole;
	list[1] = NULL;
	strcpy(folder, "/tmp/rocket-nodes-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(pattern, sizeof(pattern), "%s/accel*", folder);
	unsetenv("ROCKET_DEVICE");
	unsetenv("ROCKET_CHIP");
	test_log_start();
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	test_log_stop();
	assert_int_equal(answer.opened, 0);
	assert_int_equal(answer.buffers, 0);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static int open_expecting(const char *name)
{
	struct rocket_device_info info;
	char path[128];
	int fd = rocket_open();

	assert_true(fd >= 0);
	assert_int_equal(rocket_device_info(fd, &info), ROCKET_OK);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_string_equal(info.path, path);
	assert_string_equal(info.kernel, "linux");
	assert_string_equal(rocket_driver_name(), "yes-man");
	return fd;
}

static void first_node_that_matches_is_taken(void **state)
{
	(void)state;
	node("accel0", "no", 0600);
	node("accel1", "yes 1", 0600);
	node("accel2", "yes 2", 0600);
	node("other", "yes 3", 0600);
	rocket_close(open_expecting("accel1"));
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 0);
}

static void node_named_is_taken_though_others_match(void **state)
{
	char path[128];

	(void)state;
	node("accel1", "yes 1", 0600);
	node("other", "yes 3", 0600);
	snprintf(path, sizeof(path), "%s/other", folder);
	setenv("ROCKET_DEVICE", path, 1);
	rocket_close(open_expecting("other"));
}

static void no_node_at_all_names_the_choices(void **state)
{
	(void)state;
	assert_int_equal(rocket_open(), -ENODEV);
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 1);
	test_log_has(ROCKET_LOG_ERROR, "there is no device node");
	test_log_has(ROCKET_LOG_ERROR, "ROCKET_DEVICE=sim");
}

static void nodes_tried_are_named_with_their_reasons(void **state)
{
	(void)state;
	node("accel0", "no", 0600);
	node("accel1", "yes", 0600);
	answer.open_error = -ENOMEM;
	assert_int_equal(rocket_open(), -ENOMEM);
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 1);
	test_log_has(ROCKET_LOG_ERROR, "accel0: not a node of the yes-man driver");
	test_log_has(ROCKET_LOG_ERROR,
		     "accel1: the yes-man provider cannot take it: Cannot allocate");
}

static void node_that_cannot_be_opened_is_named(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/accel0", folder);
	assert_int_equal(mkdir(path, 0700), 0); /* refuses even root */
	assert_int_equal(rocket_open(), -EISDIR);
	test_log_has(ROCKET_LOG_ERROR, "accel0: Is a directory");
}

static void provider_that_lacks_something_is_never_used(void **state)
{
	int fd;

	(void)state;
	node("accel0", "yes", 0600);
	list[0] = &lacking;
	assert_int_equal(rocket_open(), -ENODEV);
	assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 2);
	list[1] = &whole;
	list[2] = NULL;
	fd = open_expecting("accel0");
	test_log_has(ROCKET_LOG_ERROR, "provider lacking: operation submit is missing");
	rocket_close(fd);
	list[1] = NULL;
}

static void chip_without_an_encoder_is_refused(void **state)
{
	(void)state;
	node("accel0", "yes", 0600);
	strcpy(answer.chip, "rk3576");
	assert_int_equal(rocket_open(), -ENODEV);
	test_log_has(ROCKET_LOG_ERROR, "no encoder for the rk3576");
	strcpy(answer.chip, "rk9999");
	assert_int_equal(rocket_open(), -EINVAL);
	test_log_has(ROCKET_LOG_ERROR, "no chip is called rk9999");
	setenv("ROCKET_CHIP", "rk3588", 1);
	assert_int_equal(rocket_open(), -EINVAL);
	test_log_has(ROCKET_LOG_ERROR, "ROCKET_CHIP=rk3588, but");
}

static void chip_unknown_is_assumed_with_a_warning(void **state)
{
	int fd;

	(void)state;
	node("accel0", "yes", 0600);
	answer.chip[0] = 0;
	fd = open_expecting("accel0");
	assert_int_equal(test_log_count(ROCKET_LOG_WARN), 1);
	test_log_has(ROCKET_LOG_WARN, "assumed");
	assert_string_equal(rocket_hw_current()->name, "rk3588");
	assert_non_null(rocket_hw_current()->select_warning);
	rocket_close(fd);
	setenv("ROCKET_CHIP", "rk3588", 1); /* said, not assumed */
	fd = open_expecting("accel0");
	assert_null(rocket_hw_current()->select_warning);
	rocket_close(fd);
}

static void guard_that_cannot_be_had_fails_the_open(void **state)
{
	unsigned fds = test_count_fds();

	(void)state;
	node("accel0", "yes", 0600);
	answer.alloc_error = -ENOSPC;
	assert_int_equal(rocket_open(), -ENOSPC);
	test_log_has(ROCKET_LOG_ERROR, "first buffer");
	assert_int_equal(test_count_fds(), fds);
}

static void buffer_above_4_gib_is_given_back(void **state)
{
	rocket_bo bo;
	int fd;

	(void)state;
	node("accel0", "yes", 0600);
	fd = open_expecting("accel0");
	answer.iova = ((uint64_t)1 << 32) - 4096;
	assert_int_equal(rocket_bo_alloc32(fd, 8192, &bo), ROCKET_E_DEVICE);
	assert_int_equal(bo.handle, 0);
	test_log_has(ROCKET_LOG_ERROR, "above 4 GiB");
	assert_int_equal(answer.buffers, 1); /* the guard */
	answer.iova = ((uint64_t)1 << 32) - 4096;
	assert_int_equal(rocket_bo_alloc32(fd, 4096, &bo), ROCKET_OK); /* ends right there */
	assert_int_equal(rocket_bo_alloc(fd, 4096, &bo), ROCKET_OK);
	rocket_close(fd);
}

static void ranges_are_checked_before_the_call(void **state)
{
	static const struct {
		unsigned n;
		rocket_bo_range r[3];
	} bad[] = {
		{ 1, { { 0, 0 } } },
		{ 1, { { 8192, 1 } } },
		{ 1, { { 0, 8193 } } },
		{ 1, { { 8191, 2 } } },
		{ 1, { { UINT64_MAX, 1 } } },
		{ 1, { { 1, UINT64_MAX } } },
		{ 2, { { 64, 64 }, { 0, 64 } } },
		{ 2, { { 0, 65 }, { 64, 64 } } },
		{ 3, { { 0, 64 }, { 64, 64 }, { 64, 64 } } },
		{ 2, { { 0, 64 }, { 4096, 0 } } },
		{ 0, { { 0, 0 } } },
	};
	rocket_bo_range good[3] = { { 0, 64 }, { 64, 1 }, { 100, 8092 } };
	rocket_bo bo;
	int fd;

	(void)state;
	node("accel0", "yes", 0600);
	answer.caps.ranges = 1;
	fd = open_expecting("accel0");
	assert_int_equal(rocket_bo_ranges_supported(), 1);
	assert_int_equal(rocket_bo_alloc(fd, 8192, &bo), ROCKET_OK);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(rocket_bo_prep_ranges(fd, &bo, bad[i].r, bad[i].n, 0),
				 ROCKET_E_SHAPE);
		assert_int_equal(rocket_bo_fini_ranges(fd, &bo, bad[i].r, bad[i].n),
				 ROCKET_E_SHAPE);
		assert_int_equal(test_log_count(ROCKET_LOG_ERROR), 2 * i + 2);
	}
	assert_int_equal(rocket_bo_prep_ranges(fd, &bo, NULL, 1, 0), ROCKET_E_SHAPE);
	assert_int_equal(answer.prepped + answer.finished, 0);
	assert_int_equal(rocket_bo_prep_ranges(fd, &bo, good, 3, 1000), ROCKET_OK);
	assert_int_equal(rocket_bo_fini_ranges(fd, &bo, good, 3), ROCKET_OK);
	assert_int_equal(answer.prepped, 3);
	assert_int_equal(answer.finished, 3);
	rocket_close(fd);
}

static void slow_wait_on_a_real_node_warns(void **state)
{
	rocket_bo bo;
	int fd;

	(void)state;
	node("accel0", "yes", 0600);
	setenv("ROCKET_SLOW_WAIT_MS", "700", 1); /* no wait of no time takes so long */
	for (unsigned reports = 0; reports < 2; reports++) {
		answer.caps.errors_reported = reports;
		answer.prep_ms = 0;
		fd = open_expecting("accel0");
		rocket_fence_wait_counters_reset();
		assert_int_equal(rocket_bo_alloc(fd, 4096, &bo), ROCKET_OK);
		assert_int_equal(rocket_bo_prep(fd, &bo, 0, 10000000000u), ROCKET_OK);
		assert_int_equal(test_log_count(ROCKET_LOG_WARN), reports);
		answer.prep_ms = 710;
		assert_int_equal(rocket_bo_prep(fd, &bo, 0, 10000000000u), ROCKET_OK);
		assert_int_equal(test_log_count(ROCKET_LOG_WARN), reports + 1);
		test_log_has(ROCKET_LOG_WARN, "slow wait");
		if (reports)
			assert_null(strstr(test_log_last(ROCKET_LOG_WARN), "stale"));
		else
			test_log_has(ROCKET_LOG_WARN, "the data may be stale");
		assert_int_equal(rocket_fence_wait_slow_count(), 1);
		rocket_close(fd);
	}
	unsetenv("ROCKET_SLOW_WAIT_MS");
}

/* Without, the provider is asked to wait at once. */
static void wait_spins_for_as_long_as_the_environment_says(void **state)
{
	static const struct {
		const char *us;
		unsigned polls, waits;
	} rows[] = { { "", 0, 1 }, { "0", 0, 1 }, { "10000000", 4, 0 } };
	rocket_bo bo;

	(void)state;
	node("accel0", "yes", 0600);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int fd;

		setenv("ROCKET_BUSY_POLL", rows[i].us, 1);
		fd = open_expecting("accel0");
		assert_int_equal(rocket_bo_alloc(fd, 4096, &bo), ROCKET_OK);
		answer.polls = answer.waits = 0;
		answer.busy = 3;
		assert_int_equal(rocket_bo_prep(fd, &bo, 0, 60000000000u), ROCKET_OK);
		assert_int_equal(answer.polls, rows[i].polls);
		assert_int_equal(answer.waits, rows[i].waits);
		rocket_close(fd);
	}
	unsetenv("ROCKET_BUSY_POLL");
}

static void node_that_disappears_is_a_device_error(void **state)
{
	rocket_bo bo;
	int fd;

	(void)state;
	node("accel0", "yes", 0600);
	fd = open_expecting("accel0");
	assert_int_equal(rocket_bo_alloc(fd, 4096, &bo), ROCKET_OK);
	assert_int_equal(rocket_bo_fini(fd, &bo), ROCKET_E_DEVICE);
	test_log_has(ROCKET_LOG_ERROR, "No such device");
	assert_int_equal(rocket_submit_scratch_size(3), 48); /* as the provider says */
	rocket_close(fd);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(first_node_that_matches_is_taken),
		T(node_named_is_taken_though_others_match),
		T(no_node_at_all_names_the_choices),
		T(nodes_tried_are_named_with_their_reasons),
		T(node_that_cannot_be_opened_is_named),
		T(provider_that_lacks_something_is_never_used),
		T(chip_without_an_encoder_is_refused),
		T(chip_unknown_is_assumed_with_a_warning),
		T(guard_that_cannot_be_had_fails_the_open),
		T(buffer_above_4_gib_is_given_back),
		T(ranges_are_checked_before_the_call),
		T(slow_wait_on_a_real_node_warns),
		T(wait_spins_for_as_long_as_the_environment_says),
		T(node_that_disappears_is_a_device_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
