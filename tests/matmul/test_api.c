// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_api.c - every name that frontends expect of rocket_matmul.h: declared with these
 * prototypes, exported by the library, and refused in one line where it is of the RK3576.
 */
#include <stdbool.h>
#include <string.h>

#include "device.h"

struct entry {
	const char *name;
	void (*function)(void);
};

/* One statement for each name; a prototype that differs does not compile. */
#define ENTRIES                                                                                    \
	ENTRY(int, rocket_matmul_plan, (int, int, int, int *, int *, int *))                       \
	ENTRY(int, rocket_matmul_fp16,                                                             \
	      (int, int, int, int, const _Float16 *, const _Float16 *, _Float16 *))                \
	ENTRY(int, rocket_matmul_fp16_batch,                                                       \
	      (int, int, int, int, int, const _Float16 *const *, const _Float16 *const *,          \
	       _Float16 *const *))                                                                 \
	ENTRY(rocket_mm_batch *, rocket_mm_batch_create, (int))                                    \
	ENTRY(void, rocket_mm_batch_free, (rocket_mm_batch *))                                     \
	ENTRY(int, rocket_mm_batch_run,                                                            \
	      (rocket_mm_batch *, int, int, int, int, const _Float16 *const *,                     \
	       const _Float16 *const *, _Float16 *const *))                                        \
	ENTRY(int, rocket_matmul_fp16_f32out,                                                      \
	      (int, int, int, int, const _Float16 *, const _Float16 *, float *))                   \
	ENTRY(int, rocket_matmul_plan_int8_rk3576, (int, int, int, int *, int *, int *))           \
	ENTRY(int, rocket_matmul_int8_rk3576,                                                      \
	      (int, int, int, int, const int8_t *, const int8_t *, const int32_t *, float,         \
	       int8_t *))                                                                          \
	ENTRY(int, rocket_matmul_int8_rk3576_perc,                                                 \
	      (int, int, int, int, const int8_t *, const int8_t *, const int32_t *, const float *, \
	       int8_t *, double *))                                                                \
	ENTRY(int, rocket_matmul_int8_rk3576_perc_sa,                                              \
	      (int, int, int, int, const int8_t *, const int8_t *, const int32_t *, const float *, \
	       const int64_t *, int8_t *, double *))                                               \
	ENTRY(int, rocket_rk3576_wbo_create,                                                       \
	      (int, int, int, const int8_t *, struct rocket_rk3576_wbo **))                        \
	ENTRY(void, rocket_rk3576_wbo_free, (int, struct rocket_rk3576_wbo *))                     \
	ENTRY(int, rocket_matmul_int8_rk3576_perc_wbo,                                             \
	      (int, int, int, int, const int8_t *, const struct rocket_rk3576_wbo *,               \
	       const int32_t *, const float *, const int64_t *, int8_t *, double *))               \
	ENTRY(void, rocket_rk3576_bo_pool_drain, (int))                                            \
	ENTRY(int, rocket_matmul_int8_rk3576_i32,                                                  \
	      (int, int, int, int, const int8_t *, const int8_t *, const int32_t *, int32_t *))    \
	ENTRY(void, rocket_rk3576_i32_last_stats, (rocket_rk3576_i32_stats *))                     \
	ENTRY(int, rocket_matmul_plan_int8, (int, int, int, int *, int *, int *))                  \
	ENTRY(int, rocket_matmul_int8,                                                             \
	      (int, int, int, int, const int8_t *, const int8_t *, int32_t *))                     \
	ENTRY(int, rocket_matmul_plan_int8_gw, (int, int, int, int, int *, int *, int *))          \
	ENTRY(int, rocket_matmul_int8_groupwise,                                                   \
	      (int, int, int, int, const int8_t *, const int8_t *, const float *, const float *,   \
	       float *, int))                                                                      \
	ENTRY(int, rocket_matmul_plan_int4, (int, int, int, int *, int *, int *))                  \
	ENTRY(int, rocket_matmul_int4,                                                             \
	      (int, int, int, int, const int8_t *, const int8_t *, int32_t *))                     \
	ENTRY(int, rocket_matmul_int4_ex,                                                          \
	      (int, int, int, int, const int8_t *, const int8_t *, int32_t *, int))                \
	ENTRY(int, rocket_matmul_int4_groupwise,                                                   \
	      (int, int, int, int, const int8_t *, const int8_t *, const float *, const float *,   \
	       float *, int))                                                                      \
	ENTRY(int, rocket_matmul_plan_int16, (int, int, int, int *, int *, int *))                 \
	ENTRY(int, rocket_matmul_int16_exact,                                                      \
	      (int, int, int, int, const int16_t *, const int16_t *, int64_t *))                   \
	ENTRY(int, rocket_matmul_plan_bf16, (int, int, int, int *, int *, int *))                  \
	ENTRY(int, rocket_matmul_bf16,                                                             \
	      (int, int, int, int, const float *, const float *, float *))                         \
	ENTRY(int, rocket_matmul_bf16_mt,                                                          \
	      (int, int, int, const float *, const float *, float *, int))                         \
	ENTRY(rocket_bf16_stream *, rocket_bf16_stream_create, (int))                              \
	ENTRY(void, rocket_bf16_stream_free, (rocket_bf16_stream *))                               \
	ENTRY(int, rocket_matmul_bf16_stream,                                                      \
	      (rocket_bf16_stream *, int, int, int, const float *, const float *, float *))        \
	ENTRY(int, rocket_matmul_plan_tf32, (int, int, int, int *, int *, int *))                  \
	ENTRY(int, rocket_matmul_tf32,                                                             \
	      (int, int, int, int, const float *, const float *, float *))                         \
	ENTRY(int, rocket_matmul_fp16_mt,                                                          \
	      (int, int, int, const _Float16 *, const _Float16 *, _Float16 *, int))                \
	ENTRY(rocket_ctx *, rocket_ctx_create, (int))                                              \
	ENTRY(void, rocket_ctx_free, (rocket_ctx *))                                               \
	ENTRY(rocket_weights *, rocket_weights_pack,                                               \
	      (rocket_ctx *, int, int, int, const _Float16 *))                                     \
	ENTRY(void, rocket_weights_free, (rocket_ctx *, rocket_weights *))                         \
	ENTRY(int, rocket_matmul_fp16_prepacked,                                                   \
	      (rocket_ctx *, int, int, int, const _Float16 *, _Float16 *, rocket_weights *))       \
	ENTRY(rocket_stream *, rocket_stream_create, (int))                                        \
	ENTRY(void, rocket_stream_free, (rocket_stream *))                                         \
	ENTRY(int, rocket_matmul_fp16_stream,                                                      \
	      (rocket_stream *, int, int, int, const _Float16 *, const _Float16 *, _Float16 *))    \
	ENTRY(int, rocket_matmul_fp16_stream_fused,                                                \
	      (rocket_stream *, int, int, const _Float16 *const *, const int *, int,               \
	       const _Float16 *, _Float16 *))                                                      \
	ENTRY(rocket_i8_ctx *, rocket_i8_ctx_create, (int))                                        \
	ENTRY(void, rocket_i8_ctx_free, (rocket_i8_ctx *))                                         \
	ENTRY(rocket_i8_weights *, rocket_i8_weights_pack,                                         \
	      (rocket_i8_ctx *, int, int, int, const int8_t *))                                    \
	ENTRY(void, rocket_i8_weights_free, (rocket_i8_ctx *, rocket_i8_weights *))                \
	ENTRY(size_t, rocket_i8_weights_bytes, (const rocket_i8_weights *))                        \
	ENTRY(int, rocket_matmul_int8_prepacked,                                                   \
	      (rocket_i8_ctx *, int, int, int, const int8_t *, int32_t *, rocket_i8_weights *))    \
	ENTRY(rocket_i8_weights *, rocket_i8_weights_pack_gw,                                      \
	      (rocket_i8_ctx *, int, int, int, const int8_t *, int))                               \
	ENTRY(int, rocket_matmul_int8_prepacked_gw,                                                \
	      (rocket_i8_ctx *, int, int, int, const int8_t *, const float *, const float *,       \
	       float *, rocket_i8_weights *))                                                      \
	ENTRY(rocket_i4_ctx *, rocket_i4_ctx_create, (int))                                        \
	ENTRY(void, rocket_i4_ctx_free, (rocket_i4_ctx *))                                         \
	ENTRY(rocket_i4_weights *, rocket_i4_weights_pack,                                         \
	      (rocket_i4_ctx *, int, int, int, const int8_t *))                                    \
	ENTRY(void, rocket_i4_weights_free, (rocket_i4_ctx *, rocket_i4_weights *))                \
	ENTRY(int, rocket_matmul_int4_prepacked,                                                   \
	      (rocket_i4_ctx *, int, int, int, const int8_t *, int32_t *, rocket_i4_weights *))    \
	ENTRY(rocket_i4_weights *, rocket_i4_weights_pack_gw,                                      \
	      (rocket_i4_ctx *, int, int, int, const int8_t *, int))                               \
	ENTRY(int, rocket_matmul_int4_prepacked_gw,                                                \
	      (rocket_i4_ctx *, int, int, int, const int8_t *, const float *, const float *,       \
	       float *, rocket_i4_weights *))                                                      \
	ENTRY(size_t, rocket_i4_weights_bytes, (const rocket_i4_weights *))                        \
	ENTRY(rocket_ctx *, rocket_ctx_create_ex, (int, unsigned))                                 \
	ENTRY(rocket_weights *, rocket_weights_pack_seg,                                           \
	      (rocket_ctx *, int, int, int, const _Float16 *const *, const int *, int))            \
	ENTRY(int, rocket_matmul_fp16_rk3576,                                                      \
	      (int, int, int, int, const _Float16 *, const _Float16 *, float *))                   \
	ENTRY(unsigned, rocket_rk3576_mm_fp16_last_attempts, (void))                               \
	ENTRY(int, rocket_rk3576_wbo_fp16_create,                                                  \
	      (int, int, int, const _Float16 *, struct rocket_rk3576_wbo_fp16 **))                 \
	ENTRY(void, rocket_rk3576_wbo_fp16_free, (int, struct rocket_rk3576_wbo_fp16 *))           \
	ENTRY(int, rocket_matmul_fp16_rk3576_wbo,                                                  \
	      (int, int, int, int, const _Float16 *, const struct rocket_rk3576_wbo_fp16 *,        \
	       float *))

#define ENTRY(ret, name, params)                                                                   \
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), ret(*) params), #name);
ENTRIES
#undef ENTRY

#define ENTRY(ret, name, params) { #name, (void (*)(void))name },
static const struct entry entries[] = { ENTRIES };
#undef ENTRY

#define COUNT (sizeof(entries) / sizeof(entries[0]))

static void every_name_is_linked(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		assert_non_null(entries[i].function);
	assert_int_equal(COUNT, 68);
}

static void constants_are_the_published_ones(void **state)
{
	rocket_rk3576_i32_stats s = { .submits = 1,
				      .tasks = 2,
				      .redo_empty = 3,
				      .redo_zeroed = 4,
				      .atoms_empty = 5,
				      .atoms_zeroed = 6,
				      .accepted_zero = 7,
				      .refused = 8 };

	(void)state;
	assert_int_equal(ROCKET_MAX_FUSE, 8);
	assert_int_equal(ROCKET_CTX_TILING_CANONICAL, 1);
	assert_int_equal(sizeof(s), 8 * sizeof(unsigned));
	rocket_rk3576_i32_last_stats(NULL);
	rocket_rk3576_i32_last_stats(&s);
	assert_true(!s.submits && !s.tasks && !s.redo_empty && !s.redo_zeroed && !s.atoms_empty &&
		    !s.atoms_zeroed && !s.accepted_zero && !s.refused);
	assert_int_equal(rocket_rk3576_mm_fp16_last_attempts(), 0);
}

/* ---- the RK3576 ---- */

static int8_t a8[64], b8[64], c8[64];
static int32_t bias[64], c32[64];
static int64_t sums[64];
static float scales[64], cf[64];
static _Float16 a16[64], b16[64];
static double worst;

enum { PLAN, INT8, PERC, PERC_SA, WBO, PERC_WBO, I32, FP16, FP16_WBO, FP16_WBO_CREATE, CALLS };

static int call(int which, int fd)
{
	struct rocket_rk3576_wbo_fp16 *half = (void *)a16;
	struct rocket_rk3576_wbo *byte = (void *)a8;
	int ret;

	switch (which) {
	case PLAN:
		return rocket_matmul_plan_int8_rk3576(4, 32, 32, NULL, NULL, NULL);
	case INT8:
		return rocket_matmul_int8_rk3576(fd, 1, 32, 32, a8, b8, bias, 1, c8);
	case PERC:
		return rocket_matmul_int8_rk3576_perc(fd, 1, 32, 32, a8, b8, bias, scales, c8,
						      &worst);
	case PERC_SA:
		return rocket_matmul_int8_rk3576_perc_sa(fd, 1, 32, 32, a8, b8, bias, scales, sums,
							 c8, &worst);
	case WBO:
		ret = rocket_rk3576_wbo_create(fd, 32, 32, b8, &byte);
		assert_null(byte);
		return ret;
	case PERC_WBO:
		return rocket_matmul_int8_rk3576_perc_wbo(fd, 1, 32, 32, a8, NULL, bias, scales,
							  sums, c8, &worst);
	case I32:
		return rocket_matmul_int8_rk3576_i32(fd, 1, 32, 32, a8, b8, bias, c32);
	case FP16:
		return rocket_matmul_fp16_rk3576(fd, 1, 32, 32, a16, b16, cf);
	case FP16_WBO:
		return rocket_matmul_fp16_rk3576_wbo(fd, 1, 32, 32, a16, NULL, cf);
	default:
		ret = rocket_rk3576_wbo_fp16_create(fd, 32, 32, b16, &half);
		assert_null(half);
		return ret;
	}
}

static void refused(int fd, int status, const char *reason)
{
	for (int which = 0; which < CALLS; which++) {
		const bool plan = which == PLAN; /* of no fd */
		int ret;

		test_log_start();
		ret = call(which, fd);
		test_require_refusal("call", (unsigned)which, ret,
				     plan ? ROCKET_E_UNSUPPORTED : status,
				     plan ? "no matmul encoder for rk3576" : reason);
	}
	rocket_rk3576_wbo_free(fd, NULL);
	rocket_rk3576_wbo_fp16_free(fd, NULL);
	rocket_rk3576_bo_pool_drain(fd);
}

static void rk3576_entries_are_refused_with_a_reason(void **state)
{
	int fd = test_open("");

	(void)state;
	refused(fd, ROCKET_E_UNSUPPORTED, "is an rk3588, not an rk3576");
	rocket_close(fd);
	refused(fd, ROCKET_E_SHAPE, "is not open here");
	refused(-1, ROCKET_E_SHAPE, "is not open here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_is_linked),
		cmocka_unit_test(constants_are_the_published_ones),
		cmocka_unit_test(rk3576_entries_are_refused_with_a_reason),
	};

	return test_run_group("api", tests, sizeof(tests) / sizeof(tests[0]), 0);
}
