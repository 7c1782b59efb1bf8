// SPDX-License-Identifier: LGPL-2.1-or-later
#include "virt/board/soc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MHZ         1000000u
#define BOOT_UV     800000u /* as the firmware leaves the rail */
#define PARKED_REAL 198000000u

/* Requests the firmware takes, the length of the ring it selects, and the rail it needs. */
static const struct {
	uint32_t hz, ring, uv;
} rates[] = {
	{ 200 * MHZ, 0, 0 },       { 300 * MHZ, 55, 700000 }, { 400 * MHZ, 38, 700000 },
	{ 500 * MHZ, 25, 700000 }, { 600 * MHZ, 17, 700000 }, { 700 * MHZ, 13, 700000 },
	{ 800 * MHZ, 12, 750000 }, { 900 * MHZ, 12, 800000 }, { 1000 * MHZ, 12, 850000 },
};
#define RATES (sizeof(rates) / sizeof(rates[0]))

/* Which domains a domain lies in. */
static const struct {
	uint32_t domain, around;
	const char *name;
} domains[] = {
	{ SOC_DOMAIN_NPUTOP, SOC_DOMAIN_NPU, "NPUTOP" },
	{ SOC_DOMAIN_NPU1, SOC_DOMAIN_NPUTOP, "NPU1" },
	{ SOC_DOMAIN_NPU2, SOC_DOMAIN_NPUTOP, "NPU2" },
};

static const uint32_t core_domain[BOARD_CORES] = { SOC_DOMAIN_NPUTOP, SOC_DOMAIN_NPU1,
						   SOC_DOMAIN_NPU2 };

void soc_violation(struct soc *soc, enum soc_violation kind, uint32_t address, const char *format,
		   ...)
{
	char what[160];
	va_list args;

	soc->violations++;
	soc->kind[kind]++;
	soc->last_kind = kind;
	soc->last_address = address;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	soc->host.violation(soc->host.ctx, what);
}

static size_t rate_of(uint32_t hz)
{
	size_t i = 0;

	while (i < RATES && rates[i].hz != hz)
		i++;
	return i;
}

bool soc_powered(const struct soc *soc, unsigned core)
{
	return soc->power & core_domain[core];
}

/*
 * A ring of inverters: its period at 0.80 V in picoseconds is a line through the measured
 * points. That it runs faster in proportion to the voltage is this board's assumption.
 */
uint32_t soc_real_hz(const struct soc *soc)
{
	size_t i = rate_of(soc->request);
	uint64_t period_fs;

	if (!rates[i].ring)
		return PARKED_REAL;
	period_fs = 723000 + 29600ull * rates[i].ring;
	return (uint32_t)(1000000000000000ull / period_fs * soc->rail_uv / BOOT_UV);
}

static uint32_t offset_address(uint32_t offset)
{
	return BOARD_SOC_BASE + offset;
}

static void check_rail(struct soc *soc, uint32_t offset)
{
	uint32_t least = rates[rate_of(soc->request)].uv;

	if (soc->power & SOC_DOMAIN_NPUTOP && soc->rail_uv < least)
		soc_violation(soc, SOC_KIND_RAIL_LOW, offset_address(offset),
			      "%u MHz at %u mV, which needs %u mV", soc->request / MHZ,
			      soc->rail_uv / 1000, least / 1000);
}

static void set_rate(struct soc *soc, uint32_t hz)
{
	soc->refused = rate_of(hz) == RATES;
	if (soc->refused)
		return;
	if (hz > SOC_PARKED_HZ && !(soc->power & SOC_DOMAIN_NPUTOP)) {
		soc_violation(soc, SOC_KIND_COLD_RAISE, offset_address(SOC_CLK_REQUEST),
			      "%u MHz asked for while NPUTOP is off", hz / MHZ);
		return;
	}
	soc->request = hz;
	check_rail(soc, SOC_CLK_REQUEST);
}

static void set_rail(struct soc *soc, uint32_t uv)
{
	if (uv < SOC_RAIL_UV_LEAST || uv > SOC_RAIL_UV_MOST)
		return;
	soc->rail_uv = uv;
	check_rail(soc, SOC_RAIL_UV);
}

static void set_rail_on(struct soc *soc, bool on)
{
	soc->rail_on = on;
	if (!on && soc->power)
		soc_violation(soc, SOC_KIND_RAIL_OFF, offset_address(SOC_RAIL_ON),
			      "rail off while a domain is on");
}

static void check_order(struct soc *soc)
{
	for (size_t i = 0; i < sizeof(domains) / sizeof(domains[0]); i++)
		if (soc->power & domains[i].domain && !(soc->power & domains[i].around))
			soc_violation(soc, SOC_KIND_DOMAIN_ORDER, offset_address(SOC_POWER),
				      "domain %s on while the one around it is off",
				      domains[i].name);
}

static void set_power(struct soc *soc, uint32_t power)
{
	uint32_t old = soc->power, up = power & ~old;

	soc->power = power;
	if (old & ~power & SOC_DOMAIN_NPUTOP && soc->request > SOC_PARKED_HZ)
		soc_violation(soc, SOC_KIND_RAISED_OFF, offset_address(SOC_POWER),
			      "NPUTOP off at %u MHz", soc->request / MHZ);
	if (up && !soc->rail_on)
		soc_violation(soc, SOC_KIND_RAIL_OFF, offset_address(SOC_POWER),
			      "a domain on while the rail is off");
	check_order(soc);
	for (unsigned i = 0; i < BOARD_CORES; i++)
		if ((old ^ power) & core_domain[i])
			soc->host.power(soc->host.ctx, i, power & core_domain[i]);
}

void soc_switch(struct soc *soc, unsigned core, bool on)
{
	if (soc->full || on == soc_powered(soc, core))
		return;
	soc->power ^= core_domain[core];
	soc->host.power(soc->host.ctx, core, on);
}

static void set_resets(struct soc *soc, uint32_t resets)
{
	uint32_t old = soc->resets;

	soc->resets = resets;
	for (unsigned i = 0; i < BOARD_CORES; i++) {
		uint32_t was = old >> 2 * i & 3, is = resets >> 2 * i & 3;

		if (is & ~was && !soc_powered(soc, i))
			soc_violation(soc, SOC_KIND_RESET_OFF, offset_address(SOC_RESETS),
				      "reset of core %u, which has no power", i);
		if (is != was)
			soc->host.reset(soc->host.ctx, i, is);
	}
}

void soc_init(struct soc *soc, bool full, bool fatal, const struct soc_host *host)
{
	memset(soc, 0, sizeof(*soc));
	soc->full = full;
	soc->fatal = fatal;
	soc->host = *host;
	soc_reset(soc);
}

void soc_reset(struct soc *soc)
{
	soc->request = SOC_PARKED_HZ;
	soc->refused = false;
	soc->rail_uv = BOOT_UV;
	soc->rail_on = true;
	soc->power = soc->full ? 0 : SOC_DOMAIN_ALL;
	soc->gates = soc->full ? 0 : SOC_GATE_ALL;
	soc->resets = 0;
}

uint32_t soc_read(struct soc *soc, uint32_t offset)
{
	if (offset >= SOC_KIND_COUNT(0) && offset < SOC_KIND_COUNT(SOC_KINDS))
		return soc->kind[(offset - SOC_KIND_COUNT(0)) / 4];
	switch (offset) {
	case SOC_ID:
		return SOC_ID_VALUE;
	case SOC_MODE:
		return (soc->full ? SOC_MODE_FULL : 0) | (soc->fatal ? SOC_MODE_FATAL : 0);
	case SOC_CLK_REQUEST:
		return soc->request;
	case SOC_CLK_ACCEPTED:
		return !soc->refused;
	case SOC_CLK_REAL:
		return soc_real_hz(soc);
	case SOC_CLK_GATES:
		return soc->gates;
	case SOC_RAIL_UV:
		return soc->rail_uv;
	case SOC_RAIL_ON:
		return soc->rail_on;
	case SOC_POWER:
		return soc->power;
	case SOC_RESETS:
		return soc->resets;
	case SOC_VIOLATIONS:
		return soc->violations;
	case SOC_LAST_KIND:
		return soc->last_kind;
	case SOC_LAST_ADDRESS:
		return soc->last_address;
	default:
		return 0;
	}
}

void soc_write(struct soc *soc, uint32_t offset, uint32_t value)
{
	switch (offset) {
	case SOC_CLK_REQUEST:
		set_rate(soc, value);
		break;
	case SOC_CLK_GATES:
		soc->gates = value & SOC_GATE_ALL;
		break;
	case SOC_RAIL_UV:
		set_rail(soc, value);
		break;
	case SOC_RAIL_ON:
		set_rail_on(soc, value & 1);
		break;
	case SOC_POWER:
		set_power(soc, value & SOC_DOMAIN_ALL);
		break;
	case SOC_RESETS:
		set_resets(soc, value & SOC_RESETS_ALL);
		break;
	case SOC_VIOLATIONS:
		memset(soc->kind, 0, sizeof(soc->kind));
		soc->violations = soc->last_kind = soc->last_address = 0;
		break;
	default:
		break;
	}
}

bool soc_access(struct soc *soc, unsigned core, uint32_t address, bool write)
{
	const char *what = write ? "write to" : "read of";
	uint32_t bus = SOC_GATE_ACLK(core) | SOC_GATE_HCLK(core);

	if (!soc_powered(soc, core)) {
		soc_violation(soc, SOC_KIND_DOMAIN_OFF, address, "%s 0x%08x: core %u has no power",
			      what, address, core);
		return false;
	}
	if ((soc->gates & bus) != bus) {
		soc_violation(soc, SOC_KIND_CLOCK_OFF, address,
			      "%s 0x%08x: the bus clock of core %u is off", what, address, core);
		return false;
	}
	return true;
}
