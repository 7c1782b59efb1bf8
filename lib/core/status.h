/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* status.h - refusing with a reason in one expression. */
#ifndef ROCKET_CORE_STATUS_H
#define ROCKET_CORE_STATUS_H

#include "rocket_log.h"
#include "rocket_npu.h"

/* Log the reason at error level and give status back. */
int rocket_fail(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));

/* The status that stands for an errno of a device call. */
int rocket_status_of_errno(int err);

/* "ROCKET_E_SHAPE" and the like; "?" for anything else. */
const char *rocket_status_name(int status);

#endif
