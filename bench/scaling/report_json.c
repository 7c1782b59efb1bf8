// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report.h"
#include "tools/rocket/json.h"

static void write_pair(struct json *j, const struct scaling_result *r, double one, double three)
{
	json_real(j, "one_core_ms", one);
	json_real(j, "three_cores_ms", three);
	json_real(j, "speedup", one / three);
	json_real(j, "efficiency", scaling_efficiency(one, three));
	json_real(j, "one_core_gflops", scaling_gflops(r, one));
	json_real(j, "three_cores_gflops", scaling_gflops(r, three));
}

static void write_times(struct json *j, const char *key, const struct scaling_result *r,
			const struct scaling_times *t)
{
	json_object(j, key);
	json_real(j, "avg_ms", t->avg);
	json_real(j, "min_ms", t->min);
	json_real(j, "max_ms", t->max);
	json_real(j, "jitter", t->avg > 0 ? (t->max - t->min) / t->avg : 0);
	json_real(j, "gflops", scaling_gflops(r, t->avg));
	json_end(j);
}

static void write_wall(struct json *j, const struct scaling_device *dev,
		       const struct scaling_result *r)
{
	json_object(j, "wall");
	json_string(j, "of", dev->simulated ? "the simulation on this machine" : "the device");
	write_times(j, "one_core", r, &r->wall[SCALING_ONE]);
	write_times(j, "three_cores", r, &r->wall[SCALING_THREE]);
	json_real(j, "speedup", r->wall[SCALING_ONE].avg / r->wall[SCALING_THREE].avg);
	json_real(j, "efficiency",
		  scaling_efficiency(r->wall[SCALING_ONE].avg, r->wall[SCALING_THREE].avg));
	json_end(j);
}

static void write_estimates(struct json *j, const struct scaling_result *r, double mhz)
{
	char bound[SCALING_BOUND_SIZE];

	if (!r->estimated)
		return;
	json_array(j, "estimates");
	for (unsigned s = 0; s < SCALING_SETS; s++) {
		const struct scaling_estimate *e = &r->estimates[s];

		json_object(j, NULL);
		json_string(j, "note", "ESTIMATE by the cost model, not a measurement");
		json_string(j, "set", e->set);
		json_string(j, "meaning", e->meaning);
		json_real(j, "mhz", mhz);
		json_real(j, "memory_gb_per_s", e->memory_gbs);
		json_real(j, "worker_us", e->worker_us);
		write_pair(j, r, e->ms[SCALING_ONE], e->ms[SCALING_THREE]);
		scaling_bound(bound, r, e);
		json_string(j, "bounded_by", *bound ? bound : NULL);
		json_end(j);
	}
	json_end(j);
	json_object(j, "counters");
	json_count(j, "one_core_kicks", r->kicks[SCALING_ONE]);
	json_count(j, "three_cores_kicks", r->kicks[SCALING_THREE]);
	json_count(j, "macs", r->macs);
	json_count(j, "bytes", r->bytes);
	json_bool(j, "as_tasks_alone", r->counted_alike);
	json_end(j);
}

static void write_published(struct json *j, const struct scaling_result *r)
{
	const struct scaling_published *p = &r->scenario->published[r->mode];

	if (!(p->one_ms > 0) || r->tasks != r->scenario->tasks[r->mode])
		return;
	json_object(j, "published");
	json_string(j, "source", scaling_published_source);
	write_pair(j, r, p->one_ms, p->three_ms);
	json_end(j);
}

static void write_checks(struct json *j, const struct scaling_device *dev,
			 const struct scaling_result *r)
{
	json_object(j, "checks");
	json_bool(j, "right", scaling_right(r));
	json_count(j, "elements", r->elements);
	json_count(j, "wrong_elements", r->wrong.elements);
	if (r->wrong.elements) {
		json_object(j, "first_wrong");
		json_count(j, "cores", r->wrong_cores);
		json_count(j, "task", r->wrong.task);
		json_count(j, "m", r->wrong.m);
		json_count(j, "n", r->wrong.n);
		json_real(j, "got", (double)r->wrong.got);
		json_real(j, "want", (double)r->wrong.want);
		json_end(j);
	}
	if (dev->driver->per_task) {
		json_count(j, "int_status_expected", r->status.expected);
		json_count(j, "int_status_told", r->status.told);
		json_count(j, "int_status_wrong", r->status.wrong);
	}
	json_end(j);
}

static void write_result(struct json *j, const struct scaling_device *dev, double mhz,
			 const struct scaling_result *r)
{
	json_object(j, NULL);
	json_string(j, "scenario", r->scenario->name);
	json_count(j, "M", r->scenario->M);
	json_count(j, "K", r->scenario->K);
	json_count(j, "N", r->scenario->N);
	json_string(j, "operands", scaling_mode_names[r->mode]);
	json_count(j, "tasks", r->tasks);
	json_count(j, "warm_up_rounds", r->warm_up);
	json_count(j, "measured_rounds", r->rounds);
	json_real(j, "prepare_ms", r->prepare_ms);
	write_wall(j, dev, r);
	write_estimates(j, r, mhz);
	write_published(j, r);
	write_checks(j, dev, r);
	json_end(j);
}

void scaling_write_json(FILE *out, const struct scaling_device *dev, double mhz,
			const struct scaling_result *results, unsigned count)
{
	struct json j;

	json_begin(&j, out);
	json_object(&j, "device");
	json_string(&j, "path", dev->info.path);
	json_string(&j, "driver", dev->info.provider);
	json_string(&j, "version", dev->info.driver_version);
	json_bool(&j, "simulated", dev->simulated);
	json_string(&j, "dispatch", scaling_dispatch_names[dev->dispatch]);
	json_end(&j);
	json_array(&j, "results");
	for (unsigned i = 0; i < count; i++)
		write_result(&j, dev, mhz, &results[i]);
	json_end(&j);
	json_finish(&j);
}
