// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenario.h"

const char *const scaling_mode_names[SCALING_MODES] = { "shared", "unique" };

const char *const scaling_published_source = "report of a three-core scheduler for the rknpu "
					     "interface, RK3588, StarryOS, a dispatch for "
					     "each task, clock not stated [silicon]";

const struct scaling_scenario scaling_scenarios[SCALING_SCENARIOS] = {
	{ "tiny_dispatch", 4, 32, 16, { 96, 96 }, 2, 12, { { 2.533, 1.423 }, { 3.478, 1.739 } } },
	{ "mid_balanced",
	  64,
	  512,
	  512,
	  { 48, 12 },
	  2,
	  8,
	  { { 32.496, 18.746 }, { 10.459, 6.065 } } },
	{ "throughput_heavy",
	  128,
	  1024,
	  1024,
	  { 24, 4 },
	  2,
	  5,
	  { { 42.656, 20.864 }, { 6.781, 3.939 } } },
	{ "llama_decode_like", 1, 4096, 4096, { 48, 0 }, 2, 8, { { 344.354, 137.000 }, { 0, 0 } } },
};

struct scaling_range scaling_part(uint32_t tasks, uint32_t parts, uint32_t i)
{
	uint32_t each = tasks / parts, longer = tasks % parts;

	return (struct scaling_range){ i * each + (i < longer ? i : longer), each + (i < longer) };
}

double scaling_efficiency(double one, double three)
{
	return three > 0 ? one / three / SCALING_CORES : 0;
}
