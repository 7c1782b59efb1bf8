// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdarg.h>
#include <string.h>

#include "clock_plan.h"
#include "points.h"

#define MHZ 1000000UL

static bool refuse(struct clock_plan *plan, const char *next, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static bool refuse(struct clock_plan *plan, const char *next, const char *fmt, ...)
{
	va_list ap;

	plan->refused = true;
	snprintf(plan->next, sizeof(plan->next), "%s", next);
	va_start(ap, fmt);
	vsnprintf(plan->why, sizeof(plan->why), fmt, ap);
	va_end(ap);
	return false;
}

static void note(struct clock_plan *plan, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct clock_plan *plan, const char *fmt, ...)
{
	va_list ap;

	if (plan->note_count == CLOCK_NOTES_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(plan->notes[plan->note_count++], sizeof(plan->notes[0]), fmt, ap);
	va_end(ap);
}

/* ---- what is refused ---- */

static bool allows_rate(struct clock_plan *plan, const struct clock_request *request)
{
	const struct point *point = point_find(request->hz);

	if (!request->hz)
		return true;
	if (!point)
		return refuse(plan, "rocket clock --list",
			      "the firmware has no rate of %lu Hz: whole 100 MHz from 200 to 1000 "
			      "MHz, or 'default'",
			      request->hz);
	if (!point->proven && !request->force)
		return refuse(plan, "rocket clock --list; --force sets it all the same",
			      "%lu MHz is not proven on a board (200, 600 and 900 MHz are)",
			      request->hz / MHZ);
	return true;
}

static bool allows_voltage(struct clock_plan *plan, const struct clock_request *request)
{
	if (!request->has_uv || !request->uv)
		return true;
	if (request->uv < POINT_UV_MIN || request->uv > POINT_UV_MAX)
		return refuse(plan, "0 leaves the voltage to the rate",
			      "%u uV is outside the rail's window of %u to %u uV", request->uv,
			      POINT_UV_MIN, POINT_UV_MAX);
	return true;
}

static unsigned needed_uv(const struct clock_request *request)
{
	const struct point *point = point_find(request->hz);
	unsigned uv = point ? point_vote_uv(point) : 0;

	return request->has_uv && request->uv > uv ? request->uv : uv;
}

/* Above the parked rate the oscillator follows the rail: somebody has to know the rail. */
static bool allows_rail(struct clock_plan *plan, const struct npu_facts *facts,
			const struct clock_request *request)
{
	const struct number_fact *max = &facts->rail.max_uv;

	if (request->hz <= POINT_PARK_HZ && !(request->has_uv && request->uv))
		return true;
	if (!facts->core_count)
		return refuse(plan, "rocket info",
			      "there is no NPU core here, so its rail is not known");
	for (unsigned i = 0; i < facts->core_count; i++) {
		if (facts->cores[i].rk3576)
			return refuse(plan, "set the rate in the board's device tree",
				      "the clock lever was never tried on an RK3576");
		if (!facts->cores[i].npu_supply)
			return refuse(
				plan,
				"add npu-supply and sram-supply, see "
				"patches/example-board.dtso of the package",
				"%s has no npu-supply in the device tree: nothing would see to "
				"the voltage that %lu MHz need",
				facts->cores[i].device, request->hz / MHZ);
	}
	if (max->known == KNOWN && max->value > 0 && max->value < needed_uv(request))
		return refuse(plan, "rocket clock --list",
			      "it needs %u uV and the regulator %s goes up to %lld uV only",
			      needed_uv(request), facts->rail.name.text, max->value);
	return true;
}

static bool allows_module(struct clock_plan *plan, const struct npu_facts *facts,
			  const struct clock_request *request)
{
	const struct module_facts *m = &facts->module;

	if (request->persist && m->builtin)
		return refuse(plan, "put rocket.rocket_npu_clk_hz=... on the kernel's command line",
			      "the driver is built into this kernel: modprobe's settings do not "
			      "reach it");
	if (!m->loaded)
		return request->persist ||
		       refuse(plan, "rocket info says why", "the module 'rocket' is not loaded");
	if (!facts_have_lever(facts))
		return refuse(plan,
			      "install rocket-npu-dkms; rocket info shows which driver is loaded",
			      "the loaded driver (%s) has no parameter %s: it is the kernel's own, "
			      "or too old",
			      m->version.known == KNOWN ? m->version.text : "no version",
			      parameter_name(PARAMETER_HZ));
	return true;
}

/* What stands there now must be known, or it cannot be put back. */
static bool allows_writing(struct clock_plan *plan, const struct npu_facts *facts)
{
	static const enum parameter read[] = { PARAMETER_HZ, PARAMETER_UV };
	unsigned long long value;

	for (size_t i = 0; i < sizeof(read) / sizeof(read[0]); i++)
		if (!facts_parameter(facts, read[i], &value))
			return refuse(plan, "modinfo rocket",
				      "the parameter %s cannot be read, or holds no number ('%s')",
				      parameter_name(read[i]),
				      facts->module.parameters[read[i]].text);
	if (!strchr("YN", facts->module.parameters[PARAMETER_FORCE].text[0]) ||
	    strlen(facts->module.parameters[PARAMETER_FORCE].text) != 1)
		return refuse(plan, "modinfo rocket",
			      "the parameter %s cannot be read, or is neither Y nor N ('%s')",
			      parameter_name(PARAMETER_FORCE),
			      facts->module.parameters[PARAMETER_FORCE].text);
	if (!facts->module.writable)
		return refuse(plan, "sudo rocket clock ...",
			      "only root may set the clock (%s is not writable)",
			      parameter_name(PARAMETER_HZ));
	return true;
}

/* ---- the steps ---- */

static void step(struct clock_plan *plan, enum parameter p, const char *value, const char *before)
{
	struct clock_step *s = &plan->steps[plan->step_count++];

	s->parameter = p;
	snprintf(s->value, sizeof(s->value), "%.20s", value);
	snprintf(s->before, sizeof(s->before), "%.20s", before);
}

/*
 * More voltage before the rate, less after it: between two steps a core may wake up. The
 * permission for unproven rates is given for one step, unless it stood before.
 */
static void plan_steps(struct clock_plan *plan, const struct npu_facts *facts,
		       const struct clock_request *request)
{
	const struct text_fact *now = facts->module.parameters;
	const struct point *point = point_find(request->hz);
	bool permit = point && !point->proven && now[PARAMETER_FORCE].text[0] == 'N';
	unsigned long long uv = 0;
	char hz_text[24], uv_text[24];
	bool set_uv, more;

	facts_parameter(facts, PARAMETER_UV, &uv);
	set_uv = request->has_uv && request->uv != uv;
	more = request->uv > uv || (!request->uv && uv <= POINT_UV_FLOOR);
	snprintf(hz_text, sizeof(hz_text), "%lu", request->hz);
	snprintf(uv_text, sizeof(uv_text), "%u", request->uv);

	if (set_uv && more)
		step(plan, PARAMETER_UV, uv_text, now[PARAMETER_UV].text);
	if (permit)
		step(plan, PARAMETER_FORCE, "Y", "N");
	step(plan, PARAMETER_HZ, hz_text, now[PARAMETER_HZ].text);
	if (permit)
		step(plan, PARAMETER_FORCE, "N", "Y");
	if (set_uv && !more)
		step(plan, PARAMETER_UV, uv_text, now[PARAMETER_UV].text);
}

static void plan_options(struct clock_plan *plan, const struct clock_request *request)
{
	const struct point *point = point_find(request->hz);
	char *at = plan->options, *end = at + sizeof(plan->options);

	if (!request->hz && !(request->has_uv && request->uv))
		return;
	at += snprintf(at, (size_t)(end - at), "options rocket");
	/* Parameters are set in this order. */
	if (point && !point->proven)
		at += snprintf(at, (size_t)(end - at), " %s=1", parameter_name(PARAMETER_FORCE));
	if (request->has_uv && request->uv)
		at += snprintf(at, (size_t)(end - at), " %s=%u", parameter_name(PARAMETER_UV),
			       request->uv);
	if (request->hz)
		snprintf(at, (size_t)(end - at), " %s=%lu", parameter_name(PARAMETER_HZ),
			 request->hz);
}

static void plan_notes(struct clock_plan *plan, const struct npu_facts *facts,
		       const struct clock_request *request)
{
	const struct point *point = point_find(request->hz);
	unsigned long long uv = 0;

	facts_parameter(facts, PARAMETER_UV, &uv);
	if (request->has_uv && request->uv && request->uv < POINT_UV_FLOOR)
		note(plan, "%u uV changes nothing: the driver never asks for less than %u uV",
		     request->uv, POINT_UV_FLOOR);
	if (request->has_uv &&
	    request->uv > needed_uv(&(struct clock_request){ .hz = request->hz }))
		note(plan, "more voltage than the rate needs makes the oscillator run faster than "
			   "what was measured");
	if (!request->has_uv && uv && request->hz > POINT_PARK_HZ)
		note(plan, "%s stays at %llu", parameter_name(PARAMETER_UV), uv);
	if (point && !point->proven)
		note(plan, "nobody is known to have run %lu MHz: check results", request->hz / MHZ);
	if (facts_any_pinned(facts))
		note(plan, "a core is pinned on (power/control is 'on'): it does not sleep, so it "
			   "does not wake up to the new rate; do not unload the module like this");
}

void clock_plan_make(struct clock_plan *plan, const struct npu_facts *facts,
		     const struct clock_request *request)
{
	memset(plan, 0, sizeof(*plan));
	if (!allows_rate(plan, request) || !allows_voltage(plan, request) ||
	    !allows_module(plan, facts, request) || !allows_rail(plan, facts, request))
		return;
	plan->live = facts->module.loaded;
	if (plan->live) {
		if (!allows_writing(plan, facts))
			return;
		plan_steps(plan, facts, request);
	}
	plan_options(plan, request);
	plan_notes(plan, facts, request);
}

void clock_plan_effect(char *buf, size_t size, const struct npu_facts *facts)
{
	unsigned awake = facts_cores_bound(facts) - facts_cores_in(facts, "suspended");

	if (!facts_cores_bound(facts))
		snprintf(buf, size, "when a core first wakes up");
	else if (!awake)
		snprintf(buf, size, "all cores sleep: with the next job, which wakes one");
	else
		snprintf(buf, size,
			 "%u core%s awake: at the next wake-up of any core, that is when one that "
			 "sleeps gets a job, or after they slept",
			 awake, awake == 1 ? " is" : "s are");
}
