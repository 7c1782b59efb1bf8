// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/core/status.h"
#include "rocket_hw_profile.h"

#include "device.h"
#include "estimate.h"
#include "options.h"
#include "plan_picture.h"
#include "published.h"
#include "report.h"
#include "tiling.h"

enum {
	OPTION_DTYPE = OPTION_LONG,
	OPTION_ROWS,
	OPTION_THREADS,
	OPTION_BATCHED,
	OPTION_CHIP,
	OPTION_DRIVER,
	OPTION_MHZ,
};

struct plan {
	struct options options;
	const struct dtype *dtype;
	const struct rocket_hw_profile *hw;
	struct extent extent;
	bool rows, batched;
	const char *driver;
	long long threads;
	double mhz;
	struct tiling tiling;
};

static bool take(struct plan *p, int value)
{
	const struct options *o = &p->options;

	switch (value) {
	case OPTION_DTYPE:
		p->dtype = dtype_option(o, optarg);
		return p->dtype != NULL;
	case OPTION_ROWS:
		p->rows = true;
		return true;
	case OPTION_BATCHED:
		p->batched = true;
		return true;
	case OPTION_DRIVER:
		p->driver = optarg;
		return true;
	case OPTION_THREADS:
		return options_number(o, "--threads", optarg, 1, CHECK_COLUMNS_MAX, &p->threads);
	case OPTION_MHZ:
		return options_real(o, "--mhz", optarg, ESTIMATE_MHZ_MIN, ESTIMATE_MHZ_MAX,
				    &p->mhz);
	case OPTION_CHIP:
		p->hw = rocket_hw_by_name(optarg);
		if (!p->hw)
			command_misused(o->command, "no hardware profile for chip '%s'", optarg);
		return p->hw != NULL;
	}
	return false;
}

static void report_jobs(struct report *r, const struct rocket_matmul_plan *plan)
{
	json_array(&r->json, "jobs");
	for (uint32_t j = 0; j < plan->n_jobs; j++) {
		json_object(&r->json, NULL);
		json_count(&r->json, "first", plan->jobs[j].first);
		json_count(&r->json, "count", plan->jobs[j].count);
		json_bool(&r->json, "chained", plan->jobs[j].chained);
		json_end(&r->json);
	}
	json_end(&r->json);
}

static void report_step(struct json *j, const struct rocket_matmul_step *s)
{
	const struct {
		const char *key;
		long long value;
	} members[] = {
		{ "m0", s->m0 },
		{ "mt", s->mt },
		{ "n0", s->n0 },
		{ "nt", s->nt },
		{ "k0", s->k0 },
		{ "kt", s->kt },
		{ "a_part", s->a_part },
		{ "b_part", s->b_part },
		{ "weight_reuse", s->weight_reuse },
		{ "data_reuse", s->data_reuse },
		{ "accumulate", s->accumulate },
		{ "out_bo", s->out_bo },
		{ "add_bo", s->add_bo },
		{ "in_off", (long long)s->in_off },
		{ "wt_off", (long long)s->wt_off },
		{ "out_off", (long long)s->out_off },
		{ "add_off", (long long)s->add_off },
	};

	json_object(j, NULL);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		json_integer(j, members[i].key, members[i].value);
	json_end(j);
}

static void draw(const struct tiling *t)
{
	for (int w = 0; w < t->workers; w++) {
		printf("\n");
		if (t->workers > 1)
			printf("worker %d: ", w);
		plan_picture(stdout, &t->plans[w], t->columns[w].n0);
	}
}

/* The rows are those of any plan: which parts a job multiplies is told by its number. */
static void print_products(const struct rocket_matmul_plan *plan)
{
	const uint32_t products = (uint32_t)(plan->parts * plan->parts);

	printf("# of every %u jobs:", products);
	for (uint32_t j = 0; j < products; j++) {
		const struct rocket_matmul_step *s = &plan->steps[plan->jobs[j].first];

		printf("%s part %u of A with part %u of B", j ? "," : "", s->a_part, s->b_part);
	}
	printf("; part 0 is the high bytes\n");
}

static void report_rows(struct report *r, const struct plan *p)
{
	for (int w = 0; w < p->tiling.workers && !r->as_json; w++) {
		printf("\n");
		if (p->tiling.workers > 1)
			printf("# worker %d: columns %d..%d\n", w, p->tiling.columns[w].n0,
			       p->tiling.columns[w].n0 + p->tiling.columns[w].count - 1);
		if (p->tiling.plans[w].parts > 1)
			print_products(&p->tiling.plans[w]);
		rocket_matmul_plan_print(&p->tiling.plans[w], stdout);
	}
	if (!r->as_json)
		return;
	json_array(&r->json, "workers");
	for (int w = 0; w < p->tiling.workers; w++) {
		const struct rocket_matmul_plan *plan = &p->tiling.plans[w];

		json_object(&r->json, NULL);
		json_integer(&r->json, "n0", p->tiling.columns[w].n0);
		json_integer(&r->json, "columns", p->tiling.columns[w].count);
		report_jobs(r, plan);
		json_array(&r->json, "steps");
		for (uint32_t i = 0; i < plan->n_steps; i++)
			report_step(&r->json, &plan->steps[i]);
		json_end(&r->json);
		json_end(&r->json);
	}
	json_end(&r->json);
}

static void report_buffers(struct report *r, const struct tiling *t)
{
	uint64_t in = 0, wt = 0, out = 0;

	for (int w = 0; w < t->workers; w++) {
		in += t->plans[w].in_bytes;
		wt += t->plans[w].wt_bytes;
		out += t->plans[w].out_bytes[0] + t->plans[w].out_bytes[1];
	}
	report_open(r, "buffers", "NPU buffers");
	report_bytes(r, "input_bytes", "packed A", in);
	report_bytes(r, "weight_bytes", "packed B", wt);
	report_bytes(r, "output_bytes", "results", out);
	report_close(r);
}

static void report_plan(const struct plan *p)
{
	const struct extent *e = &p->extent;
	struct npu_counters counters;
	struct estimate estimate;
	struct report r;

	tiling_counters(&p->tiling, &counters);
	report_begin(&r, p->options.json, p->options.command->name);
	report_line(&r, "product", "C[%d,%d] = A[%d,%d] . B[%d,%d]^T, %s", e->M, e->N, e->M, e->K,
		    e->N, e->K, p->dtype->meaning);
	report_string(&r, "chip", "chip", p->hw->name);
	report_string(&r, "driver", "driver", p->driver);
	if (r.as_json) {
		json_string(&r.json, "op", "matmul");
		json_string(&r.json, "dtype", p->dtype->name);
		json_integer(&r.json, "M", e->M);
		json_integer(&r.json, "K", e->K);
		json_integer(&r.json, "N", e->N);
		json_integer(&r.json, "threads", p->threads);
	}
	tiling_report(&r, &p->tiling);
	report_count(&r, "jobs", "jobs", tiling_jobs(&p->tiling));
	report_count(&r, "submits", "SUBMIT calls", tiling_submits(&p->tiling));
	report_buffers(&r, &p->tiling);
	estimate_report_counters(&r, &counters);
	if (estimate_make(&estimate, p->dtype, p->mhz, (unsigned)p->tiling.workers, &counters)) {
		estimate_report(&r, &estimate);
		published_report(&r, p->dtype);
	} else {
		report_line(&r, "device time", "not estimated: this build has no cost model");
	}
	if (!r.as_json)
		draw(&p->tiling);
	if (p->rows)
		report_rows(&r, p);
	report_finish(&r);
}

static int make_plan(struct plan *p)
{
	const struct options *o = &p->options;
	struct tiling_request request = { 0 };
	char why[256] = "";
	int rc;

	const bool named = optind < o->argc && !isdigit((unsigned char)o->argv[optind][0]);

	/* Numbers alone are those of a matmul. */
	if (!options_operands(o, 3 + named, 3 + named, "an operation and its size: matmul M K N"))
		return EXIT_USAGE;
	if (named && strcmp(o->argv[optind], "matmul"))
		return command_misused(o->command, "cannot plan '%s': matmul is expected",
				       o->argv[optind]);
	if (!extent_operands(o, o->argv + optind + named, &p->extent))
		return EXIT_USAGE;
	request.dtype = p->dtype;
	request.extent = p->extent;
	request.threads = (int)p->threads;
	if (!tiling_driver_named(p->driver, &request.driver))
		return command_misused(o->command,
				       "no driver is called '%s': rocket or rknpu is expected",
				       p->driver);
	request.driver.batched = request.driver.batched || p->batched;
	rc = tiling_make(&p->tiling, &request, p->hw, why, sizeof(why));
	if (rc < 0)
		return command_failed(o->command, o->json, device_exit_code(rc), "%s (%s)", why,
				      rocket_status_name(rc));
	return EXIT_RIGHT;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option table[] = {
		{ "dtype", required_argument, NULL, OPTION_DTYPE },
		{ "rows", no_argument, NULL, OPTION_ROWS },
		{ "batched", no_argument, NULL, OPTION_BATCHED },
		{ "threads", required_argument, NULL, OPTION_THREADS },
		{ "chip", required_argument, NULL, OPTION_CHIP },
		{ "driver", required_argument, NULL, OPTION_DRIVER },
		{ "mhz", required_argument, NULL, OPTION_MHZ },
		OPTIONS_COMMON,
	};
	struct plan p = {
		.dtype = dtype_named("fp16"),
		.hw = rocket_hw_by_name("rk3588"),
		.driver = device_driver_wanted(),
		.threads = 1,
		.mhz = ESTIMATE_MHZ,
	};
	int value, rc;

	options_begin(&p.options, self, argc, argv);
	while ((value = options_next(&p.options, table)) != OPTION_END) {
		if (value == OPTION_BAD || value == OPTION_HELPED)
			return options_exit(value);
		if (!take(&p, value))
			return EXIT_USAGE;
	}
	rc = make_plan(&p);
	if (rc)
		return rc;
	report_plan(&p);
	tiling_free(&p.tiling);
	return EXIT_RIGHT;
}

const struct command command_plan = {
	.name = "plan",
	.summary = "how a product is cut into tiles and jobs, and what it will cost",
	.operation = "matmul",
	.usage = "matmul [--dtype TYPE] [--rows] [--threads N] [--batched]\n"
		 "           [--chip CHIP] [--driver NAME] [--mhz F] [--json] M K N",
	.help = "Prints tiles, jobs, buffers, the bytes the device will move and the ESTIMATED\n"
		"device time, and draws the tiles of the result in the order of their tasks,\n"
		"without a device. The ROCKET_MM_*, ROCKET_KACC and ROCKET_REUSE settings are\n"
		"honoured, as in a real run. Three numbers alone are a matmul's.\n"
		"\n"
		"Options:\n"
		"  --dtype TYPE   " DTYPE_NAMES "\n"
		"                 [fp16]\n"
		"  --rows         print every task: tile, buffers, reuse\n"
		"  --threads N    share N over 1..8 worker fds [1]\n"
		"  --batched      the driver can run a chain of tasks in one kick\n"
		"  --chip CHIP    whose parameters [rk3588]\n"
		"  --driver NAME  whose jobs: rocket, or rknpu, which chains tasks where that is\n"
		"                 exact [that of ROCKET_DEVICE=sim:..., or rocket]\n"
		"  --mhz F        NPU clock of the estimate [816]\n"
		"  --json         print JSON\n"
		"\n"
		"Examples:\n"
		"  rocket plan matmul --dtype fp16 512 3840 4096\n"
		"  ROCKET_MM_ASYM=0 rocket plan matmul --rows 512 3840 4096\n",
	.run = run,
};
