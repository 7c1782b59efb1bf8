/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rocket_log.h - the diagnostic channel of librocketnpu.
 *
 * Every refusal, device error and slow wait is one line on this channel; return
 * values carry the status, the line carries the reason. Without a callback, lines
 * at or below the current level go to stderr as "rocket: <level>: <text>".
 *
 * ROCKET_LOG_LEVEL (error|warn|info|debug or 0..3, default warn) sets the level
 * when the library first logs or opens a device. ROCKET_DEBUG set to anything but
 * 0 is the same as ROCKET_LOG_LEVEL=debug. ROCKET_LOG_STDERR set to anything but 0 sends
 * lines to stderr even where a callback is set.
 *
 * Thread safety: every function here may be called from any thread. The callback
 * is called with no library lock held and may be called from several threads at
 * once, so it must be thread-safe itself.
 */
#ifndef ROCKET_LOG_H
#define ROCKET_LOG_H

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

enum rocket_log_level {
	ROCKET_LOG_ERROR = 0,
	ROCKET_LOG_WARN = 1,
	ROCKET_LOG_INFO = 2,
	ROCKET_LOG_DEBUG = 3,
};
typedef enum rocket_log_level rocket_log_level;

/* text is one line without a newline, valid only during the call. */
typedef void (*rocket_log_callback)(rocket_log_level level, const char *text, void *user_data);

/* Send lines to cb instead of stderr; NULL restores stderr. */
void rocket_log_set_callback(rocket_log_callback cb, void *user_data);

/* Lines above this level are dropped before they are formatted. */
void rocket_log_set_level(rocket_log_level level);
rocket_log_level rocket_log_get_level(void);

/* Write one line, printf style, without a trailing newline; cut at 1023 bytes, control
 * characters written as spaces. */
void rocket_log(rocket_log_level level, const char *fmt, ...)
#if defined(__GNUC__)
	__attribute__((format(printf, 2, 3)))
#endif
	;

#define ROCKET_LOGE(...) rocket_log(ROCKET_LOG_ERROR, __VA_ARGS__)
#define ROCKET_LOGW(...) rocket_log(ROCKET_LOG_WARN, __VA_ARGS__)
#define ROCKET_LOGI(...) rocket_log(ROCKET_LOG_INFO, __VA_ARGS__)
#define ROCKET_LOGD(...) rocket_log(ROCKET_LOG_DEBUG, __VA_ARGS__)

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
