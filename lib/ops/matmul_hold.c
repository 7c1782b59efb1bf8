// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_hold.c - see matmul_hold.h. */
#include "../core/status.h"
#include "matmul_hold.h"

const struct rocket_matmul_bounds rocket_matmul_hold_bounds = { 1, ROCKET_SHELF_APART };

bool rocket_matmul_hold_take(struct rocket_matmul_hold *h, int fd, const char *who)
{
	h->fd = fd;
	h->dev = rocket_device_get(fd, who);
	if (h->dev)
		rocket_keep_init(&h->shelf);
	else
		rocket_note_failure(ROCKET_E_SHAPE);
	return h->dev != NULL;
}

bool rocket_matmul_hold_lives(const struct rocket_matmul_hold *h, const char *who)
{
	struct rocket_device *dev = rocket_device_get(h->fd, who);

	if (!dev)
		return false;
	rocket_device_put(dev);
	if (dev != h->dev)
		rocket_log(ROCKET_LOG_ERROR, "%s: its fd %d was closed", who, h->fd);
	return dev == h->dev;
}

void rocket_matmul_hold_drop(struct rocket_matmul_hold *h, bool lives)
{
	if (lives)
		rocket_matmul_scratch_clear(h->dev, &h->shelf);
	rocket_keep_fini(&h->shelf);
	rocket_device_put(h->dev);
}
