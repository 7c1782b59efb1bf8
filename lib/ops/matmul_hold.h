/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * matmul_hold.h - what an object of a caller's fd keeps between its runs.
 *
 * The device is held, so that the number of a closed fd cannot become another device unnoticed.
 */
#ifndef ROCKET_OPS_MATMUL_HOLD_H
#define ROCKET_OPS_MATMUL_HOLD_H

#include <stdbool.h>

#include "matmul_scratch.h"

struct rocket_matmul_hold {
	int fd;
	struct rocket_device *dev;
	struct rocket_keep shelf; /* one set, as of matmul_scratch.h */
};

/* One set, however large: of another layout replaces it. */
extern const struct rocket_matmul_bounds rocket_matmul_hold_bounds;

/* False, said, when fd is not open. */
bool rocket_matmul_hold_take(struct rocket_matmul_hold *h, int fd, const char *who);
/* Whether the fd is still open on that device; said if not. */
bool rocket_matmul_hold_lives(const struct rocket_matmul_hold *h, const char *who);
/* Free what is kept. Buffers of an fd that was closed go with its device. */
void rocket_matmul_hold_drop(struct rocket_matmul_hold *h, bool lives);

#endif
