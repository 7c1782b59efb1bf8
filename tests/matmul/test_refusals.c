// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_refusals.c - bad calls and failing devices: a status, one line, nothing lost. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "inject.h"
#include "lib/core/device.h"
#include "lib/ops/matmul_scratch.h"
#include "reference.h"

/* The watchdog of the simulated device in these tests. */
#define SIM_TIMEOUT_MS 20

/* A good 8x64x32 problem of each type (int4: 8x32x64), and its results. Room for the widest
 * element, so that no two overlap whatever is taken for an entry's operands. */
static _Alignas(64) _Float16 A[8 * 64 * 2], B[32 * 64 * 2], C[8 * 32];
static _Alignas(64) int8_t A8[8 * 64], B8[32 * 64];
static _Alignas(64) int16_t A16[8 * 64], B16[32 * 64];
static _Alignas(64) float AF[8 * 64], BF[32 * 64];
static _Alignas(64) int32_t C8[8 * 64];
static _Alignas(64) int64_t C16[8 * 32];
static _Alignas(64) float F[8 * 32 * 2];

static void fill_operands(void)
{
	for (int i = 0; i < 8 * 64; i++) {
		A8[i] = (int8_t)(i % 7 - 3);
		A[i] = (_Float16)A8[i];
		A16[i] = A8[i];
		AF[i] = A8[i];
	}
	for (int i = 0; i < 32 * 64; i++) {
		B8[i] = (int8_t)(i % 5 - 2);
		B[i] = (_Float16)B8[i];
		B16[i] = B8[i];
		BF[i] = B8[i];
	}
}

/* An address that far apart from another that anything fits between; never touched. */
#define FAR(sixteenths) ((void *)((UINTPTR_MAX / 16 + 1) * (sixteenths)))

/* One good call of each entry with a kind of its own. */
enum { GOOD_FP16, GOOD_F32OUT, GOOD_INT8, GOOD_INT4, GOOD_INT16, GOOD_BF16, GOOD_TF32, GOOD_CALLS };

static int call_each(int fd, int which)
{
	switch (which) {
	case GOOD_FP16:
		return rocket_matmul_fp16(fd, 8, 64, 32, A, B, C);
	case GOOD_F32OUT:
		return rocket_matmul_fp16_f32out(fd, 8, 64, 32, A, B, F);
	case GOOD_INT8:
		return rocket_matmul_int8(fd, 8, 64, 32, A8, B8, C8);
	case GOOD_INT4:
		return rocket_matmul_int4_ex(fd, 8, 32, 64, A8, B8, C8, 480);
	case GOOD_INT16:
		return rocket_matmul_int16_exact(fd, 8, 64, 32, A16, B16, C16);
	case GOOD_BF16:
		return rocket_matmul_bf16(fd, 8, 64, 32, AF, BF, F);
	default:
		return rocket_matmul_tf32(fd, 8, 64, 32, AF, BF, F);
	}
}

static double result_of(int which, int i)
{
	switch (which) {
	case GOOD_FP16:
		return (double)C[i];
	case GOOD_INT8:
	case GOOD_INT4:
		return C8[i];
	case GOOD_INT16:
		return (double)C16[i];
	default:
		return (double)F[i];
	}
}

/* Every entry gives the exact result on fd. */
static void require_good(int fd)
{
	for (int which = 0; which < GOOD_CALLS; which++) {
		const int K = which == GOOD_INT4 ? 32 : 64, N = which == GOOD_INT4 ? 64 : 32;

		memset(C, 0xff, sizeof(C));
		memset(F, 0xff, sizeof(F));
		memset(C8, 0xff, sizeof(C8));
		memset(C16, 0xff, sizeof(C16));
		assert_int_equal(call_each(fd, which), ROCKET_OK);
		for (int m = 0; m < 8; m++)
			for (int n = 0; n < N; n++)
				assert_true(result_of(which, m * N + n) ==
					    (double)reference_int8(K, A8 + m * K, B8 + n * K));
	}
}

/* ---- bad input ---- */

enum entry { FP16, F32OUT, BF16, TF32, INT8, INT4, INT4_EX, INT16, MT, BF16_MT, ENTRIES };

struct bad_call {
	int M, K, N;
	const void *a, *b;
	void *c;
	const char *reason; /* in the line */
	int status;
};

static int call_entry(enum entry e, int fd, const struct bad_call *x)
{
	switch (e) {
	case FP16:
		return rocket_matmul_fp16(fd, x->M, x->K, x->N, x->a, x->b, x->c);
	case F32OUT:
		return rocket_matmul_fp16_f32out(fd, x->M, x->K, x->N, x->a, x->b, x->c);
	case BF16:
		return rocket_matmul_bf16(fd, x->M, x->K, x->N, x->a, x->b, x->c);
	case TF32:
		return rocket_matmul_tf32(fd, x->M, x->K, x->N, x->a, x->b, x->c);
	case INT8:
		return rocket_matmul_int8(fd, x->M, x->K, x->N, x->a, x->b, x->c);
	case INT4:
		return rocket_matmul_int4(fd, x->M, x->K, x->N, x->a, x->b, x->c);
	case INT4_EX:
		return rocket_matmul_int4_ex(fd, x->M, x->K, x->N, x->a, x->b, x->c, 480);
	case INT16:
		return rocket_matmul_int16_exact(fd, x->M, x->K, x->N, x->a, x->b, x->c);
	case BF16_MT:
		return rocket_matmul_bf16_mt(x->M, x->K, x->N, x->a, x->b, x->c, 2);
	default:
		return rocket_matmul_fp16_mt(x->M, x->K, x->N, x->a, x->b, x->c, 2);
	}
}

static void require_refusal(enum entry e, int fd, const struct bad_call *x, unsigned row)
{
	int buffers = inject_live_buffers(), maps = inject_live_maps();
	int ret;

	test_log_start();
	ret = call_entry(e, fd, x);
	if (ret != x->status || test_log_errors() != 1 || !strstr(test_log_last(), x->reason))
		fail_msg("row %u, entry %d: status %d, %u lines, last \"%s\"; expected \"%s\"", row,
			 e, ret, test_log_errors(), test_log_last(), x->reason);
	assert_int_equal(inject_live_buffers(), buffers);
	assert_int_equal(inject_live_maps(), maps);
}

static void bad_input_is_refused_with_one_line(void **state)
{
	uint8_t *bytes = (uint8_t *)A;
	const struct bad_call rows[] = {
		{ 0, 64, 32, A, B, F, "M is not in 1..2^24", ROCKET_E_SHAPE },
		{ 8, 0, 32, A, B, F, "K is not in 1..2^24", ROCKET_E_SHAPE },
		{ 8, 64, 0, A, B, F, "N is not in 1..2^24", ROCKET_E_SHAPE },
		{ -8, 64, 32, A, B, F, "M is not in 1..2^24", ROCKET_E_SHAPE },
		{ 8, INT_MIN, 32, A, B, F, "K is not in 1..2^24", ROCKET_E_SHAPE },
		{ INT_MAX, INT_MAX, INT_MAX, A, B, F, "M is not in 1..2^24", ROCKET_E_SHAPE },
		{ 8, 64, (1 << 24) + 32, A, B, F, "N is not in 1..2^24", ROCKET_E_SHAPE },
		{ 8, 64, 32, NULL, B, F, "A is NULL", ROCKET_E_SHAPE },
		{ 8, 64, 32, A, NULL, F, "B is NULL", ROCKET_E_SHAPE },
		{ 8, 64, 32, A, B, NULL, "C is NULL", ROCKET_E_SHAPE },
		{ 8, 64, 32, A, B, A, "C overlaps A", ROCKET_E_SHAPE },
		{ 8, 64, 32, A, B, B, "C overlaps B", ROCKET_E_SHAPE },
		{ 8, 64, 32, A, B, bytes + 8 * 64 - 8, "C overlaps A", ROCKET_E_SHAPE },
		{ 8, 64, 32, A, B, (uint8_t *)F + 1, "C is not aligned", ROCKET_E_SHAPE },
		{ 8, 64, 32, (void *)(UINTPTR_MAX - 63), B, F, "does not fit in memory",
		  ROCKET_E_SHAPE },
		{ 1 << 24, 1 << 24, 1 << 24, FAR(15), FAR(13), (void *)4096, "2^31 - 1 tiles",
		  ROCKET_E_SHAPE },
		{ 3, 64, 32, A, B, F, "M is not a multiple of 4", ROCKET_E_SHAPE },
		{ 8, 40, 32, A, B, F, "K is not a multiple of", ROCKET_E_SHAPE },
		{ 8, 64, 8, A, B, F, "N is not a multiple of", ROCKET_E_SHAPE },
	};
	int fd = test_open("");

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int e = 0; e < ENTRIES; e++)
			require_refusal((enum entry)e, fd, &rows[i], i);
	require_good(fd);
	rocket_close(fd);
}

static void misaligned_halves_are_refused(void **state)
{
	const struct bad_call x = {
		8, 64, 32, (uint8_t *)A + 1, B, F, "A is not aligned", ROCKET_E_SHAPE
	};
	int fd = test_open("");

	(void)state;
	for (int e = 0; e < ENTRIES; e++)
		if (e < INT8 || e > INT4_EX)
			require_refusal((enum entry)e, fd, &x, 0);
	rocket_close(fd);
}

/* Operands nobody could hold: refused by their figure before anything is touched. */
static void problem_beyond_the_address_window_is_refused_with_its_size(void **state)
{
	const struct bad_call x = { 1 << 20, 1 << 12, 1 << 6, (void *)(uintptr_t)4096,
				    FAR(2),  FAR(6),  "MiB",  ROCKET_E_NOMEM };
	int fd = test_open("");

	(void)state;
	require_refusal(FP16, fd, &x, 0);
	require_refusal(F32OUT, fd, &x, 1);
	rocket_close(fd);
}

static void fd_that_is_no_device_is_refused(void **state)
{
	const struct bad_call x = { 8, 64, 32, A, B, F, "is not open here", ROCKET_E_SHAPE };
	int closed = test_open(""), foreign = open("/dev/null", O_RDWR);
	const int fds[] = { -1, INT_MIN, INT_MAX, closed, foreign };

	(void)state;
	rocket_close(closed);
	assert_true(foreign >= 0);
	for (unsigned i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		for (int e = FP16; e < MT; e++)
			require_refusal((enum entry)e, fds[i], &x, i);
	close(foreign);
}

static void plan_functions_refuse_and_accept_missing_outputs(void **state)
{
	int mt = 7, kt = 7, nt = 7;

	(void)state;
	rocket_close(test_open(""));
	test_log_start();
	assert_int_equal(rocket_matmul_plan(5, 64, 32, &mt, &kt, &nt), ROCKET_E_SHAPE);
	assert_int_equal(rocket_matmul_plan_int8(4, 64, 16, &mt, &kt, &nt), ROCKET_E_SHAPE);
	assert_int_equal(test_log_errors(), 2);
	assert_true(mt == 7 && kt == 7 && nt == 7);
	assert_int_equal(rocket_matmul_plan(512, 3840, 4096, NULL, NULL, NULL), 12);
	assert_int_equal(rocket_matmul_plan_int8(512, 3840, 4096, &mt, &kt, &nt), 192);
	assert_true(mt == 256 && kt == 640 && nt == 256);
}

static void device_that_cannot_be_opened_is_one_line(void **state)
{
	int ret;

	(void)state;
	rocket_close(test_open(""));
	setenv("ROCKET_DEVICE", "/nonexistent/accel0", 1);
	test_log_start();
	ret = rocket_matmul_fp16_mt(8, 64, 32, A, B, C, 2);
	assert_true(ret < 0);
	assert_int_equal(test_log_errors(), 1);
	rocket_close(test_open(""));
	assert_int_equal(rocket_matmul_fp16_mt(8, 64, 32, A, B, C, 2), ROCKET_OK);
	rocket_matmul_mt_drain();
}

/* The second of two fds does not open: the first is given back, and one line says why. */
static void fd_that_one_worker_lacks_is_one_line(void **state)
{
	int held = test_open(""); /* keeps the device, so that all events are of the workers */
	int buffers = inject_live_buffers(), maps = inject_live_maps(), ret;
	unsigned n = 0;

	(void)state;
	for (;; n++) {
		test_log_start();
		inject_start(INJECT_ALLOC, n);
		ret = rocket_matmul_fp16_mt(8, 64, 32, A, B, C, 2);
		if (!inject_stop())
			break;
		assert_true(ret < 0);
		assert_int_equal(test_log_errors(), 1);
		assert_int_equal(inject_live_buffers(), buffers);
		assert_int_equal(inject_live_maps(), maps);
	}
	assert_int_equal(ret, ROCKET_OK);
	assert_true(n > 2);
	rocket_close(held);
}

/* ---- injected failures ---- */

/* Make event n of a kind fail in one call on fd. Returns 0 when there is no event n. */
static int fail_once(enum inject_kind kind, unsigned n, int fd, int which)
{
	const int cold = inject_live_buffers() == 1; /* the guard of the only fd */
	int buffers = inject_live_buffers(), maps = inject_live_maps();
	int ret, fired;

	test_log_start();
	inject_start(kind, n);
	ret = call_each(fd, which);
	fired = inject_stop();
	if (!fired) {
		assert_int_equal(ret, ROCKET_OK);
		return 0;
	}
	if (ret == ROCKET_OK)
		fail_msg("event %u of kind %d failed unnoticed", n, kind);
	if (test_log_errors() != 1)
		fail_msg("event %u of kind %d: %u lines, last \"%s\"", n, kind, test_log_errors(),
			 test_log_last());
	if (kind == INJECT_FAULT || kind == INJECT_BLIND)
		assert_int_equal(ret, ROCKET_E_DEVICE);
	if (kind == INJECT_ALLOC)
		assert_int_equal(ret, ROCKET_E_NOMEM);
	assert_null(strstr(test_log_last(), " 0 plan steps"));
	/* Buffers that the fd kept for its next call may be gone, none may be left over but those
	 * of a first product that went well. */
	if (which != GOOD_INT16 || !cold) {
		assert_true(inject_live_buffers() <= buffers);
		assert_true(inject_live_maps() <= maps);
	}
	require_good(fd);
	return 1;
}

/* The calls of an fd that has its buffers already: several jobs, both partial buffers, a host
 * accumulator. */
static void every_failure_is_survived(enum inject_kind kind)
{
	static const char *const envs[] = { "ROCKET_MM_KT=32", "ROCKET_MM_KT=32 ROCKET_KACC=0" };

	for (unsigned e = 0; e < 2; e++) {
		int fd = test_open(envs[e]);

		require_good(fd);
		for (int which = 0; which < GOOD_CALLS; which++) {
			unsigned n = 0;

			while (fail_once(kind, n, fd, which))
				n++;
			/* On a warm fd nothing is mapped any more. */
			assert_true(n > 0 || kind == INJECT_MMAP);
		}
		rocket_close(fd);
	}
}

/* The first call of an fd, which sets up its buffers. */
static void every_first_failure_is_survived(enum inject_kind kind)
{
	for (int which = 0; which < GOOD_CALLS; which++) {
		unsigned n = 0;
		int fd;

		for (;; n++) {
			int more;

			fd = test_open("ROCKET_MM_KT=32");
			more = fail_once(kind, n, fd, which);
			rocket_close(fd);
			if (!more)
				break;
		}
		assert_true(n > 2);
	}
}

static void failed_allocation_loses_nothing(void **state)
{
	(void)state;
	every_failure_is_survived(INJECT_ALLOC);
	every_first_failure_is_survived(INJECT_ALLOC);
}

static void failed_device_call_loses_nothing(void **state)
{
	(void)state;
	every_failure_is_survived(INJECT_IOCTL);
	every_first_failure_is_survived(INJECT_IOCTL);
}

static void failed_mapping_loses_nothing(void **state)
{
	(void)state;
	every_first_failure_is_survived(INJECT_MMAP);
}

static void faulting_job_is_a_device_error(void **state)
{
	(void)state;
	every_failure_is_survived(INJECT_FAULT);
}

/* On a driver that calls a retired job done, the missing result gives it away. */
static void retired_job_is_noticed_where_the_driver_says_nothing(void **state)
{
	int fd = test_open("ROCKET_MM_KT=32 ROCKET_KACC=0");
	struct rocket_device *dev = rocket_device_get(fd, "test");
	struct rocket_hw_profile profile = *dev->profile;
	const struct rocket_hw_profile *real = dev->profile;

	(void)state;
	profile.slow_wait_ms = SIM_TIMEOUT_MS / 2;
	dev->profile = &profile;
	dev->node.caps.errors_reported = 0;
	for (int which = 0; which < GOOD_CALLS; which++)
		assert_true(fail_once(INJECT_BLIND, 0, fd, which));
	dev->profile = real;
	rocket_device_put(dev);
	rocket_close(fd);
}

/* The bytes that mark a result as missing are a number as well: -0.022049 in fp16. */
static void result_like_the_stamp_is_believed_when_it_came_in_time(void **state)
{
	static const uint16_t one = 0x3c00, stamp = 0xa5a5;
	static _Float16 a[4 * 32], b[16 * 32], c[4 * 16];
	int fd = test_open("");
	struct rocket_device *dev = rocket_device_get(fd, "test");
	struct rocket_hw_profile profile = *dev->profile;
	const struct rocket_hw_profile *real = dev->profile;

	(void)state;
	profile.slow_wait_ms = 600000; /* in time, however busy the machine is */
	dev->profile = &profile;
	for (unsigned m = 0; m < 4; m++)
		memcpy(&a[32 * m], &one, sizeof(one));
	for (unsigned n = 0; n < 16; n++)
		memcpy(&b[32 * n], &stamp, sizeof(stamp));
	dev->node.caps.errors_reported = 0;
	assert_int_equal(rocket_matmul_fp16(fd, 4, 32, 16, a, b, c), ROCKET_OK);
	for (unsigned i = 0; i < 4 * 16; i++)
		assert_memory_equal(&c[i], &stamp, sizeof(stamp));
	dev->profile = real;
	rocket_device_put(dev);
	rocket_close(fd);
}

/* So that no cache line of the CPU is left to be written over the result: that of a new buffer, and
 * of one that the fd kept. */
static void stamped_buffer_is_handed_over_before_its_job(void **state)
{
	unsigned calls[2][2];

	(void)state;
	for (int blind = 0; blind < 2; blind++) {
		int fd = test_open("");
		struct rocket_device *dev = rocket_device_get(fd, "test");

		if (blind)
			dev->node.caps.errors_reported = 0;
		for (int again = 0; again < 2; again++) {
			unsigned before = inject_handed_over();

			assert_int_equal(call_each(fd, GOOD_FP16), ROCKET_OK);
			calls[blind][again] = inject_handed_over() - before;
		}
		rocket_device_put(dev);
		rocket_close(fd);
	}
	assert_int_equal(calls[1][0], calls[0][0] + 1);
	assert_int_equal(calls[1][1], calls[0][1] + 1);
}

static void wait_that_runs_out_is_a_device_error(void **state)
{
	const int M = 512, K = 2048, N = 512;
	_Float16 *a = calloc((size_t)M * K, 2), *b = calloc((size_t)N * K, 2);
	_Float16 *c = calloc((size_t)M * N, 2);
	int fd = test_open("ROCKET_WAIT_MS=1"), other = test_open("");

	(void)state;
	assert_true(a && b && c);
	test_log_start();
	if (test_submit_waits()) {
		assert_int_equal(rocket_matmul_fp16(fd, M, K, N, a, b, c), ROCKET_OK);
	} else {
		assert_int_equal(rocket_matmul_fp16(fd, M, K, N, a, b, c), ROCKET_E_DEVICE);
		assert_int_equal(test_log_errors(), 1);
		assert_non_null(strstr(test_log_last(), "ran out"));
	}
	/* The job still runs; its operands and result may go at once. */
	free(a);
	free(b);
	free(c);
	require_good(other);
	rocket_close(fd);
	require_good(other);
	rocket_close(other);
}

/* A set for buffers of these sizes, as if a plan had asked for them. */
static struct rocket_matmul_scratch *make_set(struct rocket_device *dev, uint64_t in_bytes,
					      const struct rocket_matmul_bounds *bounds)
{
	struct rocket_matmul_plan plan = {
		.in_bytes = in_bytes, .wt_bytes = 8192, .out_bytes = { 1 }, .n_steps = 1
	};
	struct rocket_matmul_key key;
	struct rocket_matmul_scratch *s;
	int status;

	memset(&key, 0, sizeof(key));
	s = rocket_matmul_scratch_make(dev, &dev->matmuls, bounds, &key, &plan, 0, &status);
	assert_non_null(s);
	return s;
}

static const struct rocket_matmul_bounds sixteen_mib = { 4, UINT64_C(16) << 20 };

static void buffers_have_room_for_the_over_read(void **state)
{
	static const uint64_t bank = 32768;
	int fd = test_open("");
	struct rocket_device *dev = rocket_device_get(fd, "test");
	struct rocket_matmul_scratch *s = make_set(dev, 4096, &sixteen_mib);

	(void)state;
	assert_true(s->a.size >= 4096 + bank && s->b.size >= 8192 + bank);
	assert_true(s->out[0].size >= 1 + bank);
	rocket_matmul_scratch_free(dev, s);
	rocket_device_put(dev);
	rocket_close(fd);
}

static void set_beyond_the_bounds_is_not_kept(void **state)
{
	static const uint64_t sizes[] = { UINT64_C(8) << 20, UINT64_C(16) << 20 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		int fd = test_open("");
		struct rocket_device *dev = rocket_device_get(fd, "test");
		struct rocket_matmul_scratch *s = make_set(dev, sizes[i], &sixteen_mib);

		rocket_matmul_scratch_put(dev, &dev->matmuls, &sixteen_mib, s);
		assert_int_equal(dev->matmuls.kept != NULL, i == 0);
		rocket_device_put(dev);
		rocket_close(fd);
	}
}

static void closing_gives_every_buffer_back(void **state)
{
	int buffers = inject_live_buffers(), maps = inject_live_maps(), fd = test_open("");

	(void)state;
	require_good(fd);
	require_good(fd);
	rocket_close(fd);
	assert_int_equal(inject_live_maps(), maps);
	/* The kernel drops the handles of a closed fd without being asked one by one. */
	assert_true(inject_live_buffers() >= buffers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_input_is_refused_with_one_line),
		cmocka_unit_test(misaligned_halves_are_refused),
		cmocka_unit_test(problem_beyond_the_address_window_is_refused_with_its_size),
		cmocka_unit_test(fd_that_is_no_device_is_refused),
		cmocka_unit_test(plan_functions_refuse_and_accept_missing_outputs),
		cmocka_unit_test(device_that_cannot_be_opened_is_one_line),
		cmocka_unit_test(fd_that_one_worker_lacks_is_one_line),
		cmocka_unit_test(failed_allocation_loses_nothing),
		cmocka_unit_test(failed_device_call_loses_nothing),
		cmocka_unit_test(failed_mapping_loses_nothing),
		cmocka_unit_test(faulting_job_is_a_device_error),
		cmocka_unit_test(retired_job_is_noticed_where_the_driver_says_nothing),
		cmocka_unit_test(result_like_the_stamp_is_believed_when_it_came_in_time),
		cmocka_unit_test(stamped_buffer_is_handed_over_before_its_job),
		cmocka_unit_test(wait_that_runs_out_is_a_device_error),
		cmocka_unit_test(buffers_have_room_for_the_over_read),
		cmocka_unit_test(set_beyond_the_bounds_is_not_kept),
		cmocka_unit_test(closing_gives_every_buffer_back),
	};

	char timeout[16];

	snprintf(timeout, sizeof(timeout), "%d", SIM_TIMEOUT_MS);
	setenv("ROCKET_SIM_TIMEOUT_MS", timeout, 1);
	fill_operands();
	return test_run_group("refusals", tests, sizeof(tests) / sizeof(tests[0]), 0);
}
