// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * check-harness - are the self tests' own verdicts right? Runs small tables of tests with
 * known ends, each in a process of its own, and reads what they print.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drm/rocket_accel.h"
#include "file.h"
#include "reference.h"

/* ---- a node that is no device ---- */

static int fake_open(const char *path)
{
	(void)path;
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

static int fake_ioctl(int fd, unsigned long request, void *arg)
{
	(void)fd;
	(void)request;
	(void)arg;
	errno = ENOTTY;
	return -1;
}

static const struct node_calls forked_calls = { .open = fake_open,
						.close = close,
						.ioctl = fake_ioctl };
static const struct node_calls local_calls = {
	.in_process = true, .open = fake_open, .close = close, .ioctl = fake_ioctl
};

/* ---- the tests inside ---- */

static char kmsg[64], taint[64];

static void passes(struct test *t)
{
	CHECK(t, 1 + 1 == 2, "arithmetic");
}

static void fails(struct test *t)
{
	CHECK(t, 1 + 1 == 3, "value %d", 42);
}

static void skips(struct test *t)
{
	test_skip(t, "because of %s", "something");
}

static void skips_after_a_failure(struct test *t)
{
	fails(t);
	skips(t);
}

static void crashes(struct test *t)
{
	(void)t;
	signal(SIGSEGV, SIG_DFL); /* a sanitizer would turn this into an exit */
	raise(SIGSEGV);
}

static void exits(struct test *t)
{
	(void)t;
	_exit(0x55);
}

static void hangs(struct test *t)
{
	const struct timespec long_time = { .tv_sec = 60 };

	(void)t;
	nanosleep(&long_time, NULL);
}

static void append(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY | O_APPEND);

	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		_exit(3);
	close(fd);
}

static void upsets_the_kernel(struct test *t)
{
	(void)t;
	append(kmsg, "4,100,5000,-;WARNING: CPU: 0 PID: 1 at drivers/accel/rocket/x.c:1\n");
}

static void logs_something_harmless(struct test *t)
{
	(void)t;
	append(kmsg, "6,101,5001,-;rocket: Rockchip NPU core 0 version\n");
}

static void lets_a_job_time_out(struct test *t)
{
	(void)t;
	append(kmsg, "6,102,5002,-;rocket fdab0000.npu: NPU job timed out\n");
}

static void lets_the_mmu_hang(struct test *t)
{
	(void)t;
	append(kmsg, "6,103,5003,-;rk_iommu: Enable stall request timed out, status: 0x1\n");
}

/* The headline and the places of a data race, of others and of the driver. */
static void races(struct test *t, const char *who)
{
	char line[128];

	(void)t;
	append(kmsg, "3,104,5004,-;========================================\n");
	append(kmsg, "3,105,5005,-;BUG: KCSAN: data-race in list_add / list_del\n");
	snprintf(line, sizeof(line), "3,106,5006,-; some_call+0x10/0x20%s\n", who);
	append(kmsg, line);
	append(kmsg, "3,107,5007,-;========================================\n");
}

static void lets_others_race(struct test *t)
{
	races(t, "");
	logs_something_harmless(t);
	append(kmsg, "6,108,5008,-; called_later+0x10/0x20 [rocket]\n");
	append(kmsg, "3,109,5009,-;BUG: KCSAN: data-race in __synchronize_hardirq / x\n");
	append(kmsg, "3,110,5010,-; rocket_job_timedout+0x10/0x20 [rocket]\n");
}

static void races_itself(struct test *t)
{
	races(t, " [rocket]");
}

static void counts_rounds(struct test *t)
{
	CHECK(t, test_rounds(t, 3, 7) == 7, "short form");
}

static void taints_the_kernel(struct test *t)
{
	FILE *f = fopen(taint, "w");

	(void)t;
	if (!f || fprintf(f, "512\n") < 0 || fclose(f))
		_exit(3);
}

static void leaves_files_open(struct test *t)
{
	struct file *a = test_file(t), *b = test_file(t);

	REQUIRE(t, a && b && a != b && a->fd != b->fd, "no files");
	REQUIRE(t, !test_file_close(a), "close");
	CHECK(t, test_file(t) == a, "a closed file's place is not used again");
}

/* ---- scenarios ---- */

struct scenario {
	const char *name;
	const struct node_calls *calls;
	int major, minor;
	struct test_case cases[4];
	size_t n;
	struct options options;
	const char *kmsg_lines; /* NULL: there is no log to read */
	int exit_code;
	const char *expected[8]; /* lines that must be there */
	const char *forbidden;
};

static const struct scenario scenarios[] = {
	{ .name = "run_all_pass",
	  .calls = &local_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = passes }, { .name = "b", .run = passes } },
	  .n = 2,
	  .expected = { "TAP version 13", "1..2", "ok 1 a", "ok 2 b",
			"# Totals: pass:2 fail:0 xfail:0 xpass:0 skip:0 error:0" } },
	{ .name = "run_with_a_failure",
	  .calls = &local_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = fails }, { .name = "b", .run = passes } },
	  .n = 2,
	  .exit_code = 1,
	  .expected = { "not ok 1 a", "ok 2 b", ": 1 + 1 == 3: value 42",
			"# Totals: pass:1 fail:1 xfail:0 xpass:0 skip:0 error:0" } },
	{ .name = "run_with_a_skip",
	  .calls = &local_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = skips }, { .name = "b", .run = skips_after_a_failure } },
	  .n = 2,
	  .exit_code = 1,
	  .expected = { "ok 1 a # SKIP because of something", "not ok 2 b" } },
	{ .name = "known_defect_is_xfail",
	  .calls = &local_calls,
	  .cases = { { .name = "a", .run = fails, .expects = EXPECT_JOB_ERRORS },
		     { .name = "b", .run = passes, .expects = EXPECT_JOB_ERRORS },
		     { .name = "c", .run = hangs, .expects = EXPECT_CLOSE_IN_FLIGHT },
		     { .name = "d", .run = hangs, .expects = EXPECT_BATCH } },
	  .n = 4,
	  .expected = { "ok 1 a # XFAIL before interface 1.7 a failed job looks like a success",
			"ok 2 b", "ok 3 c # SKIP needs --dangerous: driver 0.0 frees the allocator",
			"ok 4 d # SKIP no batched jobs before interface 1.1",
			"# Totals: pass:1 fail:0 xfail:1 xpass:0 skip:2 error:0" } },
	{ .name = "defect_of_a_newer_driver_is_a_failure",
	  .calls = &local_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = fails, .expects = EXPECT_SUBMIT_ERRORS },
		     { .name = "b", .run = hangs, .expects = EXPECT_BATCH } },
	  .n = 2,
	  .exit_code = 1,
	  .expected = { "not ok 1 a", "ok 2 b # SKIP" } },
	{ .name = "test_files_are_reused",
	  .calls = &local_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = leaves_files_open } },
	  .n = 1,
	  .expected = { "ok 1 a" } },
	{ .name = "late_test_in_process_ends_the_run",
	  .calls = &local_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = hangs, .seconds = 1 }, { .name = "b", .run = passes } },
	  .n = 2,
	  .exit_code = 1,
	  .expected = { "not ok 1 a", "Bail out! a did not end within 1 s" },
	  .forbidden = "ok 2 b" },

	{ .name = "crash_costs_one_verdict",
	  .calls = &forked_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = crashes },
		     { .name = "b", .run = exits },
		     { .name = "c", .run = passes } },
	  .n = 3,
	  .kmsg_lines = "",
	  .exit_code = 1,
	  .expected = { "1..5", "not ok 1 a", "# a: killed by signal 11", "not ok 2 b",
			"# b: ended early with status 85", "ok 3 c", "ok 4 kernel_log_clean",
			"ok 5 kernel_taint_unchanged" } },
	{ .name = "child_verdicts_come_back",
	  .calls = &forked_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = fails }, { .name = "b", .run = skips } },
	  .n = 2,
	  .kmsg_lines = "",
	  .exit_code = 1,
	  .expected = { "not ok 1 a", "ok 2 b # SKIP because of something" } },
	{ .name = "late_child_is_killed",
	  .calls = &forked_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = hangs, .seconds = 1 }, { .name = "b", .run = passes } },
	  .n = 2,
	  .kmsg_lines = "",
	  .exit_code = 1,
	  .expected = { "not ok 1 a", "# a: did not end within 1 s", "ok 2 b" } },
	{ .name = "kernel_complaint_fails_its_test",
	  .calls = &forked_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = logs_something_harmless },
		     { .name = "b", .run = upsets_the_kernel },
		     { .name = "c", .run = passes } },
	  .n = 3,
	  .kmsg_lines = "4,1,1,-;WARNING: before the run\n",
	  .exit_code = 1,
	  .expected = { "ok 1 a", "# kernel: WARNING: CPU: 0", "not ok 2 b", "ok 3 c",
			"not ok 4 kernel_log_clean", "ok 5 kernel_taint_unchanged" },
	  .forbidden = "before the run" },
	{ .name = "data_race_fails_where_the_driver_has_a_part",
	  .calls = &forked_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = lets_others_race },
		     { .name = "b", .run = races_itself } },
	  .n = 2,
	  .kmsg_lines = "",
	  .exit_code = 1,
	  .expected = { "ok 1 a", "# kernel:  some_call+0x10/0x20 [rocket]", "not ok 2 b",
			"not ok 3 kernel_log_clean" } },
	{ .name = "timeout_in_the_log_fails_what_did_not_announce_it",
	  .calls = &forked_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = lets_a_job_time_out, .log = KLOG_TIMEOUT },
		     { .name = "b", .run = passes },
		     { .name = "c", .run = lets_a_job_time_out },
		     { .name = "d", .run = lets_the_mmu_hang, .log = KLOG_TIMEOUT | KLOG_FAULT } },
	  .n = 4,
	  .kmsg_lines = "",
	  .exit_code = 1,
	  .expected = { "ok 1 a", "ok 2 b", "not ok 3 c", "not ok 4 d",
			"not ok 5 kernel_log_clean" } },
	{ .name = "pattern_chooses_tests",
	  .calls = &local_calls,
	  .major = 1,
	  .cases = { { .name = "ab", .run = passes },
		     { .name = "b", .run = fails },
		     { .name = "ac", .run = passes } },
	  .n = 3,
	  .options = { .patterns = { "a*" }, .n_patterns = 1 },
	  .expected = { "1..2", "ok 1 ab", "ok 2 ac" } },
	{ .name = "pattern_of_no_test_skips",
	  .calls = &local_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = passes } },
	  .n = 1,
	  .options = { .patterns = { "b" }, .n_patterns = 1 },
	  .exit_code = 4,
	  .expected = { "1..0 # SKIP no test has such a name" } },
	{ .name = "needs_are_skipped_with_their_reason",
	  .calls = &local_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = fails, .needs = NEED_KERNEL },
		     { .name = "b", .run = fails, .needs = NEED_LONG },
		     { .name = "c", .run = fails, .needs = NEED_DANGEROUS },
		     { .name = "d", .run = fails, .needs = NEED_ROOT } },
	  .n = 4,
	  .expected = { "ok 1 a # SKIP needs a kernel", "ok 2 b # SKIP long, needs --long",
			"ok 3 c # SKIP may take the machine down", "ok 4 d # SKIP needs root" } },
	{ .name = "danger_is_run_when_asked_for",
	  .calls = &local_calls,
	  .cases = { { .name = "a", .run = fails, .expects = EXPECT_CLOSE_IN_FLIGHT },
		     { .name = "b", .run = passes, .needs = NEED_DANGEROUS } },
	  .n = 2,
	  .options = { .dangerous = true },
	  .expected = { "ok 1 a # XFAIL driver 0.0 frees the allocator", "ok 2 b" } },
	{ .name = "long_form_has_its_rounds",
	  .calls = &local_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = counts_rounds, .needs = NEED_LONG } },
	  .n = 1,
	  .options = { .long_form = true },
	  .expected = { "ok 1 a" } },
	{ .name = "kernel_taint_fails_its_test",
	  .calls = &forked_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = taints_the_kernel }, { .name = "b", .run = passes } },
	  .n = 2,
	  .kmsg_lines = "",
	  .exit_code = 1,
	  .expected = { "not ok 1 a", "ok 2 b", "# kernel taint changed from 0 to 512",
			"ok 3 kernel_log_clean", "not ok 4 kernel_taint_unchanged" } },
	{ .name = "kernel_log_unreadable_is_no_pass",
	  .calls = &forked_calls,
	  .major = 1,
	  .cases = { { .name = "a", .run = passes } },
	  .n = 1,
	  .expected = { "ok 1 a", "ok 2 kernel_log_clean # SKIP may not read the kernel log" } },
};

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		_exit(3);
}

/* In the child: run the scenario's table and exit with its code. */
static void run_scenario(const struct scenario *s)
{
	struct node node = { .calls = s->calls,
			     .driver = "rocket",
			     .path = "fake",
			     .major = s->major,
			     .minor = s->minor };
	const struct test_table table = { s->cases, s->n };
	struct options options = s->options;

	if (!options.factor)
		options.factor = 1;
	unlink(kmsg);
	if (s->kmsg_lines)
		write_file(kmsg, s->kmsg_lines);
	write_file(taint, "0\n");
	tap_begin();
	exit(test_run(&node, &options, &table, 1, kmsg, taint));
}

static void run_main(const char *argument)
{
	char *argv[] = { "check", (char *)argument, NULL };
	const struct test_case c = { .name = "a", .run = passes };
	const struct test_table table = { &c, 1 };

	tap_begin();
	exit(test_main(2, argv, &table, 1));
}

/* Run one or the other in a child and collect what it prints. Returns its exit code. */
static int capture(const struct scenario *s, const char *argument, char *out, size_t size)
{
	int pipe_fd[2], status = -1;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	fflush(stdout);
	if (pipe(pipe_fd) || (pid = fork()) < 0)
		return -1;
	if (!pid) {
		dup2(pipe_fd[1], STDOUT_FILENO);
		close(pipe_fd[0]);
		close(pipe_fd[1]);
		if (s)
			run_scenario(s);
		run_main(argument);
	}
	close(pipe_fd[1]);
	while (n < size - 1 && (got = read(pipe_fd[0], out + n, size - 1 - n)) > 0)
		n += (size_t)got;
	out[n] = '\0';
	close(pipe_fd[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool failed;
static unsigned number;

static void verdict(bool ok, const char *name)
{
	printf("%s %u %s\n", ok ? "ok" : "not ok", ++number, name);
	failed |= !ok;
}

/* Does a line of text begin with, or a diagnostic contain, what is expected? */
static bool has_line(const char *text, const char *expected)
{
	size_t n = strlen(expected);

	for (const char *line = text; line && *line;) {
		if (!strncmp(line, expected, n) || (*line == '#' && *expected == ':'))
			if (*expected != ':' || strstr(line, expected))
				return true;
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return false;
}

static void check_scenario(const struct scenario *s)
{
	static char out[16384];
	int code = capture(s, NULL, out, sizeof(out));
	bool ok = code == s->exit_code;

	if (!ok)
		printf("# exit code %d, expected %d\n", code, s->exit_code);
	for (size_t i = 0; i < sizeof(s->expected) / sizeof(s->expected[0]) && s->expected[i]; i++)
		if (!has_line(out, s->expected[i])) {
			printf("# missing: %s\n", s->expected[i]);
			ok = false;
		}
	if (s->forbidden && strstr(out, s->forbidden)) {
		printf("# not expected: %s\n", s->forbidden);
		ok = false;
	}
	if (!ok)
		for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n"))
			printf("#   | %s\n", line);
	verdict(ok, s->name);
}

/* A run without a node is skipped as a whole, with the reason. */
static void check_skip(const char *name, const char *node, const char *reason)
{
	static char out[4096];
	int code = capture(NULL, node, out, sizeof(out));
	bool ok = code == 4 && has_line(out, "1..0 # SKIP ") && strstr(out, reason);

	if (!ok)
		printf("# exit code %d: %s\n", code, strtok(out, "\n"));
	verdict(ok, name);
}

/* ---- what the tests compute with ---- */

static uint32_t value_at(const uint64_t *words, unsigned n, unsigned offset)
{
	for (unsigned i = 0; i < n; i++)
		if ((words[i] & 0xffff) == offset && words[i] >> 48 != 0x0081)
			return (uint32_t)(words[i] >> 16);
	return 0xdeadbeef;
}

/* fp16, 64 x 384 x 96, of the hardware document. */
static void check_program(void)
{
	static const struct {
		unsigned offset;
		uint32_t value;
	} rows[] = {
		{ 0x100c, 0x120 },      { 0x1010, 0x410 },      { 0x1020, 0x10040 },
		{ 0x1024, 0x017f0180 }, { 0x102c, 0x40 },       { 0x1030, 0x12000 },
		{ 0x1034, 0x300 },      { 0x1038, 0x01010060 }, { 0x1040, 0xa2 },
		{ 0x1044, 12 },         { 0x1070, 0x10000000 }, { 0x1080, 0x3c },
		{ 0x1084, 0x10040 },    { 0x1088, 0x180 },      { 0x1110, 0x20000000 },
		{ 0x3010, 0x201 },      { 0x3014, 0x3f0000 },   { 0x3018, 0x5f },
		{ 0x4010, 0x48000002 }, { 0x4020, 0x30000000 }, { 0x4024, 0x400 },
		{ 0x4034, 0x3f },       { 0x403c, 0x5f005f },   { 0x4050, 0x126 },
		{ 0x4058, 0x5f },       { 0x405c, 0x3f0000 },   { 0x4084, 0x10001 },
		{ 0x40c0, 0x800 },      { 0x5010, 0x3f },       { 0x5014, 0x5f },
		{ 0x5044, 0x7818 },
	};
	const struct matmul mm = { .type = FP16_TO_FP16,
				   .m = 64,
				   .k = 384,
				   .n = 96,
				   .in = 0x10000000,
				   .wt = 0x20000000,
				   .out = 0x30000000 };
	uint64_t words[MATMUL_WORDS + 1] = { [MATMUL_WORDS] = 0x1234 };
	bool ok;

	matmul_program(&mm, words);
	ok = words[MATMUL_WORDS] == 0x1234 &&
	     words[MATMUL_WORDS - 1] == (UINT64_C(0x81) << 48 | 0x1d << 16 | 8);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t is = value_at(words, MATMUL_WORDS, rows[i].offset);

		if (is == rows[i].value)
			continue;
		printf("# register %#x: %#x, must be %#x\n", rows[i].offset, is, rows[i].value);
		ok = false;
	}
	verdict(ok, "program_of_the_worked_example");
}

/* Indices of the worked examples of the layouts. */
static void check_layout(void)
{
	const struct matmul fp16 = { .type = FP16_TO_FP16, .m = 64, .k = 384, .n = 96 };
	const struct matmul fp32 = { .type = FP16_TO_FP32, .m = 64, .k = 384, .n = 96 };
	const struct matmul int8 = { .type = INT8_TO_INT32, .m = 16, .k = 128, .n = 64 };

	verdict(feature_index(&fp16, 3, 17) == 1049 && weight_index(&fp16, 20, 40) == 6792 &&
			output_index(&fp16, 3, 17) == 1049 && output_index(&fp32, 3, 17) == 1037 &&
			feature_index(&int8, 3, 17) == 305 && weight_index(&int8, 33, 40) == 5160,
		"layout_of_the_worked_examples");
}

static void check_rounding(void)
{
	static const struct {
		float value;
		uint16_t half;
	} rows[] = {
		{ 0.0f, 0x0000 },       { -0.0f, 0x8000 },
		{ 1.0f, 0x3c00 },       { -2.0f, 0xc000 },
		{ 65504.0f, 0x7bff },   { 65519.0f, 0x7bff },
		{ 65520.0f, 0x7c00 },   { 2049.0f, 0x6800 }, /* tie, to even: 2048 */
		{ 2051.0f, 0x6802 },                         /* tie, to even: 2052 */
		{ 0x1p-14f, 0x0400 },   { 0x1p-24f, 0x0001 },
		{ 0x1p-25f, 0x0000 }, /* tie, to even */
		{ 0x1.8p-24f, 0x0002 }, { 0x1.004p-14f, 0x0401 },
	};
	bool ok = true;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (half_from_float(rows[i].value) != rows[i].half) {
			printf("# %a: %#x, must be %#x\n", (double)rows[i].value,
			       half_from_float(rows[i].value), rows[i].half);
			ok = false;
		}
	for (uint32_t h = 0; h < 0x10000; h++)
		if ((h & 0x7c00) != 0x7c00 && half_from_float(half_to_float((uint16_t)h)) != h) {
			printf("# %#x does not come back\n", h);
			ok = false;
			break;
		}
	verdict(ok, "half_rounds_to_nearest_even");
}

/* One small product is lost beside a large one only when another group holds it. */
static void check_groups(void)
{
	uint16_t a[64] = { 0 }, b[64] = { 0 };
	struct reference_rows r = { .type = FP16_TO_FP32, .a = a, .b = b, .k = 64 };
	uint32_t within, across;

	a[0] = a[1] = b[0] = b[1] = 0x3c00; /* 1 + 1 */
	a[2] = b[2] = 0x0001;               /* + 2^-48 */
	b[1] = 0xbc00;                      /* 1 - 1 */
	within = reference_bits(&r);
	a[32] = a[2]; /* the same three in another order over two groups */
	b[32] = b[2];
	a[33] = a[0];
	b[33] = b[1];
	a[1] = a[2] = 0;
	across = reference_bits(&r);
	verdict(within == float_bits(0x1p-48f) && across == 0, "fp16_sums_by_groups_of_32");
}

int main(void)
{
	size_t n = sizeof(scenarios) / sizeof(scenarios[0]);
	const char *tmp = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";

	snprintf(kmsg, sizeof(kmsg), "%.30s/check-kmsg.%d", tmp, (int)getpid());
	snprintf(taint, sizeof(taint), "%.30s/check-taint.%d", tmp, (int)getpid());
	unsetenv("KSFT_TAP_LEVEL");
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%zu\n", n + 6);
	for (size_t i = 0; i < n; i++)
		check_scenario(&scenarios[i]);
	check_skip("node_missing_skips", "/nonexistent/accel0", "No such file");
	check_skip("node_of_no_driver_skips", "/dev/null", "not a DRM node");
	check_program();
	check_layout();
	check_rounding();
	check_groups();
	unlink(kmsg);
	unlink(taint);
	return failed;
}
