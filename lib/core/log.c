// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "rocket_log.h"
#include "settings.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int current_level;
static atomic_int stderr_always;

static pthread_mutex_t sink_lock = PTHREAD_MUTEX_INITIALIZER;
static rocket_log_callback sink;
static void *sink_data;

static void emit(rocket_log_level level, const char *text)
{
	static const char *const names[] = { "error", "warn", "info", "debug" };
	rocket_log_callback cb;
	void *data;

	pthread_mutex_lock(&sink_lock);
	cb = sink;
	data = sink_data;
	pthread_mutex_unlock(&sink_lock);

	if (!cb || atomic_load(&stderr_always))
		fprintf(stderr, "rocket: %s: %s\n", names[level], text);
	if (cb)
		cb(level, text, data);
}

/* Another thread may have held the lock when this process was forked off. */
static void forked(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	sink_lock = fresh;
}

static void init(void)
{
	struct rocket_log_settings s = rocket_log_settings_read();

	pthread_atfork(NULL, NULL, forked);
	atomic_store(&current_level, s.level);
	atomic_store(&stderr_always, s.stderr_always);
	if (s.malformed[0]) {
		char line[160];

		snprintf(line, sizeof(line),
			 "%s is none of error, warn, info, debug, 0..3: using warn", s.malformed);
		emit(ROCKET_LOG_WARN, line);
	}
}

void rocket_log_set_callback(rocket_log_callback cb, void *user_data)
{
	pthread_once(&once, init);
	pthread_mutex_lock(&sink_lock);
	sink = cb;
	sink_data = user_data;
	pthread_mutex_unlock(&sink_lock);
}

void rocket_log_set_level(rocket_log_level level)
{
	pthread_once(&once, init);
	if ((int)level < ROCKET_LOG_ERROR)
		level = ROCKET_LOG_ERROR;
	if (level > ROCKET_LOG_DEBUG)
		level = ROCKET_LOG_DEBUG;
	atomic_store(&current_level, (int)level);
}

rocket_log_level rocket_log_get_level(void)
{
	pthread_once(&once, init);
	return (rocket_log_level)atomic_load(&current_level);
}

/* What a line quotes (a variable, a path) cannot break it or reach a terminal as a command. */
static void make_one_line(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = ' ';
}

void rocket_log(rocket_log_level level, const char *fmt, ...)
{
	int saved = errno;
	char text[1024];
	va_list ap;

	if ((int)level < ROCKET_LOG_ERROR)
		level = ROCKET_LOG_ERROR;
	if (level > rocket_log_get_level())
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	make_one_line(text);
	emit(level, text);
	errno = saved;
}
