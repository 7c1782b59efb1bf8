/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * logline.h - the library's log lines, as the command shows them.
 *
 * A refusal is one error line of the library; the command says it itself, with its own
 * name in front. So the last error line is held back until it is asked for. Everything
 * else goes to stderr at once.
 */
#ifndef TOOLS_ROCKET_LOGLINE_H
#define TOOLS_ROCKET_LOGLINE_H

#include <stddef.h>

void logline_start(void);
/* Take the error line held back into buf; fallback when there is none. */
const char *logline_take(char *buf, size_t size, const char *fallback);
/* Print what is still held back. */
void logline_finish(void);

#endif
