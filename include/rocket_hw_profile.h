/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rocket_hw_profile.h - the machine parameters of one NPU.
 *
 * Planners read these instead of literals. Each value is measured on the SoC it
 * names; where it comes from stands beside it in lib/core/profile.c. Everything here is constant
 * and thread-safe.
 */
#ifndef ROCKET_HW_PROFILE_H
#define ROCKET_HW_PROFILE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Bit of a precision code (0 int8, 1 int16, 2 fp16, 3 bf16, 6 int4, 7 tf32). */
#define ROCKET_DT_BIT(prec) (1u << (prec))

struct rocket_hw_profile {
	const char *name;           /* "rk3588" */
	int cbuf_banks;             /* banks of the on-chip operand buffer, per core */
	int cbuf_bank_size;         /* bytes per bank */
	int max_tile;               /* cap of the M and N extent of one matmul tile */
	int kgroup_2b;              /* K group of the weight cube, 1- and 2-byte types */
	int kgroup_4b;              /* K group of the weight cube, 4-byte types */
	int ngroup;                 /* N group of the weight cube, 2-byte types */
	uint32_t dtype_supported;   /* ROCKET_DT_BIT of every dtype with an encoder here */
	const char *select_warning; /* NULL, or why this profile is not an exact match */
	int default_workers;        /* worker fds that keep every core busy */
	int slow_wait_ms;           /* a fence wait longer than this is counted as slow */
	int backstop_ms;            /* the kernel retires a hung job after this time */
};

/*
 * The profile in force: that of the device opened last; before any open, that of
 * ROCKET_CHIP, else of ROCKET_DEVICE=sim:CHIP, else of the device tree, else the
 * RK3588's with a warning in select_warning. Never NULL; valid for the whole process.
 */
const struct rocket_hw_profile *rocket_hw_current(void);

/* The profile called name ("rk3588"), or NULL when there is none. Case-sensitive. */
const struct rocket_hw_profile *rocket_hw_by_name(const char *name);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
