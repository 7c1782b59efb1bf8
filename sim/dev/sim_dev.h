/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sim_dev.h - an NPU device inside this process.
 *
 * The calls behave as the system calls of the same name on /dev/accel/accel0 with the
 * rocket driver, or on the node of the vendor's rknpu: -1 and errno on failure. The fd is a real
 * file descriptor, so it is unique in the process, close-on-exec and counted against RLIMIT_NOFILE.
 *
 * One device per process and driver, created by the first open and gone with the last close: cores
 * with a thread each, shared by all files. Thread-safe. In a child of fork() the parent's
 * fds answer EBADF; the child may open a device of its own.
 *
 * The rocket driver is that of this package, interface 1.7, or an older one by ROCKET_SIM_DRIVER.
 * What it does not do: requests of the DRM core other than VERSION and GEM_CLOSE (PRIME:
 * EOPNOTSUPP). A job that hangs or faults is retired by the job timeout with a core reset and one
 * line on stderr (or in the trace file); PREP_BO on its out buffers, and on those of jobs that read
 * them, then gives EIO until a job that writes them is submitted or FINI_BO hands them back. The
 * timeout runs from the moment a kick is stuck, in real time; a job that works is never timed out,
 * however long its simulation takes. Memory is coherent, so the ranges of PREP_BO_RANGES and
 * FINI_BO_RANGES are only checked. Counts, flags, sizes and programs are refused as that driver
 * refuses them. As 0.0 it drops the errors of jobs, with a job that names a buffer twice, and
 * ignores what it does not know, but has none of the stock driver's defects in memory.
 *
 * The rknpu driver is the vendor's 0.9.8 as a DRM device on an RK3588, or an older one. All files
 * share one window, which is used from its top. A job that hangs or faults ends with ETIMEDOUT
 * after its own timeout, ROCKET_SIM_TIMEOUT_MS at most; then all cores are reset, and every job
 * that waits ends with EINVAL. Fences are event fds, which can be polled and asked for
 * SYNC_IOC_FILE_INFO; that of a job that does not complete is never signalled. A job that nobody
 * waits for keeps its core through a reset, until the next NONBLOCK submit that names that core,
 * and what waits behind it ends with ETIMEDOUT. It goes with its file, whose memory it works on:
 * of the vendor's driver no such end is known [inferred]. There is one IOMMU domain, no SRAM, and
 * neither clock nor supply: those questions get the answers of a board at 1 GHz.
 *
 * The first mmap() of a whole buffer is the device's own view of it, so unmap it with
 * sim_dev_munmap() and not with munmap(2).
 *
 * Environment, read when the device is created; malformed values refuse the open (EINVAL):
 *   ROCKET_SIM_QUIRKS      see npu.h; default none
 *   ROCKET_SIM_DRIVER      interface version: 0.0, or 1.0 to 1.7, the default; of rknpu 0.8.0 to
 *                          0.9.8, the default
 *   ROCKET_SIM_SCHED       of rknpu: "vendor", "lanes", "lanes:N"; see the architecture document
 *   ROCKET_SIM_TIMEOUT_MS  watchdog of a hung job, default 500
 *   ROCKET_SIM_TRACE       file that gets register dumps and strict reports; "-" stderr
 */
#ifndef SIM_DEV_SIM_DEV_H
#define SIM_DEV_SIM_DEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../npu/npu.h"

/* spec: "sim", "sim:rk3588", "sim:rk3588:rocket", "sim:rk3588:rknpu". ENODEV: no such chip or
 * driver. */
int sim_dev_open(const char *spec);
/* Which variable made this thread's last open fail, and why; "" when errno says all. */
const char *sim_dev_open_reason(void);
int sim_dev_close(int fd);
/* One system call: may return EINTR. */
int sim_dev_ioctl(int fd, unsigned long request, void *arg);
void *sim_dev_mmap(int fd, size_t length, uint64_t offset);
int sim_dev_munmap(int fd, void *addr, size_t length);
/* Parameters of the simulated driver, module "rocket", for the whole process:
 *   rocket_batch_submit  1; 0 refuses batched jobs (EOPNOTSUPP)
 *   rocket_max_jobs      1024, not less; unfinished jobs of a file, above EAGAIN
 *   job_timeout_ms       that of the device opened last; cannot be set */
long sim_dev_param(const char *module, const char *name, long fallback);
int sim_dev_param_set(const char *module, const char *name, long value);

/* True when fd is an open file of a simulated device. */
bool sim_dev_owns(int fd);

/* The chip behind an open fd, or NULL and EBADF. */
const struct npu_chip *sim_dev_chip(int fd);

/* rknpu: see struct rocket_kernel. The time is the job's own, ROCKET_SIM_TIMEOUT_MS at most. */
bool sim_dev_is_hung(int fd, uint64_t tasks);

/* The counters of all kicks of this fd's jobs since open, or of the whole device (fd -1). */
int sim_dev_counters(int fd, struct npu_counters *out);
void sim_dev_counters_reset(int fd);

struct rocket_kernel;
extern const struct rocket_kernel rocket_kernel_sim;

#endif
