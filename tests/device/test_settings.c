// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_settings.c - the ROCKET_* environment, and the log channel it sets up. */
#include <pthread.h>
#include <sys/wait.h>

#include "lib/core/affinity.h"
#include "lib/core/settings.h"
#include "lib/core/status.h"
#include "support.h"

static const char *const names[] = {
	"ROCKET_DEVICE",       "ROCKET_CHIP",          "ROCKET_KACC",
	"ROCKET_NO_KACC",      "ROCKET_KACC_CHAIN",    "ROCKET_REUSE",
	"ROCKET_BATCH_SUBMIT", "ROCKET_MM_ASYM",       "ROCKET_MM_MT",
	"ROCKET_MM_NT",        "ROCKET_MM_KT",         "ROCKET_WAIT_MS",
	"ROCKET_SLOW_WAIT_MS", "ROCKET_BUSY_POLL",     "ROCKET_N_THREADS",
	"ROCKET_CPU_AFFINITY", "ROCKET_VALIDATE",      "ROCKET_LOG_LEVEL",
	"ROCKET_DEBUG",        "ROCKET_LOG_STDERR",    "ROCKET_MM_STREAM",
	"ROCKET_REUSE_DEBUG",  "ROCKET_KACC_BATCHOUT", "ROCKET_NO_SHARED_PACK",
	"ROCKET_MM_PROFILE",   "ROCKET_MM_PIPE",       "ROCKET_KEEP_MIB",
	"ROCKET_RKNPU_SUBMIT"
};

static int setup(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
	test_log_start();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_log_stop();
	return 0;
}

static void environment_empty_gives_the_defaults(void **state)
{
	struct rocket_settings s = rocket_settings_read();

	(void)state;
	assert_string_equal(s.device, "");
	assert_string_equal(s.chip, "");
	assert_string_equal(s.rknpu_submit, "");
	assert_int_equal(s.kacc, 1);
	assert_int_equal(s.kacc_chain, 0);
	assert_int_equal(s.reuse, ROCKET_REUSE_AUTO);
	assert_int_equal(s.batch_submit, -1);
	assert_int_equal(s.mm_asym, 1);
	assert_int_equal(s.mm_stream, 0);
	assert_int_equal(s.mm_mt | s.mm_nt | s.mm_kt, 0);
	assert_int_equal(s.keep_mib, 128);
	assert_int_equal(s.wait_ms, 8000);
	assert_int_equal(s.slow_wait_ms, 0);
	assert_int_equal(s.busy_poll_us, 0);
	assert_int_equal(s.n_threads, 0);
	assert_string_equal(s.cpu_affinity, "");
	assert_int_equal(s.validate, 0);
}

static void environment_set_is_taken(void **state)
{
	struct rocket_settings s;

	(void)state;
	setenv("ROCKET_DEVICE", "/dev/accel/accel3", 1);
	setenv("ROCKET_KACC", "0", 1);
	setenv("ROCKET_REUSE", "2", 1);
	setenv("ROCKET_MM_KT", "512", 1);
	setenv("ROCKET_WAIT_MS", "-5", 1);
	setenv("ROCKET_SLOW_WAIT_MS", "-1", 1);
	setenv("ROCKET_BUSY_POLL", "25", 1);
	setenv("ROCKET_CPU_AFFINITY", "", 1);
	s = rocket_settings_read();
	assert_string_equal(s.device, "/dev/accel/accel3");
	assert_int_equal(s.kacc, 0);
	assert_int_equal(s.reuse, ROCKET_REUSE_DATA);
	assert_int_equal(s.mm_kt, 512);
	assert_int_equal(s.wait_ms, 8000); /* below 1 means the default */
	assert_int_equal(s.slow_wait_ms, 0);
	assert_int_equal(s.busy_poll_us, 25);
	assert_string_equal(s.cpu_affinity, "off"); /* set and empty */
	assert_int_equal(test_log_count(ROCKET_LOG_WARN), 0);
	setenv("ROCKET_KACC", "1", 1);
	setenv("ROCKET_NO_KACC", "", 1);
	assert_int_equal(rocket_settings_read().kacc, 0);
}

/* It computes on a CPU that others use too. */
static void simulated_device_is_waited_for_longer(void **state)
{
	static const struct {
		const char *device, *value;
		int want;
	} rows[] = {
		{ "", "", 8000 },      { "/dev/accel/accel0", "", 8000 }, { "simple", "0", 8000 },
		{ "sim", "", 600000 }, { "sim:rk3588", "-1", 600000 },    { "sim", "1", 1 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setenv("ROCKET_DEVICE", rows[i].device, 1);
		setenv("ROCKET_WAIT_MS", rows[i].value, 1);
		assert_int_equal(rocket_settings_read().wait_ms, rows[i].want);
	}
}

static void weights_stream_where_the_device_is_simulated(void **state)
{
	static const struct {
		const char *device, *value;
		int want;
	} rows[] = {
		{ "", "", 0 },    { "/dev/accel/accel0", "", 0 },  { "simple", "", 0 },
		{ "sim", "", 1 }, { "sim:rk3588", "", 1 },         { "sim", "0", 0 },
		{ "", "1", 1 },   { "/dev/accel/accel0", "1", 1 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setenv("ROCKET_DEVICE", rows[i].device, 1);
		setenv("ROCKET_MM_STREAM", rows[i].value, 1);
		assert_int_equal(rocket_settings_read().mm_stream, rows[i].want);
	}
}

static void value_malformed_is_logged_once_and_defaulted(void **state)
{
	static const struct {
		const char *name, *value;
	} bad[] = {
		{ "ROCKET_KACC", "yes" },
		{ "ROCKET_KACC_CHAIN", "3" },
		{ "ROCKET_BATCH_SUBMIT", "1x" },
		{ "ROCKET_MM_ASYM", " " },
		{ "ROCKET_MM_STREAM", "2" },
		{ "ROCKET_REUSE_DEBUG", "yes" },
		{ "ROCKET_KACC_BATCHOUT", "-1" },
		{ "ROCKET_NO_SHARED_PACK", "2" },
		{ "ROCKET_MM_PROFILE", "on" },
		{ "ROCKET_MM_PIPE", "3" },
		{ "ROCKET_KEEP_MIB", "-1" },
		{ "ROCKET_MM_MT", "-4" },
		{ "ROCKET_MM_NT", "99999999999999999999" },
		{ "ROCKET_WAIT_MS", "soon" },
		{ "ROCKET_SLOW_WAIT_MS", "1.5" },
		{ "ROCKET_BUSY_POLL", "-1" },
		{ "ROCKET_N_THREADS", "1000" },
		{ "ROCKET_VALIDATE", "2" },
		{ "ROCKET_REUSE", "7" },
		{ "ROCKET_CHIP", "a-name-that-is-too-long" },
		{ "ROCKET_RKNPU_SUBMIT", "fenced-or-blocking" },
	};
	struct rocket_settings s;

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		setenv(bad[i].name, bad[i].value, 1);
		for (unsigned k = 0; k < 3; k++)
			s = rocket_settings_read();
		assert_int_equal(test_log_count(ROCKET_LOG_WARN), i + 1);
		test_log_has(ROCKET_LOG_WARN, bad[i].name);
	}
	assert_int_equal(s.kacc, 1);
	assert_int_equal(s.kacc_chain, 0);
	assert_int_equal(s.mm_asym, 1);
	assert_int_equal(s.mm_mt | s.mm_nt, 0);
	assert_int_equal(s.mm_stream, 0);
	assert_int_equal(s.wait_ms, 8000);
	assert_int_equal(s.busy_poll_us, 0);
	assert_int_equal(s.validate, 0);
	assert_int_equal(s.reuse, ROCKET_REUSE_OFF);
}

/* ---- log ---- */

static void level_drops_what_is_above_it(void **state)
{
	(void)state;
	rocket_log_set_level(ROCKET_LOG_WARN);
	ROCKET_LOGE("e%d", 1);
	ROCKET_LOGW("w%d", 2);
	ROCKET_LOGI("i%d", 3);
	ROCKET_LOGD("d%d", 4);
	assert_string_equal(test_log_last(ROCKET_LOG_ERROR), "e1");
	assert_string_equal(test_log_last(ROCKET_LOG_WARN), "w2");
	assert_int_equal(test_log_count(ROCKET_LOG_INFO), 0);
	assert_int_equal(test_log_count(ROCKET_LOG_DEBUG), 0);
	rocket_log_set_level((rocket_log_level)99);
	assert_int_equal(rocket_log_get_level(), ROCKET_LOG_DEBUG);
	rocket_log_set_level((rocket_log_level)-1);
	assert_int_equal(rocket_log_get_level(), ROCKET_LOG_ERROR);
}

static void line_too_long_is_cut(void **state)
{
	char text[3000];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	errno = 77;
	ROCKET_LOGE("%s", text);
	assert_int_equal(errno, 77);
	assert_int_equal(strlen(test_log_last(ROCKET_LOG_ERROR)), 1023);
}

static void line_never_breaks(void **state)
{
	(void)state;
	ROCKET_LOGE("a\nb\r\033[2J%s", "\177\302\265\n");
	assert_string_equal(test_log_last(ROCKET_LOG_ERROR), "a b  [2J \302\265 ");
}

static void count_line(rocket_log_level level, const char *text, void *user)
{
	(void)level, (void)text, (void)user;
}

static void print_lines(void)
{
	ROCKET_LOGE("one");
	ROCKET_LOGW("two");
	ROCKET_LOGI("three");
	ROCKET_LOGD("four");
	rocket_log_set_callback(count_line, NULL);
	ROCKET_LOGE("five");
}

/* What a process that has not logged yet prints on stderr with one variable set. */
static void child_prints(const char *name, const char *value, char *text, size_t size)
{
	int pipes[2], status;
	size_t used = 0;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(pipes[1], STDERR_FILENO);
		setenv(name, value, 1);
		print_lines();
		fflush(stderr);
		_exit(0);
	}
	close(pipes[1]);
	while (used < size - 1 && (n = read(pipes[0], text + used, size - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = 0;
	close(pipes[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void level_comes_from_the_environment(void **state)
{
	static const struct {
		const char *name, *value, *text;
	} cases[] = {
		{ "X", "", "rocket: error: one\nrocket: warn: two\n" },
		{ "ROCKET_LOG_LEVEL", "error", "rocket: error: one\n" },
		{ "ROCKET_LOG_LEVEL", "0", "rocket: error: one\n" },
		{ "ROCKET_LOG_LEVEL", "INFO",
		  "rocket: error: one\nrocket: warn: two\nrocket: info: three\n" },
		{ "ROCKET_LOG_LEVEL", "3",
		  "rocket: error: one\nrocket: warn: two\nrocket: info: three\nrocket: debug: "
		  "four\n" },
		{ "ROCKET_DEBUG", "1",
		  "rocket: error: one\nrocket: warn: two\nrocket: info: three\nrocket: debug: "
		  "four\n" },
		{ "ROCKET_DEBUG", "0", "rocket: error: one\nrocket: warn: two\n" },
		{ "ROCKET_LOG_STDERR", "1",
		  "rocket: error: one\nrocket: warn: two\nrocket: error: five\n" },
		{ "ROCKET_LOG_LEVEL", "loud",
		  "rocket: warn: ROCKET_LOG_LEVEL=loud is none of error, warn, info, debug, 0..3: "
		  "using warn\nrocket: error: one\nrocket: warn: two\n" },
	};
	char text[512];

	(void)state;
	unsetenv("ROCKET_LOG_LEVEL");
	unsetenv("ROCKET_DEBUG");
	unsetenv("ROCKET_LOG_STDERR");
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		child_prints(cases[i].name, cases[i].value, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
}

/* ---- status ---- */

static void status_of_an_errno(void **state)
{
	(void)state;
	assert_int_equal(rocket_status_of_errno(0), ROCKET_OK);
	assert_int_equal(rocket_status_of_errno(-ENOMEM), ROCKET_E_NOMEM);
	assert_int_equal(rocket_status_of_errno(ENOSPC), ROCKET_E_NOMEM);
	assert_int_equal(rocket_status_of_errno(-ENOTTY), ROCKET_E_UNSUPPORTED);
	assert_int_equal(rocket_status_of_errno(-EIO), ROCKET_E_DEVICE);
	assert_string_equal(rocket_status_name(ROCKET_E_TILING), "ROCKET_E_TILING");
	assert_string_equal(rocket_status_name(ROCKET_E_UNSUPPORTED), "ROCKET_E_UNSUPPORTED");
	assert_string_equal(rocket_status_name(-6), "?");
	assert_string_equal(rocket_status_name(1), "?");
	assert_int_equal(rocket_fail(ROCKET_E_SHAPE, "because %d", 5), ROCKET_E_SHAPE);
	test_log_has(ROCKET_LOG_ERROR, "because 5");
}

/* ---- affinity ---- */

static void affinity_list_is_parsed(void **state)
{
	static const struct {
		const char *setting;
		int n, first, last;
	} cases[] = {
		{ "4-7", 4, 4, 7 },        { "5,4", 2, 4, 5 },   { "0-1,6", 3, 0, 6 },
		{ "1023", 1, 1023, 1023 }, { "off", 0, 0, 0 },   { "none", 0, 0, 0 },
		{ "0", 0, 0, 0 },          { "4-", -1, 0, 0 },   { "x", -1, 0, 0 },
		{ "7-4", -1, 0, 0 },       { "4,,5", -1, 0, 0 }, { "1024", -1, 0, 0 },
		{ "-1", -1, 0, 0 },        { "4 5", -1, 0, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int cpus[ROCKET_MAX_CPUS];
		int n = rocket_affinity_cpus("", cases[i].setting, cpus, ROCKET_MAX_CPUS);

		assert_int_equal(n, cases[i].n);
		if (n > 0) {
			assert_int_equal(cpus[0], cases[i].first);
			assert_int_equal(cpus[n - 1], cases[i].last);
		}
	}
}

static void *base_of_a_fresh_thread(void *out)
{
	*(int *)out = rocket_affinity_get_base();
	return NULL;
}

static void affinity_base_is_of_the_thread(void **state)
{
	pthread_t thread;
	int other = -1;

	(void)state;
	rocket_affinity_set_base(3);
	assert_int_equal(pthread_create(&thread, NULL, base_of_a_fresh_thread, &other), 0);
	pthread_join(thread, NULL);
	assert_int_equal(other, 0);
	assert_int_equal(rocket_affinity_get_base(), 3);
	rocket_affinity_set_base(0);
	assert_true(rocket_num_big_cores() >= 0);
	rocket_pin_worker(0);
	rocket_pin_worker(-7);
	rocket_pin_worker(INT32_MAX);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(level_comes_from_the_environment), /* before anything is logged */
		T(environment_empty_gives_the_defaults),
		T(environment_set_is_taken),
		T(simulated_device_is_waited_for_longer),
		T(weights_stream_where_the_device_is_simulated),
		T(value_malformed_is_logged_once_and_defaulted),
		T(level_drops_what_is_above_it),
		T(line_too_long_is_cut),
		T(line_never_breaks),
		T(status_of_an_errno),
		T(affinity_list_is_parsed),
		T(affinity_base_is_of_the_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
