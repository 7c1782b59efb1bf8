// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "logline.h"
#include "rocket_log.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char held[1024];

static void print_held(void)
{
	if (held[0])
		fprintf(stderr, "rocket: error: %s\n", held);
	held[0] = '\0';
}

static void on_line(rocket_log_level level, const char *text, void *user)
{
	static const char *const names[] = { "error", "warn", "info", "debug" };

	(void)user;
	pthread_mutex_lock(&lock);
	if (level == ROCKET_LOG_ERROR) {
		print_held();
		snprintf(held, sizeof(held), "%s", text);
	} else {
		fprintf(stderr, "rocket: %s: %s\n", names[level & 3], text);
	}
	pthread_mutex_unlock(&lock);
}

void logline_start(void)
{
	rocket_log_set_callback(on_line, NULL);
}

const char *logline_take(char *buf, size_t size, const char *fallback)
{
	pthread_mutex_lock(&lock);
	snprintf(buf, size, "%s", held[0] ? held : fallback);
	held[0] = '\0';
	pthread_mutex_unlock(&lock);
	return buf;
}

void logline_finish(void)
{
	pthread_mutex_lock(&lock);
	print_held();
	pthread_mutex_unlock(&lock);
}
