// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimate.h"
#include "lib/core/clock.h"

/* The interrupt of the writer. Its two groups take turns, and a driver may store which it was. */
#define DONE 0x300u

const unsigned scaling_arm_cores[SCALING_ARMS] = { 1, SCALING_CORES };

/* What a measurement goes along with. */
struct session {
	const struct scaling_device *dev;
	struct scaling_batch batch;
	struct scaling_work work;
	struct scaling_result *result;
	struct npu_counters *alone; /* of each task; NULL: the device does not count */
};

/* ---- checks ---- */

static void check_status(struct session *s, uint32_t task, bool each)
{
	struct scaling_statuses *all = &s->result->status;
	const uint32_t status = s->dev->driver->status(&s->work, task);
	/* Of a kick the last status is kept, of a dispatch for each task what was waited for. */
	const bool exact = s->dev->dispatch == SCALING_TASK;
	const bool good = exact ? status == DONE : status && !(status & ~DONE);

	all->told += status != 0;
	all->expected += each;
	if (good || (!status && !each))
		return;
	if (!all->wrong++) {
		all->wrong_task = task;
		all->wrong_status = status;
	}
}

/* Of chained tasks the driver stores the status of the last one on the core that it waits for. */
static bool is_told(const struct session *s, unsigned cores, uint32_t task)
{
	return s->dev->dispatch == SCALING_TASK ||
	       task + 1 == scaling_part(s->batch.tasks, cores, 0).count;
}

static int check_results(struct session *s, unsigned cores, uint32_t first, uint32_t count)
{
	const struct scaling_driver *driver = s->dev->driver;
	struct scaling_wrong *wrong = &s->result->wrong;
	const bool was_right = !wrong->elements;

	for (unsigned i = 0; i < s->work.n_images && i < (cores ? cores : 1); i++) {
		int r = scaling_image_take(&s->work.images[i]);

		if (r)
			return r;
	}
	for (uint32_t t = first; t < first + count; t++)
		scaling_image_check(driver->result(&s->work, cores ? cores : 1, t), &s->batch, t, 1,
				    wrong);
	if (was_right && wrong->elements)
		s->result->wrong_cores = cores;
	s->result->elements += (uint64_t)count * s->batch.scenario->M * s->batch.scenario->N;
	return 0;
}

static int clear_results(struct session *s)
{
	int r = 0;

	for (unsigned i = 0; i < s->work.n_images && !r; i++)
		r = scaling_image_clear(&s->work.images[i]);
	return r;
}

/* ---- each task alone: its status, and what it costs ---- */

static void subtract(struct npu_counters *n, const struct npu_counters *before)
{
	n->kicks -= before->kicks;
	n->tasks -= before->tasks;
	n->macs -= before->macs;
	n->read_feature -= before->read_feature;
	n->read_weight -= before->read_weight;
	n->read_operand -= before->read_operand;
	n->read_program -= before->read_program;
	n->write -= before->write;
}

static int run_alone(struct session *s, uint32_t task)
{
	struct npu_counters before, after;
	const bool counts = s->alone && scaling_counters(s->dev, &before);
	int r = s->dev->driver->run_alone(&s->work, task);

	if (r)
		return r;
	if (counts && scaling_counters(s->dev, &after)) {
		subtract(&after, &before);
		s->alone[task] = after;
	}
	if (s->dev->driver->per_task)
		check_status(s, task, true);
	return 0;
}

static int run_each_alone(struct session *s)
{
	int r = clear_results(s);

	for (uint32_t t = 0; t < s->batch.tasks && !r; t++)
		r = run_alone(s, t);
	return r ? r : check_results(s, 0, 0, s->batch.tasks);
}

/* ---- rounds ---- */

static uint64_t bytes_of(const struct npu_counters *n)
{
	return n->read_feature + n->read_weight + n->read_operand + n->write;
}

/* What a round asked of the device, and whether that is what its tasks alone asked. */
static void compare_counters(struct session *s, unsigned arm, const struct npu_counters *round)
{
	struct npu_counters sum = { 0 };

	for (uint32_t t = 0; t < s->batch.tasks; t++) {
		sum.macs += s->alone[t].macs;
		sum.write += bytes_of(&s->alone[t]);
		sum.tasks += s->alone[t].tasks;
	}
	s->result->kicks[arm] = round->kicks;
	s->result->macs = round->macs;
	s->result->bytes = bytes_of(round);
	if (round->macs != sum.macs || bytes_of(round) != sum.write || round->tasks != sum.tasks)
		s->result->counted_alike = false;
}

static int run_round(struct session *s, unsigned arm, double *ms)
{
	const unsigned cores = scaling_arm_cores[arm];
	struct npu_counters before, after;
	uint64_t ns = 0;
	int r = clear_results(s);
	const bool counts = s->alone && scaling_counters(s->dev, &before);

	if (!r)
		r = s->dev->driver->run(&s->work, cores, &ns);
	if (r)
		return r;
	*ms = (double)ns / 1e6;
	if (counts && scaling_counters(s->dev, &after)) {
		subtract(&after, &before);
		compare_counters(s, arm, &after);
	}
	for (uint32_t t = 0; s->dev->driver->per_task && t < s->batch.tasks; t++)
		check_status(s, t, is_told(s, cores, t));
	return check_results(s, cores, 0, s->batch.tasks);
}

static int run_arm(struct session *s, unsigned arm)
{
	struct scaling_times *t = &s->result->wall[arm];
	const uint32_t warm_up = s->result->warm_up, rounds = s->result->rounds;
	double sum = 0, ms;
	int r = 0;

	for (uint32_t i = 0; i < warm_up + rounds && !r; i++) {
		r = run_round(s, arm, &ms);
		if (r || i < warm_up)
			continue;
		sum += ms;
		t->min = i == warm_up || ms < t->min ? ms : t->min;
		t->max = i == warm_up || ms > t->max ? ms : t->max;
	}
	t->avg = sum / rounds;
	return r;
}

static int run_all(struct session *s, const struct scaling_plan *plan)
{
	struct scaling_result *out = s->result;
	int r = run_each_alone(s);

	for (unsigned a = 0; a < SCALING_ARMS && !r; a++)
		r = run_arm(s, a);
	if (!r && s->alone)
		out->estimated = scaling_estimate(out, s->dev, s->alone, plan->mhz);
	return r;
}

static int prepare(struct session *s)
{
	const uint64_t start = rocket_now_ns();
	struct npu_counters any;
	int r = scaling_work_make(&s->work, s->dev, &s->batch);

	s->result->prepare_ms = (double)(rocket_now_ns() - start) / 1e6;
	if (r)
		return r;
	if (!scaling_counters(s->dev, &any))
		return 0;
	s->alone = calloc(s->batch.tasks, sizeof(*s->alone));
	return s->alone ? 0 : ROCKET_E_NOMEM;
}

int scaling_measure(const struct scaling_device *dev, const struct scaling_scenario *scenario,
		    enum scaling_mode mode, const struct scaling_plan *plan,
		    struct scaling_result *out)
{
	struct session s = { .dev = dev, .result = out };
	int r;

	*out = (struct scaling_result){
		.scenario = scenario,
		.mode = mode,
		.tasks = scenario->tasks[mode],
		.warm_up = plan->warm_up < 0 ? scenario->warm_up : (uint32_t)plan->warm_up,
		.rounds = plan->rounds < 0 ? scenario->rounds : (uint32_t)plan->rounds,
		.counted_alike = true,
	};
	if (plan->tasks && plan->tasks < out->tasks)
		out->tasks = plan->tasks;
	if (!scaling_batch_make(&s.batch, scenario, mode, out->tasks)) {
		fprintf(stderr, "core_scaling: no memory for %s\n", scenario->name);
		return ROCKET_E_NOMEM;
	}
	r = prepare(&s);
	if (!r)
		r = run_all(&s, plan);
	free(s.alone);
	scaling_work_free(&s.work);
	scaling_batch_free(&s.batch);
	return r;
}

bool scaling_right(const struct scaling_result *r)
{
	return !r->wrong.elements && !r->status.wrong;
}

double scaling_gflops(const struct scaling_result *r, double ms)
{
	const struct scaling_scenario *s = r->scenario;

	return ms > 0 ? 2.0 * s->M * s->K * s->N * r->tasks / (ms * 1e6) : 0;
}
