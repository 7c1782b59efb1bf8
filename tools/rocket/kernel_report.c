// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "cause.h"
#include "kernel_report.h"
#include "points.h"
#include "units.h"

const char *mhz_text(char buf[TEXT_MAX], unsigned long long hz)
{
	snprintf(buf, TEXT_MAX, hz % 1000000 ? "%.3f MHz" : "%.0f MHz", (double)hz / 1e6);
	return buf;
}

/* ---- one fact ---- */

static const char *why_unknown(enum known known)
{
	switch (known) {
	case NOT_THERE:
		return "not told by this driver";
	case NOT_OURS:
		return "unknown (needs root)";
	default:
		return "unknown (cannot be read)";
	}
}

void report_fact_text(struct report *r, const char *key, const char *label,
		      const struct text_fact *fact)
{
	if (fact->known == KNOWN)
		report_string(r, key, label, fact->text);
	else
		report_string(r, key, label, r->as_json ? NULL : why_unknown(fact->known));
}

void report_fact_number(struct report *r, const char *key, const char *label, const char *unit,
			const struct number_fact *fact)
{
	if (r->as_json && key && fact->known == KNOWN)
		json_integer(&r->json, key, fact->value);
	else if (r->as_json && key)
		json_string(&r->json, key, NULL);
	else if (fact->known == KNOWN)
		report_line(r, label, "%lld%s%s", fact->value, *unit ? " " : "", unit);
	else
		report_line(r, label, "%s", why_unknown(fact->known));
}

/* ---- the module ---- */

/* What tells that a part of the package's series is there. */
static const struct {
	enum parameter parameter;
	const char *key, *label;
} features[] = {
	{ PARAMETER_HZ, "clock_lever", "clock, rail, safe unloading (0027)" },
	{ PARAMETER_TIMEOUT, "job_timeout", "judges a timeout first (0022)" },
	{ PARAMETER_BATCH, "batch", "chained jobs (0030)" },
	{ PARAMETER_MAX_JOBS, "job_limit", "limit of unfinished jobs (0034)" },
	{ PARAMETER_MULTICORE, "multicore", "several cores per file (0037)" },
};

static const char *origin(const struct module_facts *m)
{
	if (m->version.known == KNOWN)
		return "of the package rocket-npu";
	return m->parameters[PARAMETER_HZ].known == NOT_THERE
		       ? "the kernel's own"
		       : "with the package's series, built without its version";
}

static void report_features(struct report *r, const struct module_facts *m)
{
	report_open(r, "features", "patches that can be told by it");
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		report_bool(r, features[i].key, features[i].label,
			    m->parameters[features[i].parameter].known != NOT_THERE);
	report_close(r);
}

static void report_parameters(struct report *r, const struct module_facts *m)
{
	report_open(r, "parameters", NULL);
	for (enum parameter p = 0; p < PARAMETERS; p++)
		if (m->parameters[p].known != NOT_THERE || r->as_json)
			report_fact_text(r, parameter_name(p), parameter_name(p),
					 &m->parameters[p]);
	report_close(r);
}

void report_module(struct report *r, const struct npu_facts *facts)
{
	const struct module_facts *m = &facts->module;

	report_open(r, "module", "module");
	report_bool(r, "loaded", "loaded", m->loaded);
	if (r->as_json)
		json_bool(&r->json, "built_in", m->builtin);
	else if (m->builtin)
		report_line(r, "", "built into the kernel");
	report_fact_text(r, "kernel_release", "kernel", &facts->release);
	if (m->loaded) {
		report_string(r, "origin", "driver is", origin(m));
		report_fact_text(r, "version", m->version.known == KNOWN ? "version" : NULL,
				 &m->version);
		report_fact_text(r, "srcversion", "srcversion", &m->srcversion);
		report_features(r, m);
		report_parameters(r, m);
	} else {
		report_fact_text(r, "installed", NULL, &m->installed);
		report_fact_text(r, "blacklisted", NULL, &m->blacklisted);
	}
	report_close(r);
}

/* ---- clock and voltage ---- */

/* A request is not a rate: above 200 MHz the rail decides, and nothing can be read. */
static void report_expected(struct report *r, const struct npu_facts *facts, unsigned long hz)
{
	const struct point *point = point_find(hz);
	long long uv = facts_rail_uv(facts);
	bool fits =
		point && point->real_mhz_low && (point->hz <= POINT_PARK_HZ || uv == POINT_REAL_UV);
	char range[32];

	if (r->as_json) {
		json_object(&r->json, "expected_real_mhz");
		json_bool(&r->json, "known", fits);
		json_bool(&r->json, "measured_here", false);
		if (fits) {
			json_count(&r->json, "low", point->real_mhz_low);
			json_count(&r->json, "high", point->real_mhz_high);
		}
		json_string(&r->json, "evidence", point ? point->evidence : NULL);
		json_end(&r->json);
		return;
	}
	if (!point) {
		report_line(r, "really runs at", "unknown: no request that is known");
		return;
	}
	snprintf(range, sizeof(range), point->real_mhz_low == point->real_mhz_high ? "%u" : "%u-%u",
		 point->real_mhz_low, point->real_mhz_high);
	if (fits)
		report_line(r, "really runs at", "about %s MHz (%s), not measured here", range,
			    point->real_measured ? "as measured on a Turing RK1" : "inferred");
	else if (!point->real_mhz_low || !uv)
		report_line(r, "really runs at", "unknown%s", uv ? "" : ": the rail is not known");
	else
		report_line(r, "really runs at",
			    "unknown at %lld mV; about %s MHz at %d mV, it follows the rail",
			    uv / 1000, range, POINT_REAL_UV / 1000);
}

static void report_rail(struct report *r, const struct npu_facts *facts)
{
	long long uv = facts_rail_uv(facts);
	bool known = facts->rail.uv.known == KNOWN || facts->rail_uv.known == KNOWN;

	report_fact_text(r, "rail", facts->rail.name.known == KNOWN ? "rail" : NULL,
			 &facts->rail.name);
	if (r->as_json) {
		report_fact_number(r, "rail_uv", NULL, "",
				   &(struct number_fact){ known ? KNOWN : NOT_THERE, uv });
		json_integer(&r->json, "floor_uv", POINT_UV_FLOOR);
		return;
	}
	if (known)
		report_line(r, "voltage", "%lld mV", uv / 1000);
	else
		report_line(r, "voltage", "%s",
			    facts->rail.name.known == KNOWN
				    ? why_unknown(facts->rail.uv.known)
				    : "unknown: no npu-supply in the device tree");
	if (facts_have_lever(facts))
		report_line(r, "never below", "%d mV", POINT_UV_FLOOR / 1000);
}

void report_clock(struct report *r, const struct npu_facts *facts)
{
	struct number_fact request = facts_request(facts);
	unsigned long long asked = 0;
	bool knows_asked = facts_parameter(facts, PARAMETER_HZ, &asked);
	unsigned long in_force =
		request.known == KNOWN && request.value > 0 ? (unsigned long)request.value : 0;
	char text[TEXT_MAX];

	report_open(r, "clock", "clock");
	report_fact_number(
		r, "parameter_hz", NULL, "",
		&(struct number_fact){ knows_asked ? KNOWN : NOT_THERE, (long long)asked });
	if (!r->as_json && facts_have_lever(facts))
		report_line(r, "asked for when awake", "%s",
			    !knows_asked ? "unknown (cannot be read)"
			    : asked      ? mhz_text(text, asked)
					 : "what the device tree has (200 MHz)");
	report_fact_number(r, "request_hz", NULL, "", &request);
	report_fact_number(r, "raised_hz", NULL, "", &facts->raised_hz);
	if (!r->as_json)
		report_line(r, "request in force", "%s",
			    in_force ? mhz_text(text, in_force)
				     : why_unknown(facts->driver_file == NOT_OURS ? NOT_OURS
										  : request.known));
	report_expected(r, facts, in_force);
	report_rail(r, facts);
	if (facts->millidegrees.known == KNOWN || r->as_json)
		report_fact_number(r, "temperature_millidegrees", "temperature",
				   "thousandths of a degree C", &facts->millidegrees);
	report_close(r);
}

/* ---- the cores ---- */

static void report_core(struct report *r, const struct core_facts *core)
{
	char label[32], state[64];

	if (r->as_json) {
		json_object(&r->json, NULL);
		json_string(&r->json, "device", core->device);
		json_integer(&r->json, "number", core->number);
		json_bool(&r->json, "bound", core->bound);
		json_bool(&r->json, "npu_supply", core->npu_supply);
		report_fact_text(r, "power", NULL, &core->status);
		report_fact_text(r, "power_control", NULL, &core->control);
		report_fact_number(r, "autosuspend_ms", NULL, "", &core->autosuspend_ms);
		report_fact_number(r, "active_ms", NULL, "", &core->active_ms);
		report_fact_number(r, "suspended_ms", NULL, "", &core->suspended_ms);
		if (core->counted) {
			json_count(&r->json, "kicks", core->kicks);
			json_count(&r->json, "jobs", core->jobs);
			json_count(&r->json, "failed", core->failed);
			json_count(&r->json, "busy_ns", core->busy_ns);
		}
		json_end(&r->json);
		return;
	}
	snprintf(label, sizeof(label), core->number < 0 ? "core" : "core %d", core->number);
	snprintf(state, sizeof(state), "%.24s%s",
		 core->status.known == KNOWN ? core->status.text : why_unknown(core->status.known),
		 strcmp(core->control.text, "on") ? "" : ", pinned on");
	report_line(r, label, "%s: %s%s", core->device, core->bound ? state : "no driver",
		    core->npu_supply ? "" : ", no npu-supply");
	if (!core->bound)
		return;
	if (core->autosuspend_ms.known == KNOWN)
		report_line(r, "", "sleeps %lld ms after its last job", core->autosuspend_ms.value);
	if (core->active_ms.known == KNOWN && core->suspended_ms.known == KNOWN)
		report_line(r, "", "awake %.1f s, asleep %.1f s so far",
			    (double)core->active_ms.value / 1e3,
			    (double)core->suspended_ms.value / 1e3);
	if (core->counted)
		report_line(r, "", "%llu jobs, %llu failed, %llu kicks, busy %.3f s", core->jobs,
			    core->failed, core->kicks, (double)core->busy_ns / 1e9);
}

void report_cores(struct report *r, const struct npu_facts *facts)
{
	if (r->as_json)
		json_array(&r->json, "cores");
	else
		report_open(r, NULL, "cores");
	for (unsigned i = 0; i < facts->core_count; i++)
		report_core(r, &facts->cores[i]);
	if (!facts->core_count && !r->as_json)
		printf("  none\n");
	report_close(r);
}

void report_clocks(struct report *r, const struct npu_facts *facts)
{
	char text[TEXT_MAX];

	if (r->as_json)
		json_array(&r->json, "clocks");
	else if (facts->clock_count)
		report_open(r, NULL, "clocks of the kernel (a request, not a measurement)");
	for (unsigned i = 0; i < facts->clock_count; i++) {
		const struct clock_facts *c = &facts->clocks[i];

		if (r->as_json) {
			json_object(&r->json, NULL);
			json_string(&r->json, "name", c->name);
			report_fact_number(r, "hz", NULL, "", &c->hz);
			report_fact_number(r, "enable_count", NULL, "", &c->enabled);
			json_end(&r->json);
		} else if (c->hz.known == KNOWN && c->hz.value >= 0 && c->enabled.known == KNOWN) {
			report_line(r, c->name, "%s, enabled %lld times",
				    mhz_text(text, (unsigned long long)c->hz.value),
				    c->enabled.value);
		} else {
			report_line(r, c->name, "unknown (cannot be read)");
		}
	}
	if (r->as_json || facts->clock_count)
		report_close(r);
}

/* ---- who uses it ---- */

static void report_user(struct report *r, const struct user_facts *user)
{
	char label[32], memory[UNITS_SIZE];

	if (r->as_json) {
		json_object(&r->json, NULL);
		json_integer(&r->json, "pid", user->pid);
		json_string(&r->json, "command", user->command);
		if (user->counted) {
			json_count(&r->json, "client", user->client);
			json_array(&r->json, "busy_ns");
			for (unsigned i = 0; i < ENGINES_MAX; i++)
				json_count(&r->json, NULL, user->busy_ns[i]);
			json_end(&r->json);
			json_count(&r->json, "memory_bytes", user->memory);
		}
		json_end(&r->json);
		return;
	}
	snprintf(label, sizeof(label), "%ld", user->pid);
	if (user->counted)
		report_line(r, label, "%s: busy %.3f / %.3f / %.3f s on cores 0 / 1 / 2, %s",
			    user->command, (double)user->busy_ns[0] / 1e9,
			    (double)user->busy_ns[1] / 1e9, (double)user->busy_ns[2] / 1e9,
			    units_bytes(memory, user->memory));
	else
		report_line(r, label, "%s: this driver does not tell what it used", user->command);
}

void report_users(struct report *r, const struct npu_facts *facts)
{
	if (r->as_json)
		json_array(&r->json, "users");
	else
		report_open(r, NULL, "used by");
	for (unsigned i = 0; i < facts->user_count; i++)
		report_user(r, &facts->users[i]);
	if (!r->as_json && !facts->user_count)
		printf("  nobody%s\n", facts->processes_hidden ? " that this user may see" : "");
	if (!r->as_json && facts->users_more)
		report_line(r, "and", "%u more", facts->users_more);
	report_close(r);
	if (r->as_json) {
		json_count(&r->json, "users_not_listed", facts->users_more);
		json_count(&r->json, "processes_not_seen", facts->processes_hidden);
	}
}

/* ---- what is missing ---- */

void report_causes(struct report *r, const struct npu_facts *facts)
{
	struct cause causes[CAUSES_MAX];
	unsigned count = causes_find(causes, facts);

	if (r->as_json)
		json_array(&r->json, "causes");
	else
		report_open(r, NULL, "why");
	for (unsigned i = 0; i < count; i++) {
		if (!r->as_json) {
			printf("  %s\n    next: %s\n", causes[i].text, causes[i].next);
			continue;
		}
		json_object(&r->json, NULL);
		json_string(&r->json, "code", causes[i].code);
		json_string(&r->json, "cause", causes[i].text);
		json_string(&r->json, "next", causes[i].next);
		json_end(&r->json);
	}
	report_close(r);
}

void report_blanks(struct report *r, const struct npu_facts *facts)
{
	bool blank = facts->processes_hidden || facts->driver_file == NOT_OURS ||
		     facts->deferrals == NOT_OURS;

	if (r->as_json)
		json_bool(&r->json, "complete", !blank);
	else if (blank)
		printf("run as root to see the clock in force, the counters and all users\n");
}
