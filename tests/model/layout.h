/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layout.h - where an element lies, by the index formulas of the hardware documents. */
#ifndef TESTS_MODEL_LAYOUT_H
#define TESTS_MODEL_LAYOUT_H

#include <stddef.h>

struct layout_type {
	const char *name;
	unsigned bits;          /* of an operand */
	unsigned kernel_group;  /* output channels of a weight block */
	unsigned channel_group; /* input channels of a weight block */
};

const struct layout_type *layout_type(const char *name);

/* Elements into a cube of pixels pixels whose elements have bits bits. */
static inline size_t layout_cube(unsigned bits, size_t pixels, size_t pixel, size_t channel)
{
	size_t lanes = 128 / bits;

	return channel / lanes * pixels * lanes + pixel * lanes + channel % lanes;
}

/* Elements into the weights of a direct convolution, groups padded to full size. */
static inline size_t layout_weight(const struct layout_type *t, size_t channels, size_t taps,
				   size_t kernel, size_t channel, size_t tap)
{
	size_t groups = (channels + t->channel_group - 1) / t->channel_group;
	size_t block = (size_t)t->kernel_group * t->channel_group;

	return ((kernel / t->kernel_group * groups + channel / t->channel_group) * taps + tap) *
		       block +
	       kernel % t->kernel_group * t->channel_group + channel % t->channel_group;
}

#endif
