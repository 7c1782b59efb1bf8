// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <string.h>

#include "lib/core/status.h"
#include "rocket_npu.h"

#include "estimate.h"
#include "logline.h"
#include "options.h"
#include "published.h"
#include "report.h"
#include "units.h"
#include "workload.h"

enum {
	OPTION_DTYPE = OPTION_LONG,
	OPTION_CHECK,
	OPTION_REPEAT,
	OPTION_SEED,
	OPTION_DATA,
	OPTION_THREADS,
	OPTION_FORM,
	OPTION_GROUP,
	OPTION_MHZ,
};

struct matmul {
	struct options options;
	struct workload work;
	enum generate_data data;
	const char *form;
	long long seed, repeat;
	bool check;
	double mhz;
	struct device device;
	struct measurement measured;
	struct check_result checked;
};

/* ---- options ---- */

static bool take_data(struct matmul *m)
{
	if (!strcmp(optarg, "uniform"))
		m->data = GENERATE_UNIFORM;
	else if (!strcmp(optarg, "ints"))
		m->data = GENERATE_INTS;
	else
		return command_misused(m->options.command,
				       "unknown data '%s': uniform or ints is expected",
				       optarg) == EXIT_RIGHT;
	return true;
}

static bool take(struct matmul *m, int value)
{
	const struct options *o = &m->options;
	long long number;

	switch (value) {
	case OPTION_DTYPE:
		m->work.dtype = dtype_option(o, optarg);
		return m->work.dtype != NULL;
	case OPTION_CHECK:
		m->check = true;
		return true;
	case OPTION_REPEAT:
		return options_number(o, "--repeat", optarg, 1, 1000000, &m->repeat);
	case OPTION_SEED:
		return options_number(o, "--seed", optarg, 0, 0x7fffffffffffffffLL, &m->seed);
	case OPTION_DATA:
		return take_data(m);
	case OPTION_THREADS:
		if (!options_number(o, "--threads", optarg, 1, CHECK_COLUMNS_MAX, &number))
			return false;
		m->work.threads = (int)number;
		return true;
	case OPTION_FORM:
		m->form = optarg;
		if (!form_exists(optarg))
			command_misused(o->command, "unknown form '%s': " FORM_NAMES " is expected",
					optarg);
		return form_exists(optarg);
	case OPTION_GROUP:
		if (!options_number(o, "--group", optarg, 1, 1 << 24, &number))
			return false;
		m->work.group = (int)number;
		return true;
	case OPTION_MHZ:
		return options_real(o, "--mhz", optarg, ESTIMATE_MHZ_MIN, ESTIMATE_MHZ_MAX,
				    &m->mhz);
	}
	return false;
}

/* A form for the type, and only options that it takes. */
static bool take_form(struct matmul *m)
{
	const struct workload *w = &m->work;

	m->work.form = form_find(m->form, w->dtype, w->group > 0);
	if (!m->work.form)
		command_misused(m->options.command, "there is no form '%s' of --dtype %s%s",
				m->form, w->dtype->name, w->group ? " with --group" : "");
	else if (w->group && w->extent.K % w->group)
		command_misused(m->options.command, "--group %d does not divide K = %d", w->group,
				w->extent.K);
	else if (w->threads && !w->form->workers && (w->form->dtype || !w->dtype->multiply_mt))
		command_misused(m->options.command,
				"--threads is there for --dtype fp16 and bf16, and for --form "
				"resident, segments, stream and fused only");
	else
		return true;
	return false;
}

static int parse(struct matmul *m, const struct command *self, int argc, char **argv)
{
	static const struct option table[] = {
		{ "dtype", required_argument, NULL, OPTION_DTYPE },
		{ "check", no_argument, NULL, OPTION_CHECK },
		{ "repeat", required_argument, NULL, OPTION_REPEAT },
		{ "seed", required_argument, NULL, OPTION_SEED },
		{ "data", required_argument, NULL, OPTION_DATA },
		{ "threads", required_argument, NULL, OPTION_THREADS },
		{ "form", required_argument, NULL, OPTION_FORM },
		{ "group", required_argument, NULL, OPTION_GROUP },
		{ "mhz", required_argument, NULL, OPTION_MHZ },
		OPTIONS_COMMON,
	};
	int value;

	options_begin(&m->options, self, argc, argv);
	while ((value = options_next(&m->options, table)) != OPTION_END) {
		if (value == OPTION_BAD || value == OPTION_HELPED)
			return value;
		if (!take(m, value))
			return OPTION_BAD;
	}
	if (!options_operands(&m->options, 3, 3, "three numbers: M K N") ||
	    !extent_operands(&m->options, argv + optind, &m->work.extent))
		return OPTION_BAD;
	return take_form(m) ? OPTION_END : OPTION_BAD;
}

/* ---- results ---- */

static void report_check(struct report *r, const struct matmul *m)
{
	const struct check_result *c = &m->checked;
	char largest[UNITS_SIZE], bound[UNITS_SIZE], count[UNITS_SIZE], wrong[UNITS_SIZE];

	if (c->wrong)
		report_line(r, "check", "WRONG: %s of %s elements", units_count(wrong, c->wrong),
			    units_count(count, c->elements));
	else
		report_line(r, "check", "right: all %s elements", units_count(count, c->elements));
	if (c->unbounded)
		report_line(r, "", "of which %s may overflow and say nothing",
			    units_count(count, c->unbounded));
	report_line(r, "largest error", "%s, its bound %s (%.2f of it at most)",
		    units_error(largest, c->largest), units_error(bound, c->bound), c->ratio);
	if (c->wrong)
		report_line(r, "first wrong", "C[%d][%d] = %.9g, is %.9g +- %.3g", c->m, c->n,
			    c->got, c->want, c->allowed);
	if (!r->as_json)
		return;
	report_open(r, "check", NULL);
	report_bool(r, "right", NULL, c->wrong == 0);
	report_count(r, "elements", NULL, c->elements);
	report_count(r, "wrong", NULL, c->wrong);
	report_count(r, "unbounded", NULL, c->unbounded);
	report_real(r, "largest_error", NULL, c->largest);
	report_real(r, "bound", NULL, c->bound);
	report_real(r, "largest_ratio", NULL, c->ratio);
	if (c->wrong) {
		report_open(r, "first_wrong", NULL);
		json_integer(&r->json, "m", c->m);
		json_integer(&r->json, "n", c->n);
		report_real(r, "got", NULL, c->got);
		report_real(r, "want", NULL, c->want);
		report_real(r, "allowed", NULL, c->allowed);
		report_close(r);
	}
	report_close(r);
}

/* With several workers their times are added up: thread time, not wall time. */
static void report_phases(struct report *r, const struct matmul *m)
{
	report_open(r, "host_time", m->work.threads > 1 ? "host time (all workers)" : "host time");
	for (int i = 0; i < ROCKET_PHASES; i++) {
		const char *name = rocket_matmul_phase_name((enum rocket_matmul_phase)i);
		char key[32];

		snprintf(key, sizeof(key), "%s_us", name);
		report_time(r, key, name, (double)m->measured.stats.ns[i] * 1e-3);
	}
	report_close(r);
}

static void report_time_taken(struct report *r, const struct matmul *m)
{
	const struct measurement *t = &m->measured;
	double gflops = workload_flop(&m->work) / t->wall_us * 1e-3;
	char mean[UNITS_SIZE];
	struct estimate estimate;

	report_time(r, "wall_us", "wall time", t->wall_us);
	if (t->runs > 1)
		report_line(r, "", "the fastest of %d runs, mean %s", t->runs,
			    units_time(mean, t->mean_us));
	report_time(r, "wall_mean_us", NULL, r->as_json ? t->mean_us : 0);
	report_real(r, "wall_gflops", NULL, gflops);
	report_line(r, "speed", "%.2f GFLOP/s of wall time%s", gflops,
		    m->device.simulated ? ": of this simulation, not of an NPU" : "");
	if (!t->counted) {
		report_line(r, "device time", "not estimated: only the simulated device counts");
	} else if (estimate_make(&estimate, m->work.dtype, m->mhz, (unsigned)m->work.threads,
				 &t->counters)) {
		estimate_report(r, &estimate);
		published_report(r, m->work.dtype);
	}
}

static void report_all(const struct matmul *m)
{
	const struct extent *e = &m->work.extent;
	const struct device *d = &m->device;
	struct report r;

	report_begin(&r, m->options.json, m->options.command->name);
	report_line(&r, "product", "C[%d,%d] = A[%d,%d] . B[%d,%d]^T, %s", e->M, e->N, e->M, e->K,
		    e->N, e->K, m->work.dtype->meaning);
	if (m->work.group)
		report_line(&r, "", "with scales by groups of %d k, fp32 result", m->work.group);
	if (strcmp(m->form, "once"))
		report_line(&r, "form", "%s", m->form);
	report_line(&r, "device", "%s: %s, provider %s, driver %s", d->info.path, d->info.chip,
		    d->info.provider, d->info.driver_version);
	if (r.as_json) {
		json_string(&r.json, "dtype", m->work.dtype->name);
		json_string(&r.json, "form", m->form);
		json_integer(&r.json, "group", m->work.group);
		json_integer(&r.json, "M", e->M);
		json_integer(&r.json, "K", e->K);
		json_integer(&r.json, "N", e->N);
		json_integer(&r.json, "threads", m->work.threads);
		json_integer(&r.json, "seed", m->seed);
		json_string(&r.json, "data", m->data == GENERATE_INTS ? "ints" : "uniform");
		json_string(&r.json, "device", d->info.path);
		json_string(&r.json, "chip", d->info.chip);
		json_bool(&r.json, "simulated", d->simulated);
		json_integer(&r.json, "repeat", m->measured.runs);
		json_bool(&r.json, "repeatable", m->measured.repeatable);
	}
	tiling_report(&r, &m->work.tiling);
	report_count(&r, "tasks", "tasks", m->measured.tasks);
	report_count(&r, "submits", "submits", m->measured.submits);
	if (m->measured.counted)
		estimate_report_counters(&r, &m->measured.counters);
	report_phases(&r, m);
	report_time_taken(&r, m);
	if (m->check)
		report_check(&r, m);
	if (!m->measured.repeatable)
		report_line(&r, "WRONG", "the runs did not all give the same bits");
	report_finish(&r);
}

/* ---- the run ---- */

static int run_device(struct matmul *m)
{
	const struct command *self = m->options.command;
	const bool json = m->options.json;
	char why[512];
	int status;

	status = workload_run(&m->work, &m->device, (int)m->repeat, &m->measured);
	if (status < 0)
		return command_failed(self, json, device_exit_code(status), "%s (%s)",
				      logline_take(why, sizeof(why), "the product failed"),
				      rocket_status_name(status));
	if (m->check && workload_check(&m->work, &m->checked) < 0)
		return command_failed(self, json, EXIT_DEVICE, "no memory for the check");
	report_all(m);
	return m->checked.wrong || !m->measured.repeatable ? EXIT_WRONG : EXIT_RIGHT;
}

static int run_planned(struct matmul *m)
{
	const struct command *self = m->options.command;
	const struct extent *e = &m->work.extent;
	int rc;

	if (workload_make(&m->work, m->data, (uint64_t)m->seed) < 0)
		return command_failed(self, m->options.json, EXIT_DEVICE,
				      "no memory for A[%d,%d], B[%d,%d] and C[%d,%d]", e->M, e->K,
				      e->N, e->K, e->M, e->N);
	rc = run_device(m);
	workload_free(&m->work);
	return rc;
}

/* The plan comes first: what cannot be done is refused before memory is asked for. */
static int run_opened(struct matmul *m)
{
	const struct tiling_request request = {
		.dtype = m->work.dtype,
		.form = m->work.form,
		.extent = m->work.extent,
		.threads = m->work.threads,
		.group = m->work.group,
		.driver = tiling_driver_open(),
	};
	char why[256] = "";
	int rc;

	rc = tiling_make(&m->work.tiling, &request, rocket_hw_current(), why, sizeof(why));
	if (rc < 0)
		return command_failed(m->options.command, m->options.json, device_exit_code(rc),
				      "%s (%s)", why, rocket_status_name(rc));
	rc = run_planned(m);
	tiling_free(&m->work.tiling);
	return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct matmul m = {
		.work = { .dtype = dtype_named("fp16") },
		.form = "once",
		.repeat = 1,
		.mhz = ESTIMATE_MHZ,
	};
	int rc = parse(&m, self, argc, argv);

	if (rc != OPTION_END)
		return options_exit(rc);
	rc = device_open(&m.device, self, m.options.json);
	if (rc)
		return rc;
	rc = run_opened(&m);
	device_close(&m.device);
	return rc;
}

const struct command command_matmul = {
	.name = "matmul",
	.summary = "multiply matrices, measure, and check every element",
	.usage = "[--dtype TYPE] [--form FORM] [--group G] [--check] [--repeat N]\n"
		 "           [--seed S] [--data KIND] [--threads N] [--mhz F] [--json] M K N",
	.help = "Multiplies C[M,N] = A[M,K] . B[N,K]^T on the device that ROCKET_DEVICE names and\n"
		"prints tiles, tasks, submits, hardware kicks, bytes moved and time taken.\n"
		"On the simulated device the time an NPU would take is ESTIMATED from what was\n"
		"moved, by the cost model's sets M (pessimistic) and V (optimistic).\n"
		"\n" DTYPE_SHAPES "\n"
		"\n"
		"Options:\n"
		"  --dtype TYPE   " DTYPE_NAMES "\n"
		"                 [fp16]\n"
		"  --form FORM    once: one call; resident: weights packed before (fp16, int8,\n"
		"                 int4); stream: fds that stay (fp16, bf16); segments, fused: the\n"
		"                 same with B in two parts (fp16); batch: two products in one\n"
		"                 (fp16); rows: A and C in the NPU's memory (fp16, fp16-f32, "
		"int8)\n"
		"                 [once]\n"
		"  --group G      scales by group of G k (int8 and int4, once and resident)\n"
		"  --check        compare every element with a double precision or exact integer\n"
		"                 reference computed on the CPU; exit 1 when one is out of bounds\n"
		"  --repeat N     run N times; the results must be the same bits [1]\n"
		"  --seed S       seed of the operands [0]\n"
		"  --data KIND    uniform: floating point in [-0.5, 0.5], integers over their "
		"full\n"
		"                 range; ints: -2..2 [uniform]\n"
		"  --threads N    share N over 1..8 worker fds (fp16, bf16, and the four forms "
		"with\n"
		"                 weights or fds that stay)\n"
		"  --mhz F        NPU clock of the estimate [816]\n"
		"  --json         print JSON\n"
		"\n"
		"Examples:\n"
		"  ROCKET_DEVICE=sim rocket matmul --check --dtype int8 512 1024 1024\n"
		"  ROCKET_DEVICE=sim rocket matmul --check --threads 3 512 3840 4096\n",
	.run = run,
};
