// SPDX-License-Identifier: LGPL-2.1-or-later
/* fake_kernel.c - see fake_kernel.h. */
#include "fake_kernel.h"

#include <errno.h>
#include <string.h>

int fake_fail(int err)
{
	errno = err;
	return -1;
}

int fake_version(const struct fake_node *fake, struct drm_version *v)
{
	if (!fake->name)
		return fake_fail(ENOTTY);
	v->version_major = fake->major;
	v->version_minor = fake->minor;
	strncpy(v->name, fake->name, v->name_len);
	return 0;
}

void fake_identify(int fd, char chip[16], unsigned *cores)
{
	(void)fd;
	strcpy(chip, "rk3588");
	*cores = 3;
}

int fake_open(const struct rocket_provider *p, const struct rocket_kernel *kernel,
	      struct rocket_node *node)
{
	*node = (struct rocket_node){ .fd = 7, .kernel = kernel, .path = "fake" };
	return p->open(node);
}
