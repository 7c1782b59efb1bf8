// SPDX-License-Identifier: LGPL-2.1-or-later
/* `rocket clock`: the operating point of the NPU, shown and set. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "clock_plan.h"
#include "kernel_report.h"
#include "modprobe_file.h"
#include "options.h"
#include "points.h"
#include "report.h"

/* ---- arguments ---- */

/* "900M", "0.9G", "900MHz", "900000000", "default"; a small bare number is a slip. */
static bool parse_rate(const struct command *self, const char *text, unsigned long *hz)
{
	static const struct {
		const char *suffix;
		double factor;
	} units[] = { { "", 1 },    { "Hz", 1 },    { "k", 1e3 }, { "kHz", 1e3 },
		      { "M", 1e6 }, { "MHz", 1e6 }, { "G", 1e9 }, { "GHz", 1e9 } };
	double value, scaled = -1;
	char *end;

	if (!strcmp(text, "default")) {
		*hz = 0;
		return true;
	}
	value = strtod(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && strchr("0123456789.", *text);
	     i++)
		if (end != text && !strcasecmp(end, units[i].suffix))
			scaled = value * units[i].factor;
	if (!(scaled >= 0 && scaled < 1e12)) {
		command_misused(self, "'%s' is no rate: 900M, 900000000 or 'default'", text);
		return false;
	}
	if (scaled > 0 && scaled < 1e6) {
		command_misused(self, "'%s' is less than a MHz: did you mean %sM?", text, text);
		return false;
	}
	*hz = (unsigned long)(scaled + 0.5);
	return true;
}

/* ---- showing ---- */

static void print_point(const struct point *p)
{
	char real[32], hz[TEXT_MAX];

	snprintf(real, sizeof(real),
		 !p->real_mhz_low                      ? "unknown"
		 : p->real_mhz_low == p->real_mhz_high ? "~%u MHz"
						       : "%u-%u MHz",
		 p->real_mhz_low, p->real_mhz_high);
	printf("%8s  %4u mV  %15s  %6s  %s\n", mhz_text(hz, p->hz), point_vote_uv(p) / 1000, real,
	       p->proven ? "yes" : "no", p->evidence);
}

static void json_point(struct json *j, const struct point *p)
{
	json_object(j, NULL);
	json_count(j, "hz", p->hz);
	json_count(j, "vendor_uv", p->uv);
	json_count(j, "vote_uv", point_vote_uv(p));
	json_bool(j, "proven", p->proven);
	json_count(j, "real_mhz_low", p->real_mhz_low);
	json_count(j, "real_mhz_high", p->real_mhz_high);
	json_bool(j, "real_measured", p->real_measured);
	json_string(j, "evidence", p->evidence);
	json_end(j);
}

static int list_points(const struct command *self, bool json)
{
	const struct point *p;
	struct report r;

	report_begin(&r, json, self->name);
	if (json)
		json_array(&r.json, "points");
	else
		printf("%8s  %7s  %15s  %6s  evidence\n", "request", "voltage", "real at 800 mV",
		       "proven");
	for (unsigned i = 0; (p = point_at(i)); i++)
		if (json)
			json_point(&r.json, p);
		else
			print_point(p);
	report_finish(&r);
	return EXIT_RIGHT;
}

static int show(const struct command *self, const struct npu_facts *facts, bool json)
{
	struct report r;

	if (!facts->module.loaded)
		return command_failed(self, json, EXIT_USAGE,
				      "the module 'rocket' is not loaded; 'rocket info' says why");
	report_begin(&r, json, self->name);
	r.label_width = 28;
	report_clock(&r, facts);
	report_cores(&r, facts);
	report_clocks(&r, facts);
	if (!json && !facts_have_lever(facts))
		printf("the rate cannot be set: this driver has no parameter for it "
		       "(rocket info)\n");
	if (!json && facts->driver_file == NOT_OURS)
		printf("run as root to see the request in force and the clocks\n");
	report_finish(&r);
	return EXIT_RIGHT;
}

/* ---- setting ---- */

/* Set one, and look: 0 or -errno, -EIO when the kernel keeps another value. */
static int take_step(const char *root, enum parameter parameter, const char *value)
{
	char path[TEXT_MAX];
	struct text_fact now;
	int err = sysfile_write(root, parameter_path(path, parameter), value);

	if (err)
		return err;
	now = sysfile_text(root, "%s", path);
	return now.known == KNOWN && !strcmp(now.text, value) ? 0 : -EIO;
}

/* Back to what was, in reverse. False: something could not be put back. */
static bool undo(const struct clock_plan *plan, const char *root, unsigned done)
{
	bool right = true;

	while (done--)
		right &= !take_step(root, plan->steps[done].parameter, plan->steps[done].before);
	return right;
}

static bool set(const struct clock_plan *plan, const char *root, char why[MODPROBE_WHY])
{
	for (unsigned i = 0; i < plan->step_count; i++) {
		const struct clock_step *s = &plan->steps[i];
		int err = take_step(root, s->parameter, s->value);

		if (!err)
			continue;
		/* One that was written and reads otherwise has to be put back too. */
		snprintf(why, MODPROBE_WHY, "%s does not take %s: %s; %s",
			 parameter_name(s->parameter), s->value,
			 err == -EIO ? "it reads back as something else" : strerror(-err),
			 undo(plan, root, i + (err == -EIO))
				 ? "all is as it was"
				 : "and what was there could not be put back, see rocket clock");
		return false;
	}
	return true;
}

static void print_list(struct report *r, const char *key, const char *lead,
		       const struct clock_plan *plan)
{
	if (r->as_json)
		json_array(&r->json, key);
	for (unsigned i = 0; i < plan->step_count; i++) {
		const struct clock_step *s = &plan->steps[i];

		if (!r->as_json) {
			printf("%s %s = %s (was %s)\n", lead, parameter_name(s->parameter),
			       s->value, s->before);
			continue;
		}
		json_object(&r->json, NULL);
		json_string(&r->json, "parameter", parameter_name(s->parameter));
		json_string(&r->json, "value", s->value);
		json_string(&r->json, "before", s->before);
		json_end(&r->json);
	}
	if (r->as_json)
		json_end(&r->json);
}

static void print_notes(struct report *r, const struct clock_plan *plan)
{
	if (r->as_json)
		json_array(&r->json, "notes");
	for (unsigned i = 0; i < plan->note_count; i++)
		if (r->as_json)
			json_string(&r->json, NULL, plan->notes[i]);
		else
			printf("note: %s\n", plan->notes[i]);
	if (r->as_json)
		json_end(&r->json);
}

/* What makes the initramfs take up a change in /etc/modprobe.d, or NULL: there is none here. */
static const char *initramfs_update(const char *root)
{
	static const struct {
		const char *path, *command;
	} tools[] = { { "/usr/sbin/update-initramfs", "update-initramfs -u" },
		      { "/usr/bin/dracut", "dracut --force" } };

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (sysfile_allows(root, F_OK, "%s", tools[i].path))
			return tools[i].command;
	return NULL;
}

static void print_file(struct report *r, const struct clock_plan *plan,
		       const struct modprobe_change *change, bool dry)
{
	const char *update = initramfs_update(sysfile_root());
	const char *verb = change->same ? "already has" : dry ? "would get" : "now has";

	report_string(r, "file", NULL, MODPROBE_FILE);
	report_string(r, "file_options", NULL, plan->options[0] ? plan->options : NULL);
	if (r->as_json)
		json_bool(&r->json, "file_changed", !change->same && !dry);
	else if (plan->options[0])
		printf("%s %s: %s\n", MODPROBE_FILE, verb, plan->options);
	else
		printf("%s %s no line of ours\n", MODPROBE_FILE, verb);
	/* A file that is as it was may still be newer than the initramfs. */
	report_string(r, "initramfs_update", NULL, update);
	if (!r->as_json && update)
		printf("the initramfs has a copy of its own: it follows with 'sudo %s'\n", update);
}

static int report_setting(const struct command *self, const struct clock_plan *plan,
			  const struct npu_facts *facts, const struct modprobe_change *change,
			  bool persist, bool dry, bool json)
{
	char effect[256];
	struct report r;

	report_begin(&r, json, self->name);
	report_bool(&r, "dry_run", NULL, dry);
	print_list(&r, "steps", dry ? "would set" : "set", plan);
	if (plan->live) {
		clock_plan_effect(effect, sizeof(effect), facts);
		report_string(&r, "effective", NULL, effect);
		if (!json)
			printf("effective: %s\n", effect);
	} else if (!json) {
		printf("the module is not loaded: nothing to set now\n");
	}
	if (persist)
		print_file(&r, plan, change, dry);
	print_notes(&r, plan);
	report_finish(&r);
	return EXIT_RIGHT;
}

static int change_clock(const struct command *self, const struct npu_facts *facts,
			const struct clock_request *request, bool dry, bool json)
{
	const char *root = sysfile_root();
	struct modprobe_change change = { 0 };
	char why[MODPROBE_WHY] = "";
	struct clock_plan plan;
	int code = EXIT_RIGHT;

	clock_plan_make(&plan, facts, request);
	if (plan.refused)
		return command_failed(self, json, EXIT_USAGE, "%s (next: %s)", plan.why, plan.next);
	/* Everything that can be refused is refused before anything is set. */
	if (request->persist && !modprobe_prepare(&change, root, plan.options, why))
		return command_failed(self, json, EXIT_USAGE, "%s", why);
	if (!dry && !set(&plan, root, why))
		code = command_failed(self, json, EXIT_DEVICE, "%s", why);
	else if (!dry && request->persist && !modprobe_commit(&change, root, why))
		code = command_failed(self, json, EXIT_DEVICE,
				      "%s; the clock is set until the module is unloaded", why);
	else
		code = report_setting(self, &plan, facts, &change, request->persist, dry, json);
	modprobe_free(&change);
	return code;
}

enum { OPTION_LIST = OPTION_LONG, OPTION_FORCE, OPTION_UV, OPTION_PERSIST, OPTION_DRY };

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option table[] = { { "list", no_argument, NULL, OPTION_LIST },
					       { "force", no_argument, NULL, OPTION_FORCE },
					       { "uv", required_argument, NULL, OPTION_UV },
					       { "persist", no_argument, NULL, OPTION_PERSIST },
					       { "dry-run", no_argument, NULL, OPTION_DRY },
					       OPTIONS_COMMON };
	struct clock_request request = { 0 };
	static struct npu_facts facts; /* too large for a small stack */
	bool list = false, dry = false;
	struct options o;
	long long uv;
	int value;

	options_begin(&o, self, argc, argv);
	while ((value = options_next(&o, table)) != OPTION_END) {
		switch (value) {
		case OPTION_LIST:
			list = true;
			break;
		case OPTION_FORCE:
			request.force = true;
			break;
		case OPTION_PERSIST:
			request.persist = true;
			break;
		case OPTION_DRY:
			dry = true;
			break;
		case OPTION_UV:
			if (!options_number(&o, "--uv", optarg, 0, 10000000, &uv))
				return EXIT_USAGE;
			request.has_uv = true;
			request.uv = (unsigned)uv;
			break;
		default:
			return options_exit(value);
		}
	}
	if (!options_operands(&o, 0, list ? 0 : 1,
			      list ? "no rate with --list" : "at most one rate"))
		return EXIT_USAGE;
	if (optind == argc && (request.force || request.has_uv || request.persist || dry))
		return command_misused(self, "which rate? (900M, or 'default')");
	if (list)
		return list_points(self, o.json);
	if (optind < argc && !parse_rate(self, argv[optind], &request.hz))
		return EXIT_USAGE;
	facts_read(&facts, sysfile_root());
	if (optind == argc)
		return show(self, &facts, o.json);
	return change_clock(self, &facts, &request, dry, o.json);
}

const struct command command_clock = {
	.name = "clock",
	.summary = "the clock of the NPU: show and set it",
	.usage = "[--json]\n"
		 "       rocket clock [--json] --list\n"
		 "       rocket clock [--json] [--force] [--uv UV] [--persist] [--dry-run] RATE",
	.help = "Without RATE: what was asked for, what the NPU really runs at as far as that is\n"
		"known, the voltage of its rail, the power state of each core. Above 200 MHz the\n"
		"NPU runs on a ring oscillator that follows the rail, so a request is not a rate.\n"
		"\n"
		"RATE (900M, 600M, 200M, or 'default', which is 0, for what the device tree\n"
		"has) sets the request through the parameters of the kernel module and looks "
		"whether they took\n"
		"it. Nothing is set that a check refuses: rates outside the table, no npu-supply\n"
		"in the device tree, a driver without the lever. It counts from the next wake-up\n"
		"of a core on.\n"
		"\n"
		"  --list        operating points: request, voltage, real rate, evidence\n"
		"  --force       allow a rate of the table that is not proven on a board\n"
		"  --uv UV       least voltage of the rail at a raised clock, 550000 to 950000 "
		"uV;\n"
		"                0: by the rate\n"
		"  --persist     also keep it in /etc/modprobe.d/rocket-npu.conf for the next\n"
		"                load of the module; with 'default' our line is taken out again\n"
		"  --dry-run     say what would be set, and set nothing\n"
		"\n"
		"Examples:\n"
		"  rocket clock\n"
		"  rocket clock --list\n"
		"  sudo rocket clock 900M\n"
		"  sudo rocket clock --persist 900M\n"
		"  sudo rocket clock --persist default\n",
	.run = run,
};
