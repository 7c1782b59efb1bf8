// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stands between the rocket command and the library and spoils one element of every
 * result: what the command then says and exits with is tested by wrong.sh.
 */
#include <string.h>

#include "rocket_matmul.h"

#define DECLARE(name, operand, result)                                                             \
	int __real_##name(int fd, int M, int K, int N, const operand *A, const operand *B,         \
			  result *C);                                                              \
	int __wrap_##name(int fd, int M, int K, int N, const operand *A, const operand *B,         \
			  result *C);

/* The last element: a checker that stops early misses it. */
#define SPOIL(name, operand, result, flip)                                                         \
	DECLARE(name, operand, result)                                                             \
	int __wrap_##name(int fd, int M, int K, int N, const operand *A, const operand *B,         \
			  result *C)                                                               \
	{                                                                                          \
		int status = __real_##name(fd, M, K, N, A, B, C);                                  \
		unsigned char *last = (unsigned char *)(C + (size_t)M * (size_t)N);                \
                                                                                                   \
		last[-(int)sizeof(result) + (flip) / 8] ^= 1 << (flip) % 8;                        \
		return status;                                                                     \
	}

SPOIL(rocket_matmul_fp16, _Float16, _Float16, 8)      /* at least an eighth of the value */
SPOIL(rocket_matmul_fp16_f32out, _Float16, float, 20) /* at least a sixteenth */
SPOIL(rocket_matmul_int8, int8_t, int32_t, 0)
SPOIL(rocket_matmul_bf16, float, float, 20)
SPOIL(rocket_matmul_tf32, float, float, 20)
SPOIL(rocket_matmul_int4, int8_t, int32_t, 0)
SPOIL(rocket_matmul_int16_exact, int16_t, int64_t, 0)
