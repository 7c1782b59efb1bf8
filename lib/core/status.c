// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "status.h"

static _Thread_local int failed_with;

int rocket_failed_with(void)
{
	return failed_with;
}

void rocket_note_failure(int status)
{
	failed_with = status;
}

int rocket_fail(int status, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	rocket_log(ROCKET_LOG_ERROR, "%s", line);
	rocket_note_failure(status);
	return status;
}

int rocket_status_of_errno(int err)
{
	switch (err < 0 ? -err : err) {
	case 0:
		return ROCKET_OK;
	case ENOMEM:
	case ENOSPC:
		return ROCKET_E_NOMEM;
	case EOPNOTSUPP:
	case ENOSYS:
	case ENOTTY:
		return ROCKET_E_UNSUPPORTED;
	default:
		return ROCKET_E_DEVICE;
	}
}

const char *rocket_status_name(int status)
{
	static const char *const names[] = {
		"ROCKET_OK",      "ROCKET_E_SHAPE",  "ROCKET_E_TILING",
		"ROCKET_E_NOMEM", "ROCKET_E_DEVICE", "ROCKET_E_UNSUPPORTED",
	};

	if (status > 0 || status < ROCKET_E_UNSUPPORTED)
		return "?";
	return names[-status];
}
