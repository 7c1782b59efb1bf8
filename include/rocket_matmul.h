/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rocket_matmul.h - matrix multiplication on the NPU.
 *
 *   C[m][n] = sum over k of A[m][k] * B[n][k]
 *
 * A is M x K, B is N x K (one row per output column, i.e. already transposed),
 * C is M x N; all row-major with the last index fastest, no padding between rows,
 * in ordinary memory with the natural alignment of the element. C must not overlap
 * A or B.
 *
 * Alignment (RK3588): M a multiple of 4, or M = 1 (padded inside); K and N multiples of
 *   fp16, bf16   K 32, N 16
 *   tf32         K 16, N 16
 *   int8, int16  K 32, N 32
 *   int4         K 32, N 64
 * Every dimension in 1..2^24. Anything else is refused with ROCKET_E_SHAPE and a line
 * saying which rule it broke.
 *
 * Numerics: a tile contracts its K with the products exact, each aligned group of 32 k
 * (tf32: 16) summed exactly and rounded once to fp32, groups added in fp32 in ascending k.
 * This is measured for fp16 and taken to hold for bf16 and tf32. fp16 results add one
 * rounding to fp16 per K tile: partials are added on the NPU. With ROCKET_KACC=0, or when
 * the last M tile has fewer than 12 rows, they are added on the host in fp32 instead and
 * rounded once more at the end. fp32 results add the fp32 partials of K tiles in double
 * and round once at the end. Integers are exact, int4 within the limit its entry names.
 *
 * ROCKET_* variables that steer a call are those of the fd's rocket_open(); an fd keeps
 * up to 64 MiB of buffers between calls and gives them back when it is closed.
 *
 * Thread safety: calls on different fds may run at once; two calls on one fd must not.
 *
 * Returns ROCKET_OK, or with one line of reason on the log channel and C unspecified:
 *   ROCKET_E_SHAPE        dimensions, alignment, NULL or overlapping matrices, an fd that
 *                         is not open
 *   ROCKET_E_NOMEM        host memory, or buffers beyond the NPU's 4 GiB window
 *   ROCKET_E_DEVICE       the driver refused, or a job hung, faulted or ran out of time
 *   ROCKET_E_UNSUPPORTED  no encoder for the chip behind fd
 */
#ifndef ROCKET_MATMUL_H
#define ROCKET_MATMUL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* A compiler without _Float16 can build against the library by defining this as a
 * 2-byte type that holds the IEEE binary16 bits. */
#ifdef ROCKET_FLOAT16_T
typedef ROCKET_FLOAT16_T _Float16;
#endif

/*
 * Tile extents that the operation would use. Pure: no device is opened. Mt, Kt and
 * Nt may be NULL. Returns the number of tiles (> 0), or ROCKET_E_SHAPE.
 * Honours ROCKET_MM_MT, ROCKET_MM_NT, ROCKET_MM_KT and, fp16 only, ROCKET_MM_ASYM, read now.
 * M must be a multiple of 4 here (M = 1 is padded to 4 by the entries below).
 */
int rocket_matmul_plan(int M, int K, int N, int *Mt, int *Kt, int *Nt);
int rocket_matmul_plan_bf16(int M, int K, int N, int *Mt, int *Kt, int *Nt);
int rocket_matmul_plan_tf32(int M, int K, int N, int *Mt, int *Kt, int *Nt);
/* Of single int16 programs (N a multiple of 16); rocket_matmul_int16_exact() has the tiles of
 * rocket_matmul_plan_int8(), four times. */
int rocket_matmul_plan_int16(int M, int K, int N, int *Mt, int *Kt, int *Nt);
int rocket_matmul_plan_int8(int M, int K, int N, int *Mt, int *Kt, int *Nt);
/* Of rocket_matmul_int8_groupwise(); ROCKET_MM_KT does not apply. */
int rocket_matmul_plan_int8_gw(int M, int K, int N, int group, int *Mt, int *Kt, int *Nt);
int rocket_matmul_plan_int4(int M, int K, int N, int *Mt, int *Kt, int *Nt);

/* fp16 operands and result. */
int rocket_matmul_fp16(int fd, int M, int K, int N, const _Float16 *A, const _Float16 *B,
		       _Float16 *C);

/* fp16 operands, fp32 result. */
int rocket_matmul_fp16_f32out(int fd, int M, int K, int N, const _Float16 *A, const _Float16 *B,
			      float *C);

/* Operands are the upper 16 bits of each fp32, cut off and not rounded (a NaN stays a NaN). */
int rocket_matmul_bf16(int fd, int M, int K, int N, const float *A, const float *B, float *C);

/* The NPU reads the upper 19 bits of each fp32: sign, exponent, 10 bits of mantissa. */
int rocket_matmul_tf32(int fd, int M, int K, int N, const float *A, const float *B, float *C);

/* int8 operands, exact int32 result (partials of K tiles are summed in 64 bits on the
 * host and the low 32 bits stored). */
int rocket_matmul_int8(int fd, int M, int K, int N, const int8_t *A, const int8_t *B, int32_t *C);

/*
 * int4 operands, one value in -8..7 per int8_t (any other is refused with ROCKET_E_SHAPE);
 * int32 result, as of int8.
 *
 * The NPU clamps the sum of each K tile to int16, and nothing tells. It cannot happen while
 * the products of one K tile stay within 32767: K tiles of 511 at most for any operands, of
 * 668 where there is no -8. _ex limits the K tile to kt_cap, rounded down to a multiple of 32
 * (480 suits any operands); below 32 there is no limit, as in rocket_matmul_int4(), which
 * suits operands whose sums are known to be small.
 */
int rocket_matmul_int4(int fd, int M, int K, int N, const int8_t *A, const int8_t *B, int32_t *C);
int rocket_matmul_int4_ex(int fd, int M, int K, int N, const int8_t *A, const int8_t *B, int32_t *C,
			  int kt_cap);

/*
 * int16 operands, exact int64 result: four int8 products of the operands' high and low bytes,
 * added up on the host. Bytes are signed, so the largest operand that has two is 32639; larger
 * ones are taken for it, with one warning a call.
 */
int rocket_matmul_int16_exact(int fd, int M, int K, int N, const int16_t *A, const int16_t *B,
			      int64_t *C);

/*
 * Quantised with one scale for each `group` consecutive k of each row:
 *
 *   Cf[m][n] = sum over g of a_scale[m][g] * b_scale[n][g] * P[g]
 *   P[g]     = sum over the k of group g of A[m][k] * B[n][k]
 *
 * a_scale is M x (K / group), b_scale N x (K / group), row-major. P is an exact integer (or
 * part of one, where a group takes several tiles); each term is rounded to fp32 after each of
 * its two multiplications and added in fp32, ascending k. group is a multiple of 32 that
 * divides K, and for int4 at most 640, so that int16 holds any P of operands in -7..7 (one of
 * -8 is taken as well: with it, groups up to 511 are safe). M must be a multiple of 4.
 */
int rocket_matmul_int8_groupwise(int fd, int M, int K, int N, const int8_t *A, const int8_t *B,
				 const float *a_scale, const float *b_scale, float *Cf, int group);
int rocket_matmul_int4_groupwise(int fd, int M, int K, int N, const int8_t *A, const int8_t *B,
				 const float *a_scale, const float *b_scale, float *Cf, int group);

/*
 * Over several cores: N is split over at most nthreads (clamped to 1..8) worker threads,
 * each with its own fd of ROCKET_DEVICE, opened and closed by the call. The result can
 * differ from the one-fd call in the last bit where a slice tiles K differently.
 * nthreads <= 0 takes ROCKET_N_THREADS, else the profile's default_workers.
 */
int rocket_matmul_fp16_mt(int M, int K, int N, const _Float16 *A, const _Float16 *B, _Float16 *C,
			  int nthreads);
int rocket_matmul_bf16_mt(int M, int K, int N, const float *A, const float *B, float *C,
			  int nthreads);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
