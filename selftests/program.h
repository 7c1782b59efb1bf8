/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * program.h - register programs of one matmul task on the RK3588, written out here so
 * that these tests depend on nothing but the kernel interface.
 *
 * C[m][n] = sum over k of A[m][k] * B[n][k]: a 1x1 convolution over K channels with M
 * rows and N kernels. Constants: the tables of the silicon-validated encoders.
 */
#ifndef SELFTESTS_PROGRAM_H
#define SELFTESTS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum matmul_type {
	FP16_TO_FP16,
	FP16_TO_FP32,
	BF16_TO_FP32,
	TF32_TO_FP32,
	INT16_TO_INT32, /* saturates */
	INT8_TO_INT32,
	INT4_TO_INT16, /* saturates */
	MATMUL_TYPES
};

struct matmul_format {
	const char *name;
	unsigned in_bits, out_bytes;
	unsigned c2;             /* channels per 16-byte atom of A */
	unsigned ngroup, kgroup; /* block of the weight cube */
	/* program constants */
	unsigned proc;     /* precision of CNA and CORE */
	unsigned dpu;      /* precision of the DPU */
	unsigned out;      /* precision written */
	unsigned size_e;   /* atoms of an output group, minus one */
	unsigned narrow;   /* fp32 to fp16 on the way out */
	unsigned qd;       /* CORE.MISC_CFG bit 0 */
	unsigned slack_db; /* feature banks over the exact fit */
};
extern const struct matmul_format matmul_formats[MATMUL_TYPES];

/* One task; addresses are IOVAs. */
struct matmul {
	enum matmul_type type;
	unsigned m, k, n;
	uint32_t in, wt, out;
	bool accumulate; /* fp16 only: out = conv + the cube at add */
	uint32_t add;
	bool data_reuse, weight_reuse;
	/* Row-major A and C: elements from one row to the next; 0 = cubes. */
	unsigned a_row, c_row;
};

#define MATMUL_WORDS 126
#define HANG_WORDS   108
/* Bytes from one program to the next in a chain: words rounded up to even. */
#define MATMUL_BYTES (MATMUL_WORDS * 8u)

/* Writes MATMUL_WORDS words. */
void matmul_program(const struct matmul *mm, uint64_t *words);
/*
 * The same without its DPU_RDMA block: the DPU waits for a feed that never comes, until
 * the driver's watchdog resets the core. Writes HANG_WORDS words.
 */
void hang_program(const struct matmul *mm, uint64_t *words);
/* Make a matmul program continue with the one at next, of the same length. */
void program_link(uint64_t *words, uint32_t next);

/* Element index inside a tile's cube. */
size_t feature_index(const struct matmul *mm, unsigned m, unsigned k);
size_t weight_index(const struct matmul *mm, unsigned n, unsigned k);
size_t output_index(const struct matmul *mm, unsigned m, unsigned n);
/* Bytes of each operand. */
size_t feature_bytes(const struct matmul *mm);
size_t weight_bytes(const struct matmul *mm);
size_t output_bytes(const struct matmul *mm);

#endif
