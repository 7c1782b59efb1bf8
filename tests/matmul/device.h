/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * device.h - matmul tests on the simulated NPU: opening it under given settings, and
 * matrices to multiply.
 */
#ifndef TESTS_MATMUL_DEVICE_H
#define TESTS_MATMUL_DEVICE_H

#include <stdbool.h>

#include "rocket_matmul.h"
#include "rocket_npu.h"
#include "support.h"
#include "tests/driver.h"

/* Set the variables ("A=1 B=2", every other ROCKET_ one that steers a matmul unset) and open
 * the simulated RK3588, with the driver that TEST_DEVICE names. Fails the test when that fails. */
int test_open(const char *env);

/* How an operand is filled. */
enum test_fill {
	TEST_FILL_SMALL_INTEGERS, /* -2..2: every sum in these tests is exact in fp16 */
	TEST_FILL_UNIFORM,        /* multiples of 2^-11 in [-1, 1] */
	TEST_FILL_ANY_EXPONENT,   /* any finite half up to 2^4, subnormals included */
};

/* Small shapes with every kind of tail, now and then a large dimension. */
struct test_shape {
	int M, K, N;
};
struct test_shape test_random_shape(struct test_rng *rng, int k_align, int n_align);

_Float16 *test_halves(struct test_rng *rng, size_t count, enum test_fill fill);
/* An fp16 product: random operands and room for the result. */
struct test_fp16 {
	struct test_shape s;
	_Float16 *a, *b, *c;
};
struct test_fp16 test_fp16_begin(struct test_rng *rng, struct test_shape s, enum test_fill fill);
void test_fp16_end(struct test_fp16 *p);
/* Every element a NaN. */
void test_fp16_spoil(struct test_fp16 *p);
/* C is the product; of small integers, and |sums| within what fp16 holds exactly. */
void test_fp16_require_exact(const struct test_fp16 *p, const char *what);
/* Files that this process has open. */
int test_open_files(void);
/* UNIFORM and ANY_EXPONENT with all 24 bits of the significand. */
float *test_floats(struct test_rng *rng, size_t count, enum test_fill fill);
int8_t *test_bytes(struct test_rng *rng, size_t count);
/* lo..hi */
int8_t *test_bytes_in(struct test_rng *rng, size_t count, int lo, int hi);
int16_t *test_shorts_in(struct test_rng *rng, size_t count, int lo, int hi);

/* Lines logged at warning level since the last test_log_start(). */
unsigned test_log_warnings(void);
/* Lines logged at error level since the last test_log_start(), and the last of them. */
void test_log_start(void);
unsigned test_log_errors(void);
const char *test_log_last(void);
/* Since test_log_start() a call was refused with this status and one line that has the reason. */
void test_require_refusal(const char *what, unsigned row, int ret, int status, const char *reason);

#endif
