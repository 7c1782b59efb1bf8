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

/*
 * Elements into the weights of a direct convolution: blocks of a kernel group and a channel group,
 * tap by tap. The last kernel group holds the kernels that are left, the last channel group
 * half as many channels when no more are used.
 */
static inline size_t layout_weight(const struct layout_type *t, size_t kernels, size_t channels,
				   size_t taps, size_t kernel, size_t channel, size_t tap)
{
	size_t full = t->channel_group, group = channel / full;
	size_t depth = (channels + 15) / 16 * 16,
	       first = kernel / t->kernel_group * t->kernel_group;
	size_t entries = kernels - first < t->kernel_group ? kernels - first : t->kernel_group;
	size_t here = depth - group * full < full ? depth - group * full : full;

	return first * depth * taps + group * full * entries * taps + tap * entries * here +
	       (kernel - first) * here + channel % full;
}

#endif
