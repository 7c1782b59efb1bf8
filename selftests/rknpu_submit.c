// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rknpu.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "vendor.h"

#define HUNG_MS 300u /* the driver waits so long up to three times */

/* ---- what SUBMIT gives ---- */

static void submit_waits_for_its_job(struct test *t)
{
	struct file *f = test_file(t);
	struct vendor_job j;
	uint32_t status;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	for (unsigned i = 0; i < 20; i++) {
		load_stamp(&j.load);
		REQUIRE(t, vendor_run_right(&j), "round %u", i);
	}
	status = vendor_task(&j, 0)->int_status;
	CHECK(t, j.submit.task_counter == 1, "task_counter %u", j.submit.task_counter);
	CHECK(t, status && !(status & ~RKNPU_INT_DPU), "int_status %#x", status);
	CHECK(t, j.submit.hw_elapse_time > 0, "%lld ns", (long long)j.submit.hw_elapse_time);
}

static void chain_is_one_submit(struct test *t)
{
	struct file *f = test_file(t);
	struct vendor_job j;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 9, LOAD_INTEGERS), "no job");
	CHECK(t, vendor_run_right(&j), "a chain of nine");
	CHECK(t, j.submit.task_counter == 9, "task_counter %u", j.submit.task_counter);
	CHECK(t, vendor_task(&j, 8)->int_status & RKNPU_INT_DPU, "status of the last: %#x",
	      vendor_task(&j, 8)->int_status);
}

/* The links alone lead on: what the list says of a later task's program is not read. */
static void programs_behind_the_first_are_found_by_links(struct test *t)
{
	struct file *f = test_file(t);
	struct vendor_job j;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 4, LOAD_INTEGERS), "no job");
	for (unsigned i = 1; i < 4; i++) {
		vendor_task(&j, i)->regcmd_addr = 0x1000;
		vendor_task(&j, i)->regcfg_amount = 2;
	}
	CHECK(t, vendor_run_right(&j), "a chain of four");
}

static void first_task_may_be_a_later_one(struct test *t)
{
	struct file *f = test_file(t);
	struct vendor_job j;
	int ret;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 4, LOAD_INTEGERS), "no job");
	j.submit.task_start = 2;
	j.submit.task_number = 2;
	for (unsigned c = 0; c < VENDOR_CORES; c++)
		j.submit.subcore_task[c] = (struct rknpu_subcore_task){ 2, 2 };
	ret = vendor_submit(&j);
	REQUIRE(t, !ret, "SUBMIT: %s", strerror(-ret));
	CHECK(t, vendor_right(&j, 2, 4) && vendor_untouched(&j, 0, 2), "tasks 2 and 3 of 4");
}

/* ---- refused at once ---- */

struct bad_submit {
	void (*spoil)(struct rknpu_submit *args);
	int ret;
};

static void without_pc(struct rknpu_submit *args)
{
	args->flags &= ~RKNPU_JOB_PC;
}

static void without_tasks(struct rknpu_submit *args)
{
	args->task_number = 0;
}

static void without_list(struct rknpu_submit *args)
{
	args->task_obj_addr = 0;
}

static void on_a_core_too_many(struct rknpu_submit *args)
{
	args->core_mask = 8;
}

static void after_no_fence(struct rknpu_submit *args)
{
	args->flags |= RKNPU_JOB_FENCE_IN;
	args->fence_fd = -1;
}

static void with_a_foreign_list(struct rknpu_submit *args)
{
	args->task_obj_addr ^= 0x100;
}

static void past_the_list(struct rknpu_submit *args)
{
	for (unsigned c = 0; c < VENDOR_CORES; c++)
		args->subcore_task[c].task_start = PAGE;
}

static void with_a_count_past_the_list(struct rknpu_submit *args)
{
	args->task_number = 1u << 30;
	for (unsigned c = 0; c < VENDOR_CORES; c++)
		args->subcore_task[c].task_number = 1u << 30;
}

static void submit_is_refused(struct test *t)
{
	const struct bad_submit *bad = t->as->arg;
	struct file *f = test_file(t);
	struct vendor_job j;
	struct rknpu_submit good;
	int ret;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	good = j.submit;
	bad->spoil(&j.submit);
	ret = vendor_submit(&j);
	CHECK(t, ret == bad->ret, "%s, must be: %s", strerror(-ret), strerror(-bad->ret));
	CHECK(t, vendor_untouched(&j, 0, 1), "the refused job ran");
	j.submit = good;
	CHECK(t, vendor_run_right(&j), "a good one behind it");
}

static void list_without_a_mapping_in_the_kernel_is_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct vendor_job j;
	struct bo *plain;
	int ret;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	REQUIRE(t, (plain = vendor_object(t, f, PAGE, 0)), "no object");
	memcpy(plain->map, j.tasks->map, sizeof(struct rknpu_task));
	j.submit.task_obj_addr = plain->object;
	ret = vendor_submit(&j);
	CHECK(t, ret == -EFAULT, "%s", strerror(-ret));
}

/* ---- jobs that never end ---- */

/* ETIMEDOUT, not before its time, and then the cores are as good as new. */
static void times_out(struct test *t, struct vendor_job *j)
{
	const int64_t least = t->node->calls->in_process ? 0 : HUNG_MS * MS;
	struct vendor_job after;
	int64_t start, took;
	int ret;

	j->submit.timeout = HUNG_MS;
	start = now_ns();
	ret = vendor_submit(j);
	took = now_ns() - start;
	CHECK(t, ret == -ETIMEDOUT, "%s", strerror(-ret));
	CHECK(t, took >= least && took < 20 * SECOND, "after %lld ms", (long long)(took / MS));
	REQUIRE(t,
		vendor_job_make(&after, t, j->load.f, &small_matmul, 3, LOAD_INTEGERS) &&
			vendor_run_right(&after),
		"a good job behind it");
}

static void hung_task_times_out(struct test *t)
{
	struct file *f = test_file(t);
	struct vendor_job j;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	vendor_job_hang(&j, 0);
	times_out(t, &j);
	CHECK(t, vendor_untouched(&j, 0, 1), "it wrote");
}

static void unmapped_operand_times_out(struct test *t)
{
	struct file *f = test_file(t);
	struct matmul mm;
	struct vendor_job j;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	mm = load_matmul(&j.load, 0);
	mm.in = 0x1000;
	matmul_program(&mm, load_words(&j.load, 0));
	load_stamp(&j.load);
	times_out(t, &j);
}

static void chain_that_ends_early_times_out(struct test *t)
{
	struct file *f = test_file(t);
	struct vendor_job j;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 4, LOAD_INTEGERS), "no job");
	vendor_job_cut(&j, 2);
	times_out(t, &j);
	CHECK(t, vendor_right(&j, 0, 2) && vendor_untouched(&j, 2, 4), "two of four tasks");
}

static void interrupt_that_never_comes_times_out(struct test *t)
{
	struct file *f = test_file(t);
	struct vendor_job j;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	vendor_task(&j, 0)->int_mask = RKNPU_INT_PPU;
	times_out(t, &j);
}

static void cores_that_are_no_gang_time_out(struct test *t)
{
	struct file *f = test_file(t);
	struct vendor_job j;

	for (uint32_t mask = 5; mask <= 6; mask++) {
		REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 1, LOAD_INTEGERS),
			"no job");
		j.submit.core_mask = mask;
		times_out(t, &j);
		CHECK(t, vendor_untouched(&j, 0, 1), "mask %u ran", mask);
	}
}

/* ---- fences, many at once ---- */

static void fence_tells_of_a_job_that_nobody_waits_for(struct test *t)
{
	struct file *f = test_file(t);
	struct pollfd p = { .events = POLLIN };
	struct vendor_job j;
	int ret;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 5, LOAD_INTEGERS), "no job");
	j.submit.flags |= RKNPU_JOB_NONBLOCK | RKNPU_JOB_FENCE_OUT;
	j.submit.timeout = 1000000; /* compared with microseconds, too */
	ret = vendor_submit(&j);
	if (ret == -EINVAL) {
		test_skip(t, "the driver is built without fences");
		return;
	}
	REQUIRE(t, !ret && j.submit.fence_fd >= 0, "SUBMIT: %s", strerror(-ret));
	p.fd = j.submit.fence_fd;
	CHECK(t, poll(&p, 1, 20000) == 1, "no job ended in 20 s");
	close(p.fd);
	CHECK(t, vendor_right(&j, 0, 5), "five tasks");
}

#define CLIENTS 8

struct client {
	struct test verdict;
	pthread_t thread;
	unsigned rounds, done;
};

static void *submit_again_and_again(void *arg)
{
	struct client *c = arg;
	struct test *t = &c->verdict;
	struct vendor_job j;
	struct file *f;

	test_files_begin(t);
	f = test_file(t);
	if (f && vendor_job_make(&j, t, f, &small_matmul, 3, LOAD_INTEGERS))
		for (c->done = 0; c->done < c->rounds && vendor_run_right(&j); c->done++)
			load_stamp(&j.load);
	test_files_end(t);
	return NULL;
}

static void clients_get_their_own_results(struct test *t)
{
	struct client *c = test_alloc(t, CLIENTS * sizeof(*c));
	unsigned n = 0;

	REQUIRE(t, c, "no memory");
	for (; n < CLIENTS; n++) {
		c[n].rounds = test_rounds(t, 100, 5000);
		c[n].verdict = (struct test){ .node = t->node, .options = t->options, .as = t->as };
		if (!CHECK(t, !pthread_create(&c[n].thread, NULL, submit_again_and_again, &c[n]),
			   "no thread"))
			break;
	}
	while (n--) {
		pthread_join(c[n].thread, NULL);
		CHECK(t, !test_failed(&c[n].verdict) && c[n].done == c[n].rounds,
		      "client %u: %u of %u", n, c[n].done, c[n].rounds);
	}
}

/* ---- numerics ---- */

static void matmul_is_right(struct test *t)
{
	const struct matmul *mm = t->as->arg;
	struct file *f = test_file(t);
	struct vendor_job j;

	REQUIRE(t, f && vendor_job_make(&j, t, f, mm, 2, LOAD_RANDOM), "no job");
	CHECK(t, vendor_run_right(&j), "%u x %u x %u", mm->m, mm->k, mm->n);
}

#define BAD(how, answer)                                                                           \
	&(const struct bad_submit)                                                                 \
	{                                                                                          \
		how, answer                                                                        \
	}
#define REFUSED(what, how, answer)                                                                 \
	{                                                                                          \
		.name = what "_is_refused", .run = submit_is_refused, .arg = BAD(how, answer)      \
	}
#define CRASHES(what, how)                                                                         \
	{                                                                                          \
		.name = what "_is_refused", .run = submit_is_refused, .arg = BAD(how, -EFAULT),    \
		.needs = NEED_PROCESS                                                              \
	}
#define MATMUL(what, ty, rows, depth, columns)                                                     \
	{                                                                                          \
		.name = "matmul_" what, .run = matmul_is_right, .arg = &(const struct matmul)      \
		{                                                                                  \
			.type = ty, .m = rows, .k = depth, .n = columns                            \
		}                                                                                  \
	}

static const struct test_case cases[] = {
	{ .name = "submit_waits_for_its_job", .run = submit_waits_for_its_job },
	{ .name = "chain_is_one_submit", .run = chain_is_one_submit },
	{ .name = "programs_behind_the_first_are_found_by_links",
	  .run = programs_behind_the_first_are_found_by_links },
	{ .name = "first_task_may_be_a_later_one", .run = first_task_may_be_a_later_one },
	REFUSED("submit_that_is_no_pc_job", without_pc, -EINVAL),
	REFUSED("submit_without_tasks", without_tasks, -EINVAL),
	REFUSED("submit_without_a_list", without_list, -EINVAL),
	REFUSED("submit_to_a_core_too_many", on_a_core_too_many, -EINVAL),
	REFUSED("submit_after_no_fence", after_no_fence, -EINVAL),
	CRASHES("submit_with_an_address_of_nothing", with_a_foreign_list),
	CRASHES("submit_past_its_list", past_the_list),
	CRASHES("submit_of_more_tasks_than_its_list_has", with_a_count_past_the_list),
	{ .name = "list_without_a_mapping_in_the_kernel_is_refused",
	  .run = list_without_a_mapping_in_the_kernel_is_refused,
	  .needs = NEED_PROCESS },
	{ .name = "hung_task_times_out", .run = hung_task_times_out },
	{ .name = "unmapped_operand_times_out",
	  .run = unmapped_operand_times_out,
	  .log = KLOG_FAULT },
	{ .name = "chain_that_ends_early_times_out", .run = chain_that_ends_early_times_out },
	{ .name = "interrupt_that_never_comes_times_out",
	  .run = interrupt_that_never_comes_times_out },
	{ .name = "cores_that_are_no_gang_time_out", .run = cores_that_are_no_gang_time_out },
	{ .name = "fence_tells_of_a_job_that_nobody_waits_for",
	  .run = fence_tells_of_a_job_that_nobody_waits_for },
	{ .name = "clients_get_their_own_results",
	  .run = clients_get_their_own_results,
	  .seconds = 120 },
	MATMUL("fp16_64x384x96", FP16_TO_FP16, 64, 384, 96),
	MATMUL("fp16_f32out_48x256x64", FP16_TO_FP32, 48, 256, 64),
	MATMUL("int8_64x256x64", INT8_TO_INT32, 64, 256, 64),
};

struct test_table rknpu_submit_cases(void)
{
	return TEST_TABLE(cases);
}
