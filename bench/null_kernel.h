/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * null_kernel.h - a device that costs nothing, to measure what the library itself takes.
 *
 * Answers the rocket driver's interface, 1.7, of an RK3588. Buffers are real memory; every job is
 * done at once and NOTHING IS COMPUTED: results are whatever lay in the buffers. No library has
 * it and no variable names it; a program has to be linked with it and to open it here.
 */
#ifndef BENCH_NULL_KERNEL_H
#define BENCH_NULL_KERNEL_H

/* An fd as of rocket_open(), closed by rocket_close(); a negative errno, said, when it fails. */
int null_device_open(void);

#endif
