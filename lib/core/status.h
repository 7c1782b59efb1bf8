/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* status.h - refusing with a reason in one expression. */
#ifndef ROCKET_CORE_STATUS_H
#define ROCKET_CORE_STATUS_H

#include "rocket_log.h"
#include "rocket_npu.h"

/* Log the reason at error level and give status back, which this thread's rocket_failed_with() then
 * is. */
int rocket_fail(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));

/* Why the last function of this thread that returns a pointer returned NULL; its line is logged. */
int rocket_failed_with(void);
/* Have it be a status that another thread has logged, or an open. */
void rocket_note_failure(int status);

/* The status that stands for an errno of a device call. */
int rocket_status_of_errno(int err);

/* "ROCKET_E_SHAPE" and the like; "?" for anything else. */
const char *rocket_status_name(int status);

#endif
