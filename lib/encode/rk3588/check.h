/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * check.h - the rules of the RK3588, by subject. Private to lib/encode.
 *
 * Each function judges a complete program: every register it reads has been written.
 */
#ifndef ROCKET_ENCODE_RK3588_CHECK_H
#define ROCKET_ENCODE_RK3588_CHECK_H

#include "../check.h"
#include "regs/rk3588.h"

/* Read a field, blame or doubt a register of the program under check `c`. */
#define VALUE(block, reg)      rocket_check_value(c, RK3588_##block##_##reg)
#define GET(block, reg, field) RK3588_GET(block, reg, field, VALUE(block, reg))
#define BLAME(block, reg, ...)                                                                     \
	rocket_check_fault(c, rocket_check_word(c, RK3588_##block##_##reg),                        \
			   RK3588_##block##_##reg, __VA_ARGS__)
#define DOUBT(block, reg, ...)                                                                     \
	rocket_check_warn(c, rocket_check_word(c, RK3588_##block##_##reg), RK3588_##block##_##reg, \
			  __VA_ARGS__)
#define WITNESS(block, reg, value)                                                                 \
	{                                                                                          \
		RK3588_##block##_##reg, value, false                                               \
	}
#define SOFT(block, reg, value)                                                                    \
	{                                                                                          \
		RK3588_##block##_##reg, value, true                                                \
	}
#define VOTE(what, ...)                                                                            \
	rocket_check_vote(c, what, (const struct rocket_witness[]){ __VA_ARGS__ },                 \
			  sizeof((const struct rocket_witness[]){ __VA_ARGS__ }) /                 \
				  sizeof(struct rocket_witness))

/* Precision codes. */
enum rk3588_precision {
	RK3588_INT8 = 0,
	RK3588_INT16 = 1,
	RK3588_FP16 = 2,
	RK3588_BF16 = 3,
	RK3588_INT32 = 4, /* DPU only */
	RK3588_FP32 = 5,  /* DPU only */
	RK3588_INT4 = 6,
	RK3588_TF32 = 7, /* CNA and CORE only */
};

/* Bits of an element of a precision. */
unsigned rk3588_precision_bits(unsigned precision);

/* What the registers agree on, after the vote. */
struct rk3588_cube {
	int64_t iw, ih, ic; /* input */
	int64_t ow, oh, oc; /* output */
	int64_t kw, kh;
	unsigned precision; /* of the operands */
	bool depthwise;
	bool operand; /* the EW stage reads a second operand from memory */
	/* Where these bytes lie is not known: the registers that say it have been blamed. */
	bool features_lost, output_lost, operand_lost;
};

/* The EW stage takes a second operand from memory. */
bool rk3588_ew_wants_memory(struct rocket_check *c);
/* EW stage and operand DMA mean the same elements. */
bool rk3588_operand_sizes_agree(struct rocket_check *c);

void rk3588_check_conv(struct rocket_check *c, struct rk3588_cube *cube);
void rk3588_check_cbuf(struct rocket_check *c, struct rk3588_cube *cube);
void rk3588_check_output(struct rocket_check *c, struct rk3588_cube *cube);
void rk3588_check_pointers(struct rocket_check *c);
void rk3588_check_operand(struct rocket_check *c, struct rk3588_cube *cube);
void rk3588_check_stages(struct rocket_check *c);
void rk3588_check_lut(struct rocket_check *c);
void rk3588_check_flying(struct rocket_check *c, struct rk3588_cube *cube);
void rk3588_check_pool(struct rocket_check *c);
void rk3588_check_conv_memory(struct rocket_check *c, const struct rk3588_cube *cube);
void rk3588_check_flying_memory(struct rocket_check *c, const struct rk3588_cube *cube);

#endif
