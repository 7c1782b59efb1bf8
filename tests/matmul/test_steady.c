// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_steady.c - a matmul that is called again asks nothing of the allocator or the kernel, and
 * what an fd keeps for that is bounded.
 *
 * What calls cost is counted on the null device of the benchmarks, which allocates nothing itself;
 * what they give is checked on the simulated NPU.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/count.h"
#include "bench/null_kernel.h"
#include "device.h"
#include "reference.h"

/* Room for every shape here, of any type. */
#define ROOM (1u << 20)

static struct {
	uint64_t a[ROOM], b[ROOM], c[ROOM];
	float scale[ROOM];
} m;

struct shape {
	int M, K, N;
};

/* With tiles of TILES: groups of K tiles that lie in one job, and that two jobs share. */
#define TILES "ROCKET_MM_MT=16 ROCKET_MM_NT=64 ROCKET_MM_KT=64"
static const struct shape shapes[] = { { 4, 32, 64 }, { 64, 256, 128 }, { 32, 704, 256 } };
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

#define ENTRY(name, call)                                                                          \
	static int name(int fd, const struct shape *s)                                             \
	{                                                                                          \
		const int M = s->M, K = s->K, N = s->N;                                            \
		void *a = m.a, *b = m.b, *c = m.c;                                                 \
                                                                                                   \
		return call;                                                                       \
	}

ENTRY(fp16, rocket_matmul_fp16(fd, M, K, N, a, b, c))
ENTRY(f32out, rocket_matmul_fp16_f32out(fd, M, K, N, a, b, c))
ENTRY(bf16, rocket_matmul_bf16(fd, M, K, N, a, b, c))
ENTRY(tf32, rocket_matmul_tf32(fd, M, K, N, a, b, c))
ENTRY(int8, rocket_matmul_int8(fd, M, K, N, a, b, c))
ENTRY(int4, rocket_matmul_int4(fd, M, K, N, a, b, c))
ENTRY(int16, rocket_matmul_int16_exact(fd, M, K, N, a, b, c))
ENTRY(int8_gw, rocket_matmul_int8_groupwise(fd, M, K, N, a, b, m.scale, m.scale, c, 32))
ENTRY(int4_gw, rocket_matmul_int4_groupwise(fd, M, K, N, a, b, m.scale, m.scale, c, 32))

static const struct entry {
	const char *name;
	int (*call)(int fd, const struct shape *s);
} entries[] = {
	{ "fp16", fp16 },   { "f32out", f32out },   { "bf16", bf16 },
	{ "tf32", tf32 },   { "int8", int8 },       { "int4", int4 },
	{ "int16", int16 }, { "int8_gw", int8_gw }, { "int4_gw", int4_gw },
};
#define ENTRIES (sizeof(entries) / sizeof(entries[0]))

/* A null device under the variables of env. Programs are not checked: that is not part of a call.
 */
static int open_null(const char *env)
{
	char all[256];
	int fd;

	snprintf(all, sizeof(all), "ROCKET_VALIDATE=0 %s", env);
	rocket_close(test_open(all));
	fd = null_device_open();
	assert_true(fd >= 0);
	return fd;
}

static void call(const struct entry *e, int fd, const struct shape *s)
{
	int ret = e->call(fd, s);

	if (ret)
		fail_msg("%s of %dx%dx%d: status %d", e->name, s->M, s->K, s->N, ret);
}

#define CALLS     50
#define STRETCHES 20

/*
 * Requires that calls() comes to ask for nothing. A page that a thread's stack has not reached yet
 * is taken once, whenever that is, so the steady state may begin later than with the second call;
 * what every call takes is in every stretch of them. Whatever else the process does may take a page
 * now and then. variables: bytes of large ones that a call initialises, for which some compilers
 * call memset().
 */
static void require_steady(void (*calls)(const void *), const void *of, size_t variables,
			   const char *what)
{
	unsigned long faults = 0;

	for (int stretch = 0; stretch < STRETCHES; stretch++) {
		struct counts before = counts_now(), used;

		for (int n = 0; n < CALLS; n++)
			calls(of);
		used = counts_since(&before);
		if (used.allocations || used.zeroed > CALLS * variables)
			fail_msg("%s: %lu allocations, %lu bytes cleared in %d calls", what,
				 used.allocations, used.zeroed, CALLS);
		faults = used.faults;
		if (faults <= CALLS / 5)
			return;
	}
	fail_msg("%s: still %lu page faults in %d calls", what, faults, CALLS);
}

struct repeated {
	const struct entry *entry;
	const struct shape *shape;
	int fd;
};

static void repeat(const void *of)
{
	const struct repeated *r = of;

	call(r->entry, r->fd, r->shape);
}

static void repeated_call_allocates_clears_and_faults_in_nothing(void **state)
{
	static const char *const settings[] = { "", TILES, TILES " ROCKET_KACC=0 ROCKET_REUSE=1",
						TILES " ROCKET_KACC=0 ROCKET_MM_PIPE=1" };

	(void)state;
	for (unsigned v = 0; v < sizeof(settings) / sizeof(settings[0]); v++) {
		int fd = open_null(settings[v]);

		for (unsigned e = 0; e < ENTRIES; e++)
			for (unsigned i = 0; i < SHAPES; i++) {
				const struct repeated r = { &entries[e], &shapes[i], fd };

				repeat(&r);
				require_steady(repeat, &r, 0, entries[e].name);
			}
		rocket_close(fd);
	}
}

/* The fds that the library opens itself are null devices, too. */
static bool opens_are_null;
int __real_rocket_open(void);
int __wrap_rocket_open(void);

int __wrap_rocket_open(void)
{
	return opens_are_null ? null_device_open() : __real_rocket_open();
}

static void split(const void *shape)
{
	const struct shape *s = shape;

	assert_int_equal(
		rocket_matmul_fp16_mt(s->M, s->K, s->N, (void *)m.a, (void *)m.b, (void *)m.c, 3),
		0);
	assert_int_equal(
		rocket_matmul_bf16_mt(s->M, s->K, s->N, (void *)m.a, (void *)m.b, (void *)m.c, 3),
		0);
}

/* Of one split call: its parts, and the settings that are read for it. */
#define SPLIT_VARIABLES 4096

/* Other threads' allocations are not counted; their page faults are. */
static void repeated_split_call_allocates_and_faults_in_nothing(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SHAPES; i++) {
		int files, fd = open_null("");

		opens_are_null = true;
		split(&shapes[i]);
		files = test_open_files();
		require_steady(split, &shapes[i], 2 * SPLIT_VARIABLES, "split calls");
		opens_are_null = false;
		assert_int_equal(test_open_files(), files);
		rocket_close(fd);
	}
}

static void first_call_is_seen_to_allocate(void **state)
{
	int fd = open_null("");
	struct counts before = counts_now(), used;

	(void)state;
	call(&entries[0], fd, &shapes[1]);
	used = counts_since(&before);
	assert_true(used.allocations > 0 && used.faults > 0);
	rocket_close(fd);
}

static void take_turns(const void *fd)
{
	for (unsigned i = 0; i < SHAPES; i++) {
		call(&entries[0], *(const int *)fd, &shapes[i]);
		call(&entries[4], *(const int *)fd, &shapes[i]);
	}
}

static void calls_that_take_turns_allocate_nothing(void **state)
{
	int fd = open_null("");

	(void)state;
	take_turns(&fd);
	require_steady(take_turns, &fd, 0, "six calls in turn");
	rocket_close(fd);
}

/* ---- bounds ---- */

/* Pages of all buffers, which are a file's. */
static uint64_t device_memory(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

static void what_an_fd_keeps_is_bounded(void **state)
{
	static const struct shape large = { 256, 2048, 512 };
	int fd = open_null("ROCKET_KEEP_MIB=2");

	(void)state;
	for (int round = 0; round < 120; round++) {
		const struct shape s = { 4 * (1 + round % 16), 128 * (1 + round % 7),
					 64 * (1 + round % 11) };

		call(&entries[(unsigned)round % ENTRIES], fd, &s);
		assert_true(device_memory(fd) <= (2u << 20) + 4096);
	}
	assert_true(device_memory(fd) > 1 << 18);
	/* More than may be kept, so nothing of it is. */
	rocket_matmul_drain(fd);
	call(&entries[0], fd, &large);
	assert_true(device_memory(fd) <= 4096);
	rocket_close(fd);
}

#define FDS 4

static uint64_t memory_of_all(const int fds[FDS])
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < FDS; i++)
		sum += device_memory(fds[i]);
	return sum;
}

/* The guards of the fds do not count. */
static void what_all_fds_keep_is_bounded(void **state)
{
	const uint64_t most = (3u << 20) + FDS * 4096;
	uint64_t largest = 0, sum;
	int fds[FDS];

	(void)state;
	for (unsigned i = 0; i < FDS; i++)
		fds[i] = open_null("ROCKET_KEEP_MIB=3");
	for (int round = 0; round < 120; round++) {
		const struct shape s = { 4 * (1 + round % 16), 128 * (1 + round % 7),
					 64 * (1 + round % 11) };

		call(&entries[(unsigned)round % ENTRIES], fds[round * 7 / 3 % FDS], &s);
		sum = memory_of_all(fds);
		assert_true(sum <= most);
		largest = sum > largest ? sum : largest;
	}
	assert_true(largest > most / 2);
	/* Closed, it has room for the others. */
	rocket_close(fds[0]);
	fds[0] = open_null("ROCKET_KEEP_MIB=3");
	assert_true(device_memory(fds[0]) <= 4096);
	for (unsigned i = 0; i < FDS; i++)
		rocket_close(fds[i]);
}

static unsigned long allocations_of(int fd)
{
	struct counts before = counts_now(), used;

	call(&entries[0], fd, &shapes[1]);
	used = counts_since(&before);
	return used.allocations;
}

static bool keeps_a_set(int fd)
{
	return device_memory(fd) > 4096;
}

/* Whose set is the oldest pays, whoever needs the room; who would keep nothing takes none. */
static void oldest_set_of_all_fds_makes_room(void **state)
{
	static const struct shape large = { 256, 2048, 512 };
	int fds[2 * FDS], n = 2;

	(void)state;
	for (int i = 0; i < 2 * FDS; i++)
		fds[i] = open_null("ROCKET_KEEP_MIB=1");
	call(&entries[0], fds[0], &shapes[1]);
	call(&entries[0], fds[1], &shapes[1]);
	assert_int_equal(allocations_of(fds[0]), 0);
	while (n < 2 * FDS && keeps_a_set(fds[1]))
		call(&entries[0], fds[n++], &shapes[1]);
	assert_true(n > 2 && !keeps_a_set(fds[1]));
	for (int i = 0; i < n; i++)
		assert_true(i == 1 || keeps_a_set(fds[i]));
	call(&entries[0], fds[1], &large);
	assert_false(keeps_a_set(fds[1]));
	for (int i = 0; i < n; i++)
		assert_true(i == 1 || !allocations_of(fds[i]));
	for (int i = 0; i < 2 * FDS; i++)
		rocket_close(fds[i]);
}

static void sets_of_an_fd_are_counted(void **state)
{
	int fd = open_null("");
	struct shape s = { 320, 32, 64 };
	uint64_t all;

	(void)state;
	for (int i = 1; i <= 16; i++, s.M -= 4)
		call(&entries[4], fd, &s);
	all = device_memory(fd);
	for (int i = 1; i <= 60; i++, s.M -= 4) {
		call(&entries[4], fd, &s);
		assert_true(device_memory(fd) <= all);
	}
	rocket_close(fd);
}

static void drained_fd_holds_no_buffer_and_works_on(void **state)
{
	int fd = open_null("");
	struct counts before, used;

	(void)state;
	call(&entries[0], fd, &shapes[1]);
	assert_true(device_memory(fd) > 4096);
	rocket_matmul_drain(fd);
	assert_true(device_memory(fd) <= 4096);
	before = counts_now();
	call(&entries[0], fd, &shapes[1]);
	used = counts_since(&before);
	assert_true(used.allocations > 0);
	rocket_matmul_drain(fd);
	rocket_matmul_drain(fd);
	rocket_close(fd);
	test_log_start();
	rocket_matmul_drain(fd);
	assert_int_equal(test_log_errors(), 1);
}

/* ---- results ---- */

/* -2..2, whose sums are exact in every type. */
static void fill(struct test_rng *rng, _Float16 *halves, int8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bytes[i] = (int8_t)test_random_in(rng, -2, 2);
		halves[i] = (_Float16)bytes[i];
	}
}

/* Sets are kept, found again and replaced, and each call has its own operands' results. */
static void kept_programs_multiply_what_they_are_given(void **state)
{
	static const char *const settings[] = { TILES, TILES " ROCKET_KACC=0 ROCKET_REUSE=2",
						TILES " ROCKET_KEEP_MIB=0",
						TILES " ROCKET_BATCH_SUBMIT=1 ROCKET_KEEP_MIB=1" };
	static int8_t a8[64 * 704], b8[256 * 704];
	static _Float16 a[64 * 704], b[256 * 704], c[64 * 256];
	static int32_t c32[64 * 256];
	struct test_rng rng = { 77 };

	(void)state;
	for (unsigned v = 0; v < sizeof(settings) / sizeof(settings[0]); v++) {
		int fd = test_open(settings[v]);

		for (unsigned round = 0; round < 3 * SHAPES; round++) {
			const struct shape *s = &shapes[round % SHAPES];
			const size_t K = (size_t)s->K;

			fill(&rng, a, a8, (size_t)s->M * K);
			fill(&rng, b, b8, (size_t)s->N * K);
			assert_int_equal(rocket_matmul_fp16(fd, s->M, s->K, s->N, a, b, c), 0);
			assert_int_equal(rocket_matmul_int8(fd, s->M, s->K, s->N, a8, b8, c32), 0);
			for (int i = 0; i < s->M * s->N; i++) {
				const size_t row = (size_t)(i / s->N) * K;
				const size_t column = (size_t)(i % s->N) * K;
				int64_t want = reference_int8(s->K, a8 + row, b8 + column);

				assert_int_equal(c32[i], want);
				assert_true((double)c[i] == (double)want);
			}
		}
		rocket_close(fd);
	}
}

/* Two sets of weights of one shape share a set, whose programs are for one of them. */
static void programs_follow_the_weights(void **state)
{
	static int8_t a8[16 * 128], b8[2][64 * 128];
	static _Float16 a[16 * 128], b[64 * 128];
	static int32_t c[16 * 64];
	struct test_rng rng = { 78 };
	rocket_i8_weights *w[2];
	rocket_i8_ctx *ctx;

	(void)state;
	rocket_close(test_open(""));
	ctx = rocket_i8_ctx_create(1);
	assert_non_null(ctx);
	for (unsigned i = 0; i < 2; i++) {
		fill(&rng, b, b8[i], sizeof(b8[i]));
		w[i] = rocket_i8_weights_pack(ctx, 16, 128, 64, b8[i]);
		assert_non_null(w[i]);
	}
	for (unsigned round = 0; round < 6; round++) {
		unsigned which = round * 2 / 3 % 2;

		fill(&rng, a, a8, sizeof(a8));
		assert_int_equal(rocket_matmul_int8_prepacked(ctx, 16, 128, 64, a8, c, w[which]),
				 0);
		for (int i = 0; i < 16 * 64; i++)
			assert_int_equal(c[i], reference_int8(128, a8 + i / 64 * 128,
							      b8[which] + i % 64 * 128));
	}
	for (unsigned i = 0; i < 2; i++)
		rocket_i8_weights_free(ctx, w[i]);
	rocket_i8_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeated_call_allocates_clears_and_faults_in_nothing),
		cmocka_unit_test(repeated_split_call_allocates_and_faults_in_nothing),
		cmocka_unit_test(first_call_is_seen_to_allocate),
		cmocka_unit_test(calls_that_take_turns_allocate_nothing),
		cmocka_unit_test(what_an_fd_keeps_is_bounded),
		cmocka_unit_test(what_all_fds_keep_is_bounded),
		cmocka_unit_test(oldest_set_of_all_fds_makes_room),
		cmocka_unit_test(sets_of_an_fd_are_counted),
		cmocka_unit_test(drained_fd_holds_no_buffer_and_works_on),
		cmocka_unit_test(kept_programs_multiply_what_they_are_given),
		cmocka_unit_test(programs_follow_the_weights),
	};

	return test_run_group("steady", tests, sizeof(tests) / sizeof(tests[0]), 0);
}
