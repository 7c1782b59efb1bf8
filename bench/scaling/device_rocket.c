// SPDX-License-Identifier: LGPL-2.1-or-later
/* device_rocket.c - a job for each core, and the wait for all of them. */
#include <stdlib.h>

#include "device.h"
#include "lib/core/clock.h"

#define WAIT_NS UINT64_C(600000000000)

/* The tasks of one set of programs, as one image has them. */
static int prepare(struct scaling_work *w)
{
	w->priv = calloc(w->batch->tasks, sizeof(rocket_task_desc));
	return w->priv ? 0 : ROCKET_E_NOMEM;
}

static void release(struct scaling_work *w)
{
	free(w->priv);
	w->priv = NULL;
}

static void describe(struct scaling_work *w, const struct scaling_image *image,
		     enum scaling_program which, struct scaling_range r)
{
	rocket_task_desc *tasks = w->priv;

	for (uint32_t i = r.first; i < r.first + r.count; i++)
		tasks[i] = (rocket_task_desc){ scaling_program_address(image, w->batch, which, i),
					       image->words };
}

static int submit(struct scaling_work *w, const struct scaling_image *image, struct scaling_range r,
		  uint32_t flags)
{
	const uint32_t in[] = { image->a.handle, image->b.handle, image->programs.handle };
	const uint32_t out[] = { image->c.handle, image->done.handle };

	return rocket_submit_tasks_flags(image->fd, (rocket_task_desc *)w->priv + r.first, r.count,
					 in, 3, out, 2, flags);
}

/* The wait is for a buffer of a page, so that no result is synchronised in it. */
static int await(struct scaling_image *image)
{
	return rocket_bo_prep(image->fd, &image->done, 0, WAIT_NS);
}

static int run(struct scaling_work *w, unsigned cores, uint64_t *ns)
{
	const enum scaling_program which = scaling_programs_of(w->device, cores);
	const uint32_t flags = which == SCALING_ALONE ? 0 : ROCKET_JOB_BATCHED;
	struct scaling_range parts[SCALING_CORES];
	uint64_t start;
	int r = 0;

	for (unsigned c = 0; c < cores; c++) {
		parts[c] = scaling_part(w->batch->tasks, cores, c);
		describe(w, &w->images[c], which, parts[c]);
	}
	start = rocket_now_ns();
	for (unsigned c = 0; c < cores && !r; c++)
		if (parts[c].count)
			r = submit(w, &w->images[c], parts[c], flags);
	for (unsigned c = 0; c < cores && !r; c++)
		r = await(&w->images[c]);
	*ns = rocket_now_ns() - start;
	return r;
}

static int run_alone(struct scaling_work *w, uint32_t task)
{
	const struct scaling_range one = { task, 1 };
	int r;

	describe(w, &w->images[0], SCALING_ALONE, one);
	r = submit(w, &w->images[0], one, 0);
	return r ? r : await(&w->images[0]);
}

/* The driver waits for 0x300 and tells of jobs that failed, but hands no status out. */
static uint32_t status(const struct scaling_work *w, uint32_t task)
{
	(void)w;
	(void)task;
	return 0;
}

static const struct scaling_image *result(const struct scaling_work *w, unsigned cores,
					  uint32_t task)
{
	for (unsigned c = 0; c < cores; c++) {
		const struct scaling_range r = scaling_part(w->batch->tasks, cores, c);

		if (task >= r.first && task < r.first + r.count)
			return &w->images[c];
	}
	return &w->images[0];
}

const struct scaling_driver scaling_rocket = {
	.name = "rocket",
	.fds = SCALING_CORES,
	.prepare = prepare,
	.release = release,
	.run = run,
	.run_alone = run_alone,
	.status = status,
	.result = result,
};
