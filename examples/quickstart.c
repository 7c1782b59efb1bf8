// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * quickstart.c - the smallest program: one fp16 matrix product on the NPU.
 *
 *   cc quickstart.c $(pkg-config --cflags --libs rocketnpu) -o quickstart
 *   ./quickstart                      on a board
 *   ROCKET_DEVICE=sim ./quickstart    without one
 */
#include <stdio.h>
#include <stdlib.h>

#include "rocket_npu.h"
#include "rocket_matmul.h"

enum { M = 64, K = 128, N = 48 }; /* M % 4 == 0, K % 32 == 0, N % 16 == 0 */

/* Small whole numbers, so that every sum is exact in fp16. */
static int a_value(int m, int k)
{
	return (m + 2 * k) % 5 - 2;
}

static int b_value(int n, int k)
{
	return (3 * n + k * k) % 7 - 3;
}

static int wrong_elements(const _Float16 *C)
{
	int wrong = 0;

	for (int m = 0; m < M; m++) {
		for (int n = 0; n < N; n++) {
			int sum = 0;

			for (int k = 0; k < K; k++)
				sum += a_value(m, k) * b_value(n, k);
			wrong += (float)C[m * N + n] != (float)sum;
		}
	}
	return wrong;
}

int main(void)
{
	static _Float16 A[M * K], B[N * K], C[M * N];

	for (int m = 0; m < M; m++)
		for (int k = 0; k < K; k++)
			A[m * K + k] = (_Float16)a_value(m, k);
	for (int n = 0; n < N; n++)
		for (int k = 0; k < K; k++)
			B[n * K + k] = (_Float16)b_value(n, k);

	int fd = rocket_open();

	if (fd < 0)
		return EXIT_FAILURE; /* the library has said why */

	/* C[M,N] = A[M,K] . B[N,K]^T, all row-major */
	int status = rocket_matmul_fp16(fd, M, K, N, A, B, C);

	rocket_close(fd);
	if (status != ROCKET_OK)
		return EXIT_FAILURE;

	int wrong = wrong_elements(C);

	printf("%d x %d x %d on the NPU: %d of %d elements differ from the CPU's\n", M, K, N, wrong,
	       M * N);
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
