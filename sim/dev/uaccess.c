// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * uaccess.c - reading and writing memory that may not be mapped.
 *
 * A kernel answers a bad pointer with EFAULT; so does this, by letting the real kernel do
 * the copy: process_vm_readv() on ourselves, or where that is not allowed or not there
 * (seccomp, qemu-user) a file in memory.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "device.h"

#define PAGE  4096u
#define CHUNK (64u * 1024)

static atomic_bool no_process_vm;

/* Cut at page boundaries: a transfer is only partial between two pieces. */
static unsigned cut(struct iovec *v, uint64_t addr, size_t n)
{
	unsigned count = 0;

	while (n) {
		size_t here = PAGE - addr % PAGE;

		if (here > n)
			here = n;
		v[count++] = (struct iovec){ (void *)(uintptr_t)addr, here };
		addr += here;
		n -= here;
	}
	return count;
}

/* Raw system calls: a sanitizer must not look at user memory before the kernel did. */
static ssize_t piece_through_file(int fd, void *local, uint64_t user, size_t n, bool write)
{
	void *from = write ? local : (void *)(uintptr_t)user;
	void *to = write ? (void *)(uintptr_t)user : local;

	if (syscall(SYS_pwrite64, fd, from, n, 0L) != (ssize_t)n)
		return -1;
	return syscall(SYS_pread64, fd, to, n, 0L) == (ssize_t)n ? (ssize_t)n : -1;
}

static ssize_t through_file(void *local, uint64_t user, size_t n, bool write)
{
	int fd = memfd_create("uaccess", MFD_CLOEXEC);
	size_t done = 0;

	if (fd < 0)
		return -1;
	while (done < n) { /* page by page, so that what is before a hole is copied */
		size_t here = PAGE - (user + done) % PAGE;

		if (here > n - done)
			here = n - done;
		if (piece_through_file(fd, (char *)local + done, user + done, here, write) < 0)
			break;
		done += here;
	}
	close(fd);
	return (ssize_t)done;
}

static ssize_t copy_chunk(void *local, uint64_t user, size_t n, bool write)
{
	if (!atomic_load(&no_process_vm)) {
		struct iovec here = { local, n }, there[CHUNK / PAGE + 2];
		unsigned pieces = cut(there, user, n);
		ssize_t r = syscall(write ? SYS_process_vm_writev : SYS_process_vm_readv, getpid(),
				    &here, 1UL, there, (unsigned long)pieces, 0UL);

		if (r >= 0 || errno == EFAULT)
			return r;
		atomic_store(&no_process_vm, true);
	}
	return through_file(local, user, n, write);
}

static size_t copy(void *local, uint64_t user, size_t n, bool write)
{
	size_t done = 0;

	while (done < n) {
		size_t want = n - done < CHUNK ? n - done : CHUNK;
		ssize_t r;

		if (user + done < user) /* around the top of the address space */
			break;
		if (want > UINT64_MAX - (user + done))
			want = UINT64_MAX - (user + done);
		r = copy_chunk((char *)local + done, user + done, want, write);
		if (r <= 0)
			break;
		done += (size_t)r;
		if ((size_t)r < want)
			break;
	}
	return done;
}

size_t sim_copy_from_user(void *dst, uint64_t src, size_t n)
{
	return copy(dst, src, n, false);
}

size_t sim_copy_to_user(uint64_t dst, const void *src, size_t n)
{
	return copy((void *)(uintptr_t)src, dst, n, true);
}
