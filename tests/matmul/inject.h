/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inject.h - make the n-th allocation or device call of the calling thread fail.
 *
 * Works by the linker's --wrap on a program that links the library's objects, so it
 * reaches everything the library and the simulated kernel allocate on this thread.
 */
#ifndef TESTS_MATMUL_INJECT_H
#define TESTS_MATMUL_INJECT_H

enum inject_kind {
	INJECT_ALLOC,     /* malloc, calloc, realloc return NULL */
	INJECT_IOCTL,     /* the device's ioctl fails with EIO */
	INJECT_MMAP,      /* the device's mmap fails with ENOMEM */
	INJECT_FAULT,     /* a submitted job's first program lies at an unmapped address */
	INJECT_BLIND,     /* the same, and the device then reports no error of any job */
	INJECT_UNFLAGGED, /* a job submitted as a chain loses the flag that says so */
	INJECT_KINDS,
};

/* Fail event number n (from 0) of a kind on this thread, counted from now. */
void inject_start(enum inject_kind kind, unsigned n);
/* Stop; returns 1 when the event happened and was made to fail. */
int inject_stop(void);

/* Buffers and mappings of the simulated device that are alive, in the whole process. */
int inject_live_buffers(void);
int inject_live_maps(void);
/* Threads that were started, whoever ended since, in the whole process. */
unsigned inject_threads_started(void);
/* Times that a buffer was given to the device after the CPU wrote it, in the whole process. */
unsigned inject_handed_over(void);

#endif
