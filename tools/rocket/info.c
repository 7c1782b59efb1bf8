// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <string.h>

#include "rocket_hw_profile.h"

#include "device.h"
#include "facts.h"
#include "kernel_report.h"
#include "options.h"
#include "report.h"

/* ---- capabilities ---- */

static const struct {
	const char *key, *label;
	size_t offset;
	const char *without; /* what cannot be done when the device lacks it */
} capabilities[] = {
#define CAP(field, label, without)                                                                 \
	{                                                                                          \
#field, label, offsetof(struct rocket_caps, field), without                        \
	}
	CAP(batched, "chained jobs in one kick",
	    "one kick per job: every task is its own kick (needs driver 1.1 and its switch)"),
	CAP(ranges, "partial cache sync",
	    "sync parts of a buffer: whole buffers are synced (needs driver 1.5)"),
	CAP(errors_reported, "job errors reported",
	    "tell a failed job from a finished one by its wait alone"),
	CAP(completion_tracked, "fence means every task",
	    "trust the fence of a chained job for all of its tasks"),
	CAP(batch_atomic, "jobs are not interleaved",
	    "keep other files' tasks from running between two of one job"),
	CAP(ppu_done, "waits for pooling", "pooling programs (needs driver 1.3)"),
	CAP(no_dpu_done, "RK3576 completion rule", NULL),
	CAP(batched_native, "chains are the default", NULL),
#undef CAP
};

/* What the interface of a driver has no call for. */
static const struct {
	const char *provider, *what;
} missing_calls[] = {
	{ "rknpu", "return from a submit before its job has ended" },
	{ "rknpu", "keep an operand on chip between tasks that are not chained" },
	{ "rknpu", "spare other jobs when one hangs: all cores are reset" },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool has(const struct rocket_caps *caps, size_t i)
{
	return *((const uint8_t *)caps + capabilities[i].offset) != 0;
}

static const struct {
	unsigned code;
	const char *name;
} dtypes[] = { { 0, "int8" }, { 1, "int16" }, { 2, "fp16" },
	       { 3, "bf16" }, { 6, "int4" },  { 7, "tf32" } };

/* ---- an open device ---- */

static void report_device(struct report *r, const struct device *d)
{
	report_open(r, "device", "device");
	report_string(r, "path", "path", d->info.path);
	report_bool(r, "simulated", "simulated", d->simulated);
	report_string(r, "chip", "chip", d->info.chip[0] ? d->info.chip : "unknown");
	report_count(r, "cores", "cores", d->info.cores);
	report_string(r, "provider", "provider", d->info.provider);
	report_string(r, "kernel", "kernel", d->info.kernel);
	report_string(r, "driver_version", "driver", d->info.driver_version);
	report_close(r);
}

static void report_capabilities(struct report *r, const struct rocket_caps *caps)
{
	report_open(r, "capabilities", "the driver can do");
	for (size_t i = 0; i < COUNT(capabilities); i++)
		report_bool(r, capabilities[i].key, capabilities[i].label, has(caps, i));
	report_close(r);
}

static void report_profile(struct report *r, const struct rocket_hw_profile *p)
{
	report_open(r, "profile", "hardware profile");
	report_string(r, "name", "name", p->name);
	report_count(r, "cbuf_banks", "CBUF banks", (uint64_t)p->cbuf_banks);
	report_bytes(r, "cbuf_bank_bytes", "CBUF bank", (uint64_t)p->cbuf_bank_size);
	report_count(r, "max_tile", "largest M, N tile", (uint64_t)p->max_tile);
	report_count(r, "default_workers", "worker fds", (uint64_t)p->default_workers);
	report_line(r, "slow wait", "%d ms", p->slow_wait_ms);
	report_line(r, "job watchdog", "%d ms", p->backstop_ms);
	if (r->as_json) {
		json_integer(&r->json, "slow_wait_ms", p->slow_wait_ms);
		json_integer(&r->json, "backstop_ms", p->backstop_ms);
	}
	if (p->select_warning)
		report_string(r, "warning", "WARNING", p->select_warning);
	report_close(r);
}

static void report_dtypes(struct report *r, const struct rocket_hw_profile *p, bool supported)
{
	char list[64] = "";

	for (size_t i = 0; i < COUNT(dtypes); i++) {
		size_t used = strlen(list);

		if (!(p->dtype_supported & ROCKET_DT_BIT(dtypes[i].code)) != supported)
			snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "",
				 dtypes[i].name);
	}
	report_string(r, supported ? "dtypes" : "dtypes_not_available",
		      supported ? "operands" : "no operands of", list[0] ? list : "none");
}

static void report_limit(struct report *r, const char *what)
{
	if (r->as_json)
		json_string(&r->json, NULL, what);
	else
		printf("  %s\n", what);
}

static void report_limits(struct report *r, const struct device *d)
{
	if (r->as_json)
		json_array(&r->json, "cannot");
	else
		printf("what cannot be done here\n");
	for (size_t i = 0; i < COUNT(capabilities); i++)
		if (!has(&d->info.caps, i) && capabilities[i].without)
			report_limit(r, capabilities[i].without);
	for (size_t i = 0; i < COUNT(missing_calls); i++)
		if (!strcmp(d->info.provider, missing_calls[i].provider))
			report_limit(r, missing_calls[i].what);
	if (d->simulated)
		report_limit(r, "measure device time: the simulator computes results, not time");
	if (r->as_json)
		json_end(&r->json);
}

/* What the kernel tells beside the device; the simulated one has no kernel. */
static void report_kernel(struct report *r)
{
	static struct npu_facts facts; /* too large for a small stack */

	facts_read(&facts, sysfile_root());
	report_fact_text(r, "board", NULL, &facts.board);
	report_module(r, &facts);
	report_clock(r, &facts);
	report_cores(r, &facts);
	report_clocks(r, &facts);
	report_users(r, &facts);
	report_blanks(r, &facts);
}

static int show_device(const struct command *self, const struct device *d, bool json)
{
	const struct rocket_hw_profile *p = rocket_hw_current();
	struct report r;

	report_begin(&r, json, self->name);
	r.label_width = 28;
	report_device(&r, d);
	report_capabilities(&r, &d->info.caps);
	report_profile(&r, p);
	report_open(&r, "matmul", "matrix multiplication");
	report_dtypes(&r, p, true);
	report_dtypes(&r, p, false);
	report_close(&r);
	report_limits(&r, d);
	if (!d->simulated)
		report_kernel(&r);
	report_finish(&r);
	return EXIT_RIGHT;
}

/* ---- no device ---- */

static void show_node(void *user, const char *provider, const char *node, const char *outcome)
{
	struct report *r = user;

	if (!r->as_json) {
		printf("  %-28s %s (provider %s)\n", node, outcome, provider);
		return;
	}
	json_object(&r->json, NULL);
	json_string(&r->json, "node", node);
	json_string(&r->json, "provider", provider);
	json_string(&r->json, "outcome", outcome);
	json_end(&r->json);
}

static void show_nodes(struct report *r)
{
	if (r->as_json)
		json_array(&r->json, "nodes");
	else
		printf("nodes looked at\n");
	device_probe_nodes(show_node, r);
	if (r->as_json)
		json_end(&r->json);
}

static void show_choices(struct report *r)
{
	if (r->as_json)
		json_array(&r->json, "simulated_devices");
	else if (device_simulated_name(0))
		printf("simulated devices that can be asked for\n");
	else
		printf("this build has no simulated device\n");
	for (unsigned i = 0; device_simulated_name(i); i++)
		if (r->as_json)
			json_string(&r->json, NULL, device_simulated_name(i));
		else
			printf("  ROCKET_DEVICE=%s\n", device_simulated_name(i));
	if (r->as_json)
		json_end(&r->json);
}

static int show_absence(const struct command *self, const struct device *d, bool json, int code)
{
	static struct npu_facts facts; /* too large for a small stack */
	struct report r;

	report_begin(&r, json, self->name);
	r.label_width = 28;
	if (json) {
		json_string(&r.json, "device", NULL);
		json_string(&r.json, "error", d->why);
		json_count(&r.json, "exit", (unsigned long long)code);
	}
	show_nodes(&r);
	if (!device_simulator_wanted()) {
		facts_read(&facts, sysfile_root());
		report_fact_text(&r, "board", facts.board.known == KNOWN ? "board" : NULL,
				 &facts.board);
		report_causes(&r, &facts);
		report_module(&r, &facts);
		report_cores(&r, &facts);
	}
	show_choices(&r);
	report_finish(&r);
	return code;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option table[] = { OPTIONS_COMMON };
	struct options o;
	struct device device;
	int value, rc;

	options_begin(&o, self, argc, argv);
	while ((value = options_next(&o, table)) != OPTION_END)
		return options_exit(value);
	if (!options_operands(&o, 0, 0, "no arguments"))
		return EXIT_USAGE;
	rc = device_open(&device, self, false);
	if (rc)
		return show_absence(self, &device, o.json, rc);
	rc = show_device(self, &device, o.json);
	device_close(&device);
	return rc;
}

const struct command command_info = {
	.name = "info",
	.summary = "what the NPU is and what its driver can do",
	.usage = "[--json]",
	.help = "Opens the device that ROCKET_DEVICE names, or the first NPU of this machine, and\n"
		"prints what is known of it: driver, capabilities, hardware profile, limits; on a\n"
		"board also the module, the clock, the power state and counters of each core, and\n"
		"who uses the NPU (all of it for root only).\n"
		"Without a device it says why there is none and what to do about it, lists the\n"
		"nodes it looked at and the simulated devices that can be asked for, and exits\n"
		"with 2.\n"
		"\n"
		"Examples:\n"
		"  rocket info\n"
		"  ROCKET_DEVICE=sim rocket info --json\n",
	.run = run,
};
