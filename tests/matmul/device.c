// SPDX-License-Identifier: LGPL-2.1-or-later
/* device.c - see device.h. */
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "reference.h"
#include "rocket_log.h"

static const char *const steering[] = {
	"ROCKET_KACC",      "ROCKET_NO_KACC",       "ROCKET_KACC_CHAIN",     "ROCKET_REUSE",
	"ROCKET_MM_MT",     "ROCKET_MM_NT",         "ROCKET_MM_KT",          "ROCKET_MM_ASYM",
	"ROCKET_WAIT_MS",   "ROCKET_BATCH_SUBMIT",  "ROCKET_N_THREADS",      "ROCKET_CHIP",
	"ROCKET_MM_STREAM", "ROCKET_KACC_BATCHOUT", "ROCKET_NO_SHARED_PACK", "ROCKET_MM_PIPE",
	"ROCKET_KEEP_MIB",
};

int test_open(const char *env)
{
	char copy[256], *save = NULL;
	int fd;

	for (unsigned i = 0; i < sizeof(steering) / sizeof(steering[0]); i++)
		unsetenv(steering[i]);
	setenv("ROCKET_DEVICE", test_device(), 1);
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

struct test_fp16 test_fp16_begin(struct test_rng *rng, struct test_shape s, enum test_fill fill)
{
	struct test_fp16 p = { .s = s };

	p.a = test_halves(rng, (size_t)s.M * s.K, fill);
	p.b = test_halves(rng, (size_t)s.N * s.K, fill);
	p.c = malloc((size_t)s.M * s.N * sizeof(*p.c));
	assert_non_null(p.c);
	return p;
}

void test_fp16_end(struct test_fp16 *p)
{
	free(p->a);
	free(p->b);
	free(p->c);
}

void test_fp16_spoil(struct test_fp16 *h)
{
	memset(h->c, 0xff, (size_t)h->s.M * h->s.N * sizeof(*h->c));
}

void test_fp16_require_exact(const struct test_fp16 *h, const char *what)
{
	for (int m = 0; m < h->s.M; m++)
		for (int n = 0; n < h->s.N; n++) {
			double mag, got = (double)h->c[(size_t)m * h->s.N + n];
			double want = reference_double(h->s.K, h->a + (size_t)m * h->s.K,
						       h->b + (size_t)n * h->s.K, &mag);

			if (got != want)
				fail_msg("%s %dx%dx%d: C[%d][%d] is %g, not %g", what, h->s.M,
					 h->s.K, h->s.N, m, n, got, want);
		}
}

int test_open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

int8_t *test_bytes(struct test_rng *rng, size_t count)
{
	int8_t *p = malloc(count);

	assert_non_null(p);
	for (size_t i = 0; i < count; i++)
		p[i] = (int8_t)test_random(rng);
	return p;
}

float *test_floats(struct test_rng *rng, size_t count, enum test_fill fill)
{
	float *p = malloc(count * sizeof(*p));

	assert_non_null(p);
	for (size_t i = 0; i < count; i++) {
		int32_t significand = (int32_t)test_random(rng) >> 7; /* 24 bits and the sign */

		if (fill == TEST_FILL_SMALL_INTEGERS)
			p[i] = (float)test_random_in(rng, -2, 2);
		else if (fill == TEST_FILL_UNIFORM)
			p[i] = (float)significand * 0x1p-24f;
		else
			p[i] = ldexpf((float)significand, -24 - test_random_in(rng, 0, 24));
	}
	return p;
}

int8_t *test_bytes_in(struct test_rng *rng, size_t count, int lo, int hi)
{
	int8_t *p = malloc(count);

	assert_non_null(p);
	for (size_t i = 0; i < count; i++)
		p[i] = (int8_t)test_random_in(rng, lo, hi);
	return p;
}

int16_t *test_shorts_in(struct test_rng *rng, size_t count, int lo, int hi)
{
	int16_t *p = malloc(count * sizeof(*p));

	assert_non_null(p);
	for (size_t i = 0; i < count; i++)
		p[i] = (int16_t)test_random_in(rng, lo, hi);
	return p;
}

struct test_shape test_random_shape(struct test_rng *rng, int k_align, int n_align)
{
	struct test_shape s;

	s.M = test_random_in(rng, 0, 5) ? 4 * test_random_in(rng, 1, 12) : 1;
	s.K = k_align * test_random_in(rng, 1, 384 / k_align);
	s.N = n_align * test_random_in(rng, 1, 96 / n_align + 1);
	switch (test_random_in(rng, 0, 9)) {
	case 0:
		s.M = 4 * test_random_in(rng, 63, 75);
		break;
	case 1:
		s.K = k_align * test_random_in(rng, 1280 / k_align, 4160 / k_align);
		break;
	case 2:
		s.N = n_align * test_random_in(rng, 240 / n_align, 320 / n_align);
		break;
	}
	return s;
}

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned log_errors, log_warnings;
static char log_last[1024];

static void take_line(rocket_log_level level, const char *text, void *user)
{
	(void)user;
	if (level > ROCKET_LOG_WARN)
		return;
	pthread_mutex_lock(&log_lock);
	if (level == ROCKET_LOG_WARN)
		log_warnings++;
	else
		log_errors++;
	snprintf(log_last, sizeof(log_last), "%s", text);
	pthread_mutex_unlock(&log_lock);
}

void test_log_start(void)
{
	rocket_log_set_callback(take_line, NULL);
	pthread_mutex_lock(&log_lock);
	log_errors = log_warnings = 0;
	log_last[0] = '\0';
	pthread_mutex_unlock(&log_lock);
}

unsigned test_log_warnings(void)
{
	unsigned n;

	pthread_mutex_lock(&log_lock);
	n = log_warnings;
	pthread_mutex_unlock(&log_lock);
	return n;
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

void test_require_refusal(const char *what, unsigned row, int ret, int status, const char *reason)
{
	if (ret != status || test_log_errors() != 1 || !strstr(test_log_last(), reason))
		fail_msg("%s, row %u: status %d, %u lines, last \"%s\"; expected \"%s\"", what, row,
			 ret, test_log_errors(), test_log_last(), reason);
}
