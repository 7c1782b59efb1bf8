/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * support.h - what the device tests share: raw calls on the simulated device, jobs of a
 * known outcome, captured log lines.
 */
#ifndef TESTS_DEVICE_SUPPORT_H
#define TESTS_DEVICE_SUPPORT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include <drm.h>
#include "drm/rocket_accel.h"
#include "rocket_log.h"
#include "rocket_npu.h"
#include "sim/dev/sim_dev.h"
#include "tests/children.h"
#include "tests/driver.h"

uint64_t test_now_ns(void);
void test_sleep_ms(unsigned ms);
/* Open fds and threads of this process, to see what leaks. */
unsigned test_count_fds(void);
/* Of those, what a program that this one executes would get. */
unsigned test_count_inherited_fds(void);
unsigned test_count_threads(void);
/* Whether there are n threads, now or in a moment. */
bool test_threads_are(unsigned n);

/* Kicks of a simulated file, once it has `least` of them; fewer when it has not in a minute. */
uint64_t test_await_kicks(int fd, uint64_t least);

/* ---- log lines of the library ---- */

/* Collect lines from here on; the level is debug. */
void test_log_start(void);
void test_log_stop(void);
/* Lines at level since the start, and the last of them ("" for none). */
unsigned test_log_count(rocket_log_level level);
const char *test_log_last(rocket_log_level level);
/* Fail unless the last line at level holds text. */
void test_log_has(rocket_log_level level, const char *text);

/* ---- raw calls: 0 or -errno ---- */

int raw_ioctl(int fd, unsigned long request, void *arg);

struct raw_bo {
	uint32_t handle;
	uint64_t iova, offset, size;
	void *ptr;
};
/* Each fails the test on an error. */
int raw_open(void);
void raw_close(int fd);
struct raw_bo raw_bo_new(int fd, uint32_t size);

int raw_create(int fd, uint32_t size, struct drm_rocket_create_bo *out);
int raw_gem_close(int fd, uint32_t handle);
/* Wait at most ms milliseconds; 0: the deadline is in the past. */
int raw_prep(int fd, uint32_t handle, unsigned ms);
int raw_submit(int fd, const struct drm_rocket_job *job);

/* ---- jobs ---- */

enum kit_kind {
	KIT_GOOD,  /* C[4,16] = A[4,32] . B[16,32]^T in fp16 */
	KIT_HANG,  /* a program that starts nothing */
	KIT_FAULT, /* KIT_GOOD, its output not mapped */
};

#define KIT_M 4
#define KIT_K 32
#define KIT_N 16

/* Operands in the NPU's layouts, from seed, and their product; whether c is that. */
void kit_fill(void *a_cube, void *b_cube, double expected[KIT_M][KIT_N], unsigned seed);
bool kit_product_is(const void *c_cube, const double expected[KIT_M][KIT_N]);

struct kit {
	int fd;
	enum kit_kind kind;
	struct raw_bo prog, a, b, c;
	struct drm_rocket_task task;
	uint32_t in[3], out[1];
	struct drm_rocket_job job; /* points into this struct: do not copy */
	double expected[KIT_M][KIT_N];
};

/* Fill kit with buffers of fd and operands from seed; c is stamped with 0x5a. */
void kit_init(struct kit *kit, int fd, enum kit_kind kind, unsigned seed);
int kit_submit(struct kit *kit);
int kit_wait(struct kit *kit, unsigned ms);
/* Whether c is exactly the product. */
bool kit_is_right(const struct kit *kit);
bool kit_is_untouched(const struct kit *kit);
void kit_stamp(struct kit *kit);

#endif
