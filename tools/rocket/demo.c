// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/core/status.h"
#include "rocket_hw_profile.h"
#include "rocket_npu.h"

#include "estimate.h"
#include "logline.h"
#include "options.h"
#include "report.h"
#include "table.h"
#include "units.h"
#include "workload.h"

static const struct {
	const char *dtype;
	struct extent extent;
} products[] = {
	{ "fp16", { 512, 1024, 1024 } },
	{ "int8", { 512, 1024, 1024 } },
};

#define PRODUCTS (sizeof(products) / sizeof(products[0]))

struct outcome {
	const struct dtype *dtype;
	struct extent extent;
	struct rocket_matmul_tiles tiles;
	uint64_t n_tiles;
	struct measurement measured;
	struct check_result checked;
	bool estimated;
	struct estimate estimate;
};

/* The products on one device. */
struct side {
	struct device device;
	struct outcome outcomes[PRODUCTS];
};

/* The device of ROCKET_DEVICE, and one beside it. */
#define SIDES 2

struct demo {
	struct options options;
	const char *beside; /* NULL: none */
	struct side sides[SIDES];
	size_t n_sides;
};

/* ---- running ---- */

static int run_workload(const struct demo *d, const struct device *device, struct workload *w,
			struct outcome *out)
{
	const struct command *self = d->options.command;
	char why[512];
	int status;

	status = workload_run(w, device, 1, &out->measured);
	if (status < 0)
		return command_failed(self, d->options.json, device_exit_code(status), "%s (%s)",
				      logline_take(why, sizeof(why), "the product failed"),
				      rocket_status_name(status));
	if (workload_check(w, &out->checked) < 0)
		return command_failed(self, d->options.json, EXIT_DEVICE,
				      "no memory for the check");
	out->estimated =
		out->measured.counted &&
		estimate_make(&out->estimate, w->dtype, ESTIMATE_MHZ, 1, &out->measured.counters);
	return EXIT_RIGHT;
}

static int run_product(const struct demo *d, const struct device *device, struct outcome *out)
{
	const struct command *self = d->options.command;
	struct workload w = { .dtype = out->dtype,
			      .extent = out->extent,
			      .form = form_find("once", out->dtype, false) };
	const struct tiling_request request = { .dtype = w.dtype,
						.extent = w.extent,
						.driver = tiling_driver_open() };
	char why[256] = "";
	int rc;

	rc = tiling_make(&w.tiling, &request, rocket_hw_current(), why, sizeof(why));
	if (rc < 0)
		return command_failed(self, d->options.json, device_exit_code(rc), "%s (%s)", why,
				      rocket_status_name(rc));
	out->tiles = w.tiling.plans[0].tiles;
	out->n_tiles = tiling_tiles(&w.tiling);
	if (workload_make(&w, GENERATE_UNIFORM, 0) < 0) {
		rc = command_failed(self, d->options.json, EXIT_DEVICE, "no memory for operands");
	} else {
		rc = run_workload(d, device, &w, out);
		workload_free(&w);
	}
	tiling_free(&w.tiling);
	return rc;
}

static int run_side(const struct demo *d, struct side *side)
{
	int rc = device_open(&side->device, d->options.command, d->options.json);

	if (rc)
		return rc;
	for (size_t i = 0; i < PRODUCTS && !rc; i++) {
		side->outcomes[i].dtype = dtype_named(products[i].dtype);
		side->outcomes[i].extent = products[i].extent;
		rc = run_product(d, &side->device, &side->outcomes[i]);
	}
	device_close(&side->device);
	return rc;
}

static bool side_right(const struct side *side)
{
	for (size_t i = 0; i < PRODUCTS; i++)
		if (side->outcomes[i].checked.wrong || side->outcomes[i].checked.unbounded)
			return false;
	return true;
}

static bool all_right(const struct demo *d)
{
	for (size_t i = 0; i < d->n_sides; i++)
		if (!side_right(&d->sides[i]))
			return false;
	return true;
}

static bool any_simulated(const struct demo *d)
{
	for (size_t i = 0; i < d->n_sides; i++)
		if (d->sides[i].device.simulated)
			return true;
	return false;
}

/* ---- the table ---- */

/* One row: what it is called, and its cell for one product. */
struct row {
	const char *label;
	void (*cell)(const struct outcome *o, char buf[UNITS_SIZE]);
	const char *simulated; /* the label on the simulated device, when it is another */
};

static void cell_shape(const struct outcome *o, char buf[UNITS_SIZE])
{
	snprintf(buf, UNITS_SIZE, "%d x %d x %d", o->extent.M, o->extent.K, o->extent.N);
}

static void cell_dtype(const struct outcome *o, char buf[UNITS_SIZE])
{
	snprintf(buf, UNITS_SIZE, "%s", o->dtype->meaning);
}

static void cell_tile(const struct outcome *o, char buf[UNITS_SIZE])
{
	snprintf(buf, UNITS_SIZE, "%d x %d x %d", o->tiles.mt, o->tiles.kt, o->tiles.nt);
}

static void cell_tiles(const struct outcome *o, char buf[UNITS_SIZE])
{
	units_count(buf, o->n_tiles);
}

static void cell_tasks(const struct outcome *o, char buf[UNITS_SIZE])
{
	units_count(buf, o->measured.tasks);
}

static void cell_submits(const struct outcome *o, char buf[UNITS_SIZE])
{
	units_count(buf, o->measured.submits);
}

static void cell_kicks(const struct outcome *o, char buf[UNITS_SIZE])
{
	units_count(buf,
		    o->measured.counted ? o->measured.counters.kicks : o->measured.stats.kicks);
}

static void cell_bytes(const struct outcome *o, char buf[UNITS_SIZE])
{
	if (o->measured.counted)
		units_bytes(buf, estimate_bytes(&o->measured.counters));
	else
		strcpy(buf, "not counted here");
}

static void cell_checked(const struct outcome *o, char buf[UNITS_SIZE])
{
	units_count(buf, o->checked.elements);
}

static void cell_wrong(const struct outcome *o, char buf[UNITS_SIZE])
{
	units_count(buf, o->checked.wrong);
}

static void cell_error(const struct outcome *o, char buf[UNITS_SIZE])
{
	units_error(buf, o->checked.largest);
}

static void cell_bound(const struct outcome *o, char buf[UNITS_SIZE])
{
	units_error(buf, o->checked.bound);
	if (o->checked.bound == 0)
		strcpy(buf, "0 (exact)");
}

static void cell_wall(const struct outcome *o, char buf[UNITS_SIZE])
{
	units_time(buf, o->measured.wall_us);
}

static void cell_set_m(const struct outcome *o, char buf[UNITS_SIZE])
{
	if (o->estimated)
		units_time(buf, o->estimate.m_us);
	else
		strcpy(buf, "-");
}

static void cell_set_v(const struct outcome *o, char buf[UNITS_SIZE])
{
	if (o->estimated)
		units_time(buf, o->estimate.v_us);
	else
		strcpy(buf, "-");
}

static void cell_verdict(const struct outcome *o, char buf[UNITS_SIZE])
{
	strcpy(buf, o->checked.wrong || o->checked.unbounded ? "WRONG" : "right");
}

static const struct row rows[] = {
	{ "shape (M x K x N)", cell_shape, NULL },
	{ "tile (M x K x N)", cell_tile, NULL },
	{ "tiles", cell_tiles, NULL },
	{ "tasks", cell_tasks, NULL },
	{ "submits", cell_submits, NULL },
	{ "hardware kicks", cell_kicks, NULL },
	{ "bytes moved by the NPU", cell_bytes, NULL },
	{ "elements checked", cell_checked, NULL },
	{ "elements wrong", cell_wrong, NULL },
	{ "largest error", cell_error, NULL },
	{ "its bound", cell_bound, NULL },
	{ "wall time", cell_wall, "wall time of the simulation" },
	{ "device time, ESTIMATE (set M)", cell_set_m, NULL },
	{ "device time, ESTIMATE (set V)", cell_set_v, NULL },
};

static void add_row(struct table *t, const struct demo *d, const struct row *row)
{
	char buf[UNITS_SIZE];

	table_cell(t, "%s", any_simulated(d) && row->simulated ? row->simulated : row->label);
	for (size_t i = 0; i < d->n_sides; i++)
		for (size_t p = 0; p < PRODUCTS; p++) {
			row->cell(&d->sides[i].outcomes[p], buf);
			table_cell(t, "%s", buf);
		}
}

/* Whose columns they are, where there are two drivers. */
static void add_drivers(struct table *t, const struct demo *d)
{
	table_cell(t, "driver");
	for (size_t i = 0; i < d->n_sides; i++)
		for (size_t p = 0; p < PRODUCTS; p++)
			table_cell(t, "%s", d->sides[i].device.info.provider);
}

static void print_table(const struct demo *d)
{
	const struct row heading = { "", cell_dtype, NULL };
	const struct row verdict = { "result", cell_verdict, NULL };
	struct table t;

	table_init(&t, (unsigned)(1 + d->n_sides * PRODUCTS));
	table_rule(&t);
	if (d->n_sides > 1)
		add_drivers(&t, d);
	add_row(&t, d, &heading);
	table_rule(&t);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		add_row(&t, d, &rows[i]);
	table_rule(&t);
	add_row(&t, d, &verdict);
	table_rule(&t);
	table_print(&t, stdout);
	table_free(&t);
}

static void print_device(struct report *r, const struct device *device)
{
	const struct rocket_device_info *info = &device->info;

	report_line(r, "device", "%s%s", info->path,
		    device->simulated ? ", simulated in this process" : "");
	report_line(r, "chip", "%s, %u cores", info->chip, info->cores);
	report_line(r, "provider", "%s", info->provider);
	report_line(r, "driver version", "%s", info->driver_version);
	printf("\n");
}

static void print_text(const struct demo *d)
{
	const struct outcome *first = &d->sides[0].outcomes[0];
	struct report r;

	printf("C[M,N] = A[M,K] . B[N,K]^T on the NPU, every element checked on the CPU\n\n");
	report_begin(&r, false, NULL);
	for (size_t i = 0; i < d->n_sides; i++)
		print_device(&r, &d->sides[i].device);
	print_table(d);
	if (any_simulated(d))
		printf("\nWall time is the simulation's and says nothing about an NPU.\n");
	if (first->estimated)
		printf("ESTIMATE: cost model, one core at %.0f MHz; set M moves and computes in "
		       "turn\n"
		       "(pessimistic), set V at the same time (optimistic).\n",
		       first->estimate.mhz);
}

/* ---- JSON ---- */

static void report_outcome(struct report *r, const struct outcome *o)
{
	report_open(r, NULL, NULL);
	report_string(r, "dtype", NULL, o->dtype->name);
	json_integer(&r->json, "M", o->extent.M);
	json_integer(&r->json, "K", o->extent.K);
	json_integer(&r->json, "N", o->extent.N);
	json_integer(&r->json, "Mt", o->tiles.mt);
	json_integer(&r->json, "Kt", o->tiles.kt);
	json_integer(&r->json, "Nt", o->tiles.nt);
	report_count(r, "tiles", NULL, o->n_tiles);
	report_count(r, "tasks", NULL, o->measured.tasks);
	report_count(r, "submits", NULL, o->measured.submits);
	if (o->measured.counted)
		estimate_report_counters(r, &o->measured.counters);
	report_count(r, "elements", NULL, o->checked.elements);
	report_count(r, "wrong", NULL, o->checked.wrong);
	report_real(r, "largest_error", NULL, o->checked.largest);
	report_real(r, "bound", NULL, o->checked.bound);
	report_time(r, "wall_us", NULL, o->measured.wall_us);
	if (o->estimated)
		estimate_report(r, &o->estimate);
	report_close(r);
}

static void report_side(struct report *r, const struct side *side)
{
	const struct rocket_device_info *info = &side->device.info;

	report_string(r, "device", NULL, info->path);
	report_bool(r, "simulated", NULL, side->device.simulated);
	report_string(r, "chip", NULL, info->chip);
	report_count(r, "cores", NULL, info->cores);
	report_string(r, "provider", NULL, info->provider);
	report_string(r, "driver_version", NULL, info->driver_version);
	report_bool(r, "right", NULL, side_right(side));
	json_array(&r->json, "products");
	for (size_t i = 0; i < PRODUCTS; i++)
		report_outcome(r, &side->outcomes[i]);
	json_end(&r->json);
}

static void print_json(const struct demo *d)
{
	struct report r;

	report_begin(&r, true, d->options.command->name);
	report_side(&r, &d->sides[0]);
	if (d->n_sides > 1) {
		report_open(&r, "beside", NULL);
		report_side(&r, &d->sides[1]);
		report_close(&r);
	}
	report_finish(&r);
}

static int run_sides(struct demo *d)
{
	int rc = run_side(d, &d->sides[0]);

	d->n_sides = 1;
	if (rc || !d->beside)
		return rc;
	if (setenv("ROCKET_DEVICE", d->beside, 1))
		return command_failed(d->options.command, d->options.json, EXIT_DEVICE,
				      "no memory for a device's name");
	d->n_sides = 2;
	return run_side(d, &d->sides[1]);
}

static int run(const struct command *self, int argc, char **argv)
{
	enum { OPTION_BESIDE = OPTION_LONG };
	static const struct option table[] = {
		{ "beside", required_argument, NULL, OPTION_BESIDE },
		OPTIONS_COMMON,
	};
	struct demo d = { 0 };
	int value, rc;

	options_begin(&d.options, self, argc, argv);
	while ((value = options_next(&d.options, table)) != OPTION_END) {
		if (value != OPTION_BESIDE)
			return options_exit(value);
		d.beside = optarg;
	}
	if (!options_operands(&d.options, 0, 0, "no arguments"))
		return EXIT_USAGE;
	rc = run_sides(&d);
	if (rc)
		return rc;
	if (d.options.json)
		print_json(&d);
	else
		print_text(&d);
	return all_right(&d) ? EXIT_RIGHT : EXIT_WRONG;
}

const struct command command_demo = {
	.name = "demo",
	.summary = "multiply real matrices through the whole stack and check them",
	.usage = "[--beside DEVICE] [--json]",
	.help = "Opens the device that ROCKET_DEVICE names, multiplies an fp16 and an int8 pair "
		"of\n"
		"matrices through the public interface, checks every element against a reference\n"
		"computed on the CPU, and prints one table. Exit code 0 when all of it is right.\n"
		"\n"
		"Options:\n"
		"  --beside DEVICE  the same on this one too, in columns beside\n"
		"  --json           print JSON\n"
		"\n"
		"Examples:\n"
		"  ROCKET_DEVICE=sim rocket demo\n"
		"  ROCKET_DEVICE=sim rocket demo --beside sim:rk3588:rknpu\n",
	.run = run,
};
