// SPDX-License-Identifier: LGPL-2.1-or-later
#include <inttypes.h>
#include <string.h>

#include "report.h"

/* ---- what bounds an estimate ---- */

/* Tasks are not cut: the longest lane decides. */
static double efficiency_of_split(uint32_t tasks)
{
	return (double)tasks / (SCALING_CORES * scaling_part(tasks, SCALING_CORES, 0).count);
}

static double efficiency_of(const double ms[SCALING_ARMS])
{
	return scaling_efficiency(ms[SCALING_ONE], ms[SCALING_THREE]);
}

const char *scaling_bound(char buf[SCALING_BOUND_SIZE], const struct scaling_result *r,
			  const struct scaling_estimate *e)
{
	const double now = efficiency_of(e->ms), split = efficiency_of_split(r->tasks);
	const double memory = efficiency_of(e->free_memory_ms);
	const double worker = efficiency_of(e->free_worker_ms);

	*buf = '\0';
	if (now >= SCALING_PUBLISHED_BEST)
		return buf;
	if (split < SCALING_PUBLISHED_BEST)
		snprintf(buf, SCALING_BOUND_SIZE,
			 "%" PRIu32 " tasks on %u cores are %" PRIu32 " rounds: %.1f %% at most",
			 r->tasks, SCALING_CORES, scaling_part(r->tasks, SCALING_CORES, 0).count,
			 split * 100);
	else if (memory > now + 0.01 && memory >= worker)
		snprintf(buf, SCALING_BOUND_SIZE,
			 "memory: %.0f GB/s for all cores; %.1f %% without that limit",
			 e->memory_gbs, memory * 100);
	else if (worker > now + 0.01)
		snprintf(buf, SCALING_BOUND_SIZE,
			 "the worker: %.0f us of every dispatch, for all cores; %.1f %% without",
			 e->worker_us, worker * 100);
	else
		snprintf(buf, SCALING_BOUND_SIZE, "the start of a kick, which every core has");
	return buf;
}

/* ---- the table ---- */

void scaling_print_head(FILE *out, const struct scaling_device *dev, double mhz)
{
	fprintf(out, "device %s, driver %s %s, dispatch: %s\n", dev->info.path, dev->info.provider,
		dev->info.driver_version,
		dev->dispatch == SCALING_CHAIN ? "one kick for the tasks of a core"
					       : "a kick for each task");
	fprintf(out, "times are those of the blocking submit; packing and programs are apart\n");
	if (dev->simulated)
		fprintf(out,
			"wall times are those of the SIMULATION on this machine and say nothing of "
			"an NPU;\nESTIMATES are the cost model's at %.0f MHz, set M: moving and "
			"computing take turns, V: they overlap\n",
			mhz);
	fprintf(out, "published: %s\n", scaling_published_source);
}

static void print_times(FILE *out, const struct scaling_result *r, const char *what,
			const struct scaling_times *t)
{
	fprintf(out, "  %-10s %9.3f %9.3f %9.3f %7.2f%% %9.3f\n", what, t->avg, t->min, t->max,
		t->avg > 0 ? (t->max - t->min) / t->avg * 100 : 0, scaling_gflops(r, t->avg));
}

static void print_pair(FILE *out, const struct scaling_result *r, const char *what, double one,
		       double three)
{
	fprintf(out, "  %-28s %9.3f %9.3f %8.3f %9.2f%% %9.3f %9.3f\n", what, one, three,
		one / three, scaling_efficiency(one, three) * 100, scaling_gflops(r, one),
		scaling_gflops(r, three));
}

static void print_checks(FILE *out, const struct scaling_device *dev,
			 const struct scaling_result *r)
{
	fprintf(out,
		"  outputs: %" PRIu64 " elements compared, all of every round; %" PRIu64 " wrong\n",
		r->elements, r->wrong.elements);
	if (!dev->driver->per_task)
		fprintf(out,
			"  int_status: this driver hands none out; it tells of jobs that failed\n");
	else
		fprintf(out,
			"  int_status: of %" PRIu64 " tasks that must have %s: %s; %" PRIu64
			" told, %" PRIu64 " wrong\n",
			r->status.expected,
			dev->dispatch == SCALING_TASK ? "0x300" : "0x300 or one of its bits",
			dev->dispatch == SCALING_TASK
				? "each of every round"
				: "each by itself and the last of every round, which this driver "
				  "stores",
			r->status.told, r->status.wrong);
}

static void print_estimates(FILE *out, const struct scaling_result *r)
{
	char what[64], bound[SCALING_BOUND_SIZE];

	for (unsigned s = 0; s < SCALING_SETS; s++) {
		const struct scaling_estimate *e = &r->estimates[s];

		snprintf(what, sizeof(what), "ESTIMATE (set %s)", e->set);
		print_pair(out, r, what, e->ms[SCALING_ONE], e->ms[SCALING_THREE]);
	}
	for (unsigned s = 0; s < SCALING_SETS; s++) {
		const struct scaling_estimate *e = &r->estimates[s];

		if (*scaling_bound(bound, r, e))
			fprintf(out, "  set %s stays below %.1f %%: %s\n", e->set,
				SCALING_PUBLISHED_BEST * 100, bound);
	}
}

void scaling_print(FILE *out, const struct scaling_device *dev, const struct scaling_result *r)
{
	const struct scaling_scenario *s = r->scenario;
	const struct scaling_published *p = &s->published[r->mode];

	fprintf(out,
		"\n%s %" PRIu32 "x%" PRIu32 "x%" PRIu32 " %s operands, %" PRIu32
		" tasks; rounds: %" PRIu32 " to warm up, %" PRIu32
		" measured; prepared in %.1f ms\n",
		s->name, s->M, s->K, s->N, scaling_mode_names[r->mode], r->tasks, r->warm_up,
		r->rounds, r->prepare_ms);
	fprintf(out, "  %-10s %9s %9s %9s %8s %9s\n", dev->simulated ? "wall (sim)" : "measured",
		"avg ms", "min", "max", "jitter", "GFLOP/s");
	print_times(out, r, "1 core", &r->wall[SCALING_ONE]);
	print_times(out, r, "3 cores", &r->wall[SCALING_THREE]);
	fprintf(out, "  %-28s %9s %9s %8s %10s %9s %9s\n", "", "1 core ms", "3 cores", "speed-up",
		"efficiency", "GFLOP/s 1", "3 cores");
	print_pair(out, r, dev->simulated ? "wall time of the simulation" : "measured",
		   r->wall[SCALING_ONE].avg, r->wall[SCALING_THREE].avg);
	if (r->estimated)
		print_estimates(out, r);
	if (p->one_ms > 0 && r->tasks == s->tasks[r->mode])
		print_pair(out, r, "published", p->one_ms, p->three_ms);
	print_checks(out, dev, r);
}

void scaling_print_skipped(FILE *out, const struct scaling_scenario *s, enum scaling_mode mode)
{
	fprintf(out, "\n%s %s operands: skipped, the scenario has no tasks in this mode\n", s->name,
		scaling_mode_names[mode]);
}

void scaling_print_wrong(const struct scaling_device *dev, const struct scaling_result *r)
{
	const char *mode = scaling_mode_names[r->mode];

	if (r->wrong.elements)
		fprintf(stderr,
			"core_scaling: WRONG: %s %s: %" PRIu64 " of %" PRIu64
			" elements; the first on %s %u: task %" PRIu32 ", C[%" PRIu32 "][%" PRIu32
			"] = %g, not %g\n",
			r->scenario->name, mode, r->wrong.elements, r->elements,
			r->wrong_cores ? "cores" : "a task alone, core",
			r->wrong_cores ? r->wrong_cores : 1, r->wrong.task, r->wrong.m, r->wrong.n,
			(double)r->wrong.got, (double)r->wrong.want);
	if (r->status.wrong)
		fprintf(stderr,
			"core_scaling: WRONG: %s %s: int_status of %" PRIu64
			" tasks; the first, task %" PRIu32 ", has 0x%" PRIx32 ", not 0x300%s\n",
			r->scenario->name, mode, r->status.wrong, r->status.wrong_task,
			r->status.wrong_status,
			dev->dispatch == SCALING_TASK ? "" : " or one of its bits");
}
