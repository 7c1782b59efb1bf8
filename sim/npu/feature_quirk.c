// SPDX-License-Identifier: LGPL-2.1-or-later
/* feature_quirk.c - features that do not fit the way they should. */
#include <string.h>

#include "sim/npu/core.h"

/* Share of the last bank from which the tail is known to go wrong, in thousandths. */
#define SLACK_FROM 976u
#define SLACK_TO   998u

#define SLACK_LINES 4u /* one group of lines */

static uint64_t line_bytes(const struct conv_job *j)
{
	return ((uint64_t)j->iw * j->ic * j->type->bits + 7) / 8;
}

bool feature_slack_missing(const struct conv_job *j)
{
	uint64_t bytes = line_bytes(j) * j->ih, last = bytes % CBUF_BANK;

	return j->type->integer && j->type->bits == 8 && j->iw == 1 &&
	       (bytes + CBUF_BANK - 1) / CBUF_BANK == j->data_banks &&
	       last * 1000 >= SLACK_FROM * (uint64_t)CBUF_BANK &&
	       last * 1000 <= SLACK_TO * (uint64_t)CBUF_BANK;
}

/* Lines from first on hold what line % period holds. */
static void repeat_lines(struct npu_core *core, unsigned first, unsigned period)
{
	struct feature_image *image = &core->feature;
	const struct conv_job *j = &image->job;
	size_t pixel = j->type->channel_group * (size_t)core->mac[j->type->mac]->element;
	uint16_t *spreads = image->spreads.base;

	for (unsigned g = 0; g < image->groups; g++)
		for (unsigned h = first; h < j->ih; h++) {
			size_t to = g * image->pixels + (size_t)h * j->iw;
			size_t from = g * image->pixels + (size_t)(h % period) * j->iw;

			memcpy((uint8_t *)image->data.base + to * pixel,
			       (const uint8_t *)image->data.base + from * pixel, j->iw * pixel);
			memcpy(spreads + to, spreads + from, j->iw * sizeof(*spreads));
		}
}

void feature_spoil(struct npu_core *core)
{
	const struct conv_job *j = &core->feature.job;
	uint64_t fit = (uint64_t)j->data_banks * CBUF_BANK / line_bytes(j);

	if (core_quirk(core, NPU_QUIRK_SLACK) && feature_slack_missing(j) && j->ih > SLACK_LINES)
		repeat_lines(core, j->ih - SLACK_LINES, j->ih - SLACK_LINES);
	if (core_quirk(core, NPU_QUIRK_CBUF) && fit < j->ih)
		repeat_lines(core, (unsigned)(fit ? fit : 1), (unsigned)(fit ? fit : 1));
}
