// SPDX-License-Identifier: LGPL-2.1-or-later
/* A device that is late, interrupts too often or not at all: on the virtual board only. */
#include "fault.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cores.h"
#include "knobs.h"
#include "load.h"

#define DMA_READ_ERROR (1u << 12)

/* Four tasks of 20 ms, with an interrupt of the MMU, which shares the line, at the end of each. */
static void interrupt_of_the_mmu_retires_nothing(struct test *t)
{
	const unsigned tasks = 4, ms = 20;
	struct knobs k;
	int64_t start, took;
	struct load l;

	if (!knobs_open(t, &k))
		return;
	if (load_make(&l, t, test_file(t), &small_matmul, tasks, LOAD_INTEGERS)) {
		knob_set(&k, TEST_DELAY, ms * 1000);
		knob_set(&k, TEST_STOP_BUS, 100);
		start = now_ns();
		load_run_right(&l);
		took = (now_ns() - start) / MS;
		CHECK(t, knob_sum(&k, TEST_COMPLETIONS) == tasks, "%u completions",
		      knob_sum(&k, TEST_COMPLETIONS));
		CHECK(t, !knob_sum(&k, TEST_ABORTED), "%u kicks aborted",
		      knob_sum(&k, TEST_ABORTED));
		CHECK(t, took >= tasks * ms, "done after %lld ms", (long long)took);
	}
	knobs_close(&k);
}

/* The completion of one job comes twice, the second time into the next job. */
static void interrupt_that_comes_twice_retires_one_job(struct test *t)
{
	struct file *f = test_file(t);
	struct load a, b;
	struct knobs k;

	if (!knobs_open(t, &k))
		return;
	if (load_make(&a, t, f, &small_matmul, 1, LOAD_INTEGERS) &&
	    load_make(&b, t, f, &small_matmul, 1, LOAD_INTEGERS)) {
		knob_set(&k, TEST_DELAY, 50000);
		knob_set(&k, TEST_LATER, 10000);
		knob_set(&k, TEST_REPEAT, 1);
		CHECK(t, !load_submit(&a) && !load_submit(&b), "SUBMIT");
		CHECK(t, !load_wait(&a, 10 * SECOND) && load_judge(&a, 1), "first job");
		CHECK(t, !load_wait(&b, 10 * SECOND) && load_judge(&b, 1), "second job");
		CHECK(t, knob_sum(&k, TEST_COMPLETIONS) == 2 && !knob_sum(&k, TEST_ABORTED),
		      "%u completions, %u aborted", knob_sum(&k, TEST_COMPLETIONS),
		      knob_sum(&k, TEST_ABORTED));
	}
	knobs_close(&k);
}

static void interrupt_that_is_lost_is_a_timeout(struct test *t)
{
	struct file *f = test_file(t);
	struct knobs k;
	struct load l;
	int ret;

	if (!knobs_open(t, &k))
		return;
	if (load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS)) {
		knob_set(&k, TEST_DROP, 1);
		CHECK(t, !load_submit(&l), "SUBMIT");
		ret = load_wait(&l, 10 * SECOND);
		CHECK(t, load_failed_as_told(&l, ret), "PREP_BO: %s", strerror(-ret));
		knob_set(&k, TEST_CLEAR, TEST_CLEAR_ALL);
		load_stamp(&l);
		load_run_right(&l);
	}
	knobs_close(&k);
}

/* The status says that the job has ended: late, but right, and no reason for a reset. */
static void completion_without_an_interrupt_is_found_at_the_timeout(struct test *t)
{
	int64_t start, took, timeout = job_timeout(t);
	struct knobs k;
	struct load l;

	if (!knobs_open(t, &k))
		return;
	if (load_make(&l, t, test_file(t), &small_matmul, 2, LOAD_INTEGERS)) {
		knob_set(&k, TEST_MUTE, 2);
		start = now_ns();
		load_run_right(&l);
		took = now_ns() - start;
		CHECK(t, took > timeout * 4 / 5, "an interrupt came after %lld ms",
		      (long long)(took / MS));
		CHECK(t, !knob_sum(&k, TEST_RESETS), "%u resets", knob_sum(&k, TEST_RESETS));
		load_stamp(&l);
		load_run_right(&l);
	}
	knobs_close(&k);
}

/* ---- two jobs, of which the first ends about when its time is up ---- */

struct pair {
	struct knobs k;
	struct load first, next;
};

/* false: the test is skipped, or recorded. */
static bool pair_open(struct test *t, struct pair *p)
{
	struct file *f;

	if (!knobs_open(t, &p->k))
		return false;
	f = test_file(t);
	if (load_make(&p->first, t, f, &small_matmul, 1, LOAD_INTEGERS) &&
	    load_make(&p->next, t, f, &small_matmul, 1, LOAD_INTEGERS))
		return true;
	knobs_close(&p->k);
	return false;
}

static void pair_close(struct pair *p)
{
	inject_off();
	knobs_close(&p->k);
}

/* The first takes so long, the next 30 ms: what waiting for the next one gave. */
static int pair_run(struct test *t, struct pair *p, uint32_t first_us)
{
	knob_set(&p->k, TEST_CLEAR, TEST_CLEAR_ALL);
	knob_set(&p->k, TEST_DELAY, first_us);
	knob_set(&p->k, TEST_NEXT_DELAY, 30000);
	load_stamp(&p->first);
	load_stamp(&p->next);
	CHECK(t, !load_submit(&p->first) && !load_submit(&p->next), "SUBMIT");
	load_wait(&p->first, 10 * SECOND);
	return load_wait(&p->next, 10 * SECOND);
}

/*
 * A job ends just as its time is up: whatever is said of it, the next one runs undisturbed. Where
 * that can be, the handler comes 20 ms late, so that the next one has started.
 */
static void completion_at_the_timeout_spares_the_next_job(struct test *t)
{
	const unsigned rounds = test_rounds(t, 8, 70);
	const uint32_t timeout_us = (uint32_t)(job_timeout(t) / 1000);
	struct pair p;

	if (!pair_open(t, &p))
		return;
	for (unsigned i = 0; i < rounds && !test_failed(t); i++) {
		int ret;

		if (!access(INJECT, W_OK))
			inject(t, "pause rocket_job_timedout 20 0");
		ret = pair_run(t, &p, timeout_us - 1000 + i % 8 * 1000);
		CHECK(t, !ret && load_judge(&p.next, 1), "round %u: next job: %s", i,
		      strerror(-ret));
		CHECK(t, !knob_sum(&p.k, TEST_ABORTED), "round %u: a kick was aborted", i);
	}
	pair_close(&p);
}

/*
 * A job ends while the one that timed out is being taken away, which here takes 20 ms more: the
 * next one, which starts then, has its kick. (Whether it is spared is for the test above.)
 */
static void job_that_starts_at_a_timeout_is_kicked(struct test *t)
{
	const unsigned rounds = test_rounds(t, 8, 40);
	const uint32_t timeout_us = (uint32_t)(job_timeout(t) / 1000);
	struct pair p;

	if (!pair_open(t, &p))
		return;
	for (unsigned i = 0; i < rounds && !test_failed(t); i++) {
		if (!inject(t, "pause drm_sched_stop 20 0"))
			break;
		pair_run(t, &p, timeout_us + 4000 + i % 4 * 4000);
		CHECK(t, knob_sum(&p.k, TEST_KICKS) == 2, "round %u: two jobs, %u kicks", i,
		      knob_sum(&p.k, TEST_KICKS));
	}
	pair_close(&p);
}

/* Ten tasks, each well within the time that the whole job exceeds. */
static void tasks_that_are_slow_are_not_hung(struct test *t)
{
	const unsigned tasks = 10;
	struct knobs k;
	struct load l;

	if (!knobs_open(t, &k))
		return;
	if (load_make(&l, t, test_file(t), &small_matmul, tasks, LOAD_INTEGERS)) {
		knob_set(&k, TEST_DELAY, (uint32_t)(job_timeout(t) / 1000 / 4));
		load_run_right(&l);
		CHECK(t, knob_sum(&k, TEST_COMPLETIONS) == tasks, "%u completions",
		      knob_sum(&k, TEST_COMPLETIONS));
		CHECK(t, !knob_sum(&k, TEST_RESETS), "the core was reset");
	}
	knobs_close(&k);
}

/* The line goes up while the core sleeps: its registers are not there to be read. */
static void interrupt_of_a_sleeping_core_touches_nothing(struct test *t)
{
	struct cores cores;
	struct knobs k;
	struct load l;

	if (!cores_find(t, &cores) || !knobs_open(t, &k))
		return;
	if (load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS) && load_run_right(&l) &&
	    CHECK(t, cores_sleep(&cores, 5 * SECOND), "no sleep")) {
		knob_set(&k, TEST_CLEAR, TEST_CLEAR_ALL);
		knob_set(&k, TEST_TRIGGER, TEST_TRIGGER_LINE);
		sleep_ms(100);
		CHECK(t, !knob_sum(&k, TEST_RAW_READS), "%u reads", knob_sum(&k, TEST_RAW_READS));
		CHECK(t, !knob_sum(&k, TEST_MASK_ZEROS), "%u writes",
		      knob_sum(&k, TEST_MASK_ZEROS));
		CHECK(t, !knob_sum(&k, TEST_MMIO_OFF), "%u accesses without power",
		      knob_sum(&k, TEST_MMIO_OFF));
		CHECK(t, cores_are(&cores, "suspended"), "a core woke up");
	}
	knob_set(&k, TEST_CLEAR, TEST_CLEAR_ALL);
	load_stamp(&l);
	load_run_right(&l);
	knobs_close(&k);
}

/* Nothing that the driver maps is read-only: the fault is that of a write where one may read. */
static void write_to_a_read_only_page_is_told(struct test *t)
{
	struct file *f = test_file(t);
	struct load l, next;
	struct knobs k;
	int ret;

	if (!knobs_open(t, &k))
		return;
	if (load_make(&l, t, f, &small_matmul, 3, LOAD_INTEGERS) &&
	    load_make(&next, t, test_file(t), &small_matmul, 3, LOAD_INTEGERS)) {
		knob_set(&k, TEST_FAULT_IOVA, l.out->dma | 1);
		knob_set(&k, TEST_FAULT, 1);
		CHECK(t, !load_submit(&l), "SUBMIT");
		ret = load_wait(&l, 10 * SECOND);
		CHECK(t, load_failed_as_told(&l, ret), "PREP_BO: %s", strerror(-ret));
		CHECK(t, knob_sum(&k, TEST_FAULTS) == 1, "%u faults", knob_sum(&k, TEST_FAULTS));
		CHECK(t, load_slot_untouched(&l, 0), "it wrote");
		knob_set(&k, TEST_CLEAR, TEST_CLEAR_ALL);
		for (unsigned i = 0; i < 2 * BOARD_CORES && load_run_right(&next); i++)
			load_stamp(&next);
		load_stamp(&l);
		load_run_right(&l);
	}
	knobs_close(&k);
}

static void run_with_dma_error(struct test *t, bool with_completion)
{
	int64_t start, took;
	struct knobs k;
	struct load l;
	int ret;

	if (!knobs_open(t, &k))
		return;
	if (load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS)) {
		knob_set(&k, TEST_ERROR_BITS, DMA_READ_ERROR);
		if (!with_completion)
			knob_set(&k, TEST_ERROR_ONLY, 1);
		start = now_ns();
		CHECK(t, !load_submit(&l), "SUBMIT");
		ret = load_wait(&l, 10 * SECOND);
		took = now_ns() - start;
		CHECK(t, load_failed_as_told(&l, ret), "PREP_BO: %s", strerror(-ret));
		CHECK(t, took < job_timeout(t), "told after %lld ms", (long long)(took / MS));
		knob_set(&k, TEST_CLEAR, TEST_CLEAR_ALL);
		load_stamp(&l);
		load_run_right(&l);
	}
	knobs_close(&k);
}

static void dma_error_alone_fails_the_job(struct test *t)
{
	run_with_dma_error(t, false);
}

static void dma_error_beside_the_completion_fails_the_job(struct test *t)
{
	run_with_dma_error(t, true);
}

/* One file at work: its address space stays where it is. */
static void mmu_is_left_attached_between_jobs(struct test *t)
{
	const unsigned jobs = 100;
	uint32_t before, after;
	struct cores c;
	struct knobs k;
	struct load l;

	if (!cores_find(t, &c) || !knobs_open(t, &k))
		return;
	cores_write(&c, "power/control", "on"); /* a core that slept attaches anew */
	if (load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS)) {
		for (unsigned i = 0; i < 6; i++) /* each core has seen the file */
			load_run_right(&l);
		before = knob_sum(&k, TEST_FORCED(0));
		for (unsigned i = 0; i < jobs && load_run_right(&l); i++)
			;
		after = knob_sum(&k, TEST_FORCED(0));
		tap_note("%u resets of an MMU in %u jobs", after - before, jobs);
		CHECK(t, after - before <= 6, "%u resets in %u jobs", after - before, jobs);
	}
	cores_write(&c, "power/control", "auto");
	knobs_close(&k);
}

/* What the registers of a core call it is what its address says. */
static void core_is_told_its_own_number(struct test *t)
{
	struct knobs k;
	struct load l[BOARD_CORES];

	if (!knobs_open(t, &k))
		return;
	knob_set(&k, TEST_DELAY, 100000); /* long enough that each file takes a core */
	for (unsigned i = 0; i < BOARD_CORES; i++)
		CHECK(t,
		      load_make(&l[i], t, test_file(t), &small_matmul, 1, LOAD_INTEGERS) &&
			      !load_submit(&l[i]),
		      "no job");
	for (unsigned i = 0; i < BOARD_CORES && !test_failed(t); i++)
		CHECK(t, !load_wait(&l[i], 10 * SECOND), "job %u", i);
	for (unsigned i = 0; i < BOARD_CORES; i++)
		if (knob_get(&k, i, TEST_KICKS))
			CHECK(t, knob_get(&k, i, TEST_LAST_S_POINTER) == (0xe | i << 28),
			      "core %u: %#x", i, knob_get(&k, i, TEST_LAST_S_POINTER));
		else
			CHECK(t, false, "core %u had no job", i);
	knobs_close(&k);
}

static const struct test_case cases[] = {
	{ .name = "interrupt_of_the_mmu_retires_nothing",
	  .run = interrupt_of_the_mmu_retires_nothing,
	  .expects = EXPECT_JUDGED_COMPLETION,
	  .needs = NEED_ROOT },
	{ .name = "interrupt_that_comes_twice_retires_one_job",
	  .run = interrupt_that_comes_twice_retires_one_job,
	  .expects = EXPECT_JUDGED_COMPLETION,
	  .needs = NEED_ROOT },
	{ .name = "interrupt_that_is_lost_is_a_timeout",
	  .run = interrupt_that_is_lost_is_a_timeout,
	  .needs = NEED_ROOT,
	  .log = KLOG_TIMEOUT },
	{ .name = "completion_without_an_interrupt_is_found_at_the_timeout",
	  .run = completion_without_an_interrupt_is_found_at_the_timeout,
	  .expects = EXPECT_JUDGED_COMPLETION,
	  .needs = NEED_ROOT },
	{ .name = "completion_at_the_timeout_spares_the_next_job",
	  .run = completion_at_the_timeout_spares_the_next_job,
	  .expects = EXPECT_LONG_JOBS,
	  .needs = NEED_ROOT,
	  .log = KLOG_TIMEOUT,
	  .seconds = 60 },
	{ .name = "job_that_starts_at_a_timeout_is_kicked",
	  .run = job_that_starts_at_a_timeout_is_kicked,
	  .expects = EXPECT_LONG_JOBS,
	  .needs = NEED_ROOT,
	  .log = KLOG_TIMEOUT,
	  .seconds = 60 },
	{ .name = "tasks_that_are_slow_are_not_hung",
	  .run = tasks_that_are_slow_are_not_hung,
	  .expects = EXPECT_LONG_JOBS,
	  .needs = NEED_ROOT },
	{ .name = "interrupt_of_a_sleeping_core_touches_nothing",
	  .run = interrupt_of_a_sleeping_core_touches_nothing,
	  .expects = EXPECT_JUDGED_COMPLETION,
	  .needs = NEED_ROOT },
	{ .name = "write_to_a_read_only_page_is_told",
	  .run = write_to_a_read_only_page_is_told,
	  .needs = NEED_ROOT,
	  .log = KLOG_TIMEOUT | KLOG_FAULT },
	{ .name = "dma_error_alone_fails_the_job",
	  .run = dma_error_alone_fails_the_job,
	  .expects = EXPECT_DMA_ERRORS,
	  .needs = NEED_ROOT,
	  .log = KLOG_DMA },
	{ .name = "dma_error_beside_the_completion_fails_the_job",
	  .run = dma_error_beside_the_completion_fails_the_job,
	  .expects = EXPECT_DMA_ERRORS,
	  .needs = NEED_ROOT,
	  .log = KLOG_DMA },
	{ .name = "mmu_is_left_attached_between_jobs",
	  .run = mmu_is_left_attached_between_jobs,
	  .expects = EXPECT_MMU_ANSWERS,
	  .needs = NEED_ROOT },
	{ .name = "core_is_told_its_own_number",
	  .run = core_is_told_its_own_number,
	  .expects = EXPECT_CORE_NUMBERS,
	  .needs = NEED_ROOT },
};

struct test_table device_fault_cases(void)
{
	return TEST_TABLE(cases);
}
