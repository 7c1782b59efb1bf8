/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sim_dev.h - an NPU device inside this process.
 *
 * The calls behave as the system calls of the same name on /dev/accel/accel0 with the
 * rocket driver: -1 and errno on failure. The fd is a real file descriptor, so it is
 * unique in the process, close-on-exec and counted against RLIMIT_NOFILE.
 *
 * One device per process and chip, created by the first open: cores with a thread each,
 * shared by all files. Thread-safe.
 *
 * Environment, read when the device is created:
 *   ROCKET_SIM_QUIRKS      see npu.h; default none
 *   ROCKET_SIM_TIMEOUT_MS  watchdog of a hung job, default 500
 *   ROCKET_SIM_TRACE       file that gets register dumps and strict reports; "-" stderr
 */
#ifndef SIM_DEV_SIM_DEV_H
#define SIM_DEV_SIM_DEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../npu/npu.h"

/* spec: "sim", "sim:rk3588", "sim:rk3588:rocket". ENODEV: no such chip or driver. */
int sim_dev_open(const char *spec);
int sim_dev_close(int fd);
/* One system call: may return EINTR. */
int sim_dev_ioctl(int fd, unsigned long request, void *arg);
void *sim_dev_mmap(int fd, size_t length, uint64_t offset);
int sim_dev_munmap(int fd, void *addr, size_t length);
/* Module parameters of the simulated driver (rocket_batch_submit, ...). */
long sim_dev_param(const char *module, const char *name, long fallback);
int sim_dev_param_set(const char *module, const char *name, long value);

/* True when fd is an open file of a simulated device. */
bool sim_dev_owns(int fd);

/* The chip behind an open fd, or NULL and EBADF. */
const struct npu_chip *sim_dev_chip(int fd);

/* The counters of all kicks of this fd's jobs since open, or of the whole device (fd -1). */
int sim_dev_counters(int fd, struct npu_counters *out);
void sim_dev_counters_reset(int fd);

struct rocket_kernel;
extern const struct rocket_kernel rocket_kernel_sim;

#endif
