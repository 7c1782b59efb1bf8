/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* validate.h - checking the register programs of a job before it is sent. */
#ifndef ROCKET_CORE_VALIDATE_H
#define ROCKET_CORE_VALIDATE_H

#include "device.h"

/* ROCKET_OK, or the status of the first faulty program, logged with task, block and register. */
int rocket_validate_job(struct rocket_device *dev, const struct rocket_provider_job *job,
			const char *who);

#endif
