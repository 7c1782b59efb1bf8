// SPDX-License-Identifier: LGPL-2.1-or-later
/* device.c - see device.h. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "rocket_log.h"

static const char *const steering[] = {
	"ROCKET_KACC",    "ROCKET_NO_KACC",      "ROCKET_KACC_CHAIN", "ROCKET_REUSE",
	"ROCKET_MM_MT",   "ROCKET_MM_NT",        "ROCKET_MM_KT",      "ROCKET_MM_ASYM",
	"ROCKET_WAIT_MS", "ROCKET_BATCH_SUBMIT", "ROCKET_N_THREADS",  "ROCKET_CHIP",
};

int test_open(const char *env)
{
	char copy[256], *save = NULL;
	int fd;

	for (unsigned i = 0; i < sizeof(steering) / sizeof(steering[0]); i++)
		unsetenv(steering[i]);
	setenv("ROCKET_DEVICE", "sim", 1);
	setenv("ROCKET_VALIDATE", "1", 1);
	snprintf(copy, sizeof(copy), "%s", env);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');

		assert_non_null(value);
		*value++ = '\0';
		setenv(word, value, 1);
	}
	fd = rocket_open();
	if (fd < 0)
		fail_msg("rocket_open() with \"%s\": %d", env, fd);
	return fd;
}

static uint16_t random_half(struct test_rng *rng, enum test_fill fill)
{
	_Float16 v;
	uint16_t bits;

	switch (fill) {
	case TEST_FILL_SMALL_INTEGERS:
		v = (_Float16)test_random_in(rng, -2, 2);
		break;
	case TEST_FILL_UNIFORM:
		v = (_Float16)test_random_in(rng, -2048, 2048) / 2048;
		break;
	default:
		bits = (uint16_t)test_random(rng);
		/* exponent field 0..19 */
		return (uint16_t)((bits & 0x83ff) | (test_random(rng) % 20) << 10);
	}
	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

_Float16 *test_halves(struct test_rng *rng, size_t count, enum test_fill fill)
{
	_Float16 *p = malloc(count * sizeof(*p));

	assert_non_null(p);
	for (size_t i = 0; i < count; i++) {
		uint16_t bits = random_half(rng, fill);

		memcpy(&p[i], &bits, sizeof(bits));
	}
	return p;
}

int8_t *test_bytes(struct test_rng *rng, size_t count)
{
	int8_t *p = malloc(count);

	assert_non_null(p);
	for (size_t i = 0; i < count; i++)
		p[i] = (int8_t)test_random(rng);
	return p;
}

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned log_errors;
static char log_last[1024];

static void take_line(rocket_log_level level, const char *text, void *user)
{
	(void)user;
	if (level != ROCKET_LOG_ERROR)
		return;
	pthread_mutex_lock(&log_lock);
	log_errors++;
	snprintf(log_last, sizeof(log_last), "%s", text);
	pthread_mutex_unlock(&log_lock);
}

void test_log_start(void)
{
	rocket_log_set_callback(take_line, NULL);
	pthread_mutex_lock(&log_lock);
	log_errors = 0;
	log_last[0] = '\0';
	pthread_mutex_unlock(&log_lock);
}

unsigned test_log_errors(void)
{
	unsigned n;

	pthread_mutex_lock(&log_lock);
	n = log_errors;
	pthread_mutex_unlock(&log_lock);
	return n;
}

const char *test_log_last(void)
{
	return log_last;
}
