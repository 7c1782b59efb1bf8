// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_mt.c - one product over fds that are opened for it. */
#include "../core/status.h"
#include "matmul_crew.h"
#include "rocket_matmul.h"

static int run_split(const struct rocket_matmul_call *call, int nthreads)
{
	const struct rocket_settings set = rocket_settings_read();
	struct rocket_matmul_crew crew;
	int ret = rocket_matmul_check(call);

	/* What can be refused without a device is. */
	if (!ret)
		ret = rocket_matmul_check_shape(call, rocket_hw_current(), &set);
	if (!ret)
		ret = rocket_crew_open(&crew, call->who, rocket_crew_size(nthreads),
				       call->kind->type, call->N);
	if (ret)
		return ret;
	ret = rocket_crew_run(&crew, call, NULL);
	rocket_crew_close(&crew);
	return ret;
}

int rocket_matmul_fp16_mt(int M, int K, int N, const _Float16 *A, const _Float16 *B, _Float16 *C,
			  int nthreads)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_fp16_mt", &rocket_kind_fp16, M, K, N, A, B, C, .c_row = (size_t)N
	};

	return run_split(&call, nthreads);
}

int rocket_matmul_bf16_mt(int M, int K, int N, const float *A, const float *B, float *C,
			  int nthreads)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_bf16_mt", &rocket_kind_bf16, M, K, N, A, B, C, .c_row = (size_t)N
	};

	return run_split(&call, nthreads);
}
