// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_rknpu_jobs.c - jobs of the rknpu provider as SUBMITs, alone and in gangs, and failing ones.
 */
#include "rknpu_fake.h"

/* ---- jobs ---- */

static rocket_bo in, out[3];

static void alloc_bos(void)
{
	assert_int_equal(p->bo_alloc(&node, 4096, &in), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(p->bo_alloc(&node, 4096, &out[i]), 0);
}

static void free_bos(void)
{
	p->bo_free(&node, &in);
	for (unsigned i = 0; i < 3; i++)
		p->bo_free(&node, &out[i]);
}

static const rocket_task_desc programs[5] = {
	{ 0x1000, 126 }, { 0x2000, 127 }, { 0x3000, 30 }, { 0x4000, 5 }, { 0x5000, 126 }
};

static struct rocket_provider_job job_of(unsigned first, uint32_t n, unsigned o, uint32_t flags)
{
	return (struct rocket_provider_job){ .tasks = programs + first,
					     .n_tasks = n,
					     .in_handles = &in.handle,
					     .n_in = 1,
					     .out_handles = &out[o].handle,
					     .n_out = 1,
					     .flags = flags };
}

/* Three that share no output: a core each. */
static void gang_of(struct rocket_provider_job jobs[3])
{
	for (unsigned i = 0; i < 3; i++)
		jobs[i] = job_of(i, 1, i, 0);
}

static void outputs_tell(int status)
{
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(p->bo_prep(&node, &out[i], 1000), status);
}

static void same_range(const struct rknpu_submit *s, unsigned entry, uint32_t start, uint32_t n)
{
	assert_int_equal(s->subcore_task[entry].task_start, start);
	assert_int_equal(s->subcore_task[entry].task_number, n);
}

static void chain_is_one_submit_to_whichever_core(void **state)
{
	struct rocket_provider_job job;
	const struct rknpu_submit *s = &fake.submit[0];

	(void)state;
	alloc_bos();
	job = job_of(0, 5, 0, ROCKET_JOB_BATCHED);
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(fake.submits, 1);
	assert_int_equal(s->flags, RKNPU_JOB_PC | RKNPU_JOB_PINGPONG);
	assert_int_equal(s->task_number, 5);
	assert_int_equal(s->core_mask, RKNPU_CORE_AUTO_MASK);
	for (unsigned c = 0; c < 3; c++)
		same_range(s, c, 0, 5);
	for (unsigned i = 0; i < 5; i++) {
		const struct rknpu_task *t = &fake.tasks[0][i];

		assert_int_equal(t->regcmd_addr, programs[i].regcmd);
		assert_int_equal(t->regcfg_amount, programs[i].regcmd_count - 4);
		assert_int_equal(t->int_mask, RKNPU_INT_DPU);
		assert_int_equal(t->int_clear, 0x1ffff);
	}
	free_bos();
}

static void tasks_apart_are_a_submit_each(void **state)
{
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	job = job_of(0, 3, 0, 0);
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(fake.submits, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(fake.submit[i].task_number, 1);
		assert_int_equal(fake.tasks[i][0].regcmd_addr, programs[i].regcmd);
	}
	free_bos();
}

static void pool_ends_with_its_own_interrupt(void **state)
{
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	job = job_of(0, 2, 0, ROCKET_JOB_BATCHED | ROCKET_JOB_PPU_DONE);
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(fake.tasks[0][0].int_mask, RKNPU_INT_DPU);
	assert_int_equal(fake.tasks[0][1].int_mask, RKNPU_INT_PPU);
	free_bos();
}

static void independent_jobs_have_a_core_each(void **state)
{
	struct rocket_provider_job jobs[4];

	(void)state;
	alloc_bos();
	jobs[0] = job_of(0, 2, 0, ROCKET_JOB_BATCHED);
	jobs[1] = job_of(2, 1, 1, 0);
	jobs[2] = job_of(3, 2, 2, ROCKET_JOB_BATCHED);
	jobs[3] = job_of(0, 1, 0, 0);
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submits, 1);
	assert_int_equal(fake.submit[0].core_mask, 7);
	same_range(&fake.submit[0], 2, 0, 2); /* three cores: two entries further */
	same_range(&fake.submit[0], 3, 2, 1);
	same_range(&fake.submit[0], 4, 3, 2);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(fake.tasks[0][i].regcmd_addr, programs[i].regcmd);
	assert_int_equal(p->submit(&node, jobs, 2, NULL), 0);
	assert_int_equal(fake.submit[1].core_mask, 3);
	same_range(&fake.submit[1], 0, 0, 2);
	same_range(&fake.submit[1], 1, 2, 1);
	assert_int_equal(p->submit(&node, jobs, 4, NULL), 0); /* three, then the one that is left */
	assert_int_equal(fake.submits, 4);
	assert_int_equal(fake.submit[3].core_mask, RKNPU_CORE_AUTO_MASK);
	free_bos();
}

static void dependent_jobs_run_one_after_the_other(void **state)
{
	struct rocket_provider_job jobs[2];

	(void)state;
	alloc_bos();
	jobs[0] = job_of(0, 1, 0, 0);
	jobs[1] = job_of(1, 1, 1, 0);
	jobs[1].in_handles = &out[0].handle; /* reads what the first writes */
	assert_int_equal(p->submit(&node, jobs, 2, NULL), 0);
	assert_int_equal(fake.submits, 2);
	jobs[1] = job_of(1, 1, 0, 0); /* writes the same */
	assert_int_equal(p->submit(&node, jobs, 2, NULL), 0);
	assert_int_equal(fake.submits, 4);
	jobs[1] = job_of(1, 1, 1, 0);
	jobs[1].out_handles = &in.handle; /* writes what the first reads */
	jobs[1].in_handles = &out[2].handle;
	assert_int_equal(p->submit(&node, jobs, 2, NULL), 0);
	assert_int_equal(fake.submits, 6);
	free_bos();
}

static void task_object_grows(void **state)
{
	static rocket_task_desc many[200];
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	for (unsigned i = 0; i < 200; i++)
		many[i] = (rocket_task_desc){ 0x10000 + i * 0x400, 126 };
	job = job_of(0, 1, 0, 0);
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(fake.live, 5);
	job = job_of(0, 1, 0, ROCKET_JOB_BATCHED);
	job.tasks = many;
	job.n_tasks = 200;
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(fake.live, 5); /* the smaller one is gone */
	assert_int_equal(fake.tasks[1][199].regcmd_addr, many[199].regcmd);
	free_bos();
}

static void jobs_that_are_wrong_are_refused(void **state)
{
	static const rocket_task_desc trailer = { 0x1000, 4 };
	uint32_t nobody = 60;
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	job = job_of(0, 1, 0, ROCKET_JOB_NO_DPU_DONE);
	assert_int_equal(p->submit(&node, &job, 1, NULL), -EOPNOTSUPP);
	job = job_of(0, 0, 0, 0);
	assert_int_equal(p->submit(&node, &job, 1, NULL), -EINVAL);
	job = job_of(0, 1, 0, 0);
	job.tasks = &trailer;
	assert_int_equal(p->submit(&node, &job, 1, NULL), -EINVAL);
	job = job_of(0, 1, 0, 0);
	job.in_handles = &nobody;
	assert_int_equal(p->submit(&node, &job, 1, NULL), -ENOENT);
	assert_int_equal(fake.submits, 0);
	free_bos();
}

/* ---- failures ---- */

static void failed_job_is_told_with_its_buffers(void **state)
{
	static const int errors[] = { ETIMEDOUT, EINVAL };
	struct rocket_provider_job job, next;

	(void)state;
	alloc_bos();
	job = job_of(0, 1, 0, 0);
	next = job_of(1, 1, 1, 0);
	next.in_handles = &out[0].handle;
	for (unsigned i = 0; i < 2; i++) {
		fake.submits = 0;
		fake.submit_errno = errors[i];
		assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
		assert_int_equal(p->bo_prep(&node, &out[0], 1000), -EIO);
		assert_int_equal(p->bo_prep(&node, &in, 1000), 0);
		fake.submit_errno = 0;
		/* What is made of it is no better, until it is written anew. */
		assert_int_equal(p->submit(&node, &next, 1, NULL), 0);
		assert_int_equal(p->bo_prep(&node, &out[1], 1000), -EIO);
		assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
		assert_int_equal(p->bo_prep(&node, &out[0], 1000), 0);
		assert_int_equal(p->submit(&node, &next, 1, NULL), 0);
		assert_int_equal(p->bo_prep(&node, &out[1], 1000), 0);
	}
	fake.submit_errno = ETIMEDOUT;
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(p->bo_fini(&node, &out[0]), 0); /* the caller's again */
	assert_int_equal(p->bo_prep(&node, &out[0], 1000), 0);
	fake.submit_errno = 0;
	free_bos();
}

static void refusal_of_the_kernel_is_the_calls(void **state)
{
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	job = job_of(0, 1, 0, 0);
	fake.submit_errno = ENOMEM;
	assert_int_equal(p->submit(&node, &job, 1, NULL), -ENOMEM);
	assert_int_equal(p->bo_prep(&node, &out[0], 1000), 0);
	fake.fail_request = DRM_IOCTL_RKNPU_MEM_SYNC; /* of the tasks */
	fake.fail_errno = EIO;
	assert_int_equal(p->submit(&node, &job, 1, NULL), -EIO);
	fake.submit_errno = 0;
	free_bos();
}

/* EINVAL is what an argument of the call gets as well as a job whose cores were reset. */
static void step_before_the_submit_that_is_refused_is_no_failed_job(void **state)
{
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	job = job_of(0, 1, 0, 0);
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	fake.fail_request = DRM_IOCTL_RKNPU_MEM_SYNC; /* of the tasks */
	fake.fail_errno = EINVAL;
	assert_int_equal(p->submit(&node, &job, 1, NULL), -EINVAL);
	assert_int_equal(fake.submits, 1);
	assert_int_equal(p->bo_prep(&node, &out[0], 1000), 0);
	free_bos();
}

static void cores_that_were_never_taken_are_refused_and_named_no_more(void **state)
{
	struct rocket_provider_job jobs[3];

	(void)state;
	alloc_bos();
	gang_of(jobs);
	fake.submit_errno = EINVAL;
	assert_int_equal(p->submit(&node, jobs, 3, NULL), -EINVAL);
	assert_int_equal(fake.submits, 2); /* asked twice */
	assert_int_equal(fake.submit[0].core_mask, 7);
	assert_int_equal(fake.submit[1].core_mask, 7);
	outputs_tell(0);
	fake.submit_errno = 0;
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submits, 5);
	for (unsigned i = 2; i < 5; i++)
		assert_int_equal(fake.submit[i].core_mask, RKNPU_CORE_AUTO_MASK);
	free_bos();
}

/* Another client's job hung: its reset is no refusal of the cores. */
static void jobs_that_a_reset_takes_out_of_the_queue_are_submitted_again(void **state)
{
	struct rocket_provider_job jobs[3];

	(void)state;
	alloc_bos();
	gang_of(jobs);
	fake.submit_errno = EINVAL;
	fake.until = 1;
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submits, 2);
	assert_int_equal(fake.submit[1].core_mask, 7);
	outputs_tell(0);
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submit[2].core_mask, 7);
	free_bos();
}

/* What has run may have changed what it works on, and is not run again. */
static void jobs_that_a_reset_interrupts_have_failed(void **state)
{
	struct rocket_provider_job jobs[3];

	(void)state;
	alloc_bos();
	gang_of(jobs);
	fake.submit_errno = EINVAL;
	fake.began = true;
	fake.until = 1;
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submits, 1);
	outputs_tell(-EIO);
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submit[1].core_mask, 7);
	assert_int_equal(p->bo_prep(&node, &out[2], 1000), 0);
	free_bos();
}

static void refusal_of_a_later_task_leaves_no_result(void **state)
{
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	job = job_of(0, 3, 0, 0);
	fake.submit_errno = ENOMEM;
	fake.from = 2;
	assert_int_equal(p->submit(&node, &job, 1, NULL), -ENOMEM);
	assert_int_equal(fake.submits, 3);
	assert_int_equal(p->bo_prep(&node, &out[0], 1000), -EIO);
	assert_int_equal(p->bo_prep(&node, &in, 1000), 0);
	fake.submit_errno = 0;
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(p->bo_prep(&node, &out[0], 1000), 0);
	free_bos();
}

static void cores_that_were_taken_once_were_reset(void **state)
{
	struct rocket_provider_job jobs[3];

	(void)state;
	alloc_bos();
	gang_of(jobs);
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	fake.submit_errno = EINVAL;
	assert_int_equal(p->submit(&node, jobs, 2, NULL), 0);
	assert_int_equal(p->bo_prep(&node, &out[0], 1000), -EIO);
	assert_int_equal(p->bo_prep(&node, &out[1], 1000), -EIO);
	fake.submit_errno = 0;
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submit[2].core_mask, 7);
	free_bos();
}

static void every_call_is_counted(void **state)
{
	struct rocket_provider_job jobs[3];

	(void)state;
	alloc_bos();
	assert_true(node.counts_calls);
	assert_int_equal(node.submit_calls, 0);
	jobs[0] = job_of(0, 5, 0, ROCKET_JOB_BATCHED);
	assert_int_equal(p->submit(&node, jobs, 1, NULL), 0);
	assert_int_equal(node.submit_calls, 1);
	jobs[0] = job_of(0, 3, 0, 0);
	assert_int_equal(p->submit(&node, jobs, 1, NULL), 0);
	assert_int_equal(node.submit_calls, 1 + 3);
	gang_of(jobs);
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0); /* a core each */
	assert_int_equal(node.submit_calls, 1 + 3 + 1);
	assert_int_equal(node.submit_tasks, 5 + 3 + 3);
	jobs[0] = job_of(0, 0, 0, 0);
	assert_int_equal(p->submit(&node, jobs, 1, NULL), -EINVAL);
	jobs[0] = job_of(0, 3, 0, 0);
	jobs[0].in_handles = &(uint32_t){ 60 };
	assert_int_equal(p->submit(&node, jobs, 1, NULL), -ENOENT);
	assert_int_equal(node.submit_calls, 1 + 3 + 1);
	assert_int_equal(node.submit_tasks, 5 + 3 + 3);
	free_bos();
}

static void gang_that_fails_fails_each_of_its_jobs(void **state)
{
	struct rocket_provider_job jobs[3];

	(void)state;
	alloc_bos();
	gang_of(jobs);
	fake.submit_errno = ETIMEDOUT;
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	outputs_tell(-EIO);
	fake.submit_errno = 0;
	free_bos();
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rknpu_fake_setup, rknpu_fake_teardown)
	const struct CMUnitTest tests[] = {
		T(chain_is_one_submit_to_whichever_core),
		T(tasks_apart_are_a_submit_each),
		T(pool_ends_with_its_own_interrupt),
		T(independent_jobs_have_a_core_each),
		T(dependent_jobs_run_one_after_the_other),
		T(task_object_grows),
		T(jobs_that_are_wrong_are_refused),
		T(failed_job_is_told_with_its_buffers),
		T(refusal_of_the_kernel_is_the_calls),
		T(gang_that_fails_fails_each_of_its_jobs),
		T(step_before_the_submit_that_is_refused_is_no_failed_job),
		T(cores_that_were_never_taken_are_refused_and_named_no_more),
		T(cores_that_were_taken_once_were_reset),
		T(jobs_that_a_reset_takes_out_of_the_queue_are_submitted_again),
		T(jobs_that_a_reset_interrupts_have_failed),
		T(refusal_of_a_later_task_leaves_no_result),
		T(every_call_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
