// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_sim_jobs.c - waiting, failing, closing, and who is harmed: jobs in time. */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "support.h"

/* Of a hung job, in ms: what most wait for; what outlasts a busy machine's pauses; what nobody
 * waits for, as a file that is closed takes its jobs along. */
#define TIMEOUT_MS      300
#define TIMEOUT_NS      (TIMEOUT_MS * UINT64_C(1000000))
#define LONG_MS         2000
#define FOR_EVER_MS     60000
#define NANOSECONDS(ms) ((ms)*UINT64_C(1000000))

/* Of a wait that ends by itself. */
#define PATIENCE_MS 30000

static int fd;

static int setup(void **state)
{
	(void)state;
	fd = raw_open();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	raw_close(fd);
	return 0;
}

/* Files of another timeout; the device has that of its first. */
static void reopen_with(unsigned timeout_ms)
{
	char text[16];

	raw_close(fd);
	snprintf(text, sizeof(text), "%u", timeout_ms);
	setenv("ROCKET_SIM_TIMEOUT_MS", text, 1);
	fd = raw_open();
	snprintf(text, sizeof(text), "%u", TIMEOUT_MS);
	setenv("ROCKET_SIM_TIMEOUT_MS", text, 1);
}

static void job_hung_is_reported_when_the_timeout_ends(void **state)
{
	uint64_t start = test_now_ns(), took;
	struct kit hang;

	(void)state;
	kit_init(&hang, fd, KIT_HANG, 1);
	assert_int_equal(kit_submit(&hang), 0);
	assert_int_equal(kit_wait(&hang, PATIENCE_MS), -EIO);
	took = test_now_ns() - start;
	assert_true(took >= TIMEOUT_NS);
	assert_true(took < NANOSECONDS(PATIENCE_MS));
	assert_true(kit_is_untouched(&hang));
	assert_int_equal(kit_wait(&hang, 0), -EIO); /* and stays */
}

static void job_faulted_is_reported_as_eio(void **state)
{
	struct kit fault;

	(void)state;
	kit_init(&fault, fd, KIT_FAULT, 1);
	assert_int_equal(kit_submit(&fault), 0);
	assert_int_equal(kit_wait(&fault, PATIENCE_MS), -EIO);
}

static void program_unmapped_is_reported(void **state)
{
	struct kit kit;
	int r;

	(void)state;
	kit_init(&kit, fd, KIT_GOOD, 1);
	kit.task.regcmd = 0xe0000000u;
	assert_int_equal(kit_submit(&kit), 0);
	r = kit_wait(&kit, PATIENCE_MS);
	assert_int_equal(r, -EIO);
	assert_true(kit_is_untouched(&kit));
}

static void error_goes_away_with_the_next_good_job(void **state)
{
	struct kit good, bad;

	(void)state;
	kit_init(&good, fd, KIT_GOOD, 1);
	kit_init(&bad, fd, KIT_HANG, 1);
	bad.out[0] = good.c.handle;
	assert_int_equal(kit_submit(&bad), 0);
	assert_int_equal(kit_wait(&good, PATIENCE_MS), -EIO);
	assert_int_equal(kit_submit(&good), 0);
	assert_int_equal(kit_wait(&good, PATIENCE_MS), 0);
	assert_true(kit_is_right(&good));
}

static void error_goes_away_when_the_buffer_is_handed_back(void **state)
{
	struct drm_rocket_fini_bo fini;
	struct kit bad;

	(void)state;
	kit_init(&bad, fd, KIT_HANG, 1);
	assert_int_equal(kit_submit(&bad), 0);
	assert_int_equal(kit_wait(&bad, PATIENCE_MS), -EIO);
	fini = (struct drm_rocket_fini_bo){ .handle = bad.c.handle };
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_ROCKET_FINI_BO, &fini), 0);
	assert_int_equal(kit_wait(&bad, 0), 0);
}

static void error_passes_on_to_what_is_made_of_the_output(void **state)
{
	struct kit bad, next;

	(void)state;
	kit_init(&bad, fd, KIT_HANG, 1);
	kit_init(&next, fd, KIT_GOOD, 1);
	next.in[1] = bad.c.handle; /* named as an input; what it reads is next.a */
	assert_int_equal(kit_submit(&bad), 0);
	assert_int_equal(kit_submit(&next), 0);
	assert_int_equal(kit_wait(&next, PATIENCE_MS), -EIO);
	assert_true(kit_is_right(&next)); /* it ran */
}

static void error_is_hidden_before_1_7(void **state)
{
	struct kit bad;

	(void)state;
	raw_close(fd);
	setenv("ROCKET_SIM_DRIVER", "1.6", 1);
	fd = raw_open();
	unsetenv("ROCKET_SIM_DRIVER");
	kit_init(&bad, fd, KIT_HANG, 1);
	assert_int_equal(kit_submit(&bad), 0);
	assert_int_equal(kit_wait(&bad, PATIENCE_MS), 0);
	assert_true(kit_is_untouched(&bad));
}

/* The caller may be about to write what a job still reads: a wait, but no error. */
static void input_of_a_failed_job_is_waited_for_and_clean(void **state)
{
	struct kit bad;

	(void)state;
	reopen_with(LONG_MS);
	kit_init(&bad, fd, KIT_HANG, 1);
	assert_int_equal(kit_submit(&bad), 0);
	assert_int_equal(raw_prep(fd, bad.a.handle, 0), -EBUSY);
	assert_int_equal(raw_prep(fd, bad.a.handle, PATIENCE_MS), 0);
	assert_int_equal(kit_wait(&bad, 0), -EIO);
	assert_int_equal(raw_prep(fd, bad.a.handle, 0), 0);
}

static void job_behind_a_hung_one_runs(void **state)
{
	struct kit bad, good;

	(void)state;
	kit_init(&bad, fd, KIT_HANG, 1);
	kit_init(&good, fd, KIT_GOOD, 2);
	assert_int_equal(kit_submit(&bad), 0);
	assert_int_equal(kit_submit(&good), 0);
	assert_int_equal(kit_wait(&good, PATIENCE_MS), 0);
	assert_true(kit_is_right(&good));
	assert_int_equal(kit_wait(&bad, 0), -EIO); /* in order: it ended before */
}

/* Make a kit's program keep the operands of the task before it (CBUF_CON0). */
static void reuse_operands(struct kit *kit)
{
	uint64_t *word = kit->prog.ptr;

	for (uint32_t i = 0; i < kit->task.regcmd_count; i++)
		if (word[i] >> 48 == 0x0201 && (word[i] & 0xffff) == 0x1040)
			word[i] |= UINT64_C(0x3000) << 16;
}

static void job_never_finds_the_operands_of_another(void **state)
{
	struct kit before[4], kit;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		kit_init(&before[i], fd, KIT_GOOD, 1);
	kit_init(&kit, fd, KIT_GOOD, 2);
	reuse_operands(&kit);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(kit_submit(&before[i]), 0);
	assert_int_equal(kit_submit(&kit), 0);
	assert_int_equal(kit_wait(&kit, PATIENCE_MS), 0);
	assert_true(kit_is_right(&kit));
}

static void other_file_is_not_harmed(void **state)
{
	struct kit bad, good;
	int other;

	(void)state;
	reopen_with(LONG_MS);
	other = raw_open();
	kit_init(&bad, fd, KIT_FAULT, 1);
	kit_init(&good, other, KIT_GOOD, 2);
	assert_int_equal(kit_submit(&bad), 0);
	assert_int_equal(kit_submit(&good), 0);
	assert_int_equal(kit_wait(&good, PATIENCE_MS), 0);
	assert_int_equal(kit_wait(&bad, 0), -EBUSY); /* on a core of its own */
	for (unsigned i = 0; i < 20; i++) {
		kit_stamp(&good);
		assert_int_equal(kit_submit(&good), 0);
		assert_int_equal(kit_wait(&good, PATIENCE_MS), 0);
		assert_true(kit_is_right(&good));
	}
	assert_int_equal(kit_wait(&bad, PATIENCE_MS), -EIO);
	raw_close(other);
}

static void prep_busy_follows_the_deadline(void **state)
{
	uint64_t start, took;
	struct kit bad;

	(void)state;
	reopen_with(LONG_MS);
	kit_init(&bad, fd, KIT_HANG, 1);
	assert_int_equal(kit_submit(&bad), 0);
	assert_int_equal(kit_wait(&bad, 0), -EBUSY);
	start = test_now_ns();
	assert_int_equal(kit_wait(&bad, 20), -ETIMEDOUT);
	took = test_now_ns() - start;
	assert_true(took >= UINT64_C(20000000));
	assert_true(took < NANOSECONDS(LONG_MS));
	assert_int_equal(kit_wait(&bad, PATIENCE_MS), -EIO);
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void prep_is_interrupted_by_a_signal(void **state)
{
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = SA_RESTART }, old;
	struct itimerval every_20_ms = { { 0, 20000 }, { 0, 20000 } }, never = { 0 };
	struct kit bad;
	uint64_t start;

	(void)state;
	reopen_with(LONG_MS);
	start = test_now_ns();
	kit_init(&bad, fd, KIT_HANG, 1);
	assert_int_equal(sigaction(SIGALRM, &act, &old), 0);
	assert_int_equal(kit_submit(&bad), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &every_20_ms, NULL), 0); /* one comes in the wait */
	assert_int_equal(kit_wait(&bad, PATIENCE_MS), -EINTR);
	assert_true(test_now_ns() - start < NANOSECONDS(LONG_MS));
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	assert_int_equal(kit_wait(&bad, PATIENCE_MS), -EIO);
	sigaction(SIGALRM, &old, NULL);
}

static void buffers_closed_under_a_job_last_until_it_ends(void **state)
{
	enum { N = 500 };
	struct drm_rocket_task tasks[N];
	struct kit kit;

	(void)state;
	kit_init(&kit, fd, KIT_GOOD, 3);
	for (unsigned i = 0; i < N; i++)
		tasks[i] = kit.task;
	kit.job.tasks = (uintptr_t)tasks;
	kit.job.task_count = N;
	assert_int_equal(kit_submit(&kit), 0);
	assert_int_equal(raw_gem_close(fd, kit.prog.handle), 0);
	assert_int_equal(raw_gem_close(fd, kit.a.handle), 0);
	assert_int_equal(raw_gem_close(fd, kit.b.handle), 0);
	assert_int_equal(sim_dev_munmap(fd, kit.a.ptr, 4096), 0);
	assert_int_equal(sim_dev_munmap(fd, kit.b.ptr, 4096), 0);
	assert_int_equal(kit_wait(&kit, PATIENCE_MS), 0);
	assert_true(kit_is_right(&kit));
}

static void buffer_freed_under_a_kick_faults_and_harms_nobody(void **state)
{
	enum { N = 3000 };
	static struct drm_rocket_task tasks[N];
	struct kit kit;
	int r;

	(void)state;
	kit_init(&kit, fd, KIT_GOOD, 3);
	for (unsigned i = 0; i < N; i++)
		tasks[i] = kit.task;
	kit.job.tasks = (uintptr_t)tasks;
	kit.job.task_count = N;
	kit.job.in_bo_handle_count = 1; /* the operands are not named, so nothing holds them */
	assert_int_equal(kit_submit(&kit), 0);
	assert_int_equal(sim_dev_munmap(fd, kit.a.ptr, 4096), 0);
	assert_int_equal(raw_gem_close(fd, kit.a.handle), 0);
	r = kit_wait(&kit, PATIENCE_MS);
	assert_true(r == 0 || r == -EIO);
	kit_init(&kit, fd, KIT_GOOD, 4);
	assert_int_equal(kit_submit(&kit), 0);
	assert_int_equal(kit_wait(&kit, PATIENCE_MS), 0);
	assert_true(kit_is_right(&kit));
}

/* All three hang at the same time: none of them ends by itself. */
static void files_run_side_by_side(void **state)
{
	struct kit kits[3];
	int fds[3];

	(void)state;
	reopen_with(FOR_EVER_MS);
	fds[0] = fd;
	fds[1] = raw_open();
	fds[2] = raw_open();
	for (unsigned i = 0; i < 3; i++) {
		kit_init(&kits[i], fds[i], KIT_HANG, i);
		assert_int_equal(kit_submit(&kits[i]), 0);
	}
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(test_await_kicks(fds[i], 1), 1);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(kit_wait(&kits[i], 0), -EBUSY);
	raw_close(fds[1]);
	raw_close(fds[2]);
}

/* Three hung jobs take three timeouts, with two more cores idle. */
static void jobs_of_one_file_run_in_a_row(void **state)
{
	struct kit kit;
	uint64_t start;

	(void)state;
	kit_init(&kit, fd, KIT_HANG, 1);
	start = test_now_ns();
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(kit_submit(&kit), 0);
	assert_int_equal(kit_wait(&kit, PATIENCE_MS), -EIO);
	assert_true(test_now_ns() - start >= 3 * TIMEOUT_NS);
}

static void close_with_jobs_in_flight_leaks_nothing(void **state)
{
	unsigned fds = test_count_fds(), threads;
	static const enum kit_kind kinds[] = { KIT_GOOD, KIT_HANG, KIT_FAULT, KIT_GOOD };
	uint64_t start = test_now_ns();

	(void)state;
	raw_close(fd); /* the device itself comes and goes, too */
	threads = test_count_threads();
	for (unsigned i = 0; i < 200; i++) {
		struct kit kit;

		fd = raw_open();
		kit_init(&kit, fd, kinds[i % 4], i);
		for (unsigned k = 0; k < 4; k++)
			assert_int_equal(kit_submit(&kit), 0);
		raw_close(fd);
		sim_dev_munmap(fd, kit.prog.ptr, 4096);
		sim_dev_munmap(fd, kit.a.ptr, 4096);
		sim_dev_munmap(fd, kit.b.ptr, 4096);
		sim_dev_munmap(fd, kit.c.ptr, 4096);
	}
	/* Hung jobs are not waited for: that would be 100 s and more. */
	assert_true(test_now_ns() - start < UINT64_C(6000000000));
	assert_true(test_threads_are(threads));
	fd = raw_open();
	assert_int_equal(test_count_fds(), fds);
}

struct closer {
	int fd;
	unsigned ms;
};

static void *close_soon(void *arg)
{
	const struct closer *c = arg;

	test_sleep_ms(c->ms);
	raw_close(c->fd);
	return NULL;
}

/* A call holds the file it was made on, as in the kernel: the job is not cancelled under it. A wait
 * that begins too late finds no file: then the close comes later. */
static void wait_outlasts_the_close_of_its_file(void **state)
{
	struct closer closer = { .ms = 30 };
	int r;

	(void)state;
	reopen_with(LONG_MS);
	do {
		uint64_t start = test_now_ns();
		pthread_t thread;
		struct kit bad;

		closer.fd = raw_open();
		kit_init(&bad, closer.fd, KIT_HANG, 1);
		assert_int_equal(kit_submit(&bad), 0);
		assert_int_equal(pthread_create(&thread, NULL, close_soon, &closer), 0);
		r = kit_wait(&bad, PATIENCE_MS);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(raw_prep(closer.fd, bad.c.handle, 0), -EBADF);
		assert_true(r == -EBADF || test_now_ns() - start >= NANOSECONDS(LONG_MS));
		closer.ms *= 2;
	} while (r == -EBADF && closer.ms < PATIENCE_MS);
	assert_int_equal(r, -EIO);
}

struct worker {
	pthread_t thread;
	int fd;
	unsigned seed;
	bool ok;
};

static void *submit_and_check(void *arg)
{
	struct worker *w = arg;
	struct kit kit;

	kit_init(&kit, w->fd, KIT_GOOD, w->seed);
	w->ok = true;
	for (unsigned i = 0; i < 100 && w->ok; i++) {
		kit_stamp(&kit);
		w->ok = kit_submit(&kit) == 0 && kit_wait(&kit, PATIENCE_MS) == 0 &&
			kit_is_right(&kit);
	}
	return NULL;
}

static void run_workers(struct worker *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(pthread_create(&w[i].thread, NULL, submit_and_check, &w[i]), 0);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(pthread_join(w[i].thread, NULL), 0);
	for (unsigned i = 0; i < n; i++)
		assert_true(w[i].ok);
}

static void threads_two_share_one_file(void **state)
{
	struct worker w[2] = { { .fd = fd, .seed = 1 }, { .fd = fd, .seed = 2 } };

	(void)state;
	run_workers(w, 2);
}

static void threads_three_with_a_file_each(void **state)
{
	struct worker w[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		w[i] = (struct worker){ .fd = i ? raw_open() : fd, .seed = i };
	run_workers(w, 3);
	raw_close(w[1].fd);
	raw_close(w[2].fd);
}

static void counters_count_kicks_of_the_file_and_the_device(void **state)
{
	struct npu_counters mine, others, all;
	int other = raw_open();
	struct kit kit;

	(void)state;
	sim_dev_counters_reset(-1);
	kit_init(&kit, fd, KIT_GOOD, 1);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(kit_submit(&kit), 0);
	assert_int_equal(kit_wait(&kit, PATIENCE_MS), 0);
	assert_int_equal(sim_dev_counters(fd, &mine), 0);
	assert_int_equal(sim_dev_counters(other, &others), 0);
	assert_int_equal(sim_dev_counters(-1, &all), 0);
	assert_int_equal(mine.kicks, 5);
	assert_int_equal(mine.tasks, 5);
	assert_int_equal(mine.macs, 5 * KIT_M * KIT_K * KIT_N);
	assert_int_equal(others.kicks, 0);
	assert_int_equal(all.kicks, 5);
	sim_dev_counters_reset(fd);
	assert_int_equal(sim_dev_counters(fd, &mine), 0);
	assert_int_equal(mine.kicks, 0);
	assert_int_equal(sim_dev_counters(12345, &mine), -1);
	assert_int_equal(errno, EBADF);
	raw_close(other);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(job_hung_is_reported_when_the_timeout_ends),
		T(job_faulted_is_reported_as_eio),
		T(program_unmapped_is_reported),
		T(error_goes_away_with_the_next_good_job),
		T(error_goes_away_when_the_buffer_is_handed_back),
		T(error_passes_on_to_what_is_made_of_the_output),
		T(error_is_hidden_before_1_7),
		T(input_of_a_failed_job_is_waited_for_and_clean),
		T(job_behind_a_hung_one_runs),
		T(job_never_finds_the_operands_of_another),
		T(other_file_is_not_harmed),
		T(prep_busy_follows_the_deadline),
		T(prep_is_interrupted_by_a_signal),
		T(buffers_closed_under_a_job_last_until_it_ends),
		T(buffer_freed_under_a_kick_faults_and_harms_nobody),
		T(files_run_side_by_side),
		T(jobs_of_one_file_run_in_a_row),
		T(close_with_jobs_in_flight_leaks_nothing),
		T(wait_outlasts_the_close_of_its_file),
		T(threads_two_share_one_file),
		T(threads_three_with_a_file_each),
		T(counters_count_kicks_of_the_file_and_the_device),
	};

	setenv("ROCKET_SIM_TIMEOUT_MS", "300", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
