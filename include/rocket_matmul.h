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
 * fp16 weights may be larger than the NPU's banks and stream through them, which takes far fewer
 * tasks (ROCKET_MM_STREAM; every entry for fp16 operands but those in rows). The program is a known
 * one, but that its results are exact is inferred and not measured: it is the default on the
 * simulator only, and a board has to be asked for it. Of other types nothing says that they may.
 *
 * ROCKET_* variables that steer a call are those of the fd's rocket_open().
 *
 * An fd keeps plan, buffers and register programs of the shapes it was called with last: called
 * again, such a call allocates nothing. It keeps 16 shapes at most, and all fds of the process,
 * those of workers among them, keep 128 MiB at most (ROCKET_KEEP_MIB of the fd that is called):
 * what was used least recently makes room, on whichever fd it is; a call that needs more than all
 * may keep keeps nothing. An fd gives back what it keeps when it is closed or asked to:
 * rocket_matmul_drain(). What a caller holds (weights, products) does not count.
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

#include <stddef.h>
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
 * Honours ROCKET_MM_MT, ROCKET_MM_NT, ROCKET_MM_KT and, fp16 only, ROCKET_MM_ASYM and
 * ROCKET_MM_STREAM, read now: rocket_matmul_plan() is of every entry for fp16 operands but those
 * in rows.
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

/*
 * For shapes that the alignment rules refuse: padded with zeros they give the same products.
 *
 * rocket_mm_align() rounds M (unless it is 1), K and N up to what the entries for a type of
 * operand take: "fp16", "bf16", "tf32", "int8", "int16" or "int4". ROCKET_E_SHAPE, nothing
 * changed, for another type or an extent outside 1..2^24.
 *
 * rocket_mm_copy_rows() copies a row-major matrix into one of another size: what lies in both,
 * and zeros for the rest of dst. It pads operands and cuts results out. ROCKET_E_SHAPE for NULL,
 * negative sizes and matrices that memory cannot hold; dst and src must not overlap. Both are
 * pure and thread-safe.
 */
int rocket_mm_align(const char *dtype, int *M, int *K, int *N);
int rocket_mm_copy_rows(void *dst, int dst_rows, int dst_columns, const void *src, int src_rows,
			int src_columns, size_t element_bytes);

/* Free what fd keeps between calls. Not beside a call on it. An fd that is not open is logged. */
void rocket_matmul_drain(int fd);

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
 * ones are taken for it, with one warning a call for A and one for B. Both bytes lie packed in the
 * NPU's memory, 2(MK + NK) bytes, beside results of each of the four products: where the window
 * is too small for them, ROCKET_E_NOMEM.
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
 * nbatch products of one shape, C[i] = A[i] . B[i]^T: the tasks of all of them share jobs of up
 * to 64, which saves waits where one product has few. All are packed before the first runs, so
 * their buffers must fit the NPU's 4 GiB window together. K and N as of rocket_matmul_fp16(), M a
 * multiple of 4; partials are always added on the host, as with ROCKET_KACC=0, so a result can
 * differ from rocket_matmul_fp16()'s in its last bit where K takes several tiles. A batch of one
 * is rocket_matmul_fp16(). Items may share A or B; no C may overlap another item's matrices.
 */
int rocket_matmul_fp16_batch(int fd, int M, int K, int N, int nbatch, const _Float16 *const *A,
			     const _Float16 *const *B, _Float16 *const *C);

typedef struct rocket_mm_batch rocket_mm_batch;

/*
 * The same with buffers that a batch keeps between its runs, however large, beside those of the
 * fd: for one layout (shape and nbatch) run again and again. Another layout replaces them.
 * NULL with a line of reason when fd is not open or memory is short. Free the batch before
 * closing its fd: until then the device behind a closed fd stays open, and runs are refused with
 * ROCKET_E_SHAPE. NULL may be freed. One thread at a time, and not beside another call on the fd.
 */
rocket_mm_batch *rocket_mm_batch_create(int fd);
void rocket_mm_batch_free(rocket_mm_batch *b);
int rocket_mm_batch_run(rocket_mm_batch *b, int M, int K, int N, int nbatch,
			const _Float16 *const *A, const _Float16 *const *B, _Float16 *const *C);

/* ---- rows in the NPU's memory ---- */

typedef struct rocket_mm_rows rocket_mm_rows;

/*
 * A product with B packed once, whose A and C lie as plain rows in memory that the NPU reads and
 * writes itself: nothing is packed or unpacked when it runs. For chains of products and for
 * whoever can produce A and consume C in place.
 *
 * create packs B (K and N as of rocket_matmul_fp16() or _int8(), M a multiple of 4) and allocates
 * A, filled with zeros, and C; NULL with a line of reason where others return a status. Write the
 * M x K elements at rocket_mm_rows_a(), run, read the M x N results at rocket_mm_rows_c(); both
 * pointers hold until the product is freed, and neither is touched while it runs. C holds nothing
 * before the first good run. A product may be run again with A changed or not.
 *
 * Refused with ROCKET_E_SHAPE where a tile cannot hold all of K: int8 and fp32 results of a K
 * above 9216. fp16 results have no such limit (partials are added on the NPU), unless the last
 * tile has fewer than 12 rows. Refused, too, are rows of C beyond 128 KiB: an N above 65536 of fp16
 * results, above 32768 of others. Results are those of the one-shot entries, but for the last bit
 * where K is cut elsewhere, and for -0, which is +0 where those add on the host.
 *
 * Free a product before closing its fd, as a batch. One thread at a time, and not beside another
 * call on the fd.
 */
rocket_mm_rows *rocket_mm_rows_create_fp16(int fd, int M, int K, int N, const _Float16 *B);
rocket_mm_rows *rocket_mm_rows_create_fp16_f32out(int fd, int M, int K, int N, const _Float16 *B);
rocket_mm_rows *rocket_mm_rows_create_int8(int fd, int M, int K, int N, const int8_t *B);
void rocket_mm_rows_free(rocket_mm_rows *r);
/* _Float16 or int8_t [M][K]; NULL of NULL */
void *rocket_mm_rows_a(rocket_mm_rows *r);
/* _Float16, float or int32_t [M][N]; NULL of NULL */
const void *rocket_mm_rows_c(const rocket_mm_rows *r);
int rocket_mm_rows_run(rocket_mm_rows *r);

/*
 * Over several cores: N is split over at most nthreads (clamped to 1..8) worker threads,
 * each with its own fd of ROCKET_DEVICE. The result can differ from the one-fd call in the
 * last bit where a slice tiles K differently. nthreads <= 0 takes ROCKET_N_THREADS, else the
 * profile's default_workers. ROCKET_* variables are those of the call.
 *
 * The fds stay open for the next call under the same variables, eight of them at most, unless
 * the call failed or ROCKET_KEEP_MIB is 0; calls at once have fds of their own. They are
 * closed by rocket_matmul_mt_drain(), and when the caller closes the last fd (context, stream)
 * that it opened itself. A device that went away between two calls fails the next one, which
 * closes them.
 */
int rocket_matmul_fp16_mt(int M, int K, int N, const _Float16 *A, const _Float16 *B, _Float16 *C,
			  int nthreads);
int rocket_matmul_bf16_mt(int M, int K, int N, const float *A, const float *B, float *C,
			  int nthreads);
/* Close the fds that no call uses now. Thread-safe. */
void rocket_matmul_mt_drain(void);

/*
 * ---- resident weights ----
 *
 * A context keeps nthreads worker fds (as of rocket_matmul_fp16_mt()) open, and weights that
 * were packed on it stay on the NPU's side, so that a product packs A alone. The threads are
 * those of a pool that the library keeps. One thread at a time may use a context and what was
 * packed on it. Functions that return a pointer return NULL where others return a status, with
 * the same line of reason.
 *
 * Here M is a multiple of 4: a single row is not padded. B of a pack function is not needed
 * afterwards. Weights belong to their context and are freed before it; NULL may be freed.
 * All packed weights of one worker must fit the 4 GiB that it can address, or packing is
 * refused with the figure; more workers have more room.
 */
typedef struct rocket_ctx rocket_ctx;
typedef struct rocket_weights rocket_weights;

/* K and N are tiled as for 256 rows whatever M is, so that a row's result does not depend on how
 * many rows a product has, and any M fits any weights. */
#define ROCKET_CTX_TILING_CANONICAL 0x1u

/* nthreads as of rocket_matmul_fp16_mt(); flags are 0 or ROCKET_CTX_TILING_CANONICAL. */
rocket_ctx *rocket_ctx_create(int nthreads);
rocket_ctx *rocket_ctx_create_ex(int nthreads, unsigned flags);
void rocket_ctx_free(rocket_ctx *ctx);

/* Weights tiled for products of M rows. */
rocket_weights *rocket_weights_pack(rocket_ctx *ctx, int M, int K, int N, const _Float16 *B);
#define ROCKET_MAX_FUSE 8
/* B in nseg (1..ROCKET_MAX_FUSE) parts of Ns[i] x K, one below the other; N is their sum. */
rocket_weights *rocket_weights_pack_seg(rocket_ctx *ctx, int M, int K, int N,
					const _Float16 *const *Bs, const int *Ns, int nseg);
void rocket_weights_free(rocket_ctx *ctx, rocket_weights *w);

/*
 * K and N must be those of the weights. Another M than they were packed for is served where its
 * tiles have the same K and N (always so in a canonical context, and from 256 rows on, or from
 * ROCKET_MM_MT where that is more); else ROCKET_E_TILING, and they must be packed again. The result
 * is that of rocket_matmul_fp16_mt(), but for tiles that are canonical.
 */
int rocket_matmul_fp16_prepacked(rocket_ctx *ctx, int M, int K, int N, const _Float16 *A,
				 _Float16 *C, rocket_weights *w);

typedef struct rocket_i8_ctx rocket_i8_ctx;
typedef struct rocket_i8_weights rocket_i8_weights;

/*
 * int8, the rules of contexts as above but always tiled canonically, so any M fits any weights.
 * Operands and results are those of rocket_matmul_int8(), and with _gw those of
 * rocket_matmul_int8_groupwise(): weights that were packed with a group go with products that have
 * scales, and the others with those that have none (ROCKET_E_SHAPE). _bytes: what the buffers of a
 * set take on the NPU's side, 0 of NULL.
 */
rocket_i8_ctx *rocket_i8_ctx_create(int nthreads);
void rocket_i8_ctx_free(rocket_i8_ctx *ctx);
rocket_i8_weights *rocket_i8_weights_pack(rocket_i8_ctx *ctx, int M, int K, int N, const int8_t *B);
rocket_i8_weights *rocket_i8_weights_pack_gw(rocket_i8_ctx *ctx, int M, int K, int N,
					     const int8_t *B, int group);
void rocket_i8_weights_free(rocket_i8_ctx *ctx, rocket_i8_weights *w);
size_t rocket_i8_weights_bytes(const rocket_i8_weights *w);
int rocket_matmul_int8_prepacked(rocket_i8_ctx *ctx, int M, int K, int N, const int8_t *A,
				 int32_t *C, rocket_i8_weights *w);
int rocket_matmul_int8_prepacked_gw(rocket_i8_ctx *ctx, int M, int K, int N, const int8_t *A,
				    const float *a_scale, const float *b_scale, float *Cf,
				    rocket_i8_weights *w);

typedef struct rocket_i4_ctx rocket_i4_ctx;
typedef struct rocket_i4_weights rocket_i4_weights;

/* int4, the same. The sum of a K tile is clamped as of rocket_matmul_int4(): ROCKET_MM_KT=480 when
 * the context is created makes any operands safe, and so do groups. */
rocket_i4_ctx *rocket_i4_ctx_create(int nthreads);
void rocket_i4_ctx_free(rocket_i4_ctx *ctx);
rocket_i4_weights *rocket_i4_weights_pack(rocket_i4_ctx *ctx, int M, int K, int N, const int8_t *B);
rocket_i4_weights *rocket_i4_weights_pack_gw(rocket_i4_ctx *ctx, int M, int K, int N,
					     const int8_t *B, int group);
void rocket_i4_weights_free(rocket_i4_ctx *ctx, rocket_i4_weights *w);
size_t rocket_i4_weights_bytes(const rocket_i4_weights *w);
int rocket_matmul_int4_prepacked(rocket_i4_ctx *ctx, int M, int K, int N, const int8_t *A,
				 int32_t *C, rocket_i4_weights *w);
int rocket_matmul_int4_prepacked_gw(rocket_i4_ctx *ctx, int M, int K, int N, const int8_t *A,
				    const float *a_scale, const float *b_scale, float *Cf,
				    rocket_i4_weights *w);

/* ---- streams ---- */

typedef struct rocket_stream rocket_stream;

/*
 * Worker fds and their buffers stay open between products whose weights change each time. The
 * rules of contexts hold, for shapes, errors and threads; results are those of
 * rocket_matmul_fp16_mt() and _bf16_mt().
 */
rocket_stream *rocket_stream_create(int nthreads);
void rocket_stream_free(rocket_stream *s);
int rocket_matmul_fp16_stream(rocket_stream *s, int M, int K, int N, const _Float16 *A,
			      const _Float16 *B, _Float16 *C);
/* B in nseg (1..ROCKET_MAX_FUSE) parts of Ns[i] x K; C is M x the sum of Ns. */
int rocket_matmul_fp16_stream_fused(rocket_stream *s, int M, int K, const _Float16 *const *Bs,
				    const int *Ns, int nseg, const _Float16 *A, _Float16 *C);

typedef struct rocket_bf16_stream rocket_bf16_stream;

/* The same for operands and results of rocket_matmul_bf16(). */
rocket_bf16_stream *rocket_bf16_stream_create(int nthreads);
void rocket_bf16_stream_free(rocket_bf16_stream *s);
int rocket_matmul_bf16_stream(rocket_bf16_stream *s, int M, int K, int N, const float *A,
			      const float *B, float *C);

/* ---- RK3576 ---- */

struct rocket_rk3576_wbo;
struct rocket_rk3576_wbo_fp16;

typedef struct rocket_rk3576_i32_stats {
	unsigned submits, tasks;
	unsigned redo_empty, redo_zeroed;
	unsigned atoms_empty, atoms_zeroed;
	unsigned accepted_zero, refused;
} rocket_rk3576_i32_stats;

/*
 * Declared for source compatibility. There is no matmul encoder for that chip yet: what returns a
 * status logs one line and returns ROCKET_E_UNSUPPORTED (ROCKET_E_SHAPE for an fd that is not
 * open) without looking at its other arguments; *out is NULL then, statistics are zero, and
 * there is nothing to free or to drain. Any pointer may be NULL.
 */
int rocket_matmul_plan_int8_rk3576(int M, int K, int N, int *Mt, int *Kt, int *Nt);
int rocket_matmul_int8_rk3576(int fd, int M, int K, int N, const int8_t *A, const int8_t *B,
			      const int32_t *bias, float scale, int8_t *C);
int rocket_matmul_int8_rk3576_perc(int fd, int M, int K, int N, const int8_t *A, const int8_t *B,
				   const int32_t *bias, const float *scale_n, int8_t *C,
				   double *worst_rel_err);
int rocket_matmul_int8_rk3576_perc_sa(int fd, int M, int K, int N, const int8_t *A, const int8_t *B,
				      const int32_t *bias, const float *scale_n,
				      const int64_t *sum_abs_w, int8_t *C, double *worst_rel_err);
int rocket_rk3576_wbo_create(int fd, int K, int N, const int8_t *B, struct rocket_rk3576_wbo **out);
void rocket_rk3576_wbo_free(int fd, struct rocket_rk3576_wbo *w);
int rocket_matmul_int8_rk3576_perc_wbo(int fd, int M, int K, int N, const int8_t *A,
				       const struct rocket_rk3576_wbo *wbo, const int32_t *bias,
				       const float *scale_n, const int64_t *sum_abs_w, int8_t *C,
				       double *worst_rel_err);
void rocket_rk3576_bo_pool_drain(int fd);
int rocket_matmul_int8_rk3576_i32(int fd, int M, int K, int N, const int8_t *A, const int8_t *B,
				  const int32_t *bias, int32_t *C);
void rocket_rk3576_i32_last_stats(rocket_rk3576_i32_stats *out);

/* The same of fp16 operands and fp32 results. */
int rocket_matmul_fp16_rk3576(int fd, int M, int K, int N, const _Float16 *A, const _Float16 *B,
			      float *C);
unsigned rocket_rk3576_mm_fp16_last_attempts(void);
int rocket_rk3576_wbo_fp16_create(int fd, int K, int N, const _Float16 *B,
				  struct rocket_rk3576_wbo_fp16 **out);
void rocket_rk3576_wbo_fp16_free(int fd, struct rocket_rk3576_wbo_fp16 *w);
int rocket_matmul_fp16_rk3576_wbo(int fd, int M, int K, int N, const _Float16 *A,
				  const struct rocket_rk3576_wbo_fp16 *wbo, float *C);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
